"""Guessing sorted digits without looking, against counting and drawing."""

from itertools import product

import numpy as np
import pytest

from attnviz.measures import texts


@pytest.mark.parametrize(
    ("length", "share"), [(1, 0.100), (5, 0.284), (10, 0.366), (15, 0.414), (20, 0.459), (30, 0.520)]
)
def test_the_best_constant_of_each_place(length: int, share: float) -> None:
    assert texts.guessed_by_place(length) == pytest.approx(share, abs=5e-4)
    drawn = np.sort(np.random.default_rng(0).integers(0, 10, (100_000, length)), axis=1)
    counted = np.mean([np.bincount(column).max() / len(drawn) for column in drawn.T])
    assert texts.guessed_by_place(length) == pytest.approx(counted, abs=5e-3)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_the_most_probable_text_is_counted(length: int) -> None:
    sorted_texts = [tuple(sorted(digits)) for digits in product(range(10), repeat=length)]
    assert texts.guessed_whole(length) == pytest.approx(
        max(map(sorted_texts.count, set(sorted_texts))) / len(sorted_texts)
    )
