"""Same intensity, same row as a visitor sees it, and its numbers against weights computed apart."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from safetensors.numpy import load_file

from attnviz import data
from tests.ui.mechanisms.pixel_attention.experiments.placed import STANDARD

from .conftest import Serve, assert_accessible, walk
from .models import SMALL

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it


def open_page(page: Page, serve: Serve, folder: Path, words: str) -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/pixel_attention?model={SMALL}&data=strokes&experiment=same&{words}")
    find_grid(page, "its row").locator(".tile").wait_for()
    return page


def find_grid(page: Page, title: str) -> Locator:
    return page.locator(".map-grid[data-drawn]").filter(has_text=title)


def read_grid(page: Page, title: str) -> np.ndarray:
    return np.array(find_grid(page, title).evaluate("(root) => Array.from(root.readMap(0))"))


def compute_weights(folder: Path, picture: np.ndarray) -> np.ndarray:
    """Compute (head, query, key) from the file of weights, by the definition."""
    file = load_file(folder / SMALL / "weights.safetensors")
    tokens = (picture.reshape(-1, 1) / 255.0 - STANDARD["mean"]) / STANDARD["std"]
    query, key = (
        (tokens @ file[f"attention.{part}.weight"].astype(float).T + file[f"attention.{part}.bias"]).reshape(784, 3, 2)
        for part in ("query", "key")
    )
    scores = np.einsum("qhs,khs->hqk", query, key) / np.sqrt(2)
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def test_a_click_in_the_viewer_lights_up_all_of_its_intensity_and_their_rows_are_one(
    page: Page, serve: Serve, folder: Path, eight: int
) -> None:
    open_page(page, serve, folder, f"number={eight}&head=3")
    expect(page.get_by_text("This example uses")).to_be_visible()
    canvas = page.locator(".board.picture canvas")
    box = canvas.bounding_box()
    assert box
    expect(page.get_by_text("Does it know where a pixel is?")).to_be_in_viewport()  # the page has gone there
    canvas.click(position={"x": 2.5 * box["width"] / 28, "y": 1.5 * box["height"] / 28})
    expect(page.get_by_text("Ink 0, like row 2, column 3")).to_be_visible()
    page.wait_for_url("**query=2%2C3*")

    picture = data.load("strokes", "test", count=256).images[eight, ..., 0]
    ink, wanted = picture.ravel(), compute_weights(folder, picture)
    token = 28 + 2
    apart = np.abs(wanted - wanted[:, [token]]).max((0, 2))
    np.testing.assert_array_equal(read_grid(page, "Ink 0, like row 2"), ink == 0)
    np.testing.assert_allclose(read_grid(page, "How much"), apart, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(read_grid(page, "its row"), wanted[2, token], rtol=1e-9)

    finding = page.get_by_text("The largest difference between their rows")
    said = [part.replace("\u00a0", " ") for part in finding.locator("strong").all_inner_texts()]
    assert said[0] == f"{(ink == 0).sum()} pixels"
    assert said[1] == "0" or "10⁻" in said[1]
    nearest = ink[ink > 0].min()
    assert float(said[2]) == pytest.approx(apart[ink == nearest].min(), rel=1e-3)
    count = len(np.unique(ink))
    expect(page.get_by_text(f"{count} different intensities, {count} different rows")).to_be_visible()


def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, serve: Serve, folder: Path) -> None:
    open_page(looked, serve, folder, "query=2,3")
    assert_accessible(looked)
