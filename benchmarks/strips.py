"""A strip of 15 digits: how long until it is read, and until the answer follows weights that are dragged?

python -m benchmarks.strips [CHECKPOINT ...]

First, in this process, in turn: the bare greedy decoding of a drawn strip (single precision, no trace), and all that
the page reads of it, which is the text with the weights of every layer and head in double precision. The time of one
symbol says whether a browser could paint it before the next one is there: a frame takes 16.7 ms.

Then in Chromium: digits are typed, and the time runs from the Enter key to the frame that shows the new strip with its
text, through a run of the page. Last, the weights of a step are dragged (`benchmarks.followed` says what is measured);
the baseline is the bare pass of the decoder with the text that it has said itself.
"""

import statistics
import sys
import time

import torch
from playwright.sync_api import Page, sync_playwright

from attnviz.answers import as_batch
from attnviz.data import strokes
from attnviz.subjects import Loaded, Strip, net
from attnviz.ui.mechanisms.sequences import reading
from attnviz.ui.shared import cache
from benchmarks.clock import amount, in_turn, table
from benchmarks.followed import bare_times, follow, high, report
from tests.browser.harness import launch, read_state, run_app, wait_for_state, wait_until_ready

CHECKPOINTS = ("encoder_decoder.strips-15", "transformer.strips-15")
DIGITS = "314159265358979"
TYPED = amount(12, 1)  # times
FRAME = 1000 / 60  # milliseconds
SHOWN = ".alignment[data-drawn]"

PAINTED = """() => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now());
  channel.port2.postMessage(0);
}))"""


def read_in_turn(name: str, strip: Strip) -> Loaded:
    """Print how long a strip takes to be read in this process, and return the net in single precision."""
    loaded = cache.single(net(name))
    images = as_batch(strip.picture)

    def bare() -> int:
        with torch.inference_mode():
            return int(loaded.model(images).shape[1])

    exact = cache.exact(net(name))
    seconds = in_turn({"bare greedy decoding": bare, "all that the page reads": lambda: reading.view(exact, strip)})
    print(f"{name}, {len(strip)} digits, one thread\n")
    print(table(seconds, "bare greedy decoding"))
    each = 1000 * statistics.median(seconds["bare greedy decoding"]) / bare()
    print(f"\nA symbol takes {each:.2f} ms, so {FRAME / each:.0f} of them come within one frame.\n")
    return loaded


def typed_times(page: Page) -> list[float]:
    """Return the milliseconds from the Enter key to the frame that shows the strip that was typed, and its text."""
    page.evaluate(
        "addEventListener('keydown', ({ key, timeStamp }) => key === 'Enter' && (window.pressed = timeStamp), true)"
    )
    found = []
    for turn in range(TYPED + 1):
        digits = DIGITS[turn % 5 :] + DIGITS[: turn % 5]
        before = read_state(page.locator(SHOWN))["subject"]
        page.get_by_label("Or type digits").fill(digits)
        page.keyboard.press("Enter")
        wait_for_state(page, ".alignment", "(found, before) => found.subject !== before", before)
        found.append(page.evaluate(PAINTED) - page.evaluate("window.pressed"))
        page.wait_for_timeout(400)
    return found[1:]


def drag(page: Page) -> dict[str, list[float]]:
    """Drag the weights of a step to and fro, and return what `follow` does."""
    box = page.locator(".stage canvas").bounding_box()
    assert box is not None
    at = read_state(page.locator(SHOWN))["layout"]
    y = box["y"] + sum(at["bars"]) / 2

    def place(move: int) -> tuple[float, float]:
        column = 20 + (move * 3) % 17
        return box["x"] + (at["xs"][column] + at["xs"][column + 1]) / 2, y

    return follow(page, ".alignment", "moved", place)


def main() -> None:
    """Measure, and print tables."""
    torch.set_num_threads(1)  # a strip is so little work that a second thread costs more than it gives
    names = sys.argv[1:] or CHECKPOINTS
    strip = Strip.drawn(strokes.draw([int(digit) for digit in DIGITS], seed=4)[..., 0])
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        for name in names:
            loaded = read_in_turn(name, strip)
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            page.goto(f"{app.address}/sequences?v=2&model={name}&strip={strip.word}&step=8")
            page.locator(SHOWN).wait_for(timeout=120_000)
            wait_until_ready(page)
            times, bare = typed_times(page), 1000 * _decoding(loaded, strip)
            print(
                f"From the Enter key to the painted text: {statistics.median(times):.0f} ms (95 %: {high(times):.0f}), "
                f"{statistics.median(times) / bare:.0f} times the bare greedy decoding.\n"
            )
            images = as_batch(strip.picture)
            with torch.inference_mode():
                text = loaded.model(images).argmax(-1)
                base = bare_times(lambda: loaded.model(images, targets=text))  # noqa: B023
            report(drag(page), base, f"{name}, the weights of a step are dragged", "the weight")
            print()
            page.close()


def _decoding(loaded: Loaded, strip: Strip) -> float:
    images = as_batch(strip.picture)
    found = []
    with torch.inference_mode():
        for _ in range(9):
            start = time.perf_counter()
            loaded.model(images)
            found.append(time.perf_counter() - start)
    return statistics.median(found)


if __name__ == "__main__":
    main()
