"""Shuffling as a visitor does it, and the maps on the screen against the weights of both pictures."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnviz import checkpoints, data
from attnviz.tracing import trace

from .conftest import Serve, assert_accessible, walk

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it


def open_page(page: Page, serve: Serve, folder: Path, name: str, words: str = "") -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/pixel_attention?model=pixel_attention.{name}&data=strokes&experiment=shuffle&{words}")
    find_grid(page, "received from all").locator(".tile").last.wait_for()
    return page


def find_grid(page: Page, title: str) -> Locator:
    return page.locator(".map-grid[data-drawn]").filter(has_text=title)


def read_grid(page: Page, title: str) -> np.ndarray:
    tiles = find_grid(page, title).locator(".tile").count()
    read_all = f"(root) => Array.from({{ length: {tiles} }}, (_, tile) => Array.from(root.readMap(tile)))"
    return np.array(find_grid(page, title).evaluate(read_all))


def compute_received(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, picture: np.ndarray) -> np.ndarray:
    """Return (head, token), the mean of each column of the weights, of a picture in 0..1."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    model = checkpoints.load(f"pixel_attention.{name}").model.double()
    with trace(model, ["attention.weights"]) as seen:
        model(torch.from_numpy(picture)[None, None])
    return seen["attention.weights"].at(batch=0).numpy().mean(1)


@pytest.mark.parametrize(("name", "side"), [("without", 1), ("with", 2)])
def test_the_maps_on_the_screen_are_those_of_both_pictures(
    page: Page, serve: Serve, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, side: int
) -> None:
    number = int(np.flatnonzero(data.labels("strokes", "test") == 8)[0])
    open_page(page, serve, folder, name, f"number={number}&head=2&shuffle=7")
    picture = data.load("strokes", "test", count=256).images[number, ..., 0] / 255
    count = 28 // side
    order = torch.randperm(count * count, generator=torch.Generator().manual_seed(7)).numpy()
    boxes = picture.reshape(count, side, count, side).transpose(0, 2, 1, 3).reshape(-1, side, side)
    moved = boxes[order].reshape(count, count, side, side).transpose(0, 2, 1, 3).reshape(28, 28)
    np.testing.assert_array_equal(read_grid(page, "The picture"), [picture.ravel(), moved.ravel()])

    before, after = (compute_received(folder, monkeypatch, name, one)[1] for one in (picture, moved))
    back = np.empty_like(after)
    back[order] = after
    np.testing.assert_allclose(read_grid(page, "Head 2, received from all"), [before, after, back], rtol=1e-9)
    shown = page.get_by_text("Largest difference between").first.locator("strong").inner_text()
    if name == "without":
        assert "10⁻" in shown or shown == "0"
        expect(page.get_by_text("the maps are shuffled like the pixels")).to_be_visible()
    else:
        assert float(shown) == pytest.approx(np.abs(back - before).max(), rel=1e-3)
        expect(page.get_by_text("the maps are not shuffled like the pixels")).to_be_visible()


def test_shuffle_again_is_another_order_in_the_url_and_back_undoes_it(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder, "without")
    first = read_grid(page, "The picture")
    page.get_by_role("button", name="Shuffle again").click()
    page.wait_for_url("**shuffle=2*")
    expect(page.get_by_role("button", name="Original order")).to_be_enabled()
    page.wait_for_function(
        "([root, first]) => root.readMap(1).some((value, pixel) => value !== first[pixel])",
        arg=[find_grid(page, "The picture").element_handle(), first[1].tolist()],
    )
    page.get_by_role("button", name="Original order").click()
    page.wait_for_url("**shuffle=0*")
    expect(page.get_by_text("Nothing is shuffled")).to_be_visible()
    page.go_back()
    page.wait_for_url("**shuffle=2*")
    expect(page.get_by_text("the maps are shuffled like the pixels")).to_be_visible()


def test_the_edge_of_the_ink_moves_with_the_ink(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder, "without", "shuffle=3")
    counts = find_grid(page, "received from all").evaluate(
        "(root) => root.getRootNode().attnviz.edges.map((edge) => edge.length)"
    )
    assert counts[0] == counts[2]
    assert counts[1] > 1.5 * counts[0]


def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, serve: Serve, folder: Path) -> None:
    open_page(looked, serve, folder, "without")
    assert_accessible(looked)
    assert re.search(r"10⁻|than 0,", looked.get_by_text("no weight that is put back").inner_text())
