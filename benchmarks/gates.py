"""A gate is turned by hand: how long until its bar is there, and until the answer has followed?

python -m benchmarks.gates [CHECKPOINT]

The browser measures from a movement of the pointer to the frame after the change, each movement by a step of the gate
and once the one before has been answered, and counts the frames in between. The baseline is the bare forward pass: one
picture, no trace, no channel, no browser. What is asked: the third frame, or 3 times the pass, whichever is later.
"""

import statistics
import sys
import time

import torch
from playwright.sync_api import Page, sync_playwright

from attnviz.answers import as_batch
from attnviz.subjects import Picture, net
from attnviz.ui.shared import cache
from tests.browser.harness import launch, run_app, wait_until_ready

CHECKPOINT = "channel_attention.digits"
MOVES, WARM = 60, 5
REST = 60  # milliseconds between an answer and the next movement
FRAMES = 3

WATCH = """() => {
  const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  const gates = roots.map((root) => root.querySelector(".gates")).find(Boolean);
  Object.assign(window, { bars: [], answers: [], counts: [], lasting: [] });
  let [start, bar, before, frames, begun] = [null, false, "", 0, 0];
  const painted = (list, from, since) => requestAnimationFrame(() => {
    const count = frames - since;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      list.push(performance.now() - from);
      if (list === window.answers) window.counts.push(count);
    };
    channel.port2.postMessage(0);
  });
  addEventListener("pointermove", (event) => {
    if (event.buttons) [start, bar, begun] = [event.timeStamp, false, frames];
  }, true);
  gates.addEventListener("drawn", () => {
    const { turned, pending } = gates.read();
    const now = JSON.stringify(turned);
    if (start === null || (now === before && !bar)) return;
    if (!bar) painted(window.bars, start, begun);
    [bar, before] = [true, now];
    if (pending) return;
    painted(window.answers, start, begun);
    start = null;
  });
  let last = performance.now();
  const frame = (at) => { frames += 1; window.lasting.push(at - last); last = at; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""


def turn(page: Page) -> dict[str, list[float]]:
    """Return the milliseconds of every movement to its bar and to its answer, the frames to that, and their length."""
    strip = page.locator(".gates .bar-strip canvas").last.bounding_box()
    assert strip is not None
    page.evaluate(WATCH)
    x, y = strip["x"] + 2, strip["y"] + strip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(1, WARM + MOVES + 1):
        page.mouse.move(x, strip["y"] + strip["height"] * (0.2 + 0.6 * (abs((move * 7) % 40 - 20) / 20)))
        page.wait_for_function("(count) => window.answers.length >= count", arg=move, polling=5)
        page.wait_for_timeout(REST)
    page.mouse.up()
    found: dict[str, list[float]] = page.evaluate("() => ({ bars, answers, counts, lasting })")
    return {name: times[WARM:] for name, times in found.items()}


def bare_times(name: str) -> list[float]:
    """Return the milliseconds of the bare pass, with the same rests between."""
    model, its_net = cache.single(net(name))
    image, found = as_batch(Picture("strokes", 23).taken_by(its_net)), []
    for _ in range(WARM + MOVES):
        time.sleep(REST / 1000)
        start = time.perf_counter()
        with torch.inference_mode():
            model(image)
        found.append(1000 * (time.perf_counter() - start))
    return found[WARM:]


def high(times: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(times)[int(0.95 * (len(times) - 1))]


def main() -> None:
    """Measure, and print a table."""
    name = sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT
    words = f"v=2&model={name}&data=strokes&number=23&layer=6"
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})  # all blocks are in view
        for _ in range(2):  # all is warm the second time
            page.goto(f"{app.address}/channel_attention?{words}")
            page.locator(".gates[data-drawn]").wait_for(timeout=120_000)
            wait_until_ready(page)
            found = turn(page)
    base = bare_times(name)
    frame = statistics.median(found["lasting"])
    asked = max(FRAMES * frame, 3 * statistics.median(base))
    print(f"{name}, a gate of the last block is turned; {torch.get_num_threads()} threads; asked: {asked:.0f} ms")
    print("| | median, ms | 95 %, ms | times the bare pass |\n| --- | --- | --- | --- |")
    rows = {
        "bare forward pass": base,
        "the answer is there": found["answers"],
        "the bar is there": found["bars"],
        "from frame to frame": found["lasting"],
    }
    for what, times in rows.items():
        ratio = statistics.median(times) / statistics.median(base)
        print(f"| {what} | {statistics.median(times):.1f} | {high(times):.1f} | {ratio:.2f} |")
    in_time = sum(
        times <= asked or count <= FRAMES for times, count in zip(found["answers"], found["counts"], strict=True)
    )
    middle, most = statistics.median(found["counts"]), high(found["counts"])
    print(f"\nThe answer is painted in frame {middle:.0f} (95 %: {most:.0f}); {in_time} of {MOVES} movements in time.")


if __name__ == "__main__":
    main()
