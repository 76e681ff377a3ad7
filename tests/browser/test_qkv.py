"""Query, key and value on the screen, against tensors computed apart from the file of weights."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from safetensors.numpy import load_file

from attnviz import data
from tests.training.several import HEADS, NAME, SIZE

from .conftest import assert_accessible, read_state, wait_until_ready, walk

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it

NUMBER = 5
TITLES = {"query": "Query", "key": "Key", "value": "Value"}


def find_grid(page: Page) -> Locator:
    return page.locator("[data-component=map_grid]")


def open_qkv(page: Page, alone: str, number: int = NUMBER) -> Page:
    walk(page, f"{alone}/paper?model={NAME}&data=strokes&number={number}&experiment=qkv")
    find_grid(page).and_(page.locator("[data-drawn]")).wait_for()
    return page


def find_said(page: Page) -> Locator:
    return page.get_by_test_id("stMarkdownContainer").filter(has_text="The intensity is 0 on the background")


def read_grid(page: Page) -> dict[str, Any]:
    return read_state(find_grid(page))


def locate(page: Page, tile: int, row: int, column: int) -> tuple[float, float]:
    frame = find_grid(page).locator(".wall .frame").nth(tile)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    return box["x"] + (column + 0.5) * box["width"] / 28, box["y"] + (row + 0.5) * box["height"] / 28


def compute_parts(folder: Path, part: str, number: int = NUMBER) -> np.ndarray:
    """Compute (component, head, row, column) from the file of weights, in float64."""
    card = json.loads((folder / NAME / "card.json").read_text())
    weights = load_file(folder / NAME / "weights.safetensors")
    weight, bias = (weights[f"attention.{part}.{what}"].astype(np.float64) for what in ("weight", "bias"))
    picture = data.load("strokes", "test", count=256).images[number, ..., 0] / 255.0
    tokens = (picture - card["config"]["mean"]) / card["config"]["std"]
    maps = weight[:, 0, None, None] * tokens + bias[:, None, None]  # (head and component, row, column)
    return maps.reshape(HEADS, SIZE, 28, 28).transpose(1, 0, 2, 3)


def assert_shows(page: Page, wanted: np.ndarray) -> None:
    for tile, map_ in enumerate(wanted.reshape(-1, 28 * 28)):
        found = find_grid(page).evaluate("(root, tile) => Array.from(root.readMap(tile))", tile)
        np.testing.assert_allclose(found, map_, rtol=1e-9, atol=1e-12)


def test_every_map_and_the_pixel_under_the_pointer_are_those_of_the_weights(
    page: Page, alone: str, folder: Path
) -> None:
    open_qkv(page, alone)
    for part, title in TITLES.items():
        page.get_by_role("radio", name=title, exact=True).click()
        expect(find_grid(page).locator("h2")).to_contain_text(f"{title} of 4 heads, 2 components")
        wanted = compute_parts(folder, part)
        assert_shows(page, wanted)
        page.mouse.move(*locate(page, 5, 14, 9))
        found = read_grid(page)
        assert (found["cell"], found["tile"], found["scale"]) == ([14, 9], 5, "all")
        np.testing.assert_allclose(found["values"], wanted[:, :, 14, 9].ravel(), rtol=1e-9, atol=1e-12)
        expect(find_grid(page).locator("h2")).to_contain_text("row 15, column 10, head 2, component 2:")


def test_a_click_chooses_a_map_and_the_keyboard_goes_on_from_there(page: Page, alone: str) -> None:
    open_qkv(page, alone)
    page.mouse.click(*locate(page, 6, 3, 3))
    page.wait_for_url("**qkv_tile=3%2C2*")
    expect(find_said(page)).to_contain_text("Head 3, component 2:")
    wait_until_ready(page)
    find_grid(page).locator(".tile[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**qkv_tile=4%2C2*")
    expect(find_said(page)).to_contain_text("Head 4, component 2:")
    page.go_back()
    expect(find_said(page)).to_contain_text("Head 3, component 2:")
    expect(find_grid(page).locator(".tile.chosen")).to_contain_text("head 3, component 2")


def test_another_picture_brings_its_own_maps(page: Page, alone: str, folder: Path) -> None:
    open_qkv(page, alone)
    page.mouse.click(*locate(page, 1, 3, 3))
    page.wait_for_url("**qkv_tile=2%2C1*")
    page.get_by_role("spinbutton", name="Number").fill(str(NUMBER + 1))
    page.keyboard.press("Enter")
    page.wait_for_url(f"**number={NUMBER + 1}*")
    wanted = compute_parts(folder, "query", NUMBER + 1)
    assert not np.array_equal(compute_parts(folder, "query"), wanted)
    page.wait_for_function(
        """(value) => [...document.querySelectorAll("*")].some((one) => {
          const root = one.shadowRoot?.querySelector("[data-component=map_grid]");
          return root && root.readMap(0).reduce((sum, cell) => sum + cell, 0).toFixed(6) === value.toFixed(6);
        })""",
        arg=float(wanted[0, 0].sum()),
    )
    assert_shows(page, wanted)
    expect(find_grid(page).locator(".tile.chosen")).to_contain_text("head 2, component 1")


def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, alone: str) -> None:
    open_qkv(looked, alone)
    assert_accessible(looked)
    box = find_grid(looked).locator(".wall .frame").first.bounding_box()
    assert box
    assert box["width"] >= 40  # a finger must hit it
