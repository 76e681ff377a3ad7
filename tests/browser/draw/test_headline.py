"""What the panels say together, above them and aloud."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from ..cards import find_cards, wait_for_answers
from ..models import INK, ONE_OR_EIGHT, WITH_POSITIONS
from ..pads import draw_stroke, find_pad
from .opened import ONE, THREE, open_cards

NONE = "No model knows \u201cnone of these\u201d: each must choose among its classes."


def find_headline(page: Page) -> Locator:
    return find_cards(page).locator(".begin")


def count_sure(found: dict[str, dict[str, Any]], answer: str) -> int:
    """How many of the models that know ten digits give this answer and are sure."""
    return sum(
        one["answer"] == answer and one["sure"]
        for name, one in found.items()
        if name not in (WITH_POSITIONS, ONE_OR_EIGHT)
    )


def describe_together(found: dict[str, dict[str, Any]]) -> str:
    """What the headline should be, from what each panel shows."""
    counts = {one["answer"]: count_sure(found, one["answer"]) for one in found.values()}
    votes = sorted(((count, answer) for answer, count in counts.items() if count), key=lambda vote: -vote[0])
    of = "of 4 models that know all 10 digits"
    if not votes:
        return f"None {of} is sure. {NONE}"
    (most, first), *others = votes
    rest = "".join(f", {count} of {answer}" for count, answer in others)
    doubt = f" {NONE}" if most <= 2 else ""
    return f"{most} {of} {'is' if most == 1 else 'are'} sure of {first}{rest}.{doubt}"


def test_the_headline_counts_models_that_know_ten_digits_and_are_sure(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *ONE)
    found = wait_for_answers(page)
    assert found[WITH_POSITIONS]["answer"] == found[ONE_OR_EIGHT]["answer"] == "1"
    assert count_sure(found, "1") < sum(one["answer"] == "1" for one in found.values())
    expect(find_headline(page)).to_have_text(describe_together(found))
    knowing = [one["answer"] for name, one in found.items() if name not in (WITH_POSITIONS, ONE_OR_EIGHT)]
    assert find_pad(page).evaluate("(root) => root.declared()") == {
        "strokes": 1, "models": 4, "answers": len({*knowing}), "answer": "1", "agreeing": knowing.count("1"),
    }  # fmt: skip
    find_pad(page).get_by_role("button", name="Clear").click()
    draw_stroke(page, *THREE)
    found = wait_for_answers(page)
    assert not found[INK]["sure"]  # it has an answer, which does not count
    expect(find_headline(page)).to_have_text(describe_together(found))


@pytest.mark.slow
def test_a_scribble_is_told_that_no_model_knows_none_of_these(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, (40, 40), (240, 60), (50, 100), (240, 150), (40, 190), (250, 230), (100, 30), (200, 250))
    found = wait_for_answers(page)
    assert describe_together(found).endswith(NONE)
    expect(find_headline(page)).to_have_text(describe_together(found))


def test_the_legend_stands_above_the_panels_in_the_first_window(page: Page, address: str) -> None:
    open_cards(page, address)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    legend, grid = (find_cards(page).locator(name).bounding_box() for name in (".legend", ".card-grid"))
    assert legend and grid
    assert legend["y"] + legend["height"] <= grid["y"]
    assert legend["y"] + legend["height"] < 720


def test_answers_are_said_to_those_who_cannot_see(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *ONE)
    found = wait_for_answers(page)
    told = find_pad(page).locator("[aria-live]").last
    expect(told).to_contain_text(f"{count_sure(found, '1')} of 4 models that know all 10 digits")
    for one in found.values():
        expect(told).to_contain_text(f"{one['answer']}: ")
