"""Heads switched under a real pointer, and the answers on the screen against edits made apart in the library."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from attnviz import checkpoints, data, edits
from attnviz.answers import as_batch, probabilities
from attnviz.tracing import trace
from tests.training.several import NAME

from .conftest import NewPage, assert_accessible, read_state, wait_for_state, wait_until_ready, walk

NUMBER = 5
WORDS = f"model={NAME}&data=strokes&number={NUMBER}&experiment=heads"

# Keeps every reading that the component ever showed.
WATCH = """(root) => {
  root.seen = [JSON.stringify(root.read())];
  root.addEventListener("drawn", () => root.seen.push(JSON.stringify(root.read())));
}"""


def open_heads(page: Page, alone: str, more: str = "") -> Page:
    walk(page, f"{alone}/pixel_attention?{WORDS}{more}")
    find_switch(page).and_(page.locator("[data-drawn]")).wait_for()
    return page


def find_switch(page: Page) -> Locator:
    return page.locator("[data-component=head_switch]")


def click(page: Page, head: int) -> None:
    """Click a head, counted from 1."""
    frame = find_switch(page).locator(".wall .frame").nth(head - 1)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def wait_for_answer(page: Page, *states: str, source: str = "") -> dict[str, Any]:
    """Wait for the answer to these states; `source` says which way it must have come: "live" or "page"."""
    wait_for_state(
        page,
        "[data-component=head_switch]",
        """(found, [states, source]) =>
          !found.pending && found.states.join() === states && (!source || found.source === source)""",
        [",".join(states), source],
    )
    return read_state(find_switch(page))


def compute_answers(states: list[str]) -> dict[str, np.ndarray]:
    """Ask the library, with the weights computed and edited where a head is off, and the mixed values where uniform."""
    model, _ = checkpoints.load(NAME)
    image = data.load("strokes", "test", count=256).images[NUMBER]
    pixels = as_batch(image)
    off = [head for head, state in enumerate(states) if state == "off"]
    uniform = [head for head, state in enumerate(states) if state == "uniform"]
    made = edits.together(
        *[{"attention.weights": edits.off(head=off)} for _ in off[:1]],
        *[edits.uniform("attention.mixed", head=uniform) for _ in uniform[:1]],
    )
    with torch.no_grad(), trace(model, [] if made else ["attention.weights"], made):
        logits = model(pixels)
    return {"logits": logits[0].numpy(), "probabilities": probabilities(logits)[0].numpy()}


def assert_equals_library(found: dict[str, Any]) -> None:
    for name, wanted in compute_answers(found["states"]).items():
        np.testing.assert_allclose(found["now"][name], wanted, atol=1e-5)
    for name, wanted in compute_answers(["on"] * 4).items():
        np.testing.assert_allclose(found["before"][name], wanted, atol=1e-5)
    logit = found["now"]["logits"][0]
    np.testing.assert_allclose(found["now"]["log_odds"], [-logit, logit], atol=1e-7)


def test_head_edits_on_the_page_equal_an_edit_made_apart(page: Page, alone: str) -> None:
    open_heads(page, alone)
    click(page, 3)
    off = wait_for_answer(page, "on", "on", "off", "on")
    assert_equals_library(off)
    assert abs(off["now"]["logits"][0] - off["before"]["logits"][0]) > 1e-3
    shown = off["now"]["probabilities"][0]
    expect(find_switch(page).locator("tbody tr").first.locator("td").nth(2)).to_have_text(f"{100 * shown:.1f} %")
    expect(find_switch(page).locator(".tile").nth(2)).to_contain_text("off")
    page.wait_for_url("**off=3*")
    click(page, 3)
    uniform = wait_for_answer(page, "on", "on", "uniform", "on")
    assert_equals_library(uniform)
    page.wait_for_url("**uniform=3*")
    assert "off=" not in page.url
    click(page, 3)
    assert wait_for_answer(page, "on", "on", "on", "on")["now"]["logits"] == uniform["before"]["logits"]


@pytest.mark.slow
def test_a_copied_link_shows_the_same_answer_at_once(page: Page, new_page: NewPage, alone: str) -> None:
    open_heads(page, alone)
    click(page, 2)
    click(page, 4)
    click(page, 4)
    seen = wait_for_answer(page, "on", "off", "on", "uniform")
    page.wait_for_url("**off=2&uniform=4*")
    other = new_page()
    other.goto(page.url)
    wait_until_ready(other)
    found = wait_for_answer(other, "on", "off", "on", "uniform", source="page")
    assert_equals_library(found)
    np.testing.assert_allclose(found["now"]["logits"], seen["now"]["logits"], atol=1e-6)


def test_no_answer_is_ever_shown_for_other_states_than_its_own(page: Page, alone: str) -> None:
    open_heads(page, alone)
    find_switch(page).evaluate(WATCH)
    for head in (1, 2, 2, 3, 1, 4, 4, 4, 2):
        click(page, head)
    wait_for_answer(page, "uniform", "on", "off", "on")
    page.wait_for_url("**off=3&uniform=1*")
    seen = [json.loads(reading) for reading in find_switch(page).evaluate("(root) => root.seen")]
    assert any(reading["pending"] for reading in seen)
    assert any(reading["source"] == "live" for reading in seen)
    for reading in seen:
        if reading["pending"]:
            assert reading["now"] is None
        else:
            assert_equals_library(reading)


@pytest.mark.slow
def test_back_switches_the_heads_back(page: Page, alone: str) -> None:
    open_heads(page, alone)
    click(page, 1)
    page.wait_for_url("**off=1*")
    click(page, 2)
    page.wait_for_url("**off=1%2C2*")
    wait_until_ready(page)  # the URL changes before the run that has changed it ends
    page.go_back()
    assert_equals_library(wait_for_answer(page, "off", "on", "on", "on", source="page"))
    click(page, 2)
    assert_equals_library(wait_for_answer(page, "off", "off", "on", "on"))
    page.wait_for_url("**off=1%2C2*")


@pytest.mark.slow
def test_the_keyboard_switches_and_undoes(page: Page, alone: str) -> None:
    open_heads(page, alone)
    stops = find_switch(page).locator(".wall [tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_answer(page, "on", "off", "on", "on")
    page.keyboard.press("Space")
    wait_for_answer(page, "on", "uniform", "on", "on")
    expect(find_switch(page).locator("[aria-live]").last).to_contain_text("Head 2 uniform. Now ")
    page.wait_for_url("**uniform=2*")
    wait_until_ready(page)
    page.keyboard.press("Control+z")  # the focus outlives the page's next run
    wait_for_answer(page, "on", "off", "on", "on")
    for name, states in [("All off", ["off"] * 4), ("All uniform", ["uniform"] * 4), ("All on", ["on"] * 4)]:
        page.get_by_role("button", name=name).click()
        wait_for_answer(page, *states)
    page.get_by_role("button", name="Undo").click()
    assert_equals_library(wait_for_answer(page, *["uniform"] * 4))
    expect(stops).to_have_count(1)


def test_without_the_live_channel_a_sentence_stands_there_and_the_page_answers(new_page: NewPage, alone: str) -> None:
    page = new_page()

    def refuse(route: WebSocketRoute) -> None:
        route.close()

    page.route_web_socket("**/live", refuse)
    open_heads(page, alone)
    expect(page.get_by_text("The live connection is lost")).to_be_visible()
    click(page, 3)
    assert_equals_library(wait_for_answer(page, "on", "on", "off", "on", source="page"))


def test_another_picture_is_never_answered_with_the_last_one(page: Page, alone: str) -> None:
    open_heads(page, alone)
    click(page, 3)
    first = wait_for_answer(page, "on", "on", "off", "on")
    page.wait_for_url("**off=3*")
    page.get_by_role("spinbutton", name="Number").fill(str(NUMBER + 1))
    page.keyboard.press("Enter")
    page.wait_for_url(f"**number={NUMBER + 1}*")
    differs = "(found, first) => JSON.stringify(found) !== JSON.stringify(first)"
    wait_for_state(page, "[data-component=head_switch]", differs, first)
    second = wait_for_answer(page, "on", "on", "off", "on")
    assert second["before"]["logits"] != first["before"]["logits"]
    assert second["now"]["logits"] != first["now"]["logits"]


@pytest.mark.slow
def test_a_finger_switches_with_its_first_tap(kept_page: NewPage, alone: str) -> None:
    page = open_heads(kept_page(viewport={"width": 375, "height": 800}, has_touch=True), alone)
    frame = find_switch(page).locator(".wall .frame").nth(1)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + 30, box["y"] + 30)
    wait_for_answer(page, "on", "off", "on", "on")


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, alone: str) -> None:
    open_heads(looked, alone, "&off=2&uniform=3")
    assert_accessible(looked)
