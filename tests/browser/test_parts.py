"""What a score is made of, as a visitor reads it: a pair is locked, and its four numbers sum to the viewer's score."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from safetensors.numpy import load_file

from attnviz import data
from tests.ui.mechanisms.pixel_attention.experiments.placed import STANDARD

from .conftest import Serve, assert_accessible, read_state, walk
from .models import SMALL, SMALL_WITH_POSITIONS

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it


def open_page(page: Page, serve: Serve, folder: Path, words: str) -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/paper?data=strokes&experiment=parts&{words}")
    page.locator(".map-grid[data-drawn]").filter(has_text="Scores of").locator(".tile").last.wait_for()
    return page


def parse_number(text: str) -> float:
    """Read a number as a person does."""
    text = text.replace("\u00a0", " ").replace("−", "-").strip("() ")
    mantissa, _, power = text.partition(" × 10")
    return float(mantissa) * 10.0 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)


def test_the_four_numbers_of_the_locked_pair_are_those_of_weights_and_picture(
    page: Page, serve: Serve, folder: Path, eight: int
) -> None:
    open_page(page, serve, folder, f"model={SMALL}&number={eight}&head=2&query=2,3&key=15,14")
    picture = data.load("strokes", "test", count=256).images[eight, ..., 0] / 255
    file = load_file(folder / SMALL / "weights.safetensors")
    of_head = slice(2, 4)  # two numbers a head
    halves = []
    for part, ink in (("query", picture[1, 2]), ("key", picture[14, 13])):
        content = (
            file[f"attention.{part}.weight"][of_head, 0].astype(float) * (ink - STANDARD["mean"]) / STANDARD["std"]
        )
        halves.append((content, file[f"attention.{part}.bias"][of_head].astype(float)))
    expected = [query @ key / np.sqrt(2) for query in halves[0] for key in halves[1]]

    rows = page.get_by_role("table").filter(has_text="explains").get_by_role("row")
    cells = [parse_number(rows.nth(line).get_by_role("cell").last.inner_text()) for line in range(1, 6)]
    np.testing.assert_allclose(cells, [*expected, sum(expected)], rtol=6e-3)
    score = read_state(page.locator(".viewer"))["score"]
    assert sum(expected) == pytest.approx(score, rel=1e-9)

    grid = page.locator(".map-grid[data-drawn]").filter(has_text="Scores of")
    for tile, wanted in enumerate([*expected, sum(expected)]):
        found = np.array(grid.evaluate(f"(root) => Array.from(root.readMap({tile}))"))
        assert found[14 * 28 + 13] == pytest.approx(wanted, rel=1e-9)


def test_a_click_in_the_viewer_is_followed(page: Page, serve: Serve, folder: Path, eight: int) -> None:
    open_page(page, serve, folder, f"model={SMALL_WITH_POSITIONS}&number={eight}")
    expect(page.get_by_text("This example uses")).to_be_visible()
    canvas = page.locator(".board.picture canvas")
    box = canvas.bounding_box()
    assert box
    title = page.get_by_text("Does a pixel look for ink or for a position?").first
    expect(title).to_be_in_viewport()  # the page has gone there
    canvas.click(position={"x": 2.5 * box["width"] / 14, "y": 1.5 * box["height"] / 14})
    expect(page.get_by_text("Scores of row 2, column 3, head 1")).to_be_visible()
    expect(page.get_by_text("This example uses")).to_be_hidden()


def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(looked: Page, serve: Serve, folder: Path) -> None:
    open_page(looked, serve, folder, f"model={SMALL_WITH_POSITIONS}&query=2,3")
    assert_accessible(looked)
