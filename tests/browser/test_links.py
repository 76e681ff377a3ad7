"""A copied link and a saved file name version, model, data set and number, so that they mean the same anywhere."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.ui.shared.url_state import VERSION
from tests.sweeps import sweep

from .conftest import NewPage, Serve, wait_until_ready

PAGES = {
    "pixel_attention": "[data-component=pixel_viewer]",
    "paper": "[data-component=pixel_viewer]",
    "element_wise": ".st-key-stages .stage-grid",
    "explorer": ".map-grid",
}


def open_component(page: Page, address: str, component: str) -> Locator:
    """Open a page whose URL says nothing, and return its component."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")  # as over plain http
    page.goto(address)
    shown = page.locator(component)
    shown.and_(page.locator("[data-drawn]")).wait_for()
    wait_until_ready(page)
    page.wait_for_url(re.compile(r"[?&]v="))  # the browser completes the URL once all of the page has come
    return shown


def read_named(address: str) -> dict[str, str]:
    """Return what a URL says of version, model and picture, and check that it is all there."""
    words = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert words.get("v") == VERSION
    assert {"model", "data", "number"} <= set(words)
    return words


@pytest.mark.parametrize("path", sweep(PAGES, lambda path: path in ("pixel_attention", "element_wise")))
def test_saved_files_and_copied_links_name_what_is_shown(new_page: NewPage, serve: Serve, path: str) -> None:
    page = new_page()
    shown = open_component(page, f"{serve()}/{path}", PAGES[path])
    with page.expect_download() as waiting:
        shown.get_by_role("button", name="CSV", exact=True).click()
    saved = waiting.value.path().read_text()
    (link,) = re.findall(r"^# page: (.*)$", saved, re.MULTILINE)
    words = read_named(link)
    assert f"# image: {words['data']}/test/{words['number']}" in saved.splitlines()
    if path != "explorer":  # which has no such button
        shown.get_by_role("button", name="link", exact=True).click()
        field = shown.get_by_role("textbox", name="Copy this text")
        expect(field).to_be_visible()
        read_named(field.input_value())


def test_the_url_is_completed_as_no_step_of_its_own(page: Page, serve: Serve) -> None:
    page.goto(serve())
    wait_until_ready(page)
    home = page.url
    page.get_by_role("link", name="Explore every value inside a model").click()
    page.wait_for_url(f"**/explorer?v={VERSION}*")
    read_named(page.url)
    page.go_back()
    page.wait_for_url(home)
