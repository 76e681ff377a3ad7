"""A link in the text of a page opens the experiment that it names, and scrolls to it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import NewPage, Serve, wait_until_ready, walk

PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}


def open_page(serve: Serve, page: Page) -> Page:
    walk(
        page,
        f"{serve()}/pixel_attention?v=2&model=pixel_attention.digits&data=strokes&number=23",
        ".viewer[data-drawn]",
    )
    page.wait_for_url(re.compile("number=23"))
    return page


def assert_at_the_top(page: Page, row: Locator) -> None:
    """Wait until a row is in the upper half of the window, where one reads it."""
    page.wait_for_function(
        "(row) => row.getBoundingClientRect().top >= 40 && row.getBoundingClientRect().top < innerHeight / 2",
        arg=row.element_handle(),
    )


@pytest.mark.parametrize("finger", [False, True], ids=["pointer", "finger"])
def test_the_name_of_an_experiment_opens_it_and_scrolls_to_it(serve: Serve, kept_page: NewPage, finger: bool) -> None:
    page = open_page(serve, kept_page(**PHONE) if finger else kept_page())
    row = page.locator(".st-key-experiment_of_erase")
    link = page.get_by_role("link", name="Does it matter what it looks at?")
    for _ in ("closed", "open already"):
        if finger:
            link.tap()
        else:
            link.click()
        page.wait_for_url(re.compile("experiment=erase"))
        expect(row.locator("details")).to_have_attribute("open", "")
        assert_at_the_top(page, row)
        wait_until_ready(page)
    assert len(page.context.pages) == 1
    assert "number=23" in page.url


def test_with_the_keyboard_too(serve: Serve, kept_page: NewPage) -> None:
    page = open_page(serve, kept_page())
    page.get_by_role("link", name="Does it matter what it looks at?").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("experiment=erase"))
    assert_at_the_top(page, page.locator(".st-key-experiment_of_erase"))


def test_an_experiment_of_another_page_opens_there_in_the_same_tab(serve: Serve, kept_page: NewPage) -> None:
    page = open_page(serve, kept_page())
    page.get_by_role("link", name="Does a pixel look for ink or for a position?").click()
    page.wait_for_url(re.compile(r"/paper\?.*number=23.*experiment=parts"))
    row = page.locator(".st-key-experiment_of_parts")
    expect(row.locator("details")).to_have_attribute("open", "")
    assert_at_the_top(page, row)
    assert len(page.context.pages) == 1
    page.go_back()
    page.wait_for_url(re.compile("/pixel_attention"))
