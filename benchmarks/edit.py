"""How long from a click that switches a head of element-wise attention off to the new answer on the screen?

python -m benchmarks.edit [CHECKPOINT]

Real clicks in Chromium on the page of element-wise attention, each a head off or on again, over the live channel. Each
time runs from the browser's time stamp of the click to the frame after the answer to these very switches. Beside them,
in turn, what the model alone takes in this process: one picture, and no trace.
"""

import statistics
import sys
import time

import torch
from playwright.sync_api import Page, sync_playwright

from attnviz import checkpoints
from attnviz.answers import as_batch
from attnviz.data import samples
from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

CHECKPOINT = "element_wise.fashion-b"
CLICKS, WARM = amount((60, 5), (1, 1))  # clicks that count, and before
REST = 700  # milliseconds between them: the page's next run has ended

# A click leaves `pending` in the answer; when that is gone, the answer belongs to the click. A message posted in
# the next frame arrives when that frame has been painted.
WATCH = """(root) => {
  let clicked = 0, asked = false;
  root.times = [];
  root.ownerDocument.addEventListener("pointerup", (event) => { [clicked, asked] = [event.timeStamp, false]; }, true);
  const drawn = () => {
    const { pending } = root.read ? root.read().answer : JSON.parse(root.dataset.answer);
    asked ||= pending;
    if (pending || !asked || !clicked) return;
    const start = clicked;
    [clicked, asked] = [0, false];
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => root.times.push(performance.now() - start);
      channel.port2.postMessage(0);
    });
  };
  root.addEventListener("drawn", drawn);
  new MutationObserver(drawn).observe(root, { attributeFilter: ["data-answer"] }); // of an older version
}"""


ANSWERED = """(root) => !(root.read ? root.read().answer : JSON.parse(root.dataset.answer)).pending"""


def clicks(page: Page, address: str, name: str) -> tuple[list[float], list[float]]:
    """Return milliseconds of clicks, and of bare forward passes, in turn."""
    model, card = checkpoints.load(name)
    source = card.recipe.data
    first = samples.read(source)
    batch = as_batch(first.images[0])
    # One head is off all the time: with none off, the page shows what it knows and asks for nothing.
    page.goto(f"{address}/element_wise?model={name}&data={source}&number={first.numbers[0]}&off=1.1")
    wait_until_ready(page)
    root = page.locator(".st-key-stages .stage-grid:is([data-drawn], [data-answer])")
    root.wait_for(timeout=120_000)
    page.wait_for_function(ANSWERED, arg=root.element_handle(), timeout=120_000)
    root.evaluate(WATCH)
    head = root.locator(".what-if .chip").nth(1)
    head.scroll_into_view_if_needed()
    forwards = []
    with torch.inference_mode():
        for number in range(WARM + CLICKS):
            page.wait_for_timeout(REST)
            start = time.perf_counter()
            model(batch)
            forwards.append(1e3 * (time.perf_counter() - start))
            head.hover()
            page.mouse.down()
            page.mouse.up()
            page.wait_for_function(f"(root) => root.times.length > {number}", arg=root.element_handle(), polling=50)
    return root.evaluate("(root) => root.times")[WARM:], forwards[WARM:]


def line(name: str, times: list[float], passes: list[float]) -> str:
    """Return a line of the table."""
    middle, high = statistics.median(times), sorted(times)[int(0.95 * (len(times) - 1))]
    return f"| {name} | {middle:.1f} | {high:.1f} | {middle / statistics.median(passes):.1f} |"


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT
    with run_app() as server, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        times, passes = clicks(page, server.address, name)
    print(f"{name}, {torch.get_num_threads()} threads\n")
    print("| | median, ms | 95 %, ms | times the bare forward pass |")
    print("| --- | --- | --- | --- |")
    print(line("click to painted answer", times, passes))
    print(line("bare forward pass", passes, passes))


if __name__ == "__main__":
    main()
