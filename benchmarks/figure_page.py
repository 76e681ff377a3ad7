"""How long from a move of the pointer to the painted maps in a figure's page of HTML? Against an empty canvas.

python -m benchmarks.figure_page

One layer of the size of ViT-B/16 (12 heads, 14 x 14 patches, a class token) and one of DINOv2's ViT-B/14 at 518 pixels
(37 x 37 patches, a class token and four registers), from `file:`, with the network cut, in turn with a canvas that is
only filled.
"""

import statistics
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from attnviz.figures.figure import AttentionFigure
from attnviz.views.attention import LayerView
from benchmarks.clock import amount
from benchmarks.hover import EVENTS, MOVE, REST
from tests.browser.harness import launch

HEADS, SIZE = 12, 64
SIDES = {"ViT-B/16": (14, 1, 224), "ViT-B/14 at 518 pixels": (37, 5, 518)}


def figure_of(side: int, prefix: int, pixels: int) -> AttentionFigure:
    """Return a figure of random queries and keys on a random photograph."""
    random = np.random.default_rng(0)
    tokens = prefix + side * side
    query, key = (random.standard_normal((HEADS, tokens, SIZE), np.float32) for _ in range(2))
    scores = np.einsum("hqs,hks->hqk", query, key, dtype=np.float64) / SIZE**0.5
    normaliser = np.log(np.exp(scores).sum(-1))
    view = LayerView(
        picture=random.random((side, side)),
        query=query,
        key=key,
        log_normaliser=normaliser,
        carried=np.ones((HEADS, tokens)),
        carried_signed=False,
        received=np.exp(scores - normaliser[..., None]).mean(1),
        rows=side,
        columns=side,
        prefix=prefix,
        classes=(),
        probabilities=np.zeros(0),
        ink=False,
        background=random.integers(0, 256, (pixels, pixels, 3), dtype=np.uint8),
        unit="block",
    )
    return AttentionFigure({"layers.0": view})


def hover(browser: Browser, path: Path) -> dict[str, list[float]]:
    """Return milliseconds of hovers and of fills, the first of each first."""
    page = browser.new_context(offline=True, viewport={"width": 1280, "height": 720}).new_page()
    page.goto(path.as_uri())
    page.locator("#figure[data-shown]").wait_for()
    canvas = page.locator(".board.picture canvas")
    canvas.wait_for()
    times: dict[str, list[float]] = canvas.evaluate(MOVE, [EVENTS, REST])
    page.context.close()
    return times


def main() -> None:
    print("| 12 heads | first, ms | median, ms | 95 %, ms | times an empty fill |")
    print("| --- | --- | --- | --- | --- |")
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        for name, (side, prefix, pixels) in SIDES.items():
            figure = figure_of(amount(side, 4), prefix, amount(pixels, 32))
            times = hover(browser, figure.save(Path(folder) / "figure.html"))
            fill = statistics.median(times["fill"][1:])
            for what, some in ((name, times["hover"]), ("an empty canvas fill", times["fill"])):
                rest = sorted(some[1:])
                middle, high = statistics.median(rest), rest[int(0.95 * (len(rest) - 1))]
                print(f"| {what} | {some[0]:.2f} | {middle:.2f} | {high:.2f} | {middle / fill:.2f} |")


if __name__ == "__main__":
    main()
