"""What does it cost the browser to repaint the table of 24 x 16 heads, when the pointer brushes its scatter?

python -m benchmarks.brush

Real pointer events drag a brush over the scatter (benchmarks/apps/many_heads.py). For each movement: the processor time
of the page's main thread from the event until the frame that shows it is handed to the compositor, which is to fit into
the 16.7 ms of a frame. Beside it, in the same page and run, a pointer that moves over an empty element.
"""

import json
import statistics
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

MOVES, REST = amount(120, 3), 60  # milliseconds between movements
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]

DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
EMPTY = """() => {
  const empty = document.createElement("div");
  empty.id = "empty";
  empty.style.cssText = "position: fixed; inset: auto 0 0 auto; width: 300px; height: 100px; z-index: 1000000";
  document.body.append(empty);
}"""


def moved(browser: Browser, page: Page, selector: str, brushes: bool) -> list[float]:
    """Return the milliseconds of work of each movement over an element, with a button held where it brushes."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    if brushes:
        page.mouse.down()
    page.wait_for_timeout(REST)
    browser.start_tracing(page=page, categories=CATEGORIES)
    for turn in range(MOVES + 1):
        share = 0.4 + 0.3 * (turn % 20) / 20
        page.mouse.move(box["x"] + share * box["width"], box["y"] + share * box["height"])
        page.evaluate(DRAWN)
        page.wait_for_timeout(REST)
    found = work(json.loads(browser.stop_tracing())["traceEvents"])
    if brushes:
        page.mouse.up()
    return found


def work(events: Sequence[Mapping[str, Any]], kind: str = "pointermove") -> list[float]:
    """Return the milliseconds of processor time of the main thread for each movement, or another kind of event, until
    its frame is there."""
    timed = [event for event in events if event.get("ph") == "X"]
    moves = [event for event in timed if event["name"] == "EventDispatch"]
    starts = [event for event in moves if event["args"]["data"]["type"] == kind]
    here = {(event["pid"], event["tid"]) for event in starts}
    own = [event for event in timed if (event["pid"], event["tid"]) in here]
    tasks, frames = ([event for event in own if event["name"] == name] for name in ("RunTask", "Commit"))
    found = []
    for start, following in pairwise(sorted(event["ts"] for event in starts)):
        end = min((one["ts"] + one["dur"] for one in frames if start < one["ts"] < following), default=None)
        if end is not None:  # else the events belong to one frame
            during = (one for one in tasks if one["ts"] < end and one["ts"] + one["dur"] > start)
            found.append(sum(one.get("tdur", one["dur"]) for one in during) / 1000)
    return found


def main() -> None:
    with (
        run_app("benchmarks/apps/many_heads.py") as app,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(app.address)
        page.locator(".head-table .scatter").wait_for()
        wait_until_ready(page)
        page.evaluate(EMPTY)
        nothing = moved(browser, page, "#empty", False)
        brushed = moved(browser, page, ".head-table .scatter", True)
        assert page.locator(".head-table .brush").is_visible()
    print("| main thread until the frame is there | movements | median, ms | 95 %, ms |\n| --- | --- | --- | --- |")
    for name, times in {"a brush over 384 heads": brushed, "nothing is repainted": nothing}.items():
        high = sorted(times)[int(0.95 * (len(times) - 1))]
        middle = statistics.median(times)
        print(f"| {name} | {len(times)} | {middle:.1f} | {high:.1f} |")


if __name__ == "__main__":
    main()
