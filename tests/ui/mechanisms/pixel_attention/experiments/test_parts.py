"""What a score is made of, on the pixel page: maps, table and equation against the layer's own scores."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, data
from attnviz.tracing import trace
from attnviz.ui.mechanisms.pixel_attention.experiments.parts import explained, pair, said
from attnviz.views.payload import unpack

from .opened import opened

PAGE = Path(__file__).parents[5] / "pages" / "10_pixel_attention.py"
QUERY, KEY = (5, 6), (7, 4)  # from 0, on a grid of 14 x 14 as well


pytestmark = pytest.mark.usefixtures("here")


def run(name: str, number: int, **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{name}", "experiment": "parts", "number": str(number), **words})


def maps(test: AppTest) -> tuple[list[str], np.ndarray]:
    (found,) = [
        unpack(one.proto.bytes) for one in test.get("bidi_component")
        if unpack(one.proto.bytes)[0].get("title", "").startswith("Scores of")
    ]  # fmt: skip
    return found[0]["labels"], found[1]["maps"]


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


def scores(name: str, number: int) -> np.ndarray:
    """Return the layer's own scores, (head, query, key)."""
    picture = data.load("strokes", "test", count=256).images[number, ..., 0] / 255
    model = checkpoints.load(f"pixel_attention.{name}").model.double()
    with trace(model, ["attention.scores"]) as seen:
        model(torch.from_numpy(picture)[None, None])
    return seen["attention.scores"].at(batch=0).numpy()


@pytest.mark.parametrize(("name", "side"), [("without", 28), ("with", 14)])
@pytest.mark.parametrize("head", [1, 3])
def test_the_four_maps_sum_to_the_scores_and_the_four_numbers_to_the_pairs(
    eight: int, name: str, side: int, head: int
) -> None:
    words = {part: f"{row + 1},{column + 1}" for part, (row, column) in (("query", QUERY), ("key", KEY))}
    test = run(name, eight, head=str(head), **words)
    labels, found = maps(test)
    assert labels == [
        "content × content", "content × position", "position × content", "position × position", "sum: the score"
    ]  # fmt: skip
    expected = scores(name, eight)[head - 1, QUERY[0] * side + QUERY[1]].reshape(side, side)
    np.testing.assert_allclose(found[4], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[:4].sum(0), expected, rtol=1e-9, atol=1e-12)
    assert pair(found[:4].reshape(4, -1), KEY[0] * side + KEY[1]) in prose(test)
    assert "(the locked key)" in prose(test)


def test_without_positions_the_parts_with_the_keys_position_are_constant_and_that_is_said(eight: int) -> None:
    test = run("without", eight, query="6,7")
    _, found = maps(test)
    assert np.ptp(found[1]) < 1e-12
    assert np.ptp(found[3]) < 1e-12
    assert np.ptp(found[0]) > 0.1
    assert "the same number for all keys" in prose(test)
    rows = [line for line in prose(test).splitlines() if line.startswith("| :orange")]
    assert [row.split("|")[4].strip() for row in rows][1::2] == ["0 %", "0 %"]


def test_with_positions_all_four_vary_and_the_table_says_range_and_share(eight: int) -> None:
    test = run("with", eight, query="6,7")
    _, found = maps(test)
    assert (np.ptp(found, axis=(1, 2)) > 0.05).all()
    rows = [line for line in prose(test).splitlines() if line.startswith(("| :orange", "| **sum"))]
    centred = found[:4].reshape(4, -1)
    shares = [np.cov(part, found[4].ravel())[0, 1] / np.var(found[4], ddof=1) for part in centred]
    for row, part, share in zip(rows, found, [*shares, 1.0], strict=True):
        lowest, highest, explains, _ = (
            float(re.sub(r"\s*%", "", cell).replace("−", "-")) for cell in row.split("|")[2:6]
        )
        assert lowest == pytest.approx(part.min(), rel=1e-3)
        assert highest == pytest.approx(part.max(), rel=1e-3)
        assert explains == pytest.approx(100 * share, abs=0.06)
    assert "the key with the largest score" in prose(test)


def test_where_nothing_is_locked_there_is_an_example(eight: int) -> None:
    test = run("with", eight)
    assert re.search(r"This example uses row \d+, column \d+", test.info[-1].value)
    assert len(maps(test)[1]) == 5


def test_the_mean_of_heads_has_no_parts_and_head_1_stands_for_it(eight: int) -> None:
    test = run("with", eight, head="mean", query="6,7")
    expected = maps(run("with", eight, query="6,7"))[1]
    np.testing.assert_array_equal(maps(test)[1], expected)
    assert "head 1 is shown here" in "".join(caption.value for caption in test.caption)


def test_one_token_is_refused(eight: int) -> None:
    assert "many pixels as one token" in run("one-token", eight).info[-1].value


def test_shares_sum_to_one_and_can_be_negative() -> None:
    parts = np.array([[1.0, 2, 3], [0, 0, 0], [5, 5, 5], [0, -0.5, -1]])
    np.testing.assert_allclose(explained(parts), [2, 0, 0, -1], atol=1e-15)
    assert np.isnan(explained(np.ones((4, 3)))).all()
    assert [said(part) for part in (0.1234, -0.5, -1e-9, np.nan)] == ["12.3 %", "−50.0 %", "0 %", "–"]
