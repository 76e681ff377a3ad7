"""Reading the pixel viewer in a browser, and its numbers in float64, computed apart."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Download, Locator, Page, expect

from attnviz.views.attention import AttentionView

from ..conftest import read_state

ROWS, COLUMNS = 5, 7
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
Open = Callable[..., Page]


def find_viewer(page: Page) -> Locator:
    return page.locator(".viewer")


def read_viewer(page: Page) -> dict[str, Any]:
    return read_state(find_viewer(page))


def read_map(page: Page, head: int | str) -> np.ndarray:
    return np.array(find_viewer(page).evaluate("(root, head) => Array.from(root.readMap(head))", head))


def locate(page: Page, row: int, column: int, board: str = "picture") -> tuple[float, float]:
    """Return where in the window the middle of a cell is."""
    box = page.locator(f".board.{board} canvas").bounding_box()
    assert box
    return box["x"] + (column + 0.5) * box["width"] / COLUMNS, box["y"] + (row + 0.5) * box["height"] / ROWS


def hover(page: Page, row: int, column: int, board: str = "picture") -> None:
    page.mouse.move(*locate(page, row, column, board))


def click(page: Page, row: int, column: int, board: str = "picture") -> None:
    page.mouse.click(*locate(page, row, column, board))


def wait_for_view(page: Page, **fields: Any) -> None:
    """Wait until Python has these fields of the view."""
    for name, value in fields.items():
        words = re.sub(r"\s", "", json.dumps({name: value}))[1:-1]
        expect(page.locator("[data-testid=stCode]")).to_contain_text(words)


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).check()


def compute_maps(view: AttentionView, show: str) -> np.ndarray:
    """Return (head, query, key), computed the long way: one pair after another, softmax by its definition."""
    heads, tokens, size = view.query.shape
    scores = np.zeros((heads, tokens, tokens))
    for head in range(heads):
        for query in range(tokens):
            for key in range(tokens):
                scores[head, query, key] = sum(view.query[head, query] * view.key[head, key]) / size**0.5
    if show == "scores":
        return scores
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    return weights if show == "weights" else weights * view.carried[:, None, :]


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Assert |a - b| <= 1e-5 x max(|b|, a thousandth of the map's largest), everywhere."""
    assert found.shape == expected.shape
    bound = 1e-5 * np.maximum(np.abs(expected), np.abs(expected).max() / 1000)
    assert (np.abs(found - expected) <= bound).all()


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    found: Download = waiting.value
    return found.path().read_bytes()
