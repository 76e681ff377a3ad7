"""The paper's question in a real browser: a button opens the experiment behind an answer, and the page goes there."""

from playwright.sync_api import Page, expect

from .conftest import Serve, ready


def test_a_button_opens_its_experiment_and_the_page_goes_there(serve: Serve, page: Page) -> None:
    page.goto(f"{serve()}/pixel_attention")
    ready(page)
    question = page.get_by_role("heading", name="The paper's question")
    question.scroll_into_view_if_needed()
    page.get_by_role("button", name="Same intensity, same row").last.click()
    expect(page.get_by_text("Do pixels of the same intensity attend in the same way?")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Ask more")).to_be_in_viewport()
    assert "experiment=same" in page.url


def test_a_link_to_an_experiment_begins_there(serve: Serve, page: Page) -> None:
    page.goto(f"{serve()}/pixel_attention?experiment=shuffle")
    expect(page.get_by_role("heading", name="Ask more")).to_be_in_viewport()
