"""What a panel says of what is drawn, against the library on the very same picture."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.ui.draw import panels

from ..cards import assert_equals_library, find_card, find_cards, format_percent, read_cards, wait_for_answers
from ..conftest import assert_accessible, wait_until_ready
from ..models import HISTOGRAM, INK, LINE, ONE_OR_EIGHT, TEN_DIGITS, WITH_POSITIONS
from ..pads import draw_stroke, find_pad
from .opened import EIGHT, ONE, THREE, open_cards, prepare_picture


@pytest.mark.slow
def test_before_the_first_stroke_the_cards_show_a_sample(page: Page, address: str) -> None:
    open_cards(page, address)
    for found in read_cards(page).values():
        assert_equals_library(found, panels.first_task().sample())
    expect(find_cards(page)).to_contain_text("This is a sample: draw to begin.")
    draw_stroke(page, *ONE)
    wait_for_answers(page)
    expect(find_cards(page)).not_to_contain_text("draw to begin")
    find_pad(page).get_by_role("button", name="Clear").click()
    expect(find_cards(page)).to_contain_text("This is a sample: draw to begin.")
    for found in wait_for_answers(page).values():
        np.testing.assert_array_equal(np.array(found["seen"]).reshape(28, 28), panels.first_task().sample())


def test_numbers_are_the_librarys_on_what_the_models_see(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *EIGHT)
    for found in wait_for_answers(page).values():
        assert_equals_library(found, prepare_picture(page))
    find_pad(page).get_by_label("centre it").uncheck()
    found = wait_for_answers(page)
    assert (np.array(found[INK]["seen"]).reshape(28, 28) != prepare_picture(page)).any()
    for one in found.values():
        assert_equals_library(one, prepare_picture(page, centred=False))


def test_a_card_says_its_answer_how_sure_it_is_and_what_it_costs(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *ONE)
    found = wait_for_answers(page)[TEN_DIGITS]
    one = find_card(page, TEN_DIGITS)
    expect(one.locator(".digits")).to_have_text(found["answer"])
    best = max(found["probabilities"])
    assert best > 0.6
    expect(one.locator(".verdict")).to_have_text(format_percent(best))
    expect(one.locator(".foot")).to_contain_text("38 k parameters")
    expect(one.locator(".foot")).to_contain_text(re.compile(r"\d ms$"))
    expect(one.locator(".head")).to_contain_text(f"head {found['head'] + 1} of 8", use_inner_text=True)
    label = one.locator(".bars").get_attribute("aria-label") or ""
    assert label.startswith(f"Probabilities: {found['answer']}: ")
    assert label.count("%") == 10
    middles, ink = one.locator(".bars").evaluate(
        """(bars) => {
          const [chart, ...names] = bars.children;
          const { left } = chart.getBoundingClientRect();
          const boxes = names.map((name) => name.getBoundingClientRect());
          const { data } = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height);
          return [boxes.map((box) => (box.left + box.right) / 2 - left), [...data].filter((_, at) => at % 4 === 3)];
        }"""
    )
    heights = np.reshape(ink, (17, -1)).sum(0)[np.round(middles).astype(int)] / 255
    np.testing.assert_allclose(heights / 17, found["probabilities"], atol=5e-3)
    find_pad(page).get_by_role("button", name="Clear").click()
    draw_stroke(page, *THREE)
    unsure = find_card(page, INK)
    assert max(wait_for_answers(page)[INK]["probabilities"]) < 0.6
    expect(unsure.locator(".verdict")).to_contain_text("unsure: ")
    expect(unsure.locator(".digits")).to_have_text(re.compile(r"^\d\d$"))
    expect(find_card(page, LINE).locator(".says")).to_contain_text("no attention: what each pixel adds to the")
    most = float(np.abs(wait_for_answers(page)[LINE]["map"]).max())
    expect(find_card(page, LINE).locator(".says")).to_contain_text(f"up to {float(f'{most:.2g}'):g}")


@pytest.mark.slow
def test_a_model_of_two_classes_always_says_which(page: Page, address: str) -> None:
    open_cards(page, address)
    for points in (ONE, THREE):
        draw_stroke(page, *points)
        wait_for_answers(page)
        for name in (WITH_POSITIONS, ONE_OR_EIGHT):
            expect(find_card(page, name).locator(".knows")).to_have_text("knows only 1 and 8")
            expect(find_card(page, name).locator(".knows")).to_be_visible()
        for name in (TEN_DIGITS, LINE, HISTOGRAM, INK):
            expect(find_card(page, name).locator(".knows")).to_be_hidden()
        find_pad(page).get_by_role("button", name="Clear").click()


# Heads


def test_another_head_is_one_click_stands_in_the_url_and_is_remembered(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *EIGHT)
    first = wait_for_answers(page)
    page.wait_for_url("**strokes=**")
    wait_until_ready(page)
    find_card(page, TEN_DIGITS).get_by_role("button", name="Next head").click()
    now = wait_for_answers(page)
    assert now[TEN_DIGITS]["head"] == (first[TEN_DIGITS]["head"] + 1) % 8
    assert now[WITH_POSITIONS]["head"] == first[WITH_POSITIONS]["head"]
    for found in now.values():
        assert_equals_library(found, prepare_picture(page))
    expect(find_card(page, TEN_DIGITS).locator(".head")).to_contain_text(
        f"head {now[TEN_DIGITS]['head'] + 1} of 8", use_inner_text=True
    )
    page.wait_for_url(lambda url: f"heads={TEN_DIGITS}%3A{now[TEN_DIGITS]['head'] + 1}" in url)
    draw_stroke(page, *ONE)
    assert wait_for_answers(page)[TEN_DIGITS]["head"] == now[TEN_DIGITS]["head"]
    page.get_by_role("link", name="Home").click()
    page.wait_for_url(lambda url: "draw" not in url)
    page.get_by_role("link", name="Draw", exact=True).first.click()
    find_pad(page).wait_for()
    assert wait_for_answers(page)[TEN_DIGITS]["head"] == now[TEN_DIGITS]["head"]


def test_the_first_head_follows_the_last_and_the_keyboard_steps_too(page: Page, address: str) -> None:
    open_cards(page, address)
    begun = read_cards(page)[WITH_POSITIONS]["head"]
    back = find_card(page, WITH_POSITIONS).get_by_role("button", name="Previous head")
    back.focus()
    for _ in range(begun + 1):
        page.keyboard.press("Enter")
    assert wait_for_answers(page)[WITH_POSITIONS]["head"] == 23
    assert find_card(page, ONE_OR_EIGHT).get_by_role("button").count() == 0


# For everyone


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, address: str) -> None:
    open_cards(looked, address)
    draw_stroke(looked, *THREE)
    wait_for_answers(looked)
    find_cards(looked).get_by_role("button", name="Pin").click()
    looked.wait_for_url("**strokes=**")
    wait_until_ready(looked)  # what Streamlit is about to replace is paler
    assert_accessible(looked)
    wider = (
        find_cards(looked)
        .locator(".card")
        .evaluate_all("(cards) => cards.map((one) => one.scrollWidth - one.clientWidth)")
    )
    assert max(wider) <= 0
