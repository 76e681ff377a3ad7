"""A glimpse is dragged: how long until its box is there, and until the rest of the path and the belief have followed?

python -m benchmarks.path [CHECKPOINT]

The browser measures from a movement of the pointer to the frame after the change, each movement by a pixel of the
picture and once the one before has been answered. The baseline is the bare forward pass of the remaining glimpses: the
same layers called one after the other on the processor, without taps, channel or browser. At most 3 times is asked.
"""

import statistics
import sys
import time
from collections.abc import Callable

import torch
from playwright.sync_api import Page, sync_playwright

from attnviz.answers import as_batch
from attnviz.layers.glimpse import Glimpses
from attnviz.subjects import Picture, net
from attnviz.ui.shared import cache
from attnviz.views.glimpses import layer_of
from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

CHECKPOINT = "recurrent_attention.cluttered"
SOURCE = {28: "strokes", 40: "cluttered_strokes"}  # by the rows of a picture
MOVED = 1  # the second glimpse, counted from 0: all others but the first follow
MOVES, WARM = amount((60, 5), (2, 1))
REST = 60  # milliseconds between an answer and the next movement

WATCH = """() => {
  const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  const player = roots.map((root) => root.querySelector(".glimpse-player")).find(Boolean);
  Object.assign(window, { boxes: [], paths: [], frames: [] });
  let [start, box, before] = [null, false, ""];
  const painted = (list, from) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => list.push(performance.now() - from);
    channel.port2.postMessage(0);
  });
  addEventListener("pointermove", (event) => { if (event.buttons) [start, box] = [event.timeStamp, false]; }, true);
  const drawn = () => {
    const { moved, pending } = player.read ? player.read() : JSON.parse(player.dataset.reading);
    const now = JSON.stringify(moved);
    if (start === null || (now === before && box === false)) return;
    if (!box) painted(window.boxes, start);
    [box, before] = [true, now];
    if (pending) return;
    painted(window.paths, start);
    start = null;
  };
  player.addEventListener("drawn", drawn);
  new MutationObserver(drawn).observe(player, { attributeFilter: ["data-reading"] }); // of an older version
  let last = performance.now();
  const frame = (at) => { window.frames.push(at - last); last = at; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""


def drag(page: Page) -> dict[str, list[float]]:
    """Return the milliseconds of every movement to its box and to its path, and those between frames."""
    player = page.locator(".st-key-glimpses .glimpse-player")
    mark = player.locator(".mark.now .grip").bounding_box()
    pixel = float(player.locator(".scene svg").evaluate("(svg) => svg.getScreenCTM().a"))
    assert mark is not None
    x, y = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
    page.evaluate(WATCH)
    page.mouse.move(x, y)
    page.mouse.down()
    for turn in range(1, WARM + MOVES + 1):
        # To and fro by a pixel at a time, five to each side, so that the glimpse stays on the picture.
        away = abs((turn + 5) % 20 - 10) - 5
        page.mouse.move(x + 1.01 * away * pixel, y + (6 if turn % 2 else 5) * pixel)
        page.wait_for_function("(count) => window.paths.length >= count", arg=turn, polling=5)
        page.wait_for_timeout(REST)
    page.mouse.up()
    found: dict[str, list[float]] = page.evaluate("() => ({ boxes, paths, frames })")
    return {name: times[WARM:] for name, times in found.items()}


def bare(layer: Glimpses, images: torch.Tensor) -> Callable[[], torch.Tensor]:
    """Return a call that takes the remaining glimpses, layer by layer, and gives the last logits."""
    hidden = torch.zeros(1, layer.width)

    def forward() -> torch.Tensor:
        with torch.inference_mode():
            state, maps = hidden, layer.retina.maps(images)
            for _ in range(MOVED, layer.glimpses):
                location = layer.mean(state).tanh() * layer.reach
                patches = layer.retina(maps, location)
                glimpse = (layer.what(patches.flatten(1)) + layer.where(location)).relu()
                state = (layer.from_glimpse(glimpse) + layer.from_hidden(state)).relu()
            logits: torch.Tensor = layer.classifier(state)
            return logits

    return forward


def bare_times(name: str) -> list[float]:
    """Return the milliseconds of the bare pass, with the same rests between."""
    model, its_net = cache.single(net(name))
    layer = layer_of(model)[1]
    image = Picture(SOURCE[its_net.input.rows], 0).taken_by(its_net)
    forward, found = bare(layer, as_batch(image)), []
    for _ in range(WARM + MOVES):
        time.sleep(REST / 1000)
        start = time.perf_counter()
        forward()
        found.append(1000 * (time.perf_counter() - start))
    return found[WARM:]


def high(times: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(times)[int(0.95 * (len(times) - 1))]


def main() -> None:
    """Measure, and print a table."""
    name = sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT
    source = SOURCE[net(name).input.rows]
    words = f"v=2&model={name}&data={source}&number=0&glimpse={MOVED + 1}"
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{app.address}/recurrent_attention?{words}")
        page.locator(".st-key-glimpses .glimpse-player:is([data-drawn], [data-reading])").wait_for(timeout=120_000)
        wait_until_ready(page)
        drag(page)  # all is warm
        page.goto(f"{app.address}/recurrent_attention?{words}")
        page.locator(".st-key-glimpses .glimpse-player:is([data-drawn], [data-reading])").wait_for(timeout=120_000)
        wait_until_ready(page)
        found = drag(page)
    base = bare_times(name)
    print(f"{name}, glimpse {MOVED + 1} is dragged; {torch.get_num_threads()} threads")
    print("| | median, ms | 95 %, ms | times the bare pass |\n| --- | --- | --- | --- |")
    rows = {
        "bare forward pass of the remaining glimpses": base,
        "path and belief are there": found["paths"],
        "the box is there": found["boxes"],
        "from frame to frame": found["frames"],
    }
    for what, times in rows.items():
        ratio = statistics.median(times) / statistics.median(base)
        print(f"| {what} | {statistics.median(times):.1f} | {high(times):.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
