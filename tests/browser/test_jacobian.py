"""The switch from the attention to the Jacobian, and its numbers against the measure, computed apart in float64."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from attnviz import checkpoints, data
from attnviz.answers import as_batch
from attnviz.measures.jacobian import jacobian
from attnviz.views.payload import unpack

from .conftest import NewPage, Serve, find_violations, walk
from .held import Held
from .models import ONE_OR_EIGHT, TEN_DIGITS

MAPS = {"attention": "Attention", "jacobian": "Jacobian"}


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return serve()


def compute_jacobian(name: str, number: int) -> np.ndarray:
    """Return the Jacobian of a stroke, float64 (channel, row, column)."""
    image = data.load("strokes", "test", count=256).images[number]
    pixels = as_batch(image, double=True)
    return jacobian(checkpoints.load(name).model.double(), pixels)[0].numpy()


def open_page(page: Page, address: str, number: int = 3, name: str = ONE_OR_EIGHT, **words: Any) -> None:
    query = "&".join(f"{word}={value}" for word, value in words.items())
    walk(page, f"{address}/pixel_attention?data=strokes&model={name}&number={number}&{query}", ".viewer[data-drawn]")


def choose(page: Page, which: str) -> None:
    page.locator(".viewer fieldset").get_by_text(MAPS[which], exact=True).click()


def read_jacobian(page: Page) -> np.ndarray:
    """Return the Jacobian on the screen."""
    room = page.locator(".jacobian")
    expect(room.locator("[data-component=map_grid][data-drawn]")).to_be_visible()
    found = room.evaluate("(element) => element.readJacobian()")
    return np.array(found["maps"]).reshape(found["shape"])


def assert_is(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-4 * np.abs(expected).max())


def test_the_numbers_are_those_of_the_measure_and_stand_in_the_url(page: Page, address: str) -> None:
    open_page(page, address)
    expect(page.locator(".jacobian")).to_have_count(0)
    choose(page, "jacobian")
    assert_is(read_jacobian(page), compute_jacobian(ONE_OR_EIGHT, 3))
    expect(page.locator(".board.large")).to_be_hidden()
    expect(page.locator(".jacobian .legend .note")).to_contain_text(
        "how much the answer’s logit would change per unit of intensity"
    )
    page.wait_for_url("**map=jacobian**")
    choose(page, "attention")
    expect(page.locator(".board.large")).to_be_visible()
    expect(page.locator(".jacobian")).to_be_hidden()
    page.wait_for_url(lambda url: "map=" not in url)


def test_a_link_shows_it_at_once_and_the_pointer_reads_its_values(page: Page, address: str) -> None:
    open_page(page, address, name=TEN_DIGITS, map="jacobian")
    expected = compute_jacobian(TEN_DIGITS, 3)
    assert_is(read_jacobian(page), expected)
    box = page.locator(".jacobian .tile .frame").bounding_box()
    assert box
    row, column = 14, 9
    page.mouse.move(box["x"] + (column + 0.5) * box["width"] / 28, box["y"] + (row + 0.5) * box["height"] / 28)
    said = f"row {row + 1}, column {column + 1}, intensity: "
    how = page.locator(".jacobian h2 small")
    expect(how).to_contain_text(said)
    value = float(how.inner_text().removeprefix(said).split()[0].replace("\u2212", "-"))
    assert value == pytest.approx(expected[0, row, column], rel=0.02, abs=2e-3)


def test_what_is_saved_is_what_is_shown(page: Page, address: str) -> None:
    open_page(page, address, map="jacobian")
    found = read_jacobian(page)
    with page.expect_download() as file:
        page.locator(".jacobian").get_by_role("button", name="CSV").click()
    lines = [line for line in Path(file.value.path()).read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "row,column,intensity"
    saved = np.array([float(line.split(",")[2]) for line in lines[1:]])
    np.testing.assert_allclose(saved, found.reshape(-1))
    with page.expect_download() as file:
        page.locator(".jacobian").get_by_role("button", name="PNG").click()
    assert Path(file.value.path()).read_bytes().startswith(b"\x89PNG")


def test_that_of_another_picture_is_never_shown_for_this_one(new_page: NewPage, address: str) -> None:
    page = new_page()
    held = Held()
    held.holding = True
    held.route(page)
    open_page(page, address, map="jacobian")
    page.wait_for_function("() => document.querySelector('.viewer, [data-testid]') !== null")
    for _ in range(600):  # frames of the browser, until the first answer is on its way
        if held.messages:
            break
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert "view" in unpack(held.messages[0])[1]
    page.get_by_role("button", name="Next").click()
    page.locator(".viewer[data-shown*='strokes/test/'][data-shown]:not([data-shown$='/3'])").wait_for()
    held.release()
    found = read_jacobian(page)
    number = int(str(page.locator(".viewer").get_attribute("data-shown")).rpartition("/")[2])
    assert number != 3
    assert_is(found, compute_jacobian(ONE_OR_EIGHT, number))


@pytest.mark.slow
def test_a_model_in_colours_of_the_night_and_with_assistance(kept_page: NewPage, address: str) -> None:
    page = kept_page(color_scheme="dark")
    open_page(page, address, map="jacobian")
    read_jacobian(page)
    assert find_violations(page) == []


def test_the_explorer_shows_the_same(page: Page, address: str) -> None:
    walk(page, f"{address}/explorer?data=strokes&model={TEN_DIGITS}&number=3&map=jacobian")
    grid = page.locator("[data-component=map_grid][data-drawn]")
    grid.wait_for()
    values = grid.evaluate("(element) => [...element.readMap(0)]")
    np.testing.assert_allclose(np.array(values).reshape(1, 28, 28), compute_jacobian(TEN_DIGITS, 3), rtol=1e-9)
    walk(page, f"{address}/explorer?data=strokes&model=histogram_mlp.digits&number=3&map=jacobian")
    expect(page.get_by_text("has no Jacobian")).to_be_visible()


def test_where_there_is_no_derivative_it_shows_both_steps(page: Page, address: str) -> None:
    walk(page, f"{address}/cnn_attention?data=strokes&model=cnn_attention.digits&number=3&map=jacobian")
    holder = page.locator(".jacobian")
    expect(holder.locator(".legend .note")).to_contain_text("there is no derivative", timeout=120_000)
    found = holder.evaluate("(element) => element.readJacobian()")
    up, down, difference = np.array(found["maps"]).reshape(3, 28, 28)
    image = data.load("strokes", "test", count=256).images[3]
    model, pixels = checkpoints.load("cnn_attention.digits").model.double(), as_batch(image, double=True)
    with torch.no_grad():
        logits = model(pixels)[0]
        for row, column in [(0, 0), (3, 20), (14, 14), *np.argwhere(difference)[::60].tolist()]:
            for shown, step in ((up, 1e-6), (down, -1e-6)):
                moved = pixels.clone()
                moved[0, 0, row, column] += step
                slope = (model(moved)[0] - logits)[logits.argmax()] / step
                assert shown[row, column] == pytest.approx(float(slope), abs=1e-4 * np.abs(up).max())
