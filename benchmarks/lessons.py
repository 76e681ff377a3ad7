"""What does a lesson add to a page: requests, bytes, and milliseconds of hovering? The same view with and without it.

python -m benchmarks.lessons [PAIRS]

All in one browser, in turn. Bytes and requests are those of an empty cache, until nothing comes any more.
"""

import statistics
import sys
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from attnviz.ui.lessons import bar, shelf
from benchmarks import hover
from benchmarks.clock import amount
from benchmarks.pairs import interval, received
from tests.browser.harness import launch, run_app, wait_until_ready

LESSON, STEP = "heads", 0
PAIRS = amount(9, 1)
HOVERS = amount(20, 2)  # of each side in a pair


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    view = shelf.lessons()[LESSON].steps[STEP].view
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        without = f"{app.address}/{view.page}?{urlencode(view.words)}"
        with_it = f"{app.address}/{view.page}?{urlencode(bar.words_of(view, LESSON, STEP))}"
        for what, of in (("requests", requests), ("bytes", received)):
            before, after = of(browser, without), of(browser, with_it)
            print(f"| {what} | {before:,} | {after:,} | {after - before:+,} |")
        pages = [opened(browser, url) for url in (without, with_it)]
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(pairs + 1):
            for side in (0, 1) if turn % 2 else (1, 0):
                middle = hovered(pages[side])
                if turn:
                    times[side].append(middle)
    ratios = [after / before for before, after in zip(*times, strict=True)]
    low, high = interval(ratios)
    middles = " | ".join(f"{statistics.median(side):.1f}" for side in times)
    print(f"| hover, ms | {middles} | {statistics.median(ratios):.2f} times ({low:.2f} to {high:.2f}) |")


def requests(browser: Browser, url: str) -> int:
    """Return how many requests a page makes, with an empty cache."""
    context = browser.new_context()
    page = context.new_page()
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    page.goto(url)
    wait_until_ready(page)
    page.wait_for_load_state("networkidle")
    context.close()
    return len(found)


def opened(browser: Browser, url: str) -> Page:
    """Return a page that is ready."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(url)
    wait_until_ready(page)
    return page


def hovered(page: Page) -> float:
    """Return the median milliseconds of hovers over the picture."""
    page.bring_to_front()
    canvas = page.get_by_role("grid", name="The picture").locator("canvas")
    times: list[float] = canvas.evaluate(hover.MOVE, [HOVERS, hover.REST])["hover"]
    return statistics.median(times[1:])


if __name__ == "__main__":
    main()
