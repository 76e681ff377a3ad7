"""The page of vision transformers in a browser: the screen against tensors that are computed apart, and layout."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnviz.answers import as_batch
from attnviz.subjects import Picture, net
from attnviz.tracing import trace

from .conftest import Visit, find_violations, read_state

NUMBER = 23  # a drawn 8
LAYERS, HEADS = 3, 2
Open = Callable[..., Page]


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(name: str = "digits", words: str = "", **options: Any) -> Page:
        address = f"{alone}/vision_transformer?v=2&model=vision_transformer.{name}&data=strokes&number={NUMBER}{words}"
        return visit(address, ".st-key-layers .layer-board[data-drawn]", **options)

    return open_page


def find_board(page: Page) -> Locator:
    return page.locator(".st-key-layers .layer-board")


def spelled(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of all layers (layer, head, query, key), and the probabilities."""
    loaded = net(f"vision_transformer.{name}").load(double=True)
    images = as_batch(Picture("strokes", NUMBER).taken_by(loaded.net), double=True)
    paths = [f"layers.{layer}.attention.weights" for layer in range(LAYERS)]
    with torch.no_grad(), trace(loaded.model, paths) as seen:
        logits = loaded.model(images)
    return np.stack([seen[path].tensor[0].numpy() for path in paths]), logits.softmax(-1)[0].numpy()


@pytest.mark.parametrize(("name", "prefix"), [("digits", 1), ("registers", 2)])
def test_all_heads_of_all_layers_follow_the_pointer_and_the_chips(opened: Open, name: str, prefix: int) -> None:
    page = opened(name)
    weights, probabilities = spelled(name)
    canvas = find_board(page).locator(".board.picture canvas")
    box = canvas.bounding_box()
    assert box
    side = box["width"] / 4  # of a patch; 4 x 4 of them
    page.mouse.move(box["x"] + 2.5 * side, box["y"] + 1.5 * side)
    assert read_state(find_board(page))["query"] == [1, 2]
    assert_maps(page, weights[:, :, prefix + 4 + 2])
    chip = find_board(page).locator(".chip").last
    chip.hover()
    assert read_state(find_board(page))["query"] == [-1, prefix - 1]
    assert_maps(page, weights[:, :, prefix - 1])
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    find_board(page).get_by_text("Gives to").click()
    assert_maps(page, weights[:, :, :, prefix - 1])
    state = find_board(page).evaluate("root => root.declared()")
    assert state["probability"] == pytest.approx(probabilities.max(), rel=1e-9)


def assert_maps(page: Page, wanted: np.ndarray) -> None:
    """Compare the maps of all layers, their means too, with (layer, head, token)."""
    for layer in range(LAYERS):
        for head in range(HEADS):
            shown = find_board(page).evaluate("(root, [head, layer]) => [...root.readMap(head, layer)]", [head, layer])
            np.testing.assert_allclose(shown, wanted[layer, head], rtol=1e-9)
        mean = find_board(page).evaluate("(root, layer) => [...root.readMap('mean', layer)]", layer)
        np.testing.assert_allclose(mean, wanted[layer].mean(0), rtol=1e-9)


def test_a_tile_chooses_its_layer_and_head_and_the_url_says_so(opened: Open) -> None:
    page = opened()
    find_board(page).locator(".wall-part canvas").scroll_into_view_if_needed()
    tile = find_board(page).locator(".wall-part .tile .frame").nth(2 * (HEADS + 1) + 1)  # layer 3, head 2
    box = tile.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 4)
    found = read_state(find_board(page))
    assert (found["layer"], found["head"]) == (2, 1)
    page.wait_for_url("**layer=3**")
    expect(find_board(page).get_by_label("Layer", exact=True)).to_have_value("2")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height", "most"), [(1280, 720, 1900), (375, 800, 3600)])
def test_the_page_is_short_and_accessible(opened: Open, width: int, height: int, most: int) -> None:
    page = opened("registers", viewport={"width": width, "height": height})
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= most
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert find_violations(page) == []


def test_the_query_of_one_picture_looks_at_another_beside_it(opened: Open) -> None:
    page = opened(words="&beside=across&other_number=4&query=2,3&layer=2")
    other = page.locator(".st-key-layers_beside .layer-board")
    expect(other).to_have_attribute("data-drawn", "")
    loaded = net("vision_transformer.digits").load(double=True)
    taps = []
    for number, tap in ((NUMBER, "query"), (4, "key")):
        images = as_batch(Picture("strokes", number).taken_by(loaded.net), double=True)
        with torch.no_grad(), trace(loaded.model, [path := f"layers.1.attention.{tap}"]) as seen:
            loaded.model(images)
        taps.append(seen[path].tensor[0])
    wanted = (taps[0] @ taps[1].mT / taps[0].shape[-1] ** 0.5).softmax(-1)[:, 1 + 4 + 2]
    shown = other.evaluate("root => [0, 1].map(head => [...root.readMap(head, 1)])")
    np.testing.assert_allclose(shown, wanted, rtol=1e-9)
    find_board(page).locator(".wall-part").scroll_into_view_if_needed()
    find_board(page).get_by_label("Head", exact=True).select_option(label="2")
    expect(other.get_by_label("Head", exact=True)).to_have_value("1")  # the other board follows
    assert find_violations(page) == []
