"""The results page: its verdicts can be read on a phone, and a row leads to its model."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared.results import result_dots

from .conftest import NewPage, Serve, wait_until_ready, walk


def opened(page: Page, address: str) -> None:
    walk(page, f"{address}/results")
    page.locator(".verdicts").wait_for()
    page.locator(".dots").wait_for()
    wait_until_ready(page)


@pytest.mark.parametrize("width", [1280, 375])
def test_the_verdicts_come_first_and_fit(kept_page: NewPage, serve: Serve, width: int) -> None:
    page = kept_page(viewport={"width": width, "height": 720})
    opened(page, serve())
    table, chart = (page.locator(name).bounding_box() for name in (".verdicts", ".dots"))
    assert table is not None and chart is not None
    assert table["x"] >= 0 and table["x"] + table["width"] <= width
    assert table["y"] + table["height"] <= chart["y"]
    if width == 1280:
        assert table["y"] + table["height"] < 768, "every verdict is seen without scrolling on a small laptop"
    else:
        cells = page.locator(".verdicts tbody tr").first.locator("th, td")
        left = cells.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().left)")
        assert len(left) > 2 and len(set(left)) == 1, "a row is a list"
    for row in MECHANISMS.values():
        line = page.locator(".verdicts tr").filter(has_text=row.title).first
        expect(line.locator("strong")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_row_leads_to_its_model_in_the_same_window(page: Page, serve: Serve) -> None:
    opened(page, serve())
    line = result_dots.verdicts(MECHANISMS["element_wise"])[0]
    assert line.one.link is not None
    page.get_by_role("link", name=line.one.name, exact=True).first.click()
    expect(page).to_have_url(re.compile(re.escape(line.one.link)))
    expect(page.get_by_role("heading", level=1)).to_have_text(MECHANISMS["element_wise"].title)
    page.locator(".dots a").first.wait_for()
    assert len(page.context.pages) == 1
