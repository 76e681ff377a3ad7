"""The pixel page as a visitor uses it, and its numbers against a computation made apart, from weights and picture."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from safetensors.numpy import load_file

from attnviz import cards, data
from attnviz.subjects import net
from attnviz.ui.shared import inference
from tests.sweeps import sweep

from .conftest import NewPage, Serve, assert_accessible, read_state, walk
from .models import ONE_OR_EIGHT

SIDE = 28


@pytest.fixture(scope="module")
def eight() -> int:
    """The number of the first 8 among the strokes."""
    return int(np.flatnonzero(data.labels("strokes", "test") == 8)[0])


def open_page(page: Page, address: str, words: str = "") -> Page:
    walk(page, f"{address}/pixel_attention?{words}", ".viewer[data-drawn]")
    return page


def locate(page: Page, token: int, board: str = "picture") -> tuple[float, float]:
    box = page.locator(f".board.{board} canvas").bounding_box()
    assert box
    row, column = divmod(token, SIDE)
    return box["x"] + (column + 0.5) * box["width"] / SIDE, box["y"] + (row + 0.5) * box["height"] / SIDE


def read_viewer(page: Page) -> dict[str, Any]:
    return read_state(page.locator(".viewer"))


def compute_weights(picture: np.ndarray) -> dict[str, np.ndarray]:
    """Compute scores and weights of all pairs from the file of weights, in float64, by the definition."""
    card = cards.read(ONE_OR_EIGHT)
    weights = {
        name: array.astype(np.float64)
        for name, array in load_file(cards.folder() / ONE_OR_EIGHT / "weights.safetensors").items()
    }
    tokens = (picture.reshape(-1, 1) / 255.0 - card.config["mean"]) / card.config["std"]
    query = tokens @ weights["attention.query.weight"].T + weights["attention.query.bias"]
    key = tokens @ weights["attention.key.weight"].T + weights["attention.key.bias"]
    scores = query @ key.T / np.sqrt(query.shape[1])
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"scores": scores, "weights": exponentials / exponentials.sum(axis=1, keepdims=True)}


def choose_pairs(picture: np.ndarray) -> list[tuple[int, int]]:
    """Return 20 pairs of pixels; 15 of them lie on ink of distinct intensities, query and key alike."""
    flat = picture.reshape(-1)
    _, first = np.unique(flat, return_index=True)
    ink = [int(token) for token in first if flat[token] > 0][:: max(1, (len(first) - 1) // 30)][:30]
    paper = [int(token) for token in np.flatnonzero(flat == 0)[::97][:5]]
    return list(zip(ink[:15], ink[15:30], strict=True)) + list(zip(paper, ink[:5], strict=True))


def assert_close(found: np.ndarray, wanted: np.ndarray, largest: float) -> None:
    bound = 1e-5 * np.maximum(np.abs(wanted), largest / 1000)
    assert (np.abs(found - wanted) <= bound).all()


@pytest.mark.parametrize("direction", sweep(["from", "to"], lambda direction: direction == "from"))
def test_the_numbers_behind_the_screen_are_those_of_weights_and_picture(
    page: Page, serve: Serve, eight: int, direction: str
) -> None:
    picture = data.load("strokes", "test", count=256).images[eight, ..., 0]
    wanted = compute_weights(picture)
    chosen = choose_pairs(picture)
    assert len(chosen) == 20
    assert len({picture.reshape(-1)[token] for pair in chosen[:15] for token in pair}) == 30
    open_page(page, serve(), f"data=strokes&number={eight}&direction={direction}")
    for query, key in chosen:
        held, other = (query, key) if direction == "from" else (key, query)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.mouse.click(*locate(page, held))
        page.mouse.move(*locate(page, other, "large"))
        found = read_viewer(page)
        assert found["query"] == list(divmod(query, SIDE))
        assert found["key"] == list(divmod(key, SIDE))
        for name, value in (("scores", found["score"]), ("weights", found["weight"])):
            line = wanted[name][query] if direction == "from" else wanted[name][:, key]
            assert_close(np.array(value), wanted[name][query, key], np.abs(line).max())
        line = wanted["weights"][query] if direction == "from" else wanted["weights"][:, key]
        shown = np.array(page.locator(".viewer").evaluate("(root) => Array.from(root.readMap(0))"))
        assert_close(shown, line, line.max())


def test_a_locked_pair_stands_in_the_url_and_in_the_equation(page: Page, serve: Serve) -> None:
    open_page(page, serve(), "data=strokes")
    page.mouse.click(*locate(page, 14 * SIDE + 14))
    page.wait_for_url("**query=15%2C15*")
    page.mouse.click(*locate(page, 3 * SIDE + 3, "large"))
    page.wait_for_url("**key=4%2C4*")
    expect(page.get_by_text("For the locked pair:")).to_be_visible()
    weight = read_viewer(page)["weight"]
    address = page.url
    page.goto("about:blank")
    walk(page, address)
    expect(page.get_by_text("For the locked pair:")).to_be_visible()
    assert read_viewer(page)["weight"] == weight


def test_nonsense_in_the_url_gives_sentences_and_the_default(page: Page, serve: Serve) -> None:
    open_page(page, serve(), "model=pixel_atention.1v8&data=minst&number=-5&digit=7&wrong=perhaps&query=99,x&head=y")
    for part in (f"Did you mean '{ONE_OR_EIGHT}'?", "minst", "number '-5'", "digit '7'", "wrong 'perhaps'"):
        expect(page.get_by_role("alert").filter(has_text=part)).to_be_visible()
    expect(page.locator(".viewer .complaint")).to_be_visible()


def test_pictures_are_chosen_by_digit_and_number_and_next_and_at_random(page: Page, serve: Serve) -> None:
    labels = data.labels("strokes", "test")
    ones = np.flatnonzero(labels == 1)
    open_page(page, serve(), "data=strokes")
    page.get_by_role("radio", name="1", exact=True).click()
    page.wait_for_url("**digit=1*")
    number = page.get_by_role("spinbutton", name="Number")
    expect(number).to_have_value(str(ones[0]))
    page.get_by_role("button", name="Next").click()
    expect(number).to_have_value(str(ones[1]))
    page.get_by_role("button", name="Random").click()
    expect(number).not_to_have_value(str(ones[1]))
    assert labels[int(number.input_value())] == 1
    number.fill("7")
    number.press("Enter")
    page.wait_for_url(re.compile(r"number=7(&|$)"))
    page.go_back()
    expect(number).not_to_have_value("7")


@pytest.mark.slow
def test_a_wrong_answer_is_a_click_from_the_viewer(page: Page, serve: Serve) -> None:
    open_page(page, serve(), "data=strokes")
    page.get_by_text("Show every wrong answer").click()
    grid = page.locator("[data-component=map_grid]")
    grid.wait_for()
    expect(page.get_by_role("columnheader", name="answered 8")).to_be_visible()
    before = page.url
    tile = grid.locator("canvas").first
    tile.scroll_into_view_if_needed()
    tile.click(position={"x": 20, "y": 20})
    page.wait_for_url(lambda url: url != before)
    number = int(page.url.split("number=")[1].split("&")[0])
    (found,) = inference.answers(net(ONE_OR_EIGHT).load(), "strokes", "test", number, 1)
    assert found not in (-1, data.labels("strokes", "test")[number])


def test_a_picture_of_another_digit_is_said_to_be_strange_to_the_model(page: Page, serve: Serve) -> None:
    five = int(np.flatnonzero(data.labels("strokes", "test") == 5)[0])
    open_page(page, serve(), f"data=strokes&number={five}")
    expect(page.get_by_text("This picture shows a 5; this model has only the classes 8 and 1.")).to_be_visible()


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, serve: Serve) -> None:
    open_page(looked, serve(), "data=strokes")
    assert_accessible(looked)


@pytest.mark.slow
def test_mnist_is_offered_where_it_is_missing_and_no_network_is_one_sentence(page: Page, serve: Serve) -> None:
    # Whoever asks the proxy on port 9 (discard) is refused at once: the same as no network.
    refused = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    open_page(page, serve(env=refused))
    page.get_by_role("button", name="Get MNIST (11 MB)").click()
    expect(page.get_by_role("alert").filter(has_text="MNIST")).to_be_visible()
    expect(page.locator(".viewer")).to_be_visible()
    assert "Traceback" not in page.content()


@pytest.mark.slow
def test_two_visitors_never_see_each_others_pictures(new_page: NewPage, serve: Serve) -> None:
    labels = data.labels("strokes", "test")
    numbers = [int(number) for number in np.flatnonzero(np.isin(labels, (1, 8)))[:4]]
    pages = [open_page(new_page(), serve(), f"data=strokes&number={number}") for number in numbers]
    for page, number in zip(pages, numbers, strict=True):
        page.mouse.move(*locate(page, 14 * SIDE + 14))
        picture = data.load("strokes", "test", count=256).images[number, ..., 0]
        shown = np.array(page.locator(".viewer").evaluate("(root) => Array.from(root.readMap(0))"))
        row = compute_weights(picture)["weights"][14 * SIDE + 14]
        assert_close(shown, row, row.max())
