"""Shuffled tokens, against loops and against the weights themselves, measures/pixel_attention/shuffle.py."""

import numpy as np
import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.measures.pixel_attention import shuffle
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import Grid, trace

ROWS, COLUMNS, HEADS = 6, 8, 3
WITHOUT: dict[str, object] = {}
POOLED = {"pool": 2}
WITH = {"pool": 2, "positions": "sinusoidal_2d", "position_features": 8}
LEARNED = {"positions": "learned", "position_features": 3}


def model_of(seed: int, **more) -> PixelAttention:
    generator = torch.Generator().manual_seed(seed)
    model = PixelAttention(classes=("8", "1"), heads=HEADS, head_size=2, rows=ROWS, columns=COLUMNS, mean=0.13,
                           std=0.31, generator=generator, **more).double()  # fmt: skip
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=generator)
    return model.eval().requires_grad_(False)


def picture_of(seed: int) -> torch.Tensor:
    """A picture of 8-bit intensities, some of them equal, as the test pictures are: (1, row, column)."""
    generator = torch.Generator().manual_seed(100 + seed)
    return torch.randint(0, 20, (1, ROWS, COLUMNS), generator=generator).double() * 13 / 255


def weights_of(model: PixelAttention, picture: torch.Tensor) -> np.ndarray:
    with trace(model, ["attention.weights"]) as seen:
        model(picture[None])
    return seen["attention.weights"].at(batch=0).numpy()


def both(model: PixelAttention, seed: int) -> tuple[shuffle.Look, shuffle.Look, torch.Tensor, list[torch.Tensor]]:
    picture = picture_of(seed)
    before = shuffle.look(model, picture)
    order = shuffle.order(before.grid.tokens, seed)
    moved = shuffle.shuffled(picture, order, before.grid)
    return before, shuffle.look(model, moved), order, [picture, moved]


@pytest.mark.parametrize("more", [WITHOUT, POOLED], ids=["pixels", "pooled"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_without_positions_rows_and_columns_of_the_weights_shuffle_along_exactly(seed: int, more: dict) -> None:
    model = model_of(seed, **more)
    before, after, order, pictures = both(model, seed)
    weights, moved = (weights_of(model, picture) for picture in pictures)
    for head in range(HEADS):
        for place, came in enumerate(order.tolist()):
            np.testing.assert_allclose(moved[head, place], weights[head, came, order], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(after.output, before.output[order], rtol=1e-12, atol=1e-13)
    assert np.abs(weights[:, order] - weights).max() > 1e-3, "the shuffle moves something"
    by_head, outputs = shuffle.differences(before, after, order)
    assert by_head.shape == (HEADS,)
    assert by_head.max() < 1e-14
    assert outputs < 1e-12


@pytest.mark.parametrize("more", [WITHOUT, POOLED, WITH], ids=["pixels", "pooled", "positions"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_only_the_last_layer_answers_otherwise(seed: int, more: dict) -> None:
    before, after, _, _ = both(model_of(seed, **more), seed)
    assert (before.logits - after.logits).abs().max() > 1e-3


@pytest.mark.parametrize("more", [WITH, LEARNED], ids=["sinusoidal", "learned"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_with_positions_the_weights_do_not_shuffle_along_and_the_difference_is_the_largest(
    seed: int, more: dict
) -> None:
    model = model_of(seed, **more)
    before, after, order, pictures = both(model, seed)
    weights, moved = (weights_of(model, picture) for picture in pictures)
    found, outputs = shuffle.differences(before, after, order)
    places = range(len(order))
    for head in range(HEADS):
        largest = max(abs(moved[head, i, j] - weights[head, order[i], order[j]]) for i in places for j in places)
        assert found[head] == pytest.approx(largest, rel=1e-9)
        assert largest > 0.01
    assert outputs == pytest.approx(float((after.output - before.output[order]).abs().max()), rel=1e-12)


@pytest.mark.parametrize("head", [None, 0, 2])
@pytest.mark.parametrize("query", [None, 5])
def test_what_is_received_is_a_mean_of_the_weights(head: int | None, query: int | None) -> None:
    model = model_of(1)
    picture = picture_of(1)
    weights = weights_of(model, picture)
    rows = weights.mean(0) if head is None else weights[head]
    expected = rows.mean(0) if query is None else rows[query]
    np.testing.assert_allclose(shuffle.received(shuffle.look(model, picture), head, query), expected, rtol=1e-12)


def test_an_order_is_a_permutation_and_0_leaves_all_in_place() -> None:
    assert shuffle.order(10, 0).tolist() == list(range(10))
    orders = [shuffle.order(48, seed).tolist() for seed in (1, 1, 2)]
    assert all(sorted(order) == list(range(48)) for order in orders)
    assert orders[0] == orders[1] != orders[2]


def test_boxes_change_places_whole() -> None:
    grid = Grid(3, 4, stride=2, field=2)
    picture = torch.arange(2 * 6 * 8).reshape(2, 6, 8)
    order = shuffle.order(12, 3)
    found = shuffle.shuffled(picture, order, grid)
    for place, came in enumerate(order.tolist()):
        top, left, bottom, right = (int(edge) for edge in grid.box(place))
        from_top, from_left, from_bottom, from_right = (int(edge) for edge in grid.box(came))
        assert torch.equal(found[:, top:bottom, left:right], picture[:, from_top:from_bottom, from_left:from_right])
    assert torch.equal(shuffle.shuffled(picture, shuffle.order(12, 0), grid), picture)


def test_what_is_put_back_stands_where_it_came_from() -> None:
    order = torch.tensor([2, 0, 1])
    assert shuffle.put_back(torch.tensor([[10, 20, 30]]), order).tolist() == [[20, 30, 10]]
    values = torch.rand(4, 3)
    assert torch.equal(shuffle.put_back(values[:, order], order), values)


def test_tokens_that_lie_nowhere_stay() -> None:
    assert shuffle.of_tokens(torch.tensor([2, 0, 1]), Grid(1, 3, prefix=2)).tolist() == [0, 1, 4, 2, 3]


@pytest.mark.parametrize(
    ("grid", "count", "why"),
    [
        (Grid(6, 8, stride=1, field=3), 48, "boxes tile the picture"),
        (Grid(6, 8, offset=(1, 0)), 48, "boxes tile the picture"),
        (Grid(3, 4), 12, "boxes tile the picture"),
        (Grid(6, 8), 47, "48 places; the order has 47"),
    ],
)
def test_what_cannot_be_shuffled_is_refused(grid: Grid, count: int, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        shuffle.shuffled(torch.zeros(1, 6, 8), torch.arange(count), grid)
