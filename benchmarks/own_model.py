"""How long until a model of somebody's own shows its attention? From the built model to the first map, and from layer
to layer, against a bare pass of ViT-B/16.

python -m benchmarks.own_model

Weights are random. The first visit is of a model of which nobody has found yet where its tokens lie; a second
photograph, once that is known of all layers, needs a pass alone. A layer that is beside the one that is shown has been
fetched ahead; another one has not. Of what is here already, also the processor time of the page's main thread until the
frame is handed to the compositor, which is to fit into the 16.7 ms of a frame: in the explorer, which shows one layer,
and on the board of all layers.
"""

import json
import os
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import torch
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from torch import nn

from attnviz.data import vision
from benchmarks.brush import CATEGORIES, REST, work
from benchmarks.clock import amount
from tests.browser.harness import launch, run_app

BUILT = "ATTNVIZ_BENCHMARK_BUILT"  # of the environment: the file into which the server writes when the model was built
PHOTOS = ("one.png", "two.png")
SIDE = 224  # which pictures have where a model names no preprocessing

SHOWN = """([layer, photo]) => [...document.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot &&
  shadowRoot.querySelector(`.viewer[data-drawn][data-layer='${layer}'][data-shown$='${photo}']`))"""
BOARD = """() => [...document.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot &&
  shadowRoot.querySelector(".viewer.captured[data-drawn]") && !shadowRoot.querySelector(".absent"))"""
SWITCH = """async ([layer, choice]) => {
  const viewer = [...document.querySelectorAll("*")].filter((one) => one.shadowRoot)
    .map((one) => one.shadowRoot.querySelector(".viewer")).find(Boolean);
  const select = viewer.querySelector(`select[aria-label=${choice}]`);
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  const start = performance.now();
  select.value = layer;
  select.dispatchEvent(new Event("change"));
  while (choice === "Layer" && viewer.dataset.layer !== layer) await frame();
  await frame();
  return performance.now() - start;
}"""


def vit() -> nn.Module:
    """Return the model of the server, and note when it was built."""
    torchvision = vision.torchvision()
    torch.manual_seed(0)
    made: nn.Module = torchvision.models.VisionTransformer(
        image_size=SIDE, patch_size=amount(16, 56), num_layers=amount(12, 6), num_heads=amount(12, 2),
        hidden_dim=amount(768, 16), mlp_dim=amount(3072, 16),
    ).eval()  # fmt: skip
    if path := os.environ.get(BUILT):
        Path(path).write_text(str(time.time()))
    return made


def bare() -> float:
    """Return the seconds of a pass that nobody watches, with as many threads as the server has."""
    model, picture, seconds = vit(), torch.rand(1, 3, SIDE, SIDE), []
    with torch.no_grad():
        for _ in range(amount(9, 2)):
            start = time.perf_counter()
            model(picture)
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def switch(page: Page, value: str, choice: str = "Layer") -> float:
    """Return the seconds until another layer, or head, is painted."""
    took: float = page.evaluate(SWITCH, [value, choice])
    return took / 1000


def painted(browser: Browser, page: Page, layers: list[str]) -> dict[str, list[float]]:
    """Return the milliseconds of work for each of several layers and heads that are here, and tokens."""
    found = {}
    for choice, values in (("Layer", layers), ("Head", ["0", "1"])):
        browser.start_tracing(page=page, categories=CATEGORIES)
        for value in values * amount(8, 2):
            switch(page, value, choice)
            page.wait_for_timeout(amount(500, REST))
        found[choice.lower()] = work(json.loads(browser.stop_tracing())["traceEvents"], "change")
    canvas = page.locator(".viewer .board.picture canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    browser.start_tracing(page=page, categories=CATEGORIES)
    for turn in range(amount(60, 4)):
        share = 0.1 + 0.8 * (turn % 15) / 15
        page.mouse.move(box["x"] + share * box["width"], box["y"] + (0.9 - 0.8 * share) * box["height"])
        page.wait_for_timeout(REST)
    found["query"] = work(json.loads(browser.stop_tracing())["traceEvents"])
    return found


def main() -> None:
    torch.set_num_threads(1)
    found = {"a bare pass": bare()}
    layers = [f"encoder.layers.encoder_layer_{number}.self_attention" for number in range(amount(12, 6))]
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        for seed, name in enumerate(PHOTOS):
            pixels = np.random.default_rng(seed).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
            Image.fromarray(pixels).save(Path(folder) / name)
        built = Path(folder) / "built.txt"
        env = {
            "ATTNVIZ_MODEL": f"{Path(__file__)}:vit",
            "ATTNVIZ_PHOTOS": folder,
            "XDG_CACHE_HOME": folder,
            BUILT: str(built),
        }
        browser = launch(playwright)  # as the browser of somebody who starts the app is there already
        with run_app("app.py", env) as server:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            for title, photo in (("the first photograph", PHOTOS[0]), ("another photograph", PHOTOS[1])):
                start = time.time()
                page.goto(f"{server.address}/explorer?photo={photo}")
                page.wait_for_function(SHOWN, arg=[layers[0], photo], polling="raf", timeout=300_000)
                found[title] = time.time() - (float(built.read_text()) if photo == PHOTOS[0] else start)
                page.wait_for_timeout(amount(3000, 500))  # the tokens of the other layers are found
            page.get_by_label("Layer", exact=True).wait_for()
            found["a layer that was fetched ahead"] = switch(page, layers[1])
            page.wait_for_timeout(amount(3000, 500))
            far = []
            for number in amount((6, 9, 11), (4,)):
                far.append(switch(page, layers[number]))
                page.wait_for_timeout(amount(3000, 500))
            found["a layer that was not"] = statistics.median(far)
            found["a layer that was looked at before"] = switch(page, layers[1])
            found["another head"] = switch(page, "1", "Head")
            work_of = {"explorer": painted(browser, page, layers[1::-1])}
            model = parse_qs(urlsplit(page.url).query)["model"][0]
            page.goto(f"{server.address}/vision_transformer?{urlencode({'model': model, 'photo': PHOTOS[1]})}")
            page.wait_for_function(BOARD, timeout=300_000)  # all layers are here
            page.get_by_label("Layer", exact=True).wait_for()
            work_of["board"] = painted(browser, page, layers[1::-1])
    print("| ViT-B/16 | ms | times a bare pass |\n| --- | --- | --- |")
    for name, seconds in found.items():
        print(f"| {name} | {1000 * seconds:.3g} | {seconds / found['a bare pass']:.3g} |")
    print("\n| main thread until the frame is there | times | median, ms | 95 %, ms | longest, ms |")
    print("| --- | --- | --- | --- | --- |")
    for where, kinds in work_of.items():
        for name, times in kinds.items():
            high = sorted(times)[int(0.95 * (len(times) - 1))]
            print(f"| {where}, another {name} | {len(times)} | {statistics.median(times):.1f} | {high:.1f} | ", end="")
            print(f"{max(times):.1f} |")


if __name__ == "__main__":
    main()
