"""The Jacobian in the panels of the draw page: there when the hand rests, gone when it draws on."""

from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from attnviz import cards, checkpoints
from attnviz.measures.jacobian import jacobian
from attnviz.models import spec

from ..cards import read_cards, wait_for_answers
from ..conftest import Serve
from ..models import LINE, ONE_OR_EIGHT, TEN_DIGITS
from ..pads import draw_stroke, open_pad

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it

THREE = [(90, 70), (190, 90), (130, 140), (190, 190), (90, 220)]
NAMES = (TEN_DIGITS, ONE_OR_EIGHT, "histogram_mlp.digits", LINE)


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return f"{serve()}/draw?models={','.join(NAMES)}"


def choose(page: Page, words: str) -> None:
    page.locator(".bar-of-cards fieldset").get_by_text(words, exact=True).click()


def read_jacobians(page: Page) -> dict[str, Any]:
    """Return what the panels show, by checkpoint, once all of it has come."""
    page.locator(".draw-cards[data-jacobian]").wait_for()
    return read_cards(page)


def test_it_is_that_of_the_measure_for_what_each_model_saw(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, *THREE)
    wait_for_answers(page)
    choose(page, "Jacobian of the shown answer")
    found = read_jacobians(page)
    for name in NAMES:
        if not spec(cards.read(name).recipe.model).differentiable:
            assert found[name]["jacobian"] is None
            said = page.locator(f"[data-checkpoint='{name}'] .says")
            expect(said).to_contain_text("has no Jacobian")
            continue
        seen = np.array(found[name]["seen"]).reshape(1, 1, 28, 28) / 255
        expected = jacobian(checkpoints.load(name).model.double(), torch.from_numpy(seen))[0, 0].numpy()
        values = np.array(found[name]["jacobian"]["values"]).reshape(found[name]["jacobian"]["shape"])
        np.testing.assert_allclose(values, expected, rtol=2e-3, atol=2e-4 * np.abs(expected).max())
    page.wait_for_url("**map=jacobian**")


def test_it_goes_when_one_draws_on_and_comes_again_when_the_hand_rests(page: Page, address: str) -> None:
    open_pad(page, f"{address}&map=jacobian")
    read_jacobians(page)  # of the sample
    draw_stroke(page, *THREE)
    wait_for_answers(page)
    first = read_jacobians(page)[LINE]["jacobian"]
    assert first is not None
    with_map = page.locator(f"[data-checkpoint='{TEN_DIGITS}'] > canvas:not(.other)")
    expect(with_map).to_be_hidden()
    choose(page, "attention")
    expect(with_map).to_be_visible()
    assert all(card["jacobian"] is None for card in read_cards(page).values())
    page.wait_for_url(lambda url: "map=" not in url)
