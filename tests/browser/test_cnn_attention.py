"""The page of attention over blocks in a browser: the screen against the file of weights, layout, accessibility."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.subjects import Picture, net
from tests.sweeps import sweep
from tests.ui.mechanisms.cnn_attention.placed import NETS
from tests.ui.mechanisms.cnn_attention.spelled import Spelled

from .conftest import Visit, find_violations, read_state

NUMBER = 23  # a drawn 8
ORANGE = 179, 74, 12  # the query's colour, as the light theme has it
Open = Callable[..., Page]


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(name: str, words: str = "", **options: Any) -> Page:
        address = f"{alone}/cnn_attention?v=2&model=cnn_attention.{name}&data=strokes&number={NUMBER}{words}"
        return visit(address, ".st-key-blocks .viewer[data-drawn]", **options)

    return open_page


def find_viewer(page: Page) -> Locator:
    return page.locator(".st-key-blocks .viewer")


def read_viewer(page: Page) -> dict[str, Any]:
    return read_state(find_viewer(page))


def compute_spelled(folder: Path, name: str) -> tuple[np.ndarray, Spelled]:
    """Return the picture as a model takes it, and what the model computes from it."""
    picture = Picture("strokes", NUMBER).taken_by(net(f"cnn_attention.{name}"))[:, :, 0]
    return picture, Spelled(folder / f"cnn_attention.{name}", picture, int(str(NETS[name]["heads"])))


def find_colour(canvas: Locator, colour: tuple[int, int, int]) -> np.ndarray:
    """Return which pixels of a canvas have a colour: bool (row, column)."""
    found = canvas.evaluate(
        """(canvas, [red, green, blue]) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const is = (_, i) => (data[4 * i] === red && data[4 * i + 1] === green && data[4 * i + 2] === blue ? 1 : 0);
          return [canvas.height, canvas.width, ...Array.from({ length: data.length / 4 }, is)];
        }""",
        [*colour],
    )
    return np.array(found[2:], bool).reshape(found[:2])


@pytest.mark.parametrize("name", sweep(["digits", "wide"], lambda name: name == "wide"))
def test_the_weights_of_every_head_are_those_of_the_block_that_is_outlined(
    opened: Open, folder: Path, name: str
) -> None:
    """On a square picture and on one of 20 rows and 28 columns."""
    page = opened(name)
    picture, wanted = compute_spelled(folder, name)
    rows, columns = wanted.grid
    canvas = find_viewer(page).locator(".board.picture canvas")
    box = canvas.bounding_box()
    assert box
    for row, column in ((0, columns - 1), (rows - 1, 0), (1, 3)):
        x, y = (4 * column + 5.5) / picture.shape[1], (4 * row + 5.5) / picture.shape[0]  # in the middle of the block
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        assert read_viewer(page)["query"] == [row, column]
        for head in range(len(wanted.weights)):
            shown = find_viewer(page).evaluate("(root, head) => [...root.readMap(head)]", head)
            np.testing.assert_allclose(shown, wanted.weights[head, row * columns + column], rtol=1e-9)
        marked = find_colour(canvas, ORANGE)
        pixel = marked.shape[0] / picture.shape[0], marked.shape[1] / picture.shape[1]
        for axis, at in enumerate((row, column)):
            found = np.flatnonzero(marked.any(1 - axis))
            ends = 4 * at * pixel[axis], min(4 * at + 11, picture.shape[axis]) * pixel[axis]
            assert abs(found[0] - ends[0]) <= 3, "the outline lies around the receptive field"
            assert abs(found[-1] + 1 - ends[1]) <= 3


def find_stage_maps(page: Page) -> Locator:
    return page.locator(".st-key-convolutions .stage-maps")


def test_the_maps_of_every_stage_are_those_of_the_convolutions(opened: Open, folder: Path) -> None:
    page = opened("wide", "&layer=2&stage=pool&channel=7")
    picture, wanted = compute_spelled(folder, "wide")
    find_stage_maps(page).and_(page.locator("[data-drawn]")).wait_for()
    for layer, stages in enumerate(wanted.stages):
        for short, tap in (("conv", "after_conv"), ("relu", "after_relu"), ("pool", "after_pool")):
            shown = find_stage_maps(page).evaluate(
                "(root, [layer, stage]) => root.readStage(layer, stage)", [layer, short]
            )
            np.testing.assert_allclose(shown, stages[tap].ravel(), atol=1e-12)
    # The pointer on the last cell but one of the second convolution after pooling: row 3 of 5, column 5 of 7.
    tile = find_stage_maps(page).locator(".stage-wall .tile .frame").nth(5)
    tile.scroll_into_view_if_needed()
    box = tile.bounding_box()
    assert box
    page.mouse.move(box["x"] + 5.5 / 7 * box["width"], box["y"] + 3.5 / 5 * box["height"])
    found = read_state(find_stage_maps(page))
    assert found["channels"][1] == 6
    assert found["box"] == [12, 20, 19, 27]
    assert found["values"][5] == pytest.approx(wanted.stages[1]["after_pool"][6, 3, 5])
    strongest = wanted.stages[0]["after_relu"].mean((1, 2)).argmax()
    assert found["channels"][0] == strongest
    # The maps before it show what it is computed from: the largest of four after ReLU, read there before ReLU too.
    assert found["read"][4]["pooled"] == [6, 10, 8, 12]
    largest = wanted.stages[1]["after_conv"][6, 6:8, 10:12].max()
    assert found["values"][3] == pytest.approx(largest, rel=1e-9) or largest < 0
    assert found["values"][4] == pytest.approx(max(largest, 0), rel=1e-9)
    tiles = find_stage_maps(page).locator(".channels .wall .tile")
    expect(tiles).to_have_count(64)
    tiles.nth(6).and_(page.locator(".chosen")).wait_for()
    tiles.nth(20).scroll_into_view_if_needed()
    chosen = tiles.nth(20).bounding_box()
    assert chosen
    page.mouse.click(chosen["x"] + 5, chosen["y"] + 5)
    page.wait_for_url("**channel=21*")


# Point at every cell of a map: what stands below each of the maps then.
POINT = """(root, [tile, rows, columns]) => {
  const canvas = root.querySelector(".stage-wall canvas");
  const box = root.querySelectorAll(".stage-wall .tile .frame")[tile].getBoundingClientRect();
  return Array.from({ length: rows * columns }, (_, cell) => {
    const clientX = box.left + ((cell % columns + 0.5) * box.width) / columns;
    const clientY = box.top + ((Math.floor(cell / columns) + 0.5) * box.height) / rows;
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, pointerType: "mouse" }));
    return root.read().values;
  });
}"""


def test_values_beside_one_another_are_of_the_same_cell_wherever_one_points(opened: Open, folder: Path) -> None:
    page = opened("wide", "&layer=2&stage=pool&channel=7")
    _, wanted = compute_spelled(folder, "wide")
    shown = find_stage_maps(page)
    shown.and_(page.locator("[data-drawn]")).wait_for()
    channels = read_state(shown)["channels"]
    for layer, stages in enumerate(wanted.stages):
        for stage, tap in enumerate(("after_conv", "after_relu", "after_pool")):
            maps = stages[tap][channels[layer]]
            found = np.array(shown.evaluate(POINT, [3 * layer + stage, *maps.shape]))
            np.testing.assert_allclose(found[:, 3 * layer + stage], maps.ravel(), atol=1e-12)
            for conv in range(0, found.shape[1], 3):
                before, after = found[:, conv : conv + 2].T
                np.testing.assert_array_equal(after, np.maximum(before, 0))
            if stage == 2:
                np.testing.assert_allclose(found[:, 3 * layer + 1], maps.ravel(), atol=1e-12)


def test_a_block_is_locked_in_the_url_and_keys_move_by_a_block(opened: Open) -> None:
    page = opened("digits", "&query=2,3")
    assert read_viewer(page)["query"] == [1, 2]
    find_viewer(page).locator(".board.picture").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    label = re.compile("which sees the pixels of rows 9 to 19 and columns 9 to 19$")
    expect(find_viewer(page).locator("#picture-cell")).to_have_attribute("aria-label", label)
    page.keyboard.press("Enter")
    page.wait_for_url("**query=3%2C3*")


def test_at_1280_by_720_everything_one_looks_at_is_above_the_fold(opened: Open) -> None:
    page = opened("digits")
    offered = page.locator(".st-key-page_choices")
    tops = {round(one["y"] + one["height"]) for one in read_boxes(offered.locator("> div"))}
    assert len(tops) == 1, "the choices stand in one row"
    for part in (".board.picture", ".board.large", ".pair", ".wall-part .wall"):
        box = find_viewer(page).locator(part).bounding_box()
        assert box
        assert box["y"] < 720, part
        assert box["y"] + box["height"] <= 730 or part == ".pair", part


def read_boxes(several: Locator) -> list[dict[str, float]]:
    return [dict(found) for one in several.all() if (found := one.bounding_box()) and found["height"]]


def test_it_is_accessible_and_fits_on_a_phone(opened: Open) -> None:
    page = opened("digits", viewport={"width": 375, "height": 812}, has_touch=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert find_violations(page) == []
