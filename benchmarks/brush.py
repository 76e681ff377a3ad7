"""How long until the table of heads is repainted, with 24 x 16 heads, when the pointer brushes its scatter?

python -m benchmarks.brush

Real pointer events drag a brush over the scatter (benchmarks/apps/many_heads.py). Beside it, in the same page and run,
a pointer that moves without a button over an empty element, which repaints nothing: the time of a frame.
"""

import statistics

from playwright.sync_api import Page, sync_playwright

from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

MOVES, REST = amount(120, 3), 50  # milliseconds between movements

# From each movement's time stamp to the message that follows the paint of the next frame.
WATCH = """(element) => {
  window.waits = [];
  const frame = new MessageChannel();
  frame.port1.onmessage = ({ data }) => window.waits.push(performance.now() - data);
  element.addEventListener("pointermove", (event) =>
    requestAnimationFrame(() => frame.port2.postMessage(event.timeStamp)),
  );
}"""
EMPTY = """() => {
  const empty = document.createElement("div");
  empty.id = "empty";
  empty.style.cssText = "position: fixed; inset: auto 0 0 auto; width: 300px; height: 100px; z-index: 1000000";
  document.body.append(empty);
}"""


def moved(page: Page, selector: str, brushes: bool) -> list[float]:
    """Return the milliseconds of each movement over an element, with a button held where it brushes."""
    element = page.locator(selector)
    box = element.bounding_box()
    assert box is not None
    element.evaluate(WATCH)
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    if brushes:
        page.mouse.down()
    page.wait_for_timeout(REST)
    page.evaluate("() => { window.waits = []; }")
    for turn in range(MOVES):
        share = 0.4 + 0.3 * (turn % 20) / 20
        page.mouse.move(box["x"] + share * box["width"], box["y"] + share * box["height"])
        page.wait_for_function("(count) => window.waits.length >= count", arg=turn + 1, polling=5)
        page.wait_for_timeout(REST)
    if brushes:
        page.mouse.up()
    found: list[float] = page.evaluate("() => window.waits")
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
        nothing, brushed = moved(page, "#empty", False), moved(page, ".head-table .scatter", True)
        assert page.locator(".head-table .brush").is_visible()
    frame = statistics.median(nothing)
    print("| | median, ms | 95 %, ms | times nothing repainted |\n| --- | --- | --- | --- |")
    for name, times in {"a brush over 384 heads": brushed, "nothing is repainted": nothing}.items():
        high = sorted(times)[int(0.95 * (len(times) - 1))]
        middle = statistics.median(times)
        print(f"| {name} | {middle:.1f} | {high:.1f} | {middle / frame:.2f} |")


if __name__ == "__main__":
    main()
