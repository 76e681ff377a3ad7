"""The pixel viewer's numbers against float64 computed apart, and values that are no numbers."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.sweeps import sweep

from ..apps.pixel_viewer import make_view
from .viewers import (
    COLUMNS,
    ROWS,
    Open,
    assert_same,
    choose,
    click,
    compute_maps,
    download,
    find_viewer,
    hover,
    read_map,
    read_viewer,
)


@pytest.mark.parametrize("show", sweep(["weights", "scores", "carried"], lambda show: show != "scores"))
def test_every_map_equals_a_computation_made_apart(opened: Open, show: str) -> None:
    page = opened(f"show={show}")
    expected = compute_maps(make_view(), show)
    assert len(np.unique(expected)) == expected.size
    for direction, name in [("from", "Takes from"), ("to", "Gives to"), ("received", "Received from all")]:
        choose(page, name)
        for row, column in [(0, 0), (1, 3), (2, 6), (4, 1)]:
            hover(page, row, column)
            token = row * COLUMNS + column
            assert read_viewer(page)["query" if direction == "from" else "key"] == [row, column]
            row_of, column_of, mean = expected[:, token], expected[:, :, token], expected.mean(axis=1)
            maps = {"from": row_of, "to": column_of, "received": mean}[direction]
            for head in range(3):
                assert_same(read_map(page, head), maps[head])
            assert_same(read_map(page, "mean"), maps.mean(axis=0))


@pytest.mark.parametrize("direction", sweep(["from", "to"], lambda direction: direction == "to"))
def test_the_pair_equals_a_computation_made_apart(opened: Open, direction: str) -> None:
    page = opened(f"direction={direction}")
    view = make_view()
    weights, scores = compute_maps(view, "weights"), compute_maps(view, "scores")
    random = np.random.default_rng(1)
    hover(page, 2, 2)
    click(page, 2, 2)
    for row, column in zip(random.integers(0, ROWS, 10), random.integers(0, COLUMNS, 10), strict=True):
        hover(page, int(row), int(column))
        found = read_viewer(page)
        query, key = found["queryToken"], found["keyToken"]
        assert (query, key)[:: 1 if direction == "from" else -1] == (2 * COLUMNS + 2, row * COLUMNS + column)
        assert_same(np.array([found["weight"]]), weights[:1, query, key])
        assert_same(np.array([found["score"]]), scores[:1, query, key])
        assert_same(np.array([found["share"]]), weights[:1, query, key] * ROWS * COLUMNS)
        assert_same(np.array([found["carried"]]), weights[:1, query, key] * view.carried[:1, key])
        terms = np.array([term["product"] for term in found["terms"]])
        assert_same(terms, view.query[0, query] * view.key[0, key])


def test_the_screen_says_the_numbers_in_words(opened: Open) -> None:
    page = opened("query=3,3&key=2,5&head=2")
    view = make_view()
    weight = compute_maps(view, "weights")[1, 2 * COLUMNS + 2, COLUMNS + 4]
    panel = page.locator(".pair")
    expect(panel).to_contain_text("row 3, column 3")
    expect(panel).to_contain_text("row 2, column 5")
    shown = panel.locator("strong.big").inner_text()
    assert float(shown) == pytest.approx(weight, rel=5e-4)
    expect(panel.locator(".step.score .cell.product:visible")).to_have_count(4)


def test_a_class_token_lies_below_the_map(opened: Open) -> None:
    page = opened("prefix=1&query=0,1")
    assert read_viewer(page)["queryToken"] == 0
    assert_same(read_map(page, 0), compute_maps(make_view(prefix=1), "weights")[0, 0])
    expect(page.locator(".pair")).to_contain_text("class token")


def test_nan_and_infinity_have_marks_and_words(opened: Open) -> None:
    page = opened("kind=nan&show=scores&query=3,3")
    assert np.isnan(read_map(page, 0)).any()
    expect(page.locator(".legend .mark", has_text="no number")).to_be_visible()
    hover(page, 0, 3)
    expect(page.locator(".pair strong.big")).to_contain_text("NaN")
    written = download(page, "CSV").decode()
    assert ",NaN" in written


def test_a_view_that_cannot_be_drawn_is_a_sentence(opened: Open) -> None:
    page = opened()
    find_viewer(page).evaluate(
        "(root) => { root.getRootNode().attnviz.attention.fill = () => { throw new Error('broken') }; }"
    )
    hover(page, 1, 1)
    hover(page, 2, 1)
    expect(page.locator(".failure")).to_have_text(re.compile("could not be drawn"))
