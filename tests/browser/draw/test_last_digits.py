"""The last digits that are drawn, as a strip, on the draw page."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from attnviz.subjects import Strip

from ..cards import wait_for_answers
from ..conftest import Serve, find_violations
from ..pads import draw_stroke
from .opened import THREE, open_cards

SEVEN = [(80, 60), (200, 60), (120, 240)]


def test_digits_are_kept_when_the_pad_is_cleared_and_read_together(page: Page, serve: Serve) -> None:
    open_cards(page, f"{serve()}/draw", "&strip=yes")
    expect(page.get_by_text("Nothing is drawn yet")).to_be_visible()
    draw_stroke(page, *THREE)
    wait_for_answers(page)
    answer = page.get_by_text("additive attention:")
    expect(answer).to_contain_text("additive attention: 3.")
    page.get_by_role("button", name="Clear", exact=True).click()
    page.wait_for_url("**strip=drawn.*")
    draw_stroke(page, *SEVEN)
    wait_for_answers(page)
    expect(answer).to_contain_text("additive attention: 37.")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(answer).to_contain_text("additive attention: 3.")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.wait_for_url("**strip=yes*")
    expect(answer).to_contain_text("additive attention: 3.")
    for _ in range(2):  # at once: the page may run once for both
        page.get_by_role("button", name="Redo", exact=True).click()
    wait_for_answers(page)
    expect(answer).to_contain_text("additive attention: 37.")
    link = page.get_by_role("link", name="See where each of them looks").get_attribute("href") or ""
    [word] = parse_qs(urlsplit(link).query)["strip"]
    assert len(Strip(word)) == 2
    assert find_violations(page) == []
