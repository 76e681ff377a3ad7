"""The paper's question in a real browser: a button opens the experiment behind an answer, and the page goes there."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import NewPage, Serve, walk
from .harness import throttle
from .models import SEVERAL_HEADS

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it


def test_a_button_opens_its_experiment_and_the_page_goes_there(serve: Serve, page: Page) -> None:
    walk(page, f"{serve()}/paper")
    question = page.get_by_role("heading", name="The paper's question")
    question.scroll_into_view_if_needed()
    page.get_by_role("button", name="What a score is made of").click()
    expect(page.get_by_text("Does a pixel look for ink or for a position?")).to_be_in_viewport()
    page.wait_for_url("**experiment=parts*")


def test_an_experiment_of_the_pixel_page_is_a_link_with_the_model_and_the_picture(serve: Serve, page: Page) -> None:
    walk(page, f"{serve()}/paper?model={SEVERAL_HEADS}&data=strokes&number=6")
    page.get_by_role("link", name="Same intensity, same row").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pixel attention")
    expect(page.get_by_text("Do pixels of the same intensity attend in the same way?")).to_be_visible()
    for part in ("experiment=shuffle", f"model={SEVERAL_HEADS}", "number=6"):
        assert part in page.url


@pytest.mark.parametrize("width", [1280, 375])
def test_a_link_to_an_experiment_comes_to_rest_there_when_all_of_the_page_has_come(
    serve: Serve, new_page: NewPage, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 720})
    throttle(page)
    walk(page, f"{serve()}/pixel_attention?experiment=shuffle")
    # At the top of the window, below the navigation.
    page.wait_for_function("() => document.querySelector('.st-key-experiment_here')?.getBoundingClientRect().top < 120")
    expect(page.get_by_text("Does it know where a pixel is?")).to_be_in_viewport()
    page.mouse.move(width / 2, 400)
    page.mouse.wheel(0, -300)  # and it lets go of who wants to be elsewhere
    page.wait_for_function("() => document.querySelector('.st-key-experiment_here').getBoundingClientRect().top > 200")


def test_a_link_to_an_experiment_begins_there(serve: Serve, new_page: NewPage) -> None:
    page = new_page()
    walk(page, f"{serve()}/pixel_attention?experiment=shuffle")
    expect(page.get_by_text("Does it know where a pixel is?")).to_be_in_viewport()
