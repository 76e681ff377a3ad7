"""The picture, or the grid, is dragged: how long until it is there, and until the answer has followed?

python -m benchmarks.grid [CHECKPOINT]

The pointer drags it by some pixels with every movement (`benchmarks.followed` says what is measured). The baseline is
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

CHECKPOINT = "spatial_transformer.rotated"
SOURCE = {32: "rotated_strokes", 42: "moved_strokes"}  # by the rows of a picture
MOVED = {"picture": "across", "grid": "used"}  # the field that a drag changes


def drag(page: Page, what: str) -> dict[str, list[float]]:
    """Drag the picture or the grid to and fro, and return what `follow` does."""
    board = page.locator(".sampling-grid .stage canvas").bounding_box()
    assert board is not None
    x, y = board["x"] + board["width"] / 2, board["y"] + board["height"] / 2

    def place(move: int) -> tuple[float, float]:
        return x + 8 * (abs((move + 5) % 20 - 10) - 5), y + move % 2

    return follow(page, ".sampling-grid", MOVED[what], place)


def main() -> None:
    """Measure, and print two tables."""
    torch.set_num_threads(1)  # as the app computes
    name = sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT
    source = SOURCE[net(name).input.rows]
    model, its_net = cache.single(net(name))
    image = as_batch(Picture(source, 23).taken_by(its_net))
    with run_app() as app, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        for what in MOVED:
            for _ in range(2):  # all is warm the second time
                page.goto(f"{app.address}/spatial_transformer?v=2&model={name}&data={source}&number=23&drag={what}")
                page.locator(".sampling-grid[data-drawn]").wait_for(timeout=120_000)
                wait_until_ready(page)
                found = drag(page, what)
            with torch.inference_mode():
                base = bare_times(lambda: model(image))
            report(found, base, f"{name}, the {what} is dragged; one thread", f"the {what}")


if __name__ == "__main__":
    main()
