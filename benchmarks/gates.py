"""A gate is turned by hand: how long until its bar is there, and until the answer has followed?

python -m benchmarks.gates [CHECKPOINT]

The pointer turns the gate by a step with every movement (`benchmarks.followed` says what is measured). The baseline is
the bare forward pass: one picture, no trace, no channel, no browser.
"""

import sys

import torch
from playwright.sync_api import Page, sync_playwright

from attnviz.answers import as_batch
from attnviz.subjects import Picture, net
from attnviz.ui.shared import cache
from benchmarks.followed import bare_times, follow, report
from tests.browser.harness import launch, run_app, wait_until_ready

CHECKPOINT = "channel_attention.digits"


def turn(page: Page) -> dict[str, list[float]]:
    """Turn a gate up and down, and return what `follow` does."""
    strip = page.locator(".gates .bar-strip canvas").last.bounding_box()
    assert strip is not None
    top, high = strip["y"], strip["height"]

    def place(move: int) -> tuple[float, float]:
        share = 0.2 + 0.6 * (abs((move * 7) % 40 - 20) / 20) if move else 0.5
        return strip["x"] + 2, top + high * share

    return follow(page, ".gates", "turned", place)


def main() -> None:
    """Measure, and print a table."""
    torch.set_num_threads(1)  # as the app computes
    name = sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT
    words = f"v=2&model={name}&data=strokes&number=23&layer=6"
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})  # all blocks are in view
        for _ in range(2):  # all is warm the second time
            page.goto(f"{app.address}/channel_attention?{words}")
            page.locator(".gates[data-drawn]").wait_for(timeout=120_000)
            wait_until_ready(page)
            found = turn(page)
    model, its_net = cache.single(net(name))
    image = as_batch(Picture("strokes", 23).taken_by(its_net))
    with torch.inference_mode():
        base = bare_times(lambda: model(image))
    report(found, base, f"{name}, a gate of the last block is turned; one thread", "the bar")


if __name__ == "__main__":
    main()
