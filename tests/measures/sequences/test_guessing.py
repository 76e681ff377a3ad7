"""Guessing sorted digits without looking, against counting and drawing."""

from itertools import product

import numpy as np
import pytest

from attnviz.measures.sequences import guessing


@pytest.mark.parametrize(
    ("length", "share"), [(1, 0.100), (5, 0.284), (10, 0.366), (15, 0.414), (20, 0.459), (30, 0.520)]
)
def test_the_best_constant_of_each_place(length: int, share: float) -> None:
    assert guessing.by_place(length) == pytest.approx(share, abs=5e-4)
    drawn = np.sort(np.random.default_rng(0).integers(0, 10, (100_000, length)), axis=1)
    counted = np.mean([np.bincount(column).max() / len(drawn) for column in drawn.T])
    assert guessing.by_place(length) == pytest.approx(counted, abs=5e-3)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_the_most_probable_text_is_counted(length: int) -> None:
    texts = [tuple(sorted(digits)) for digits in product(range(10), repeat=length)]
    assert guessing.whole(length) == pytest.approx(max(map(texts.count, set(texts))) / len(texts))
