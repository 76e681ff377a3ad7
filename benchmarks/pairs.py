"""Has a change made hovering, switching or drawing slower, or pages larger? This checkout against another one.

python -m benchmarks.pairs FOLDER PYTHON [PAIRS]

FOLDER is the other checkout, and PYTHON the interpreter of an environment that it is installed in. Both serve their own
app to one browser; each round measures both, in alternating order, after one round that does not count. Beside the
median of the pairs' ratios stands its 95 % interval, from the order of the ratios: of nine pairs, the second lowest and
the second highest; of fewer than six there is none, and the lowest and the highest stand there.

What the browser gets for a page is the sum of what comes over HTTP, as it is transferred, and over WebSockets, from an
empty cache until nothing comes any more.
"""

import base64
import json
import math
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import draw, hover, switch
from benchmarks.clock import amount
from tests.browser.harness import ROOT, launch, run_app, wait_until_ready

PAIRS = amount(9, 1)
BESIDE = amount(1, 2)  # 2: one checkout beside itself
HOVERS = amount(20, 2)  # in each direction and round
PANELS = ("digits", "digits-no-positions", "1v8-augmented")  # of pixel attention, which every checkout has

STAGES = "element_wise?model=element_wise.fashion-b&data=fashion_mnist&number=0"
STAGE_SWITCHES = amount(5, 1)  # in each round
QUIET = amount(3000, 100)  # milliseconds without a byte, after which a page has all that it gets
PAGES = (
    "",
    "explorer",
    "draw",
    "pixel_attention",
    "paper",
    "element_wise",
    "recurrent_attention",
    "cnn_attention",
    "results",
)

# From the click to the second animation frame after other pixels stand in the canvas, and from there to the end of the
# page's run, which computes what stands below the maps.
REPAINTED = """(canvas) => {
  const frame = () => new Promise(requestAnimationFrame);
  const running = () => document.querySelector('[data-testid="stApp"]').dataset.testScriptState === "running";
  const shown = () => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let at = 0; at < data.length; at += 41) sum = (31 * sum + data[at]) | 0;
    return sum;
  };
  const before = shown();
  window.switched = new Promise((done) => addEventListener("pointerup", async () => {
    const start = performance.now();
    while (shown() === before) await frame();
    await frame();
    const repainted = performance.now() - start;
    while (running()) await frame();
    done([repainted, performance.now() - start]);
  }, { capture: true, once: true }));
}"""


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


def repainted(page: Page, end: int) -> list[float]:
    """Return the milliseconds of switches to another picture on the element-wise page.

    Args:
        end: 0 for the time to the repainted maps, 1 for that to the end of the page's run.
    """
    page.bring_to_front()
    canvas, button = page.locator(".stage-wall canvas").first, page.get_by_role("button", name="Next")
    times = []
    for _ in range(STAGE_SWITCHES):
        canvas.evaluate(REPAINTED)
        button.click()
        times.append(float(page.evaluate("() => window.switched")[end]))
        wait_until_ready(page)
    return times


def drawn(page: Page) -> list[float]:
    """Return the milliseconds of movements of the pen to all panels repainted."""
    page.bring_to_front()
    return draw.waits(page, page.locator(".sheet"), True)


def titles(folder: Path) -> list[str]:
    """Return the titles of the models that are switched, as that checkout has them."""
    cards = [json.loads((folder / "checkpoints" / name / "card.json").read_text()) for name in switch.MODELS]
    return [card["recipe"]["title"] for card in cards]


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of a median: the k-th lowest and the k-th highest, for the largest k that holds it."""
    ordered, count = sorted(ratios), len(ratios)
    outside, k = 2.0 / 2**count, 0
    while outside <= 0.05:
        k += 1
        outside += 2 * math.comb(count, k) / 2**count
    k = max(k, 1)
    return ordered[k - 1], ordered[-k]


def received(browser: Browser, url: str) -> int:
    """Return how many bytes the browser gets for a page, over HTTP and WebSockets, with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    session.on("Network.webSocketFrameReceived", lambda event: sizes.append(frame_size(event["response"])))
    page.goto(url)
    wait_until_ready(page)
    before = -1
    while len(sizes) > before:
        before = len(sizes)
        page.wait_for_timeout(QUIET)
    context.close()
    return sum(sizes)


def frame_size(frame: dict[str, Any]) -> int:
    """Return how many bytes a message of a WebSocket holds; of a binary one, the protocol hands on base64."""
    return len(frame["payloadData"].encode() if frame["opcode"] == 1 else base64.b64decode(frame["payloadData"]))


def open_all(
    stack: ExitStack, browser: Browser, folder: Path, python: str, app: str
) -> dict[str, Callable[[], list[float]]]:
    """Start a checkout's viewer and open the pages of its app; return what measures each of them."""
    viewer = stack.enter_context(run_app("benchmarks/apps/viewer.py", folder=folder, python=python)).address
    pixel = browser.new_page(viewport={"width": 1280, "height": 1400})
    pixel.goto(f"{app}/pixel_attention?model={switch.MODELS[0]}&data=strokes&number=40")
    pixel.locator("[data-shown]").wait_for()
    wait_until_ready(pixel)
    stages = browser.new_page(viewport={"width": 1280, "height": 1400})
    stages.goto(f"{app}/{STAGES}")
    stages.locator(".stage-wall canvas").first.wait_for()
    wait_until_ready(stages)
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
        "another picture, element-wise page, to the maps": partial(repainted, stages, 0),
        "another picture, element-wise page, to its end": partial(repainted, stages, 1),
        "draw, after a rest": partial(drawn, pad),
    }


def main() -> None:
    other, python = Path(sys.argv[1]).resolve(), sys.argv[2]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else PAIRS
    found: dict[str, tuple[list[float], list[float]]] = {}
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = stack.enter_context(launch(playwright))
        checkouts = ((other, python), (ROOT, sys.executable))[: 2 // BESIDE]
        apps = [stack.enter_context(run_app(folder=one, python=its)).address for one, its in checkouts]
        sizes = {
            path: [received(browser, f"{app}/{path}") for app in apps] * BESIDE for path in PAGES[: amount(None, 1)]
        }
        sides = [
            open_all(stack, browser, folder, interpreter, app)
            for (folder, interpreter), app in zip(checkouts, apps, strict=True)
        ] * BESIDE
        for turn in range(amount(0, 1), pairs + 1):  # the first does not count
            print(f"round {turn} of {pairs}", file=sys.stderr)
            for name in sides[0]:
                for side in (0, 1) if turn % 2 else (1, 0):
                    middle = statistics.median(sides[side][name]())
                    if turn:
                        found.setdefault(name, ([], []))[side].append(middle)
    print("| | the other, ms | this one, ms | median of the pairs' ratios | its 95 % interval |")
    print("| --- | --- | --- | --- | --- |")
    for name, (before, now) in found.items():
        ratios = [b / a for a, b in zip(before, now, strict=True)]
        low, high = interval(ratios)
        middles = f"{statistics.median(before):.1f} | {statistics.median(now):.1f}"
        print(f"| {name} | {middles} | {statistics.median(ratios):.2f} | {low:.2f} to {high:.2f} |")
    print("\n| page | the other, bytes | this one, bytes | ratio |\n| --- | --- | --- | --- |")
    for path, (theirs, ours) in sizes.items():
        print(f"| {path or 'home'} | {theirs:,} | {ours:,} | {ours / theirs:.3f} |")


if __name__ == "__main__":
    main()
