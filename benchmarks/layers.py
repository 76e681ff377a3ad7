"""How long from a move of the pointer to the painted maps of all heads of all layers? Against an empty canvas.

python -m benchmarks.layers

In one browser, in turn, on the page of vision transformers at 1280 x 720: ours, all layers; ViT-B/16 with random
weights, captured, 144 maps; and 12 layers of 12 heads on 1,370 tokens, of which the chosen layer follows the pointer
and the others catch up. Then how long a click takes until another layer is large that has been fetched, or has not.
"""

import statistics
from collections.abc import Callable, Mapping
from tempfile import TemporaryDirectory

import numpy as np
import torch
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from torch import nn

from attnviz.data import vision
from benchmarks.clock import amount
from benchmarks.hover import EVENTS, MOVE, REST
from benchmarks.own_model import switch
from tests.browser.harness import launch, run_app, wait_until_ready

BOARD = ".layer-board[data-drawn]"


def vit() -> tuple[nn.Module, Callable[[Image.Image], torch.Tensor], None]:
    """Return ViT-B/16, and how a picture becomes its input."""
    return _vit(224, 16)


def many_tokens() -> tuple[nn.Module, Callable[[Image.Image], torch.Tensor], None]:
    """Return a model of about as many tokens as DINOv2 has on 518 x 518 pixels."""
    return _vit(518, 14)


def _vit(side: int, patch: int) -> tuple[nn.Module, Callable[[Image.Image], torch.Tensor], None]:
    torch.manual_seed(0)
    made: nn.Module = vision.torchvision().models.VisionTransformer(
        image_size=side, patch_size=amount(patch, side // 2), num_layers=amount(12, 3), num_heads=amount(12, 2),
        hidden_dim=amount(768, 16), mlp_dim=amount(3072, 16),
    ).eval()  # fmt: skip

    def prepare(picture: Image.Image) -> torch.Tensor:
        return torch.from_numpy(np.asarray(picture.resize((side, side))).copy()).permute(2, 0, 1) / 255

    return made, prepare, None


def hover(page: Page, name: str) -> None:
    """Print the milliseconds of moves over the picture of a board, beside fills of an empty canvas."""
    canvas = page.locator(f"{BOARD} .board.picture canvas")
    canvas.scroll_into_view_if_needed()
    times = canvas.evaluate(MOVE, [EVENTS, REST])
    moves, fills = sorted(times["hover"][1:]), times["fill"][1:]
    middle, high = statistics.median(moves), moves[int(0.95 * (len(moves) - 1))]
    print(f"| {name} | {middle:.2f} | {high:.2f} | {middle / statistics.median(fills):.2f} |", flush=True)


def captured(page: Page, address: str, name: str) -> None:
    """Open the board of a captured model once its layers have come, and print its lines."""
    page.goto(f"{address}/explorer?photo=one.png")
    page.locator(".viewer[data-drawn]").wait_for()
    page.get_by_role("link", name="All layers at once").click()
    page.locator(BOARD).wait_for()
    wait_until_ready(page)
    page.wait_for_timeout(amount(20_000, 100))  # as many layers as are fetched ahead
    hover(page, name)
    layers = page.locator(f"{BOARD} select[aria-label=Layer] option").evaluate_all("all => all.map(one => one.value)")
    absent = page.locator(f"{BOARD} .tile.absent").count()
    said = "fetched" if not absent else "not fetched before"
    for layer, what in ((layers[1], "fetched"), (layers[-1], said)):
        print(f"| {name}, another layer, {what} | {1000 * switch(page, layer):.0f} | | |", flush=True)


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as playwright, launch(playwright) as browser:
        Image.fromarray(np.random.default_rng(0).integers(0, 256, (518, 518, 3), np.uint8)).save(f"{folder}/one.png")
        print("| | median, ms | 95 %, ms | times an empty fill |")
        print("| --- | --- | --- | --- |")
        of: Mapping[str, str] = {"ATTNVIZ_PHOTOS": folder, "XDG_CACHE_HOME": folder}
        for name, model in (("ours", ""), ("ViT-B/16", "vit"), ("1,370 tokens", "many_tokens"))[: amount(3, 2)]:
            env = {**of, **({"ATTNVIZ_MODEL": f"{__file__}:{model}"} if model else {})}
            with run_app(env=env) as server:
                page = browser.new_page(viewport={"width": 1280, "height": 720})
                if model:
                    captured(page, server.address, name)
                else:
                    page.goto(f"{server.address}/vision_transformer?data=strokes&number=23")
                    page.locator(BOARD).wait_for()
                    wait_until_ready(page)
                    hover(page, name)
                page.close()


if __name__ == "__main__":
    main()
