"""The grid of maps under real pointers and keys."""

import base64
import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.sweeps import sweep

from .apps.map_grid import make_background, make_maps, make_photos
from .conftest import COMPONENTS, Serve, Visit, find_violations, read_state

Open = Callable[..., Page]


@pytest.fixture
def opened(serve: Serve, visit: Visit) -> Open:
    """Return a function that opens the grid's page; which maps, and options of the page."""

    def open_grid(kind: str = "signed", **options: Any) -> Page:
        return visit(f"{serve(COMPONENTS)}/map_grid?kind={kind}", ".map-grid[data-drawn]", **options)

    return open_grid


def find_grid(page: Page) -> Locator:
    return page.locator(".map-grid")


def read_grid(page: Page) -> dict[str, Any]:
    return read_state(find_grid(page))


def locate(page: Page, tile: int, row: int, column: int) -> tuple[float, float]:
    box = page.locator(".wall .frame").nth(tile).bounding_box()
    assert box
    return box["x"] + (column + 0.5) * box["width"] / 7, box["y"] + (row + 0.5) * box["height"] / 5


def wait_for_choice(page: Page, **fields: Any) -> None:
    for name, value in fields.items():
        expect(page.locator("[data-testid=stCode]")).to_contain_text(
            json.dumps({name: value}, separators=(",", ":"))[1:-1]
        )


def test_the_value_under_the_pointer_stands_in_every_tile(opened: Open) -> None:
    page = opened()
    maps = make_maps("signed")
    page.mouse.move(*locate(page, 2, 3, 5))
    found = read_grid(page)
    assert (found["cell"], found["tile"]) == ([3, 5], 2)
    assert found["values"] == maps[:, 3, 5].tolist()
    for tile, value in enumerate(maps[:, 3, 5]):
        shown = page.locator(".wall .value").nth(tile)
        expect(shown).to_have_text(f"{value:.3f}".replace("-", "\u2212") if abs(value) < 10 else re.compile(r"\d"))
    np.testing.assert_array_equal(find_grid(page).evaluate("(root) => Array.from(root.readMap(7))"), maps[7].ravel())


def test_on_a_page_that_css_zooms_the_values_are_those_under_the_pointer(opened: Open) -> None:
    page = opened()
    find_grid(page).evaluate("(root) => { root.style.zoom = 1.25; }")
    try:
        for tile, row, column in ((0, 0, 0), (1, 4, 6), (2, 3, 5)):
            page.mouse.move(*locate(page, tile, row, column))
            found = read_grid(page)
            assert (found["cell"], found["tile"]) == ([row, column], tile)
    finally:
        find_grid(page).evaluate("(root) => { root.style.zoom = ''; }")


def test_a_click_chooses_and_escape_lets_the_cell_go(opened: Open) -> None:
    page = opened()
    page.mouse.click(*locate(page, 4, 1, 1))
    wait_for_choice(page, chosen=4, cell=[1, 1])
    declared = find_grid(page).evaluate("(root) => root.declared()")
    assert declared == {
        "maps": len(make_maps("signed")),
        "map": 5,
        "cell": "2,2",
        "value": make_maps("signed")[4, 1, 1],
    }
    page.mouse.move(*locate(page, 6, 2, 2))
    assert read_grid(page)["cell"] == [1, 1]
    page.locator(".tile").nth(4).focus()
    page.keyboard.press("Escape")
    wait_for_choice(page, chosen=4, cell=None)


def test_the_keyboard_chooses_and_moves_the_cross_hair(opened: Open) -> None:
    page = opened()
    page.locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_choice(page, chosen=1)
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    wait_for_choice(page, cell=[1, 1])
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


@pytest.mark.parametrize(
    "kind",
    sweep(
        ["share", "unit", "table", "strip", "ink", "nan", "colours", "photo"],
        lambda kind: kind in ("share", "strip", "nan", "photo"),
    ),
)
def test_every_kind_is_drawn_and_fits_a_phone(opened: Open, kind: str) -> None:
    page = opened(kind, viewport={"width": 375, "height": 667})
    expect(page.locator(".maps .tile")).to_have_count(len(make_maps(kind)))
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


def save(page: Page, kind: str) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=kind).click()
    return waiting.value.path()


def read_canvas(page: Page, canvas: str) -> np.ndarray:
    """Return what a canvas shows, uint8 (row, column, 3)."""
    found = page.locator(canvas).evaluate(
        "(canvas) => { const {width, height} = canvas;"
        "return [height, width, ...canvas.getContext('2d').getImageData(0, 0, width, height).data]; }"
    )
    return np.array(found[2:], np.uint8).reshape(found[0], found[1], 4)[..., :3]


def read_middles(
    image: np.ndarray, top: float, left: float, cell: tuple[float, float], shape: tuple[int, int]
) -> np.ndarray:
    """Return the colour in the middle of each cell of a grid on an image: (row, column, 3)."""
    rows = (top + (np.arange(shape[0]) + 0.5) * cell[0]).astype(int)
    columns = (left + (np.arange(shape[1]) + 0.5) * cell[1]).astype(int)
    return image[rows][:, columns]


