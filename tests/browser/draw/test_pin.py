"""A pinned drawing beside the new one."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from ..cards import ROOT, assert_equals_library, find_card, find_cards, read_cards, wait_for_answers
from ..models import HISTOGRAM, LINE, ONE_OR_EIGHT, TEN_DIGITS, WITH_POSITIONS
from ..pads import draw_stroke, find_pad
from .opened import THREE, describe_pinned, open_cards, prepare_picture


@pytest.mark.slow
def test_a_pinned_drawing_is_still_there_when_one_comes_back_to_the_page(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *THREE)
    then = wait_for_answers(page)[TEN_DIGITS]
    find_cards(page).get_by_role("button", name="Pin").click()
    draw_stroke(page, (90, 60), (80, 140), (90, 230))
    now = wait_for_answers(page)[TEN_DIGITS]
    page.get_by_role("link", name="Home").click()
    page.wait_for_url(lambda url: "draw" not in url)
    page.get_by_role("link", name="Draw", exact=True).first.click()
    find_pad(page).wait_for()
    assert wait_for_answers(page)[TEN_DIGITS]["answer"] == now["answer"]
    expect(find_card(page, TEN_DIGITS).locator(".was")).to_have_text(describe_pinned(then, now))
    expect(find_cards(page).get_by_role("img", name="The pinned drawing")).to_be_visible()
    find_cards(page).get_by_role("button", name="Unpin").click()
    expect(find_card(page, TEN_DIGITS).locator(".was")).to_have_text("")


@pytest.mark.slow
def test_a_pinned_drawing_stays_beside_the_new_one(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *THREE)
    then = wait_for_answers(page)
    find_cards(page).get_by_role("button", name="Pin").click()
    draw_stroke(page, (90, 60), (80, 140), (90, 230))
    now = wait_for_answers(page)
    one = find_card(page, TEN_DIGITS)
    expect(one.locator(".was")).to_have_text(describe_pinned(then[TEN_DIGITS], now[TEN_DIGITS]))
    find_cards(page).get_by_text("change since pinned", exact=True).click()
    expect(one.locator(".says")).to_contain_text("change since pinned: what the ink attends to")
    found = read_cards(page)
    for name in (TEN_DIGITS, WITH_POSITIONS, ONE_OR_EIGHT):
        clipped = [np.clip(np.array(some[name]["map"]), 1 / 16, 16) for some in (then, now)]
        np.testing.assert_allclose(found[name]["painted"], np.log(clipped[1] / clipped[0]), atol=1e-6)
    for name in (LINE, HISTOGRAM):
        same = now[name]["answer"] == then[name]["answer"]
        difference = np.array(now[name]["map"]) - np.array(then[name]["map"])
        np.testing.assert_allclose(found[name]["painted"], difference if same else now[name]["map"], atol=1e-6)
        towards = f"the pinned map is towards the {then[name]['answer']}, so no change is shown"
        expect(find_card(page, name).locator(".says")).to_contain_text("change since pinned" if same else towards)
    assert now[LINE]["answer"] != then[LINE]["answer"], "its two maps are towards two answers"
    # Another head of both: the pinned drawing is asked about again.
    one.get_by_role("button", name="Next head").click()
    after = wait_for_answers(page)
    assert after[TEN_DIGITS]["head"] != now[TEN_DIGITS]["head"]
    page.wait_for_function(
        f"""([name, past]) => {{
          const found = ({ROOT})().readCards().cards.find((one) => one.checkpoint === name);
          return found.painted.some((value) => value < 0) && found.painted.some((value) => value > 0);
        }}""",
        arg=[TEN_DIGITS, 0],
    )
    expect(one.locator(".says")).to_contain_text("change since pinned")
    find_cards(page).get_by_role("button", name="Unpin").click()
    expect(one.locator(".was")).to_have_text("")
    expect(one.locator(".says")).to_have_text(
        re.compile("^head . of 8.*what the ink attends to$", re.DOTALL), use_inner_text=True
    )
    for found_one in read_cards(page).values():
        assert_equals_library(found_one, prepare_picture(page))
