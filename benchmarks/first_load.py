"""How long does a first visit take over a slow line? Against a Streamlit app of one line, under the same throttle.

python -m benchmarks.first_load [ROUNDS]

200 ms there and back, 400 kB a second, nothing in the browser's cache. First content is the first text of the app: the
title of home and of the pixel page, and "Hello" of the other. Both servers run all the time; all pages in turn.
"""

import statistics
import sys
import time
from contextlib import ExitStack

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, throttle

ROUNDS = amount(5, 1)


def hello(page: Page) -> Locator:
    return page.get_by_text("Hello", exact=True)


def title(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def visit(browser: Browser, url: str) -> tuple[float, float]:
    """Return the seconds to the first content, and the megabytes that came until then."""
    page = browser.new_context().new_page()
    throttle(page)
    came = [0.0]
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: came.append(event["encodedDataLength"]))
    begin = time.perf_counter()
    page.goto(url, wait_until="commit")
    (hello(page) if "one" in url else title(page)).first.wait_for()
    seconds = time.perf_counter() - begin
    page.context.close()
    return seconds, sum(came) / 1e6


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with ExitStack() as stack:
        browser = stack.enter_context(launch(stack.enter_context(sync_playwright())))
        one = stack.enter_context(run_app("benchmarks/apps/one_line.py")).address
        ours = stack.enter_context(run_app()).address
        urls = {"one line": f"{one}/?one", "home": ours, "pixel page": f"{ours}/pixel_attention"}
        for url in amount([*urls.values()], []):  # the servers have done all that they do once
            visit(browser, url)
        seconds: dict[str, list[float]] = {name: [] for name in urls}
        size: dict[str, float] = {}
        for _ in range(rounds):
            for name, url in urls.items():
                took, size[name] = visit(browser, url)
                seconds[name].append(took)
    print("| first visit, 200 ms, 400 kB/s | first content, s | MB until then | times one line |")
    print("| --- | --- | --- | --- |")
    for name, times in seconds.items():
        ratio = statistics.median(t / one for t, one in zip(times, seconds["one line"], strict=True))
        print(f"| {name} | {statistics.median(times):.2f} | {size[name]:.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
