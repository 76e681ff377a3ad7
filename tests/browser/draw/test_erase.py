"""Erasing what a model looks at, on the draw page."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ..cards import compute_answer, wait_for_answers
from ..conftest import NewPage, Serve
from ..held import Held
from ..models import TEN_DIGITS
from ..pads import draw_stroke, open_pad, read_pad
from .opened import ONE, THREE, open_cards, prepare_picture


def test_erasing_follows_the_pad(page: Page, address: str) -> None:
    open_cards(page, address, f"&erase={TEN_DIGITS}")
    expect(page.get_by_text("Nothing is drawn yet")).to_be_visible()
    for points in (THREE, ONE):
        draw_stroke(page, *points)
        wait_for_answers(page)
        expected = compute_answer(TEN_DIGITS, prepare_picture(page))["logits"]
        words = f"The model answers {expected.argmax()}, with a logit of {expected.max():#.3g}".rstrip(".")
        expect(page.get_by_text(words)).to_be_visible()


def test_erasing_takes_the_picture_that_its_model_saw_beside_one_of_larger_pictures(page: Page, serve: Serve) -> None:
    larger = "pixel_line.cluttered"  # 40 x 40, and the first that answers
    open_pad(page, f"{serve()}/draw?models={larger},{TEN_DIGITS}&erase={TEN_DIGITS}")
    wait_for_answers(page)
    draw_stroke(page, *THREE)
    wait_for_answers(page)
    expected = compute_answer(TEN_DIGITS, prepare_picture(page))["logits"]
    words = f"The model answers {expected.argmax()}, with a logit of {expected.max():#.3g}".rstrip(".")
    expect(page.get_by_text(words)).to_be_visible()


@pytest.mark.slow
def test_erasing_begins_with_what_is_drawn_already(page: Page, address: str) -> None:
    open_cards(page, address)
    choice = page.locator(".st-key-erase").get_by_text("Ten digits with positions", exact=True)
    answer = page.get_by_text("The model answers")
    for points in (THREE, ONE):
        draw_stroke(page, *points)
        wait_for_answers(page)
        choice.click()
        expected = compute_answer(TEN_DIGITS, prepare_picture(page))["logits"]
        words = f"The model answers {expected.argmax()}, with a logit of {expected.max():#.3g}".rstrip(".")
        expect(answer).to_contain_text(words)
        choice.click()  # it is closed while one draws on
        expect(answer).to_have_count(0)


@pytest.mark.slow
def test_a_click_before_the_browser_knows_of_the_last_url_leaves_the_drawing(new_page: NewPage, address: str) -> None:
    page = new_page()
    held = Held()
    page.route_web_socket("**/_stcore/stream", held.opened)
    open_cards(page, address)
    held.holding = True
    draw_stroke(page, *THREE)
    wait_for_answers(page)
    for _ in range(600):  # frames of the browser, until Python has put the drawing into the URL
        if any(read_kind(message) == "page_info_changed" for message in held.messages):
            break
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert "strokes" not in page.url
    page.locator(".st-key-erase").get_by_text("Ten digits with positions", exact=True).click()
    held.release()
    expect(page.get_by_text("The model answers")).to_be_visible()
    assert read_pad(page)["strokes"] == 1
    assert {"strokes", "erase"} <= set(parse_qs(urlsplit(page.url).query))


def read_kind(message: bytes) -> str | None:
    """What kind of message Streamlit's server sent."""
    return ForwardMsg.FromString(message).WhichOneof("type")
