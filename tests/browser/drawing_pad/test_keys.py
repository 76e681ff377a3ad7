"""Drawing by the keyboard alone."""

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

import attnviz
from attnviz.data.inputs.digit import prepare

from ..pads import PEN, button, open_pad, pad, press, raster, said, sheet, wait_for
from ..strokes_format import raster as computed
from ..strokes_format import straight


def test_the_keyboard_alone_draws_a_one(page: Page, address: str) -> None:
    open_pad(page, address)
    for _ in range(12):  # by tab stops alone: there is no other way in
        page.keyboard.press("Tab")
        if sheet(page).evaluate("(sheet) => sheet.getRootNode().activeElement === sheet"):
            break
    expect(sheet(page)).to_be_focused()
    expect(sheet(page).locator(".cursor")).to_be_visible()
    for key in ["ArrowUp"] * 7 + ["Shift+ArrowDown"] * 14:
        page.keyboard.press(key)
    wait_for(page, strokes=1)
    wanted = computed([straight("ink", PEN, (145, 75), (145, 215))])
    np.testing.assert_allclose(raster(page).astype(int), wanted, atol=1)
    assert said(page) == "Ink to row 22, column 15."
    page.wait_for_url("**strokes=*")
    seen = prepare(raster(page)).picture
    assert (seen.sum(1) > 0).sum() == 20
    assert 2 <= (seen.sum(0) > 0).sum() <= 4
    model, card = attnviz.load("pixel_attention.digits")
    logits = model(torch.from_numpy(seen[None, None].astype(np.float32)) / 255)
    assert card.classes[int(logits.argmax())] == "1"
    expect(sheet(page)).to_be_focused()  # the page has run again


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
        assert sheet(page).evaluate(f"(sheet) => ({active})(sheet).textContent") == words
    cell, row = "gridcell", sheet(page).locator("[role=row]")
    expect(row).to_have_attribute("aria-rowindex", "6")
    expect(row.get_by_role(cell)).to_have_attribute("aria-colindex", "26")
    expect(sheet(page)).to_have_attribute("aria-rowcount", "28")
    assert pad(page).locator(".sheet, .sheet [tabindex]").count() == 1


def test_space_inks_and_takes_away_again_and_delete_erases(page: Page, address: str) -> None:
    open_pad(page, address)
    press(page, "Space")
    assert raster(page)[145, 145] == 255
    assert said(page) == "Ink at row 15, column 15."
    press(page, "Space")
    assert not raster(page).any()
    assert said(page) == "Erased at row 15, column 15."
    press(page, "Space", "Shift+ArrowUp", "Shift+ArrowUp", "Delete")
    assert raster(page)[125, 145] == 0
    assert raster(page)[150, 145] == 255
    press(page, "ArrowDown", "Backspace")
    assert raster(page)[135, 145] == 0


@pytest.mark.slow
def test_a_line_of_keys_is_one_step_and_another_tool_begins_another(page: Page, address: str) -> None:
    open_pad(page, address)
    press(page, *["Shift+ArrowUp"] * 4, *["Shift+ArrowLeft"] * 3)
    assert wait_for(page, strokes=1)
    line = raster(page)
    button(page, "Erase").click()
    press(page, "Shift+ArrowRight", "Shift+ArrowRight")
    wait_for(page, strokes=2)
    assert raster(page).sum() < line.sum()
    press(page, "Control+z")
    np.testing.assert_array_equal(raster(page), line)
    press(page, "Control+z")
    assert not raster(page).any()
    press(page, "Control+z")
    assert said(page) == "Nothing to undo."
