"""How long from a movement of the pointer to all cards of the draw page repainted?

python -m benchmarks.draw

Real pointer events in Chromium draw on the draw page, all of its usual cards beside it; the same on a page that runs
again for every movement (benchmarks/apps/rerun_draw.py). Beside them, in the same run, the sum of the bare forward
passes of these models: one picture, nobody listening, every token of an attention layer attending to all others in the
fused kernel. A movement after a rest waits for nothing else; while a hand moves on, it waits for the answer before too.
The passes too are timed both ways: a processor that has rested is slower.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from playwright.sync_api import Browser, Page, sync_playwright
from torch import Tensor

from attnviz.answers import as_batch
from attnviz.models.pixel_attention import PixelAttention
from attnviz.subjects import Picture, net
from attnviz.ui.draw import panels
from attnviz.ui.shared import cache
from benchmarks.clock import amount
from benchmarks.heads import fused
from tests.browser.harness import launch, run_app, wait_until_ready

ALONE = ("pixel_attention.digits", "pixel_attention.1v8-augmented")  # 196 and 784 tokens: each on a page of its own
WARM = amount(1, 0)  # times that a page is drawn on before it is measured
MOVES = amount(60, 1)
FAR, NEAR = 50, 7  # milliseconds: between movements after a rest once all is painted; while a hand moves on
REST, ON = "after a rest", "while the hand moves on"

# Every movement's time stamp and the turn it asked for; then, whenever all cards of a turn are on the screen, how long
# the movements up to it have waited. A message posted in the next frame arrives when that is painted.
WATCH = """() => {
  const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  const cards = roots.map((one) => one.querySelector(".draw-cards")).find(Boolean);
  const moves = [];
  window.waits = [];
  window.asked = () => moves.length;
  addEventListener("pointermove", (event) => {
    if (event.buttons) queueMicrotask(() => moves.push([event.timeStamp, cards.readCards().turn]));
  });
  new MutationObserver(() => {
    const turn = Number(cards.dataset.answered);
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        while (moves.length && moves[0][1] <= turn) window.waits.push(performance.now() - moves.shift()[0]);
      };
      channel.port2.postMessage(0);
    });
  }).observe(cards, { attributeFilter: ["data-answered"] });
}"""

# The same of a page that says in #shown which movement it has come to.
WATCH_RERUN = """() => {
  let count = 0;
  const moves = [];
  window.waits = [];
  window.asked = () => moves.length;
  addEventListener("pointermove", (event) => { if (event.buttons) moves.push([event.timeStamp, ++count]); });
  new MutationObserver(() => {
    const shown = Number(document.querySelector("#shown")?.textContent ?? 0);
    if (!moves.length || moves[0][1] > shown) return;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        while (moves.length && moves[0][1] <= shown) window.waits.push(performance.now() - moves.shift()[0]);
      };
      channel.port2.postMessage(0);
    });
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def circle(box: dict[str, float], turn: int) -> tuple[float, float]:
    """Return a place on the loop that is drawn, round and round."""
    angle = torch.tensor(turn / 9.0)
    x, y = 0.5 + 0.25 * float(angle.cos()), 0.5 + 0.3 * float(angle.sin())
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def waits(page: Page, canvas: Any, rest: bool) -> list[float]:
    """Return the milliseconds of every movement to the cards that show it."""
    box = canvas.bounding_box()
    page.evaluate("() => { window.waits = []; }")
    page.mouse.move(*circle(box, 0))
    page.mouse.down()
    for turn in range(1, MOVES + 1):
        page.mouse.move(*circle(box, turn))
        if rest:
            page.wait_for_function("(count) => window.waits.length >= count", arg=turn, polling=5)
            page.wait_for_timeout(FAR)
        else:
            page.wait_for_timeout(NEAR)
    page.wait_for_function("() => window.asked() === 0", timeout=120_000)
    page.mouse.up()
    wait_until_ready(page)
    found: list[float] = page.evaluate("() => window.waits")
    return found


def bare(name: str) -> Callable[[], object]:
    """Return a call of a model's forward pass; in an attention layer with every token, fused."""
    model, its_net = cache.single(net(name))
    pixels = as_batch(Picture("strokes", 0).taken_by(its_net))

    def forward() -> Tensor:
        with torch.inference_mode():
            return fused(model, model.tokens(pixels)) if isinstance(model, PixelAttention) else model(pixels)

    return forward


def bare_waits(names: list[str], rest: bool) -> list[float]:
    """Return the milliseconds that the bare forward passes of all models take, one after the other, time and again."""
    passes = [bare(name) for name in names]
    found = []
    for turn in range(MOVES + 1):
        time.sleep(rest * FAR / 1000)
        start = time.perf_counter()
        for forward in passes:
            forward()
        if turn:
            found.append(1000 * (time.perf_counter() - start))
    return found


def high(times: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(times)[int(0.95 * (len(times) - 1))]


def open_cards(browser: Browser, address: str) -> Page:
    """Open the draw page, and watch it."""
    page = browser.new_page(viewport={"width": 1280, "height": 1400})
    page.goto(address)
    page.locator(".draw-cards[data-answered]").wait_for(timeout=120_000)
    wait_until_ready(page)
    page.evaluate(WATCH)
    return page


def main() -> None:
    names = panels.chosen()
    found: dict[str, list[float]] = {}
    with (
        run_app() as app,
        run_app("benchmarks/apps/rerun_draw.py") as plain,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        page = open_cards(browser, f"{app.address}/draw")
        sheet = page.locator(".sheet")
        beside = browser.new_page(viewport={"width": 1280, "height": 1400})
        beside.goto(plain.address)
        beside.locator("#shown").wait_for(state="attached")
        wait_until_ready(beside)
        beside.evaluate(WATCH_RERUN)
        for _ in range(WARM):
            waits(page, sheet, True), waits(beside, beside.locator("#pad"), True)
        for rest, words in ((True, REST), (False, ON)):
            found[f"live, {words}"] = waits(page, sheet, rest)
            found[f"bare forward passes, {words}"] = bare_waits(names, rest)
            found[f"reruns, {words}"] = waits(beside, beside.locator("#pad"), rest)
        beside.close()
        page.close()
        alone: dict[str, list[float]] = {}
        for name in ALONE[: amount(None, 1)]:
            page = open_cards(browser, f"{app.address}/draw?models={name}")
            for _ in range(WARM):
                waits(page, page.locator(".sheet"), True)
            alone[name] = waits(page, page.locator(".sheet"), True)
            page.close()
    print(f"{len(names)} cards: {', '.join(names)}; {torch.get_num_threads()} threads\n")
    print("| | median, ms | 95 %, ms | times the bare passes |\n| --- | --- | --- | --- |")
    for name, times in found.items():
        _, _, words = name.partition(", ")
        ratio = statistics.median(times) / statistics.median(found[f"bare forward passes, {words}"])
        print(f"| {name} | {statistics.median(times):.1f} | {high(times):.1f} | {ratio:.2f} |")
    print(f"\n| one card alone, {REST} | median, ms | 95 %, ms |\n| --- | --- | --- |")
    for name, times in alone.items():
        print(f"| {name} | {statistics.median(times):.1f} | {high(times):.1f} |")


if __name__ == "__main__":
    main()
