"""The page of strips in a browser: texts, weights and what becomes of them by hand, against the file of weights."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.subjects import Strip
from attnviz.ui.components import alignment
from tests.ui.mechanisms.sequences.spelled import Read, spelled

from .conftest import STREAMLITS_OWN, Visit, find_violations, read_state
from .harness import wait_for_state

SHOWN = ".alignment[data-drawn]"
STRIP = Strip.test("strokes", 4, 2)
ADDITIVE, TRANSFORMER, VECTOR = (
    "encoder_decoder.strips-15",
    "transformer.strips-15",
    "encoder_decoder.strips-15-one-vector",
)
Open = Callable[..., Page]


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(key: str, words: str = "", **options: Any) -> Page:
        return visit(f"{alone}/sequences?v=2&model={key}&strip={STRIP.word}{words}", SHOWN, **options)

    return open_page


def compute(folder: Path, key: str, told: bool = False, **more: Any) -> Read:
    right = [*(int(digit) for digit in STRIP.target or ""), 10]
    return spelled(folder, key, STRIP.picture).read(right if told else None, **more)


def read_declared(page: Page) -> dict[str, Any]:
    """Return what a lesson can ask for."""
    return dict(page.locator(SHOWN).evaluate("(root) => root.declared()"))


def check(page: Page, wanted: Read, weights: np.ndarray) -> dict[str, Any]:
    """Compare what is on the screen with what was computed apart, and return it."""
    wait_for_state(page, ".alignment", "(found) => !found.pending")
    found = read_state(page.locator(SHOWN))
    assert found["said"] == wanted.said
    shown = np.reshape(found["probabilities"], wanted.probabilities.shape)
    np.testing.assert_allclose(shown, wanted.probabilities, atol=1e-4)
    np.testing.assert_allclose(np.reshape(found["matrix"], weights.shape), weights, atol=1e-4)
    return found


def find_column(page: Page, column: int) -> tuple[float, float]:
    """Return where the bar of a column is in the window."""
    box = page.locator(".stage canvas").bounding_box()
    at = read_state(page.locator(SHOWN))["layout"]
    assert box
    return box["x"] + (at["xs"][column] + at["xs"][column + 1]) / 2, box["y"] + sum(at["bars"]) / 2


def test_texts_and_weights_are_those_of_the_file_of_weights(opened: Open, folder: Path) -> None:
    page = opened(ADDITIVE)
    wanted = compute(folder, ADDITIVE)
    check(page, wanted, wanted.weights["additive"][0])
    stop = len(wanted.said) if 10 not in wanted.said else wanted.said.index(10)
    expect(page.locator(".says span").first).to_have_text(str(wanted.said[0]) if stop else "\u25a0")
    page.get_by_text("the right text").click()
    wait_for_state(page, ".alignment", "(found) => found.told === 'right'")
    told = compute(folder, ADDITIVE, told=True)
    check(page, told, told.weights["additive"][0])
    page.get_by_label("Next step").click()
    page.get_by_label("Next step").click()
    largest = float(told.probabilities[2].max())
    expect(page.locator(".step-part h2")).to_contain_text(f"Step 3 predicts {name(told.said[2])}")
    row = page.locator(".answer .class.first .percent")
    assert float(row.inner_text().strip(" %<>")) == pytest.approx(100 * largest, abs=0.06)
    page.wait_for_url("**at=3*")
    declared = read_declared(page)
    assert set(declared) == set(alignment.DECLARED)
    assert declared["text"] == "".join(str(symbol) for symbol in told.said if symbol != 10)
    assert declared["probability"] == pytest.approx(largest, abs=1e-4)
    assert declared["right_text"] == STRIP.target


def name(symbol: int) -> str:
    return "stop" if symbol == 10 else str(symbol)


def test_weights_that_are_dragged_are_what_the_network_reads_with(opened: Open, folder: Path) -> None:
    page = opened(ADDITIVE, "&at=2")
    own = compute(folder, ADDITIVE).weights["additive"][0][1]
    peak = int(own.argmax())
    to = peak + 4 if peak + 4 < len(own) else peak - 4
    page.mouse.move(*find_column(page, peak))
    page.mouse.down()
    page.mouse.move(*find_column(page, (peak + to) // 2))
    page.mouse.move(*find_column(page, to))
    page.mouse.up()
    wait_for_state(page, ".alignment", "(found, by) => found.moved[0]?.[1] === by && !found.pending", to - peak)
    wanted = compute(folder, ADDITIVE, by={1: to - peak})
    check(page, wanted, wanted.weights["additive"][0])
    page.wait_for_url(f"**moved=2.{to - peak}*")
    page.locator(".stage").focus()
    page.keyboard.press("Shift+ArrowLeft" if to > peak else "Shift+ArrowRight")
    nearer = to - peak + (-1 if to > peak else 1)
    wait_for_state(page, ".alignment", "(found, by) => found.moved[0]?.[1] === by && !found.pending", nearer)
    wanted = compute(folder, ADDITIVE, by={1: nearer})
    check(page, wanted, wanted.weights["additive"][0])
    page.keyboard.press("Delete")
    wait_for_state(page, ".alignment", "(found) => !found.moved.length && !found.answered")
    wanted = compute(folder, ADDITIVE)
    check(page, wanted, wanted.weights["additive"][0])


def test_every_layer_and_head_of_a_transformer_is_shown(opened: Open, folder: Path) -> None:
    page = opened(TRANSFORMER, "&told=right")
    wanted = compute(folder, TRANSFORMER, told=True)
    check(page, wanted, wanted.weights["cross-2"].mean(0))
    for layer in ("cross-1", "decoder-2", "encoder-1"):
        page.get_by_label("Layer", exact=True).select_option(layer)
        wait_for_state(page, ".alignment", "(found, layer) => found.layer === layer", layer)
        page.get_by_label("Head", exact=True).select_option(index=2)
        wait_for_state(page, ".alignment", "(found) => found.head === 1")
        check(page, wanted, wanted.weights[layer][1])
    page.get_by_label("Layer", exact=True).select_option("decoder-1")
    page.get_by_text("off", exact=True).click()
    wait_for_state(page, ".alignment", "(found) => !found.mask && found.answered && !found.pending")
    open_mask = compute(folder, TRANSFORMER, told=True, masked=False)
    check(page, open_mask, open_mask.weights["decoder-1"].mean(0))


def test_one_vector_is_shown_in_the_place_of_weights(opened: Open, folder: Path) -> None:
    page = opened(VECTOR)
    wanted = compute(folder, VECTOR)
    found = check(page, wanted, wanted.weights["context"][0])
    rows = np.reshape(found["matrix"], wanted.weights["context"][0].shape)
    assert np.ptp(rows, axis=0).max() == 0
    expect(page.locator(".where")).to_contain_text("There are no weights")
    page.get_by_label("Layer", exact=True).select_option("gradient")
    wait_for_state(page, ".alignment", "(found) => found.layer === 'gradient' && !found.pending")
    shown = read_state(page.locator(SHOWN))
    shares = np.reshape(shown["matrix"], (len(wanted.said), -1))
    np.testing.assert_allclose(shares.sum(1), 1, atol=1e-5)
    assert np.ptp(shares) > 0.01, "they have come"
    page.get_by_label("Layer", exact=True).select_option("context")
    expect(page.locator(".mover")).to_be_hidden()


def test_keys_step_through_the_text_and_it_plays(opened: Open) -> None:
    page = opened(ADDITIVE)
    page.locator(".stage").focus()
    page.keyboard.press("ArrowDown")
    wait_for_state(page, ".alignment", "(found) => found.at === 1")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".reading")).to_contain_text("Step 2 looks at column 1, in the 1st digit: weight")
    page.keyboard.press("Home")
    wait_for_state(page, ".alignment", "(found) => found.at === 0")
    page.keyboard.press(" ")
    wait_for_state(page, ".alignment", "(found) => found.at === 2 && found.playing")
    page.keyboard.press(" ")
    wait_for_state(page, ".alignment", "(found) => !found.playing")
    page.get_by_label("Step of the answer").fill("1")
    wait_for_state(page, ".alignment", "(found) => found.at === 0")


def test_nonsense_in_the_url_is_named(opened: Open) -> None:
    page = opened(ADDITIVE, "&layer=cross-7&head=9&moved=1.2.3&told=mine")
    said = page.locator(".alignment .complaint")
    for words in (
        "layer \u201ccross-7\u201d",
        "head \u201c9\u201d",
        "moved \u201c1.2.3\u201d",
        "told \u201cmine\u201d",
    ):
        expect(said).to_contain_text(words)


def test_the_page_is_accessible_and_not_too_long(opened: Open) -> None:
    page = opened(TRANSFORMER, "&told=right")
    assert find_violations(page) == []
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 1900


def test_a_finger_moves_the_weights_beside_the_answer(opened: Open) -> None:
    page = opened(ADDITIVE, viewport={"width": 375, "height": 800}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 3600
    assert page.locator(".stage canvas").evaluate("(canvas) => getComputedStyle(canvas).touchAction") == "pan-y"
    own = read_state(page.locator(SHOWN))
    peak = int(np.argmax(own["matrix"][: own["layout"]["columns"]]))
    x, y = find_column(page, peak)
    aside, _ = find_column(page, peak + 3 if peak + 3 < own["layout"]["columns"] else peak - 3)
    session = page.context.new_cdp_session(page)
    touch: Callable[..., Any] = lambda kind, *at: session.send(  # noqa: E731
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}] if at else []}
    )
    touch("touchStart", x, y)
    for part in (0.25, 0.5, 0.75, 1.0):
        touch("touchMove", x + part * (aside - x), y)
    touch("touchEnd")
    wait_for_state(page, ".alignment", "(found) => Math.abs(found.moved[0]?.[1] ?? 0) === 3 && found.answered")
    box = page.locator(".says").bounding_box()
    assert box
    assert 0 <= box["y"] < y, "the answer is in view, above the finger"
    page.get_by_role("button", name="Release all").click()
    wait_for_state(page, ".alignment", "(found) => !found.moved.length")
    assert find_violations(page) == []


def test_a_strip_is_drawn_digit_by_digit_and_taken_back(opened: Open, folder: Path) -> None:
    page = opened(ADDITIVE)
    page.get_by_text("Draw your own").click()
    page.locator(".strip-pad[data-drawn]").wait_for()
    for line in ([(0.5, 0.2), (0.5, 0.8)], [(0.3, 0.2), (0.7, 0.2), (0.4, 0.8)]):  # the page may run once for both
        draw(page, line)
        page.get_by_role("button", name="Add to the strip").click()
    wait_for_state(page, ".strip-pad", "(found) => found.digits === 2 && found.empty")
    page.wait_for_url("**strip=drawn.*")
    wait_for_state(page, ".alignment", "(found) => found.right === null")
    word = page.evaluate("new URL(location.href).searchParams.get('strip')")
    strip = Strip(word)
    assert len(strip) == 2
    wanted = spelled(folder, ADDITIVE, strip.picture).read()
    check(page, wanted, wanted.weights["additive"][0])
    page.get_by_label("Or type digits").fill("314")
    page.keyboard.press("Enter")
    wait_for_state(page, ".strip-pad", "(found) => found.digits === 3")
    page.get_by_role("button", name="Take the last digit back").click()
    wait_for_state(page, ".strip-pad", "(found) => found.digits === 2")
    leave_out = {**STREAMLITS_OWN, '[data-testid="stFileUploader"]': "a focusable part that is no region"}
    assert find_violations(page, leave_out) == []


def draw(page: Page, line: list[tuple[float, float]]) -> None:
    box = page.locator(".strip-pad canvas").bounding_box()
    assert box
    (first, *others) = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in line]
    page.mouse.move(*first)
    page.mouse.down()
    for there in others:
        page.mouse.move(*there, steps=5)
    page.mouse.up()
