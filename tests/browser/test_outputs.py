"""*Outputs of several pictures* as a visitor sees it: its values, and a click that opens a picture."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz import data

from .conftest import NewPage, Serve, assert_accessible, walk
from .small_models import Without

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it

EIGHTS, ONES = (np.flatnonzero(data.labels("strokes", "test") == digit) for digit in (8, 1))


def open_page(page: Page, serve: Serve, folder: Path, model: str = "without") -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/paper?model=pixel_attention.{model}&data=strokes&experiment=outputs")
    find_outputs(page).and_(page.locator("[data-drawn]")).wait_for()
    return page


def find_outputs(page: Page) -> Locator:
    return page.locator(".map-grid").filter(has_text="Output of the attention")


def test_the_maps_are_what_comes_out_and_a_click_opens_the_picture(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder)
    picture = data.load("strokes", "test", count=256).images[ONES[1], ..., 0] / 255
    found = np.array(find_outputs(page).evaluate("(root) => Array.from(root.readMap(3))"))
    np.testing.assert_allclose(found, Without(folder).output(picture), rtol=1e-6, atol=1e-9)
    tile = find_outputs(page).locator(".wall .frame").nth(3)
    tile.scroll_into_view_if_needed()
    box = tile.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(f"**number={ONES[1]}*")
    expect(page.get_by_role("spinbutton", name="Number")).to_have_value(str(ONES[1]))
    expect(find_outputs(page).locator(".tile.chosen")).to_contain_text(f"1 ({ONES[1]})")


def test_the_keyboard_opens_a_picture(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder)
    find_outputs(page).locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**number={EIGHTS[1]}*")


@pytest.mark.parametrize(("width", "scheme", "model"), [
    pytest.param(1280, "dark", "with", marks=pytest.mark.slow), (375, "light", "without"),
])  # fmt: skip
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    kept_page: NewPage, serve: Serve, folder: Path, width: int, scheme: str, model: str
) -> None:
    page = kept_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    open_page(page, serve, folder, model)
    assert_accessible(page)
