"""Rows of weights compared with one another, against the weights themselves, measures/pixel_attention/equal_rows.py."""

import numpy as np
import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.pixel_attention.equal_rows import differences, distinct_rows, intensity_groups

from .test_shuffle import LEARNED, WITH, WITHOUT, model_of, picture_of, weights_of


def halves(model, picture: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    from attnviz.measures.pixel_attention.shuffle import look

    seen = look(model, picture)
    return seen.query, seen.key


def intensities(model, picture: torch.Tensor) -> np.ndarray:
    pool = model.pool
    rows, columns = picture.shape[1] // pool, picture.shape[2] // pool
    return picture[0].reshape(rows, pool, columns, pool).mean((1, 3)).numpy().ravel()


@pytest.mark.parametrize("more", [WITHOUT, WITH], ids=["without", "with"])
@pytest.mark.parametrize("token", [0, 7, 11])
def test_each_difference_is_the_largest_over_heads_and_keys(more: dict, token: int) -> None:
    model, picture = model_of(3, **more), picture_of(3)
    weights = weights_of(model, picture)
    found = differences(*halves(model, picture), token)
    for other in range(weights.shape[1]):
        largest = max(abs(weights[head, other] - weights[head, token]).max() for head in range(len(weights)))
        assert found[other] == pytest.approx(largest, rel=1e-9, abs=1e-15)
    assert found[token] == 0


@pytest.mark.parametrize("seed", range(4))
def test_without_positions_the_same_intensity_has_the_same_row_and_no_other_has(seed: int) -> None:
    model, picture = model_of(seed), picture_of(seed)
    ink = intensities(model, picture)
    assert len(np.unique(ink)) < len(ink), "some pixels have company"
    query, key = halves(model, picture)
    for token in range(len(ink)):
        apart = differences(query, key, token)
        assert apart[ink == ink[token]].max() < 1e-14
        assert apart[ink != ink[token]].min() > 1e-6
    assert distinct_rows(query, key) == len(np.unique(ink))


@pytest.mark.parametrize("more", [WITH, LEARNED], ids=["sinusoidal", "learned"])
def test_with_positions_every_pixel_has_a_row_of_its_own(more: dict) -> None:
    model, picture = model_of(1, **more), torch.full((1, 6, 8), 0.5).double()
    query, key = halves(model, picture)
    assert differences(query, key, 0)[1:].min() > 1e-4
    assert distinct_rows(query, key) == query.shape[1]


def test_rows_are_counted_over_all_heads_and_across_blocks() -> None:
    generator = torch.Generator().manual_seed(0)
    key = torch.randn(2, 5, 3, generator=generator).double()
    kinds = torch.randn(2, 7, 3, generator=generator).double()
    kinds[0, 1] = kinds[0, 0]  # these two differ in the second head alone
    which = torch.randint(0, 7, (700,), generator=generator)
    assert distinct_rows(kinds[:, which], key) == len(which.unique()) == 7
    assert distinct_rows(kinds[:1, which], key[:1]) == 6


def test_rounding_makes_no_row_another() -> None:
    generator = torch.Generator().manual_seed(1)
    key = torch.randn(2, 5, 3, generator=generator).double()
    kinds = torch.randn(2, 4, 3, generator=generator).double()
    query = kinds[:, torch.arange(40) % 4]
    noise = torch.randn(query.shape, generator=generator, dtype=torch.float64)
    assert distinct_rows(query * (1 + 1e-15 * noise), key) == 4
    assert distinct_rows(query * (1 + 1e-6 * noise), key) == 40


def test_a_hard_maximum_gives_fewer_rows_than_intensities() -> None:
    query, key = torch.linspace(1, 2, 9).double().view(1, 9, 1), 1e5 * torch.arange(4).double().view(1, 4, 1)
    assert distinct_rows(query, key) == 1


def test_one_token_has_one_row() -> None:
    assert distinct_rows(torch.ones(1, 1, 2), torch.ones(1, 1, 2)) == 1


def test_groups_are_those_of_equal_intensity_in_order() -> None:
    ink = np.array([0.5, 0.0, 0.5 + 1e-12, 1.0, 0.0, 0.25])
    assert intensity_groups(ink).tolist() == [2, 0, 2, 3, 0, 1]
    levels = np.arange(256) / 255
    assert intensity_groups(levels[::-1]).tolist() == list(range(255, -1, -1))


@pytest.mark.parametrize("token", [-1, 48])
def test_a_token_that_there_is_not_is_refused(token: int) -> None:
    with pytest.raises(BadInput, match="there are 48, counted from 0"):
        differences(*halves(model_of(0), picture_of(0)), token)
