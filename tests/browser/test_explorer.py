"""The explorer under a real pointer: what it remembers, and what it does not."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import NewPage, Serve, read_state, wait_until_ready, walk
from .models import TEN_DIGITS


def read_grid(page: Page) -> dict[str, Any]:
    return read_state(page.locator(".map-grid[data-drawn]"))


def choose(page: Page, tile: int) -> None:
    box = page.locator(".maps .frame").nth(tile).bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3)
    expect(page.locator(".maps .tile.chosen")).to_have_count(1)


def test_a_chosen_map_is_forgotten_with_its_tap_and_with_its_page(serve: Serve, kept_page: NewPage) -> None:
    page = kept_page(viewport={"width": 1280, "height": 720})
    walk(page, f"{serve()}/explorer?model={TEN_DIGITS}&data=strokes&address=attention.query", ".map-grid[data-drawn]")
    choose(page, 3)
    assert read_grid(page)["chosen"] == 3
    wait_until_ready(page)
    before = page.url
    page.get_by_role("button", name="the output of the layer").click()
    expect(page.locator(".maps .tile.chosen")).to_have_count(0)
    expect(page).not_to_have_url(before)  # or there would be nothing to go back from
    page.go_back()
    page.locator(".maps .tile").nth(60).wait_for()
    page.get_by_role("link", name="Home").first.click()
    expect(page.get_by_role("heading", name="See attention")).to_be_visible()
    page.go_back()
    page.locator(".maps .tile").nth(60).wait_for()
    wait_until_ready(page)
    assert read_grid(page)["chosen"] is None
    assert read_grid(page)["cell"] is None


def test_a_click_just_before_a_chosen_map_is_reported_is_not_undone(serve: Serve, kept_page: NewPage) -> None:
    page = kept_page(viewport={"width": 1280, "height": 720})
    walk(
        page,
        f"{serve()}/explorer?model={TEN_DIGITS}&data=strokes&number=9&address=attention.query",
        ".map-grid[data-drawn]",
    )
    # A map that is clicked is reported 120 ms later, with the values of all widgets as the browser knows them then.
    page.get_by_role("button", name="the output of the layer").evaluate(
        "(button) => addEventListener('pointerup', () => setTimeout(() => button.click(), 90), "
        "{ once: true, capture: true })"
    )
    choose(page, 3)
    wanted = re.compile(r"model=pixel_attention\.1v8&.*number=23&.*address=attention\.output")
    expect(page).to_have_url(wanted)
    expect(page.locator(".maps .tile.chosen")).to_have_count(0)
    wait_until_ready(page)
    expect(page).to_have_url(wanted)
    assert page.get_by_role("combobox", name="Tap path").input_value() == "attention.output"


@pytest.mark.slow
def test_a_click_that_follows_a_chosen_map_at_once_is_not_lost(serve: Serve, kept_page: NewPage) -> None:
    page = kept_page(viewport={"width": 1280, "height": 720})
    walk(page, f"{serve()}/explorer?model={TEN_DIGITS}&data=strokes&address=attention.query", ".map-grid[data-drawn]")
    number = page.get_by_role("spinbutton", name="Number")
    before = number.input_value()
    following = page.get_by_role("button", name="Next")
    choose(page, 3)
    following.click()
    # What the grid reports of the chosen map starts a run of its own, which must not bring back the picture before.
    expect(number).not_to_have_value(before)
    wait_until_ready(page)
    expect(number).not_to_have_value(before)
    expect(page).to_have_url(re.compile(f"number={number.input_value()}(&|$)"))
