"""Drawing by the keyboard alone."""

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

import attnviz
from attnviz.data.inputs.digit import prepare

from ..models import TEN_DIGITS
from ..pads import PEN, find_button, find_pad, find_sheet, open_pad, press, read_announcement, read_raster, wait_for
from ..strokes_format import make_stroke
from ..strokes_format import rasterise as computed


def test_the_keyboard_alone_draws_a_one(page: Page, address: str) -> None:
    open_pad(page, address)
    for _ in range(12):  # by tab stops alone: there is no other way in
        page.keyboard.press("Tab")
        if find_sheet(page).evaluate("(sheet) => sheet.getRootNode().activeElement === sheet"):
            break
    expect(find_sheet(page)).to_be_focused()
    expect(find_sheet(page).locator(".cursor")).to_be_visible()
    for key in ["ArrowUp"] * 7 + ["Shift+ArrowDown"] * 14:
        page.keyboard.press(key)
    wait_for(page, strokes=1)
    wanted = computed([make_stroke("ink", PEN, (145, 75), (145, 215))])
    np.testing.assert_allclose(read_raster(page).astype(int), wanted, atol=1)
    assert read_announcement(page) == "Ink to row 22, column 15."
    page.wait_for_url("**strokes=*")
    seen = prepare(read_raster(page)).picture
    assert (seen.sum(1) > 0).sum() == 20
    assert 2 <= (seen.sum(0) > 0).sum() <= 4
    model, card = attnviz.load(TEN_DIGITS)
    logits = model(torch.from_numpy(seen[None, None].astype(np.float32)) / 255)
    assert card.classes[int(logits.argmax())] == "1"
    expect(find_sheet(page)).to_be_focused()  # the page has run again


def test_the_cursor_moves_as_in_any_grid_and_says_what_is_under_it(page: Page, address: str) -> None:
    open_pad(page, address)
    active = "(sheet) => sheet.getRootNode().getElementById(sheet.getAttribute('aria-activedescendant'))"
    steps = [
        ("Home", "row 15, column 1: background"),
        ("ArrowLeft", "row 15, column 1: background"),
        ("Control+End", "row 28, column 28: background"),
        ("PageUp", "row 23, column 28: background"),
        ("Control+Home", "row 1, column 1: background"),
        ("PageDown", "row 6, column 1: background"),
        ("End", "row 6, column 28: background"),
        ("Space", "row 6, column 28: ink"),
        ("ArrowLeft", "row 6, column 27: the edge of ink"),
        ("ArrowLeft", "row 6, column 26: background"),
    ]
    for key, words in steps:
        press(page, key)
        assert find_sheet(page).evaluate(f"(sheet) => ({active})(sheet).textContent") == words
    cell, row = "gridcell", find_sheet(page).locator("[role=row]")
    expect(row).to_have_attribute("aria-rowindex", "6")
    expect(row.get_by_role(cell)).to_have_attribute("aria-colindex", "26")
    expect(find_sheet(page)).to_have_attribute("aria-rowcount", "28")
    assert find_pad(page).locator(".sheet, .sheet [tabindex]").count() == 1


def test_space_inks_and_takes_away_again_and_delete_erases(page: Page, address: str) -> None:
    open_pad(page, address)
    press(page, "Space")
    assert read_raster(page)[145, 145] == 255
    assert read_announcement(page) == "Ink at row 15, column 15."
    press(page, "Space")
    assert not read_raster(page).any()
    assert read_announcement(page) == "Erased at row 15, column 15."
    press(page, "Space", "Shift+ArrowUp", "Shift+ArrowUp", "Delete")
    assert read_raster(page)[125, 145] == 0
    assert read_raster(page)[150, 145] == 255
    press(page, "ArrowDown", "Backspace")
    assert read_raster(page)[135, 145] == 0


@pytest.mark.slow
def test_a_line_of_keys_is_one_step_and_another_tool_begins_another(page: Page, address: str) -> None:
    open_pad(page, address)
    press(page, *["Shift+ArrowUp"] * 4, *["Shift+ArrowLeft"] * 3)
    assert wait_for(page, strokes=1)
    line = read_raster(page)
    find_button(page, "Erase").click()
    press(page, "Shift+ArrowRight", "Shift+ArrowRight")
    wait_for(page, strokes=2)
    assert read_raster(page).sum() < line.sum()
    press(page, "Control+z")
    np.testing.assert_array_equal(read_raster(page), line)
    press(page, "Control+z")
    assert not read_raster(page).any()
    press(page, "Control+z")
    assert read_announcement(page) == "Nothing to undo."
