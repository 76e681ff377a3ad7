"""How long from `streamlit run app.py` to a page that can be used? Against a Streamlit app of one line.

python -m benchmarks.start [PAIRS]

Home can be used when its pictures are painted and a click on its first link is answered; the pixel page when its
picture and its map are painted. Each is started anew, in turn with the one-line app. At the end: the memory of a server
with twenty open sessions.
"""

import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.harness import launch, ready, running

PAIRS = 7
SESSIONS = 20


def hello(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_text("Hello").wait_for()


def home(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".st-key-digits img").nth(9).wait_for()
    page.locator(".st-key-digits a").first.click()
    page.get_by_role("heading", name="Pixel attention").wait_for()


def pixel(page: Page, address: str) -> None:
    page.goto(f"{address}/pixel_attention")
    page.get_by_role("grid", name="The picture").locator("canvas").wait_for()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


WAYS = {"one line": hello, "home": home, "pixel page": pixel}
APPS = {"one line": "benchmarks/apps/one_line.py"}


def start(browser: Browser, name: str) -> float:
    """Return the seconds from the start of the server to a usable page."""
    begin = time.perf_counter()
    with running(APPS.get(name, "app.py")) as server:
        page = browser.new_page()
        WAYS[name](page, server.address)
        seconds = time.perf_counter() - begin
        page.context.close()
    return seconds


def memory(process: int) -> float:
    """Return how much memory a process holds, in MB; known on Linux only."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    seconds: dict[str, list[float]] = {name: [] for name in WAYS}
    with sync_playwright() as playwright, launch(playwright) as browser:
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS):
            for name in WAYS:
                seconds[name].append(start(browser, name))
        print("| | median, s | times one line |\n| --- | --- | --- |")
        for name, times in seconds.items():
            ratio = statistics.median(t / one for t, one in zip(times, seconds["one line"], strict=True))
            print(f"| {name} | {statistics.median(times):.2f} | {ratio:.2f} |")
        with running() as server:
            pages = []
            for session in range(SESSIONS):
                page = browser.new_page()
                pixel(page, server.address)
                ready(page)
                pages.append(page)
                if session in (0, SESSIONS - 1):
                    print(f"\nMemory with {session + 1} open sessions: {memory(server.process.pid):.0f} MB")


if __name__ == "__main__":
    main()
