"""How long from a click on a head to the new answer on the screen? Against the bare forward pass of the model.

python -m benchmarks.heads [CHECKPOINT]

Real clicks in Chromium on the pixel page, each a head off, uniform or on again; from the browser's time stamp of the
click to the next painted frame after the answer of these very states stands there. Beside them, in turn, what the model
alone takes in this process: one picture, 784 tokens, fused attention, and no listener.
"""

import statistics
import sys
import time
from typing import Any

import torch
from playwright.sync_api import Page, sync_playwright
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attnviz import cards, checkpoints, data
from attnviz.answers import as_batch
from attnviz.models.pixel_attention import PixelAttention
from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

CHECKPOINT = "pixel_attention.1v8-augmented"
CLICKS, WARM = amount((60, 5), (1, 1))  # clicks that count, and before
REST = 700  # milliseconds between them: the page's next run has ended
NUMBER = 5  # of the strokes

# Waits for the reading that answers the click, of other states than before it; then for a message posted in the next
# frame: by then it is painted. An answer may come before the reading that awaits it was ever written.
WATCH = """(root) => {
  let clicked = 0, before = "";
  const read = () => (root.read ? root.read() : JSON.parse(root.dataset.reading));
  const states = () => JSON.stringify(read().states);
  root.times = [];
  root.ownerDocument.addEventListener("pointerup", (event) => {
    [clicked, before] = [event.timeStamp, states()];
  }, true);
  const drawn = () => {
    const reading = read();
    if (reading.pending || !clicked || states() === before) return;
    const start = clicked, { source } = reading;
    clicked = 0;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => root.times.push([performance.now() - start, source]);
      channel.port2.postMessage(0);
    });
  };
  root.addEventListener("drawn", drawn);
  new MutationObserver(drawn).observe(root, { attributeFilter: ["data-reading"] }); // of an older version
}"""


def fused(model: PixelAttention, tokens: Tensor) -> Tensor:
    """Return logits with all pixels attending, spelled out: the model itself takes a shortcut over equal ones."""
    attention = model.attention
    query, key, value = (attention.split(part(tokens)) for part in (attention.query, attention.key, attention.value))
    logits: Tensor = model.classifier(attention.join(scaled_dot_product_attention(query, key, value)).flatten(1))
    return logits


def bare(name: str) -> Any:
    """Return a call of the model's forward pass with its attention over all pixels, fused, nobody listening."""
    model, _ = checkpoints.load(name)
    assert isinstance(model, PixelAttention)
    image = data.load("strokes", "test", count=NUMBER + 1).images[NUMBER]
    pixels = as_batch(image)

    def forward() -> None:
        with torch.inference_mode():
            fused(model, model.tokens(pixels))

    forward()
    return forward


def clicks(page: Page, address: str, name: str) -> tuple[list[float], list[float]]:
    """Return milliseconds of clicks, and of bare forward passes, in turn."""
    page.goto(f"{address}/pixel_attention?model={name}&data=strokes&number={NUMBER}&experiment=heads")
    wait_until_ready(page)
    root = page.locator("[data-component=head_switch]:is([data-drawn], [data-reading])")
    root.wait_for(timeout=120_000)
    root.evaluate(WATCH)
    frames = root.locator(".wall .frame")
    forward, forwards = bare(name), []
    for number in range(WARM + CLICKS):
        frame = frames.nth(number // 3 % frames.count())
        frame.scroll_into_view_if_needed()
        box = frame.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3)
        page.wait_for_timeout(REST)
        start = time.perf_counter()
        forward()
        forwards.append(1e3 * (time.perf_counter() - start))
        page.mouse.down()
        page.mouse.up()
        page.wait_for_function(f"(root) => root.times.length > {number}", arg=root.element_handle(), polling=50)
    times = root.evaluate("(root) => root.times")
    live = sum(source == "live" for _, source in times)
    print(f"{live} of {len(times)} answers came over the live channel.\n")
    return [time for time, _ in times[WARM:]], forwards[WARM:]


def line(name: str, times: list[float], passes: list[float]) -> str:
    """Return a line of the table."""
    middle, high = statistics.median(times), sorted(times)[int(0.95 * (len(times) - 1))]
    return f"| {name} | {middle:.1f} | {high:.1f} | {middle / statistics.median(passes):.2f} |"


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT
    config = cards.read(name).config
    with run_app() as server, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        times, passes = clicks(page, server.address, name)
    print(f"{config['heads']} heads x {config['head_size']}, 784 tokens, {torch.get_num_threads()} threads\n")
    print("| | median, ms | 95 %, ms | times the bare forward pass |")
    print("| --- | --- | --- | --- |")
    print(line("click to painted answer", times, passes))
    print(line("bare fused forward pass", passes, passes))


if __name__ == "__main__":
    main()
