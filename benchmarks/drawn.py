"""Does a digit that is drawn on the draw page get the right answer? 400 of them, with real pointer events.

python -m benchmarks.drawn [COUNT [CHECKPOINT ...]]

Half are ways of the pen of our generator, of a seed that no data set has; half are MNIST's training pictures, thinned
to lines, from the part that was held out to choose the weights by: their pixels were never trained on. Each is drawn
over most of the pad, and once more at a third of the size in a corner. The models look that are named, or else every
one that knows ten digits, as many at a time as the draw page has panels for.
"""

import sys
from collections import defaultdict

import numpy as np
from playwright.sync_api import Page, sync_playwright

from attnviz import cards, data
from attnviz.training.examples import split
from attnviz.ui.draw import panels
from benchmarks.clock import amount
from benchmarks.tracing import Line, traced, written
from tests.browser.harness import launch, run_app, wait_until_ready

COUNT = amount(200, 1)  # of each half
SEED = 1000  # and on; the data sets have 0 and 1
EVERY = 4  # of so many points of a line one is a movement: a hand's come as far apart
SHIPPED = "pixel_attention.digits"
PLACES = {"large": (20.0, 20.0, 240.0), "a third of the size, in a corner": (8.0, 8.0, 80.0)}  # left, top, side


def hands(count: int) -> list[tuple[str, int, list[Line]]]:
    """Return where a digit comes from, which it is, and its lines."""
    found = [("strokes", number % 10, [written(number % 10, SEED + number)]) for number in range(count)]
    if not data.available("mnist"):
        print("MNIST has not been downloaded: only the digits of our generator are drawn.")
        return found
    images, labels = data.load("mnist", "train")
    held_out = split(len(labels), cards.read(SHIPPED).recipe)[0][:count].numpy()
    return found + [("MNIST, traced", int(labels[one]), traced(np.array(images[one, :, :, 0]))) for one in held_out]


def draw(page: Page, lines: list[Line], left: float, top: float, side: float) -> None:
    """Draw lines into a square of the pad, which has 280 x 280, as high or as wide as it."""
    box = page.locator(".sheet").bounding_box()
    assert box is not None
    points = np.concatenate(lines)
    low, high = points.min(0), points.max(0)
    scale = side / max((high - low).max(), 1e-9)
    start = np.array([left, top]) + (side - scale * (high - low)) / 2
    for line in lines:
        way = (start + scale * (line[[*range(0, len(line) - 1, EVERY), -1]] - low)) * (box["width"] / 280)
        way += [box["x"], box["y"]]
        page.mouse.move(*way[0])
        page.mouse.down()
        for point in way[1:]:
            page.mouse.move(*point)
        page.mouse.up()


def answers(page: Page) -> dict[str, str]:
    """Return what each model says of what is drawn now, once all of them have looked at it."""
    page.wait_for_function(
        """() => {
          const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
          const cards = roots.map((one) => one.querySelector(".draw-cards")).find(Boolean);
          const { turn, sample } = cards.readCards();
          return !sample && Number(cards.dataset.settled) === turn;
        }"""
    )
    said = page.locator(".draw-cards").evaluate("(cards) => cards.readCards().cards")
    return {one["checkpoint"]: one["answer"] for one in said}


def looked(page: Page, drawings: list[tuple[str, int, list[Line]]]) -> dict[tuple[str, str, str], list[bool]]:
    """Draw everything and return whether each model was right: by model, where the digit comes from, and place."""
    right: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for number, (source, label, lines) in enumerate(drawings):
        if number % 20 == 0:
            print(f"{number} of {len(drawings)} digits", file=sys.stderr)
        for place, square in PLACES.items():
            draw(page, lines, *square)
            for name, answer in answers(page).items():
                right[name, source, place].append(answer == str(label))
            page.get_by_role("button", name="Clear", exact=True).click()
    return right


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    digits = panels.first_task()
    names = sys.argv[2:] or [name for name, net in panels.known_of(digits).items() if net.classes == digits.classes]
    names = names[: amount(None, 1)]
    drawings = hands(count)
    right: dict[tuple[str, str, str], list[bool]] = {}
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        for first in range(0, len(names), panels.MOST):
            page = browser.new_page(viewport={"width": 1280, "height": 1400})
            page.goto(f"{app.address}/draw?models={','.join(names[first : first + panels.MOST])}")
            page.locator(".draw-cards[data-answered]").wait_for(timeout=120_000)
            wait_until_ready(page)
            right |= looked(page, drawings)
            page.close()
    groups = sorted({key[1:] for key in right})
    print("| drawn digits answered correctly | " + " | ".join(f"{one}, {place}" for one, place in groups) + " |")
    print("| --- " * (len(groups) + 1) + "|")
    for name in sorted(names, key=lambda one: (one != SHIPPED, one)):
        shares = [right[name, *group] for group in groups]
        print(f"| `{name}` | " + " | ".join(f"{100 * np.mean(one):.1f} % of {len(one)}" for one in shares) + " |")


if __name__ == "__main__":
    main()
