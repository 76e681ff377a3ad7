"""The draw page's models while they were learning: one slider, and each card at an epoch of its own."""

import re

import numpy as np
import torch
from playwright.sync_api import Page, expect

from attnviz import subjects
from attnviz.answers import probabilities

from ..cards import find_card, find_cards, wait_for_answers
from ..conftest import NewPage, wait_until_ready
from ..models import INK, ONE_OR_EIGHT
from ..pads import draw_stroke
from .opened import ONE, describe_pinned, open_cards, prepare_picture


def test_a_drawing_is_answered_as_the_model_answered_after_an_epoch(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *ONE)
    before = wait_for_answers(page)
    slider = find_cards(page).get_by_role("slider", name="How far the models are trained")
    slider.press("Home")
    expect(find_card(page, ONE_OR_EIGHT)).to_contain_text("before training")
    slider.press("ArrowRight")
    expect(find_card(page, ONE_OR_EIGHT).locator(".kind")).to_contain_text(re.compile(r"epoch 1 of \d+"))
    found = wait_for_answers(page)
    key = found[ONE_OR_EIGHT]["net"]
    assert key == f"history:{ONE_OR_EIGHT}@1"
    image = torch.from_numpy(prepare_picture(page)).reshape(1, 1, 28, 28).float() / 255
    with torch.no_grad():
        wanted = probabilities(subjects.net(key).load().model(image))[0]
    np.testing.assert_allclose(found[ONE_OR_EIGHT]["probabilities"], wanted, atol=1e-5)
    assert found[ONE_OR_EIGHT]["logits"] != before[ONE_OR_EIGHT]["logits"]
    assert found[INK]["logits"] == before[INK]["logits"], "it has no history"
    page.wait_for_url("**trained=*")


def test_what_is_pinned_stays_as_it_was_answered_while_the_training_is_moved(new_page: NewPage, address: str) -> None:
    page = new_page()
    open_cards(page, address)
    draw_stroke(page, *ONE)
    then = wait_for_answers(page)[ONE_OR_EIGHT]
    find_cards(page).get_by_role("button", name="Pin").click()
    find_cards(page).get_by_role("slider", name="How far the models are trained").press("Home")
    now = wait_for_answers(page)[ONE_OR_EIGHT]
    assert now["probabilities"] != then["probabilities"]
    was = find_card(page, ONE_OR_EIGHT).locator(".was")
    expect(was).to_have_text(describe_pinned(then, now))
    page.wait_for_url("**pin_trained=100*")
    wait_until_ready(page)
    page.reload()
    assert wait_for_answers(page)[ONE_OR_EIGHT]["net"] == now["net"]
    expect(was).to_have_text(describe_pinned(then, now))
    page.evaluate("sessionStorage.clear()")
    page.goto(page.url)
    wait_for_answers(page)
    expect(was).to_have_text(describe_pinned(then, now))
