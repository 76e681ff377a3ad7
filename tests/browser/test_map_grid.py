"""The grid of maps under real pointers and keys."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from .apps.map_grid import make_maps
from .conftest import NewPage, Serve, axe, ready

APP = "tests/browser/apps/map_grid.py"
Open = Callable[..., Page]


@pytest.fixture
def opened(serve: Serve, new_page: NewPage) -> Open:
    """Return a function that opens the grid's page; which maps, and options of the page."""

    def open_grid(kind: str = "signed", **options: Any) -> Page:
        page = new_page(**options)
        page.goto(f"{serve(APP)}/?kind={kind}")
        ready(page)
        grid(page).and_(page.locator("[data-reading]")).wait_for()
        return page

    return open_grid


def grid(page: Page) -> Locator:
    return page.locator(".map-grid")


def reading(page: Page) -> dict[str, Any]:
    return json.loads(grid(page).get_attribute("data-reading") or "{}")


def place(page: Page, tile: int, row: int, column: int) -> tuple[float, float]:
    box = page.locator(".wall .frame").nth(tile).bounding_box()
    assert box
    return box["x"] + (column + 0.5) * box["width"] / 7, box["y"] + (row + 0.5) * box["height"] / 5


def settled(page: Page, **fields: Any) -> None:
    for name, value in fields.items():
        expect(page.locator("[data-testid=stCode]")).to_contain_text(
            json.dumps({name: value}, separators=(",", ":"))[1:-1]
        )


def test_the_value_under_the_pointer_stands_in_every_tile(opened: Open) -> None:
    page = opened()
    maps = make_maps("signed")
    page.mouse.move(*place(page, 2, 3, 5))
    found = reading(page)
    assert (found["cell"], found["tile"]) == ([3, 5], 2)
    assert found["values"] == maps[:, 3, 5].tolist()
    for tile, value in enumerate(maps[:, 3, 5]):
        shown = page.locator(".wall .value").nth(tile)
        expect(shown).to_have_text(f"{value:.3f}".replace("-", "\u2212") if abs(value) < 10 else re.compile(r"\d"))
    np.testing.assert_array_equal(grid(page).evaluate("(root) => Array.from(root.readMap(7))"), maps[7].ravel())


def test_a_click_chooses_and_escape_lets_the_cell_go(opened: Open) -> None:
    page = opened()
    page.mouse.click(*place(page, 4, 1, 1))
    settled(page, chosen=4, cell=[1, 1])
    page.mouse.move(*place(page, 6, 2, 2))
    assert reading(page)["cell"] == [1, 1]
    page.locator(".tile").nth(4).focus()
    page.keyboard.press("Escape")
    settled(page, chosen=4, cell=None)


def test_the_keyboard_chooses_and_moves_the_cross_hair(opened: Open) -> None:
    page = opened()
    page.locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page, chosen=1)
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    settled(page, cell=[1, 1])
    expect(page.locator("[aria-live]").last).to_contain_text("map 2 is chosen. At row 2, column 2, map 2:")
    expect(page.locator(".tile[tabindex='0']")).to_have_count(1)


def test_every_scale_says_what_it_is(opened: Open) -> None:
    page = opened()
    maps = make_maps("signed")
    legend = page.locator(".legend")
    for name, most in [("All maps", np.abs(maps).max()), ("This map", np.abs(maps[0]).max()), ("All pictures", 40.0)]:
        page.get_by_role("radio", name=name).check()
        expect(legend.locator(".ticks span").last).to_have_text(f"{most:.3g}" if most < 40 else "40.0")
    expect(legend).to_contain_text("one scale for all pictures")


@pytest.mark.parametrize("kind", ["share", "unit", "table", "strip", "ink", "nan"])
def test_every_kind_is_drawn_and_fits_a_phone(opened: Open, kind: str) -> None:
    page = opened(kind, viewport={"width": 375, "height": 667})
    expect(page.locator(".tile")).to_have_count(len(make_maps(kind)))
    expect(page.locator(".failure")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    if kind == "nan":
        for words in ("no number", "infinite", "masked"):
            expect(page.locator(".legend .mark", has_text=words).first).to_be_visible()


def test_csv_holds_every_value(opened: Open) -> None:
    page = opened("nan")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    lines = waiting.value.path().read_text().splitlines()
    assert "# model: random" in lines
    table = list(csv.reader(io.StringIO("\n".join(line for line in lines if not line.startswith("#")))))
    assert table[0][:3] == ["row", "column", "map 1"]
    found = np.array([[float(value) for value in line[2:]] for line in table[1:]])
    np.testing.assert_array_equal(found.T.reshape(8, 5, 7), make_maps("nan"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened(color_scheme=scheme)
    # The rest of the page is Streamlit's and the test's own.
    assert [line for line in axe(page) if "stBidiComponent" in line] == []
