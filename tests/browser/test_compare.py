"""*Side by side* as a visitor sees it, against weights computed from the file."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz import data

from .conftest import NewPage, Serve, assert_accessible, walk
from .models import SMALL
from .small_models import SIDE, Without

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it

EIGHT = int(np.flatnonzero(data.labels("strokes", "test")[:256] == 8)[0])


def open_page(page: Page, serve: Serve, folder: Path, words: str) -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/pixel_attention?model={SMALL}&data=strokes&number={EIGHT}&experiment=compare&{words}")
    page.locator(".map-grid[data-drawn]").filter(has_text="log₂ of the ratio").wait_for()
    return page


def read_tile(page: Page, title: str, tile: int) -> np.ndarray:
    grid = page.locator(".map-grid").filter(has_text=title)
    return np.array(grid.evaluate(f"(root) => Array.from(root.readMap({tile}))"))


def test_two_pixels_their_difference_and_their_distance(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder, "query=15,15&head=2")
    for label, value in (("Other row", "12"), ("Other column", "16")):
        chosen = page.get_by_role("spinbutton", name=label)
        chosen.fill(value)
        chosen.press("Enter")
        expect(page.get_by_role("columnheader").filter(has_text=label[6:] + " " + value)).to_be_visible()
    assert "other_pixel=12%2C16" in page.url
    expect(page.locator(".map-grid").filter(has_text="Takes from")).to_contain_text("row 12, column 16")
    picture = data.load("strokes", "test", count=256).images[EIGHT, ..., 0] / 255
    left, right = Without(folder).weights(picture)[1][[14 * SIDE + 14, 11 * SIDE + 15]]
    for tile, wanted in ((0, left), (1, right)):
        np.testing.assert_allclose(read_tile(page, "Takes from", tile), wanted, rtol=1e-5)
    doublings = np.diff(np.log2(np.clip(np.stack([left, right]) * SIDE**2, 1 / 16, 16)), axis=0)[0]
    np.testing.assert_allclose(read_tile(page, "log₂ of the ratio", 0), doublings, atol=1e-4)
    sentence = page.get_by_text("their total variation distance is").inner_text()
    distance = float(sentence.split("total variation distance is ")[1].split(",")[0])
    assert distance == pytest.approx(np.abs(left - right).sum() / 2, rel=6e-3)


@pytest.mark.parametrize(("width", "scheme", "words"), [
    pytest.param(1280, "light", "other=head", marks=pytest.mark.slow), (375, "dark", "other=model"),
])  # fmt: skip
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    kept_page: NewPage, serve: Serve, folder: Path, width: int, scheme: str, words: str
) -> None:
    page = kept_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    open_page(page, serve, folder, words)
    assert_accessible(page)
