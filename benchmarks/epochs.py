"""The slider of epochs is dragged: how long until the view below shows the epoch?

python -m benchmarks.epochs [CHECKPOINT ...]

The slider is moved by a script, so that no hand comes near it: until then no view of another epoch is fetched. Each
epoch is shown once when its view is not here, and then, once all of them are, again and again. Times are from the
movement to the frame after the view is drawn. The bars: within a frame where the view is here, and within 100 ms where
it is not. The baseline is the bare forward pass: one picture, no trace, no channel, no browser.
"""

import statistics
import sys

import numpy as np
import numpy.typing as npt
import torch
from playwright.sync_api import Browser, sync_playwright

from attnviz import cards
from attnviz.answers import as_batch
from attnviz.data import strokes
from attnviz.subjects import Net, Picture, Strip, net
from attnviz.ui.mechanisms import of_model
from attnviz.ui.shared import cache
from benchmarks.clock import amount
from benchmarks.followed import bare_times, high
from tests.browser.harness import launch, run_app, wait_until_ready

NUMBER = 23
ROUNDS, PAGES = amount((3, 3), (1, 1))

# Moves the slider to a place; the milliseconds to the frame after the topmost view is drawn, and the frames until then.
MOVE = """async (place) => {
  const slider = document.querySelector(".epoch-slider") ?? [...document.querySelectorAll("*")]
    .map((one) => one.shadowRoot?.querySelector(".epoch-slider")).find(Boolean);
  const input = slider.querySelector("input");
  const all = [...document[Symbol.for("attnviz.epoch.followers")]];
  const view = all.sort((one, other) => one.top - other.top)[0];
  let [frames, over] = [0, false];
  const count = () => { frames += 1; if (!over) requestAnimationFrame(count); };
  await new Promise(requestAnimationFrame);
  requestAnimationFrame(count);
  const start = performance.now();
  const drawn = new Promise((done) => {
    const look = () => {
      if (!view.isThere) return;
      view.part.root.removeEventListener("drawn", look);
      done();
    };
    view.part.root.addEventListener("drawn", look);
  });
  input.value = String(place);
  input.dispatchEvent(new Event("input"));
  await drawn;
  const channel = new MessageChannel();
  const painted = new Promise((done) => { channel.port1.onmessage = done; });
  requestAnimationFrame(() => channel.port2.postMessage(0));
  await painted;
  const found = [performance.now() - start, frames];
  over = true;
  if (view.lacks) throw new Error("the view of this epoch cannot be had");
  return found;
}"""
# Fetches the views of all epochs, as when a hand comes near; true once they are all here.
ALL_HERE = """() => [...document[Symbol.for("attnviz.epoch.followers")]].every((one) =>
  document[Symbol.for("attnviz.epoch")].nets.every((net) => one.views.has(one.name(net))))"""


def picture_of(its: Net) -> npt.NDArray[np.uint8]:
    """Return a picture, or a strip of 15 digits, as a net takes it."""
    if "targets" in its.takes:
        return Strip.drawn(strokes.draw([digit % 10 for digit in range(15)], seed=4)[..., 0]).picture
    return Picture("strokes", NUMBER).taken_by(its)


def times(browser: Browser, address: str, name: str) -> dict[bool, list[tuple[float, int]]]:
    """Return milliseconds and frames of movements to views that are not here, and to those that are."""
    row = of_model(net(name).architecture)
    assert row is not None
    data = "strips_strokes_15" if "targets" in net(name).takes else "strokes"  # they need no files
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    found: dict[bool, list[tuple[float, int]]] = {False: [], True: []}
    for turn in range(PAGES + 1):  # the first one warms the server up
        page.goto("about:blank")
        page.goto(f"{address}/{row.name}?v=2&model={name}&data={data}&number={NUMBER + turn}")
        page.locator(".epoch-slider[data-drawn]").wait_for(timeout=120_000)
        wait_until_ready(page)
        last = int(page.get_by_role("slider", name="Epoch of the training").get_attribute("max") or 0)
        for place in reversed(range(last)):
            found[False].append(page.evaluate(MOVE, place))
        page.get_by_role("slider", name="Epoch of the training").dispatch_event("focusin")
        page.wait_for_function(ALL_HERE)
        for _ in range(ROUNDS):
            found[True].extend(page.evaluate(MOVE, place) for place in (*range(1, last + 1), *reversed(range(last))))
        if not turn:
            found = {False: [], True: []}
    page.close()
    return found


def main() -> None:
    """Measure, and print a table."""
    names = sys.argv[1:] or sorted(path.parent.name for path in cards.folder().glob("*/history"))[: amount(None, 1)]
    print(f"{torch.get_num_threads()} threads\n")
    print("| | bare pass, ms | the view is not here: median, ms | 95 %, ms | within 100 ms |", end="")
    print(" it is here: median, ms | 95 %, ms | next frame |\n" + "| --- " * 8 + "|")
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        for name in names:
            found = times(browser, app.address, name)
            model, its_net = cache.single(net(name))
            image = as_batch(picture_of(its_net))
            with torch.inference_mode():
                base = statistics.median(bare_times(lambda: model(image)))  # noqa: B023 (it is called at once)
            cells = [f"{base:.1f}"]
            for here, bar in (False, 100), (True, None):
                took = [time for time, _ in found[here]]
                good = [time <= bar if bar else frames <= 1 for time, frames in found[here]]
                cells += [f"{statistics.median(took):.1f}", f"{high(took):.1f}", f"{sum(good)} of {len(good)}"]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
