"""The pixel viewer for those who do not see it, or see it in other colours."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from ..conftest import find_violations
from .viewers import Open, hover, read_viewer


def test_the_text_alternative_follows_the_view(opened: Open) -> None:
    page = opened()
    picture = page.get_by_role("grid", name=re.compile("^The picture, 5 rows, 7 columns"))
    expect(picture).to_have_accessible_name(re.compile("query row"))
    picture.focus()
    page.keyboard.press("Control+Home")
    expect(page.locator("[aria-live]").last).to_contain_text("query row 1, column 1")
    page.keyboard.press("Enter")
    expect(page.locator("[aria-live]").last).to_contain_text("background: nothing is drawn here, locked")
    expect(picture).to_have_accessible_name(re.compile(r"query row 1, column 1 . background: nothing is drawn here"))


def test_a_moving_pointer_announces_nothing(opened: Open) -> None:
    page = opened()
    hover(page, 0, 0)
    expect(page.get_by_role("grid").first).to_have_accessible_name(re.compile("query row 1, column 1"))
    expect(page.locator("[aria-live]").last).to_be_empty()


def test_each_grid_is_one_tab_stop(opened: Open) -> None:
    page = opened()
    stops: list[str] = []
    page.get_by_role("radio", name="Weights").focus()
    while len(stops) < 13:
        stops += page.evaluate(FOCUSED)
        page.keyboard.press("Tab")
    boards = ["board picture", "select", "board large"]
    assert stops == ["weights", "from", "share", *boards, "1", "PNG", "SVG", "CSV", "copy", "link", "tile chosen"]


FOCUSED = """() => {
  let found = document.activeElement;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  if (found.matches(".term")) return []; // which a word has for itself
  return [found.value && found.type === "radio" ? found.value
    : found.tagName === "BUTTON" ? found.textContent : found.className || found.tagName.toLowerCase()];
}"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened("query=3,3&heads=6", color_scheme=scheme)
    page.get_by_role("grid", name=re.compile("query row 3")).first.wait_for()
    # The rest of the page is Streamlit's and the test's own.
    assert [line for line in find_violations(page) if "stBidiComponent" in line] == []


def read_pixels(page: Page) -> list[int]:
    return page.locator(".board.large canvas").evaluate(
        "(canvas) => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data)"
    )


@pytest.mark.slow
def test_colours_follow_the_theme_live(opened: Open) -> None:
    page = opened("query=3,3", color_scheme="light")
    light = np.array(read_pixels(page)).reshape(-1, 4)[:, :3]
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "([canvas, before]) => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[0] !== before",
        arg=[page.locator(".board.large canvas").element_handle(), int(light[0][0])],
    )
    dark = np.array(read_pixels(page)).reshape(-1, 4)[:, :3]
    assert light.mean() > 128 > dark.mean()
    assert read_viewer(page)["query"] == [2, 2]
