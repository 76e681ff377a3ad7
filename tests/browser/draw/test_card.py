"""What a panel says of what is drawn, against the library on the very same picture."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.ui.draw import panels

from ..cards import assert_true, card, cards_of, percent, settled, shown
from ..conftest import assert_accessible, ready
from ..pads import pad, stroke
from .opened import DIGITS, EIGHT, HISTOGRAM, INK, LINE, ONE, THREE, TWO, WITHOUT, open_cards, prepared


@pytest.mark.slow
def test_before_the_first_stroke_the_cards_show_a_sample(page: Page, address: str) -> None:
    open_cards(page, address)
    for found in shown(page).values():
        assert_true(found, panels.sample())
    expect(cards_of(page)).to_contain_text("This is a sample: draw to begin.")
    stroke(page, *ONE)
    settled(page)
    expect(cards_of(page)).not_to_contain_text("draw to begin")
    pad(page).get_by_role("button", name="Clear").click()
    expect(cards_of(page)).to_contain_text("This is a sample: draw to begin.")
    for found in settled(page).values():
        np.testing.assert_array_equal(np.array(found["seen"]).reshape(28, 28), panels.sample())


def test_numbers_are_the_librarys_on_what_the_models_see(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    for found in settled(page).values():
        assert_true(found, prepared(page))
    pad(page).get_by_label("centre it").uncheck()
    found = settled(page)
    assert (np.array(found[INK]["seen"]).reshape(28, 28) != prepared(page)).any()
    for one in found.values():
        assert_true(one, prepared(page, centred=False))


def test_a_card_says_its_answer_how_sure_it_is_and_what_it_costs(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *ONE)
    found = settled(page)[DIGITS]
    one = card(page, DIGITS)
    expect(one.locator(".digits")).to_have_text(found["answer"])
    best = max(found["probabilities"])
    assert best > 0.6
    expect(one.locator(".verdict")).to_have_text(percent(best))
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
    pad(page).get_by_role("button", name="Clear").click()
    stroke(page, *THREE)
    unsure = card(page, INK)
    assert max(settled(page)[INK]["probabilities"]) < 0.6
    expect(unsure.locator(".verdict")).to_contain_text("unsure: ")
    expect(unsure.locator(".digits")).to_have_text(re.compile(r"^\d\d$"))
    expect(card(page, LINE).locator(".says")).to_contain_text("no attention: what each pixel adds to the")
    most = float(np.abs(settled(page)[LINE]["map"]).max())
    expect(card(page, LINE).locator(".says")).to_contain_text(f"up to {float(f'{most:.2g}'):g}")


@pytest.mark.slow
def test_a_model_of_two_classes_always_says_which(page: Page, address: str) -> None:
    open_cards(page, address)
    for points in (ONE, THREE):
        stroke(page, *points)
        settled(page)
        for name in (TWO, WITHOUT):
            expect(card(page, name).locator(".knows")).to_have_text("knows only 1 and 8")
            expect(card(page, name).locator(".knows")).to_be_visible()
        for name in (DIGITS, LINE, HISTOGRAM, INK):
            expect(card(page, name).locator(".knows")).to_be_hidden()
        pad(page).get_by_role("button", name="Clear").click()


# Heads


def test_another_head_is_one_click_without_a_rerun_and_is_remembered(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    first = settled(page)
    page.wait_for_url("**strokes=**")
    ready(page)
    page.evaluate(
        """() => { window.runs = 0; new MutationObserver(() => { window.runs += 1; }).observe(
          document.querySelector("[data-testid=stApp]"), { attributeFilter: ["data-test-script-state"] }); }"""
    )
    card(page, DIGITS).get_by_role("button", name="Next head").click()
    now = settled(page)
    assert now[DIGITS]["head"] == (first[DIGITS]["head"] + 1) % 8
    assert now[TWO]["head"] == first[TWO]["head"]
    for found in now.values():
        assert_true(found, prepared(page))
    expect(card(page, DIGITS).locator(".head")).to_contain_text(
        f"head {now[DIGITS]['head'] + 1} of 8", use_inner_text=True
    )
    assert page.evaluate("runs") == 0
    stroke(page, *ONE)
    assert settled(page)[DIGITS]["head"] == now[DIGITS]["head"]
    page.get_by_role("link", name="Home").click()
    page.wait_for_url(lambda url: "draw" not in url)
    page.get_by_role("link", name="Draw", exact=True).first.click()
    pad(page).wait_for()
    assert settled(page)[DIGITS]["head"] == now[DIGITS]["head"]


def test_the_first_head_follows_the_last_and_the_keyboard_steps_too(page: Page, address: str) -> None:
    open_cards(page, address)
    begun = shown(page)[TWO]["head"]
    back = card(page, TWO).get_by_role("button", name="Previous head")
    back.focus()
    for _ in range(begun + 1):
        page.keyboard.press("Enter")
    assert settled(page)[TWO]["head"] == 23
    assert card(page, WITHOUT).get_by_role("button").count() == 0


# For everyone


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, address: str) -> None:
    open_cards(looked, address)
    stroke(looked, *THREE)
    settled(looked)
    cards_of(looked).get_by_role("button", name="Pin").click()
    looked.wait_for_url("**strokes=**")
    ready(looked)  # what Streamlit is about to replace is paler
    assert_accessible(looked)
    wider = (
        cards_of(looked)
        .locator(".card")
        .evaluate_all("(cards) => cards.map((one) => one.scrollWidth - one.clientWidth)")
    )
    assert max(wider) <= 0
