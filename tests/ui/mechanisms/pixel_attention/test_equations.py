"""The equation with the numbers of the locked pair, against numbers worked out by hand."""

import numpy as np
import pytest

from attnviz.ui.mechanisms.pixel_attention import equations
from attnviz.views.attention import FIELDS, AttentionView


@pytest.fixture
def view() -> AttentionView:
    """One head of size 2 over 1 x 2 tokens: query 0 is (1, 2), key 1 is (3, 4), so their score is 11 / sqrt(2)."""
    query, key = np.array([[[1.0, 2.0], [0.0, 0.0]]]), np.array([[[0.0, 0.0], [3.0, 4.0]]])
    normaliser = np.log(np.exp(np.array([[[0.0, 11.0], [0.0, 0.0]]]) / np.sqrt(2)).sum(-1))
    ones = np.ones((1, 2))
    return AttentionView(
        picture=np.zeros((1, 2)), query=query, key=key, value=key, log_normaliser=normaliser, carried=ones,
        carried_signed=True, received=ones, output=np.zeros((2, 1)), rows=1, columns=2, prefix=0,
        classes=("8", "1"), probabilities=np.array([0.5, 0.5]),
    )  # fmt: skip


def test_the_numbers_are_those_of_the_pair(view: AttentionView) -> None:
    found = equations.numbers(view, {**FIELDS.defaults, "query": (0, 0), "key": (0, 1)})
    assert found is not None
    assert "= 7.778" in found[0]  # 11 / sqrt(2)
    assert "= 0.9996" in found[1]  # exp(7.778) / (exp(7.778) + 1)


def test_query_and_key_do_not_change_places(view: AttentionView) -> None:
    found = equations.numbers(view, {**FIELDS.defaults, "query": (0, 1), "key": (0, 0)})
    assert found is not None
    assert "= 0.5000" in found[1]  # query 1 is 0, so both keys get half


@pytest.mark.parametrize(
    "state",
    [
        {},
        {**FIELDS.defaults, "query": "x", "key": [9, 9]},
        FIELDS.defaults,
        {**FIELDS.defaults, "query": (0, 0)},
        {**FIELDS.defaults, "query": (0, 0), "key": (0, 1), "head": "mean"},
    ],
)
def test_without_a_locked_pair_of_one_head_there_are_no_numbers(view: AttentionView, state: dict) -> None:
    assert equations.numbers(view, state) is None


def test_the_symbols_name_the_head_size_and_the_colours_of_the_roles() -> None:
    found = "".join(equations.symbols(6))
    assert r"\sqrt{6}" in found
    assert all(colour in found for colour in (equations.QUERY, equations.KEY, equations.VALUE))


@pytest.mark.parametrize(("value", "words"), [(0.25, "0.2500"), (1.5e-7, r"1.50 \cdot 10^{-7}")])
def test_small_weights_are_written_as_powers_of_ten(value: float, words: str) -> None:
    assert equations._scientific(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(-1.0, "-1"), (7.7782, "7.778"), (-23456.0, r"-2.346 \cdot 10^{4}"), (1e-5, r"1.000 \cdot 10^{-5}")],
)
def test_scores_have_four_digits_whatever_their_size(value: float, words: str) -> None:
    assert equations._figure(value) == words