@pytest.mark.slow
def test_pictures_in_colour_are_painted_and_exported_as_they_are(opened: Open) -> None:
    page = opened("colours")
    photos = make_photos()
    wall = read_canvas(page, ".maps canvas")
    for tile in (0, 3):
        canvas, box = page.locator(".maps canvas").bounding_box(), page.locator(".wall .frame").nth(tile).bounding_box()
        assert canvas and box
        cell = box["height"] / 5, box["width"] / 7
        found = read_middles(wall, box["y"] - canvas["y"], box["x"] - canvas["x"], cell, (5, 7))
        np.testing.assert_array_equal(found, photos[tile])
    png = np.asarray(Image.open(save(page, "PNG")).convert("RGB"))
    wide = min(160.0, (1040 - 48 - 8 * 7) / 8)
    for tile in (0, 5):
        cell = 2 * wide / 7, 2 * wide / 7
        found = read_middles(png, 2 * 88, 2 * (24 + tile * (wide + 8)), cell, (5, 7))
        np.testing.assert_array_equal(found, photos[tile])
    lines = save(page, "CSV").read_text().splitlines()
    table = list(csv.reader(line for line in lines if not line.startswith("#")))
    assert table[0][:5] == ["row", "column", "map 1 red", "map 1 green", "map 1 blue"]
    values = np.array([[float(value) for value in line[2:]] for line in table[1:]]).reshape(5, 7, 8, 3)
    np.testing.assert_allclose(values * 255, photos.transpose(1, 2, 0, 3))


def test_a_photograph_stands_before_its_maps_in_colour_with_the_cells_where_they_lie(opened: Open) -> None:
    page = opened("photo")
    photo = make_background()
    picture = page.locator(".beside canvas")
    box = picture.bounding_box()
    assert box
    cell = page.locator(".beside .frame").bounding_box()
    assert cell
    size = cell["height"] / 20, cell["width"] / 24

    def shown() -> np.ndarray:
        return read_middles(
            read_canvas(page, ".beside canvas"), cell["y"] - box["y"], cell["x"] - box["x"], size, (20, 24)
        )

    top, left = 1 + 3 * (9 // 7), 2 + 3 * (9 % 7)  # of the outlined cell, 5 x 5 pixels
    inside = np.zeros((20, 24), bool)
    inside[top : top + 5, left : left + 5] = True
    away = np.ones((20, 24), bool)
    away[top - 1 : top + 6, left - 1 : left + 6] = False
    np.testing.assert_array_equal(shown()[away | inside], photo[away | inside])

    page.mouse.move(cell["x"] + 12.5 * size[1], cell["y"] + 9.5 * size[0])  # the middle of the cell in row 3, column 4
    assert read_grid(page)["cell"] == [2, 3]
    assert read_grid(page)["values"] == make_maps("photo")[:, 2, 3].tolist()
    page.mouse.click(cell["x"] + 12.5 * size[1], cell["y"] + 9.5 * size[0])
    wait_for_choice(page, chosen=None, cell=[2, 3])

    svg = save(page, "SVG").read_text()
    (embedded,) = re.findall(r'href="data:image/png;base64,([^"]+)"', svg)
    found = np.asarray(Image.open(io.BytesIO(base64.b64decode(embedded))).convert("RGB"))
    np.testing.assert_array_equal(found, photo)
    png = np.asarray(Image.open(save(page, "PNG")).convert("RGB"))
    both = away.copy()
    both[6:13, 10:17] = False  # around the cell that is locked
    exported = read_middles(png, 2 * 88, 2 * 24, (320 / 24, 320 / 24), (20, 24))
    np.testing.assert_array_equal(exported[both], photo[both])


@pytest.mark.parametrize(
    ("kind", "scale"),
    [("signed", r"\u2212\d.* to \d.* \(signed\)"), ("share", "log2 of the multiple of an even share, -4 to 4")],
)
def test_a_saved_picture_says_model_answer_and_scale_where_one_sees_it(opened: Open, kind: str, scale: str) -> None:
    page = opened(kind)
    lines = re.findall(r"<text [^>]*>([^<]*)</text>", save(page, "SVG").read_text())
    assert "random answers 8, 98.3 %" in lines
    assert any(re.fullmatch(f"colours: {scale}", line) for line in lines)


@pytest.mark.slow
def test_the_frames_of_cells_lie_on_top_of_the_picture_in_what_is_saved(opened: Open) -> None:
    page = opened("photo")
    page.mouse.click(*locate(page, 0, 2, 3))
    wait_for_choice(page, cell=[2, 3])
    png = np.asarray(Image.open(save(page, "PNG")).convert("RGB"))
    size = 320 / 24
    for row, column in ((1, 2), (2, 3)):  # the outlined cell, and the locked one
        top, left = 1 + 3 * row, 2 + 3 * column
        rim = png[int(2 * 88 + top * size), int(2 * 24 + (left + 2.5) * size)]
        inside = png[int(2 * 88 + (top + 2.5) * size), int(2 * 24 + (left + 2.5) * size)]
        np.testing.assert_array_equal(inside, make_background()[top + 2, left + 2])
        assert (rim != make_background()[top, left + 2]).any()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened(color_scheme=scheme)
    # The rest of the page is Streamlit's and the test's own.
    assert [line for line in find_violations(page) if "stBidiComponent" in line] == []
