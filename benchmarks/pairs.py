"""Has a change made hovering, switching or drawing slower? This checkout against another one, in alternating pairs.

python -m benchmarks.pairs FOLDER PYTHON [PAIRS]

FOLDER is the other checkout, and PYTHON the interpreter of an environment that it is installed in. Both serve their own
app to one browser; each round measures both, in alternating order, after one round that does not count.
"""

import json
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import draw, hover, switch
from tests.browser.harness import ROOT, launch, run_app, wait_until_ready

PAIRS = 9
HOVERS = 20  # in each direction and round
PANELS = ("digits", "digits-no-positions", "1v8-augmented")  # of pixel attention, which every checkout has


def hovered(page: Page, direction: str) -> list[float]:
    """Return the milliseconds of hovers over the viewer with 24 heads."""
    page.bring_to_front()
    page.get_by_role("radio", name=direction).click()
    page.wait_for_timeout(1000)  # the chosen direction goes to the server once, when it has settled
    canvas = page.get_by_role("grid", name="The picture").locator("canvas")
    times: list[float] = canvas.evaluate(hover.MOVE, [HOVERS, hover.REST])["hover"]
    return times[1:]


def switched(page: Page, measure: Callable[[Page], list[float]]) -> list[float]:
    """Return the milliseconds of switches on the pixel page."""
    page.bring_to_front()
    return measure(page)


def drawn(page: Page) -> list[float]:
    """Return the milliseconds of movements of the pen to all panels repainted."""
    page.bring_to_front()
    return draw.waits(page, page.locator(".sheet"), True)


def titles(folder: Path) -> list[str]:
    """Return the titles of the models that are switched, as that checkout has them."""
    cards = [json.loads((folder / "checkpoints" / name / "card.json").read_text()) for name in switch.MODELS]
    return [card["recipe"]["title"] for card in cards]


def open_all(stack: ExitStack, browser: Browser, folder: Path, python: str) -> dict[str, Callable[[], list[float]]]:
    """Start a checkout's apps and open its pages; return what measures each of them."""
    app, viewer = (
        stack.enter_context(run_app(path, folder=folder, python=python)).address
        for path in ("app.py", "benchmarks/apps/viewer.py")
    )
    pixel = browser.new_page(viewport={"width": 1280, "height": 1400})
    pixel.goto(f"{app}/pixel_attention?model={switch.MODELS[0]}&data=strokes&number=40")
    pixel.locator("[data-shown]").wait_for()
    wait_until_ready(pixel)
    maps = browser.new_page(viewport={"width": 1280, "height": 720})
    maps.goto(f"{viewer}?heads=24")
    wait_until_ready(maps)
    names = ",".join(f"pixel_attention.{name}" for name in PANELS)
    pad = draw.open_cards(browser, f"{app}/draw?models={names}")
    return {
        "hover, takes from": partial(hovered, maps, "Takes from"),
        "hover, gives to": partial(hovered, maps, "Gives to"),
        "another picture": partial(switched, pixel, switch.pictures),
        "another model": partial(switched, pixel, partial(switch.models, titles=titles(folder))),
        "draw, after a rest": partial(drawn, pad),
    }


def main() -> None:
    other, python = Path(sys.argv[1]).resolve(), sys.argv[2]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else PAIRS
    found: dict[str, tuple[list[float], list[float]]] = {}
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = stack.enter_context(launch(playwright))
        sides = [
            open_all(stack, browser, folder, interpreter)
            for folder, interpreter in ((other, python), (ROOT, sys.executable))
        ]
        for turn in range(pairs + 1):
            print(f"round {turn} of {pairs}", file=sys.stderr)
            for name in sides[0]:
                for side in (0, 1) if turn % 2 else (1, 0):
                    middle = statistics.median(sides[side][name]())
                    if turn:
                        found.setdefault(name, ([], []))[side].append(middle)
    print("| | the other, ms | this one, ms | median of the pairs' ratios |\n| --- | --- | --- | --- |")
    for name, (before, now) in found.items():
        ratio = statistics.median(b / a for a, b in zip(before, now, strict=True))
        print(f"| {name} | {statistics.median(before):.1f} | {statistics.median(now):.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
