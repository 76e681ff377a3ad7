"""How long from `streamlit run app.py` to a page that can be used? Against a Streamlit app of one line.

python -m benchmarks.start [PAIRS]

Home can be used when its digit answers the pointer and its pictures are there; the pixel page when its picture and its
map are painted. The page itself watches for that, as every question from outside takes time. Each is started anew, in
turn with the one-line app. At the end: the memory of a server with twenty open sessions.
"""

import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from attnviz.ui.mechanisms import MECHANISMS
from benchmarks.clock import amount
from tests.browser.harness import WAIT, launch, run_app, wait_until_ready

PAIRS = amount(7, 1)
SESSIONS = amount(20, 1)

# Whether the page can be used, asked in every animation frame. The pointer is moved to another pixel in each of them,
# until the viewer reads another one.
IN_SHADOW = """(selector) => [...document.querySelectorAll("*")].filter((one) => one.shadowRoot)
  .map((one) => one.shadowRoot.querySelector(selector)).find(Boolean)"""
HELLO = '() => [...document.querySelectorAll("p")].some((one) => one.textContent === "Hello")'
HOME = f"""() => {{
  const find = {IN_SHADOW};
  const pictures = [...document.querySelectorAll(".st-key-home_mechanisms img")];
  if (pictures.length < {len(MECHANISMS)} || !pictures.every((one) => one.complete)) return false;
  const viewer = find(".viewer:is([data-drawn], [data-reading])"), canvas = find(".viewer .board.picture canvas");
  if (!viewer || !canvas) return false;
  const read = () => viewer.read ? JSON.stringify(viewer.read()) : viewer.dataset.reading;
  window.first ??= read();
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent("pointermove", {{ clientX: box.left + 5, clientY: box.top + 5, bubbles: true,
    composed: true, pointerType: "mouse", pointerId: 1 }}));
  return read() !== window.first;
}}"""
PIXEL = f'() => Boolean(({IN_SHADOW})(".viewer:is([data-drawn], [data-reading]) .board.picture canvas"))'
WAYS = {"one line": ("", HELLO), "home": ("", HOME), "pixel page": ("/pixel_attention", PIXEL)}
APPS = {"one line": "benchmarks/apps/one_line.py"}


def use(page: Page, address: str, name: str) -> None:
    """Open a page, and wait until it can be used."""
    path, usable = WAYS[name]
    page.goto(f"{address}{path}", wait_until="commit")
    page.wait_for_function(usable, polling="raf", timeout=WAIT)


def start(browser: Browser, name: str) -> float:
    """Return the seconds from the start of the server to a usable page."""
    begin = time.perf_counter()
    with run_app(APPS.get(name, "app.py")) as server:
        page = browser.new_page()
        use(page, server.address, name)
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
        with run_app() as server:
            pages = []
            for session in range(SESSIONS):
                page = browser.new_page()
                use(page, server.address, "pixel page")
                wait_until_ready(page)
                pages.append(page)
                if session in (0, SESSIONS - 1):
                    print(f"\nMemory with {session + 1} open sessions: {memory(server.process.pid):.0f} MB")


if __name__ == "__main__":
    main()
