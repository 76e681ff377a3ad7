"""Shuffle the tokens of a picture: does attention notice where a token is?

Without positions it does not: attention is equivariant. Where `order` says which token comes to each place, the
shuffled picture's weights are weights[order][:, order], and its outputs output[order]. A position code stays where it
is while the tokens move, and so does a layer that has a weight for each place: these notice.

"Place" counts the tokens that lie on the picture, row by row from 0; leading tokens that lie nowhere stay.

Source: "Set Transformer", Lee et al., 2019, https://arxiv.org/abs/1810.00825, section 2 and property 1 in 3.1, of
attention without positions.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.measures.attention import normalisers, scores
from attnviz.readings import Grid
from attnviz.tracing import trace

Array = npt.NDArray[np.float64]

_BLOCK = 128  # queries at a time: no head's weights are ever held in full


@dataclass(frozen=True, eq=False)
class Look:
    """What one attention layer, and the whole model, give for one picture.

    Args:
        query, key: (head, token, size)
        output: (token, feature)
        logits: (1, column)
        grid: where the tokens lie.
    """

    query: Tensor
    key: Tensor
    output: Tensor
    logits: Tensor
    grid: Grid


def look(model: nn.Module, picture: Tensor, address: str = "attention") -> Look:
    """Return what an attention layer and the model give for a picture.

    Args:
        model: in evaluation mode.
        picture: float (channel, row, column) in 0..1, of the model's precision.
        address: of its attention layer.

    Returns:
        Queries, keys and output of the layer, the logits, and the grid of the tokens.
    """
    with torch.no_grad(), trace(model, [f"{address}.{tap}" for tap in ("query", "key", "output")]) as seen:
        logits = model(picture[None])
    query, key, output = (seen[f"{address}.{tap}"].at(batch=0) for tap in ("query", "key", "output"))
    grid = seen[f"{address}.query"].grid
    if grid is None:
        raise BadInput(f"{address} does not record where its tokens lie, so they cannot be shuffled.")
    return Look(query, key, output, logits, grid)


def order(places: int, seed: int) -> Tensor:
    """Return which place's token comes to each place: int (place,), a permutation.

    Args:
        places: how many there are.
        seed: of the permutation; 0 leaves all as it is.

    Returns:
        int64 (place,).
    """
    if not seed:
        return torch.arange(places)
    return torch.randperm(places, generator=torch.Generator().manual_seed(seed))


def shuffled(picture: Tensor, order: Tensor, grid: Grid) -> Tensor:
    """Return a picture whose tokens, boxes of pixels, have changed places; inside a box all stays.

    Args:
        picture: (channel, row, column)
        order: int (place,), see `order`.
        grid: where the tokens lie; their boxes must tile the picture.

    Returns:
        float (channel, row, column).
    """
    side = int(grid.field)
    _, rows, columns = picture.shape
    tiles = grid.field == grid.stride == side and grid.offset == (0.0, 0.0)
    if not tiles or (rows, columns) != (grid.rows * side, grid.columns * side):
        raise BadInput(
            f"Tokens can be shuffled only where their boxes tile the picture: {grid} and {rows} x {columns}."
        )
    if len(order) != grid.rows * grid.columns:
        raise BadInput(f"There are {grid.rows * grid.columns} places; the order has {len(order)}.")
    boxes = picture.unflatten(2, (grid.columns, side)).unflatten(1, (grid.rows, side))  # (channel, R, side, C, side)
    boxes = boxes.permute(1, 3, 0, 2, 4).flatten(0, 1)[order]  # (place, channel, side, side)
    moved = boxes.unflatten(0, (grid.rows, grid.columns)).permute(2, 0, 3, 1, 4)
    found: Tensor = moved.flatten(3, 4).flatten(1, 2)
    return found


def of_tokens(order: Tensor, grid: Grid) -> Tensor:
    """Return an order of places as an order of tokens: those without a place come first, and stay.

    Args:
        order: int (place,), see `order`.
        grid: where the tokens lie.

    Returns:
        int64 (token,), a permutation.
    """
    return torch.cat([torch.arange(grid.prefix), order + grid.prefix])


def put_back(values: Tensor, order: Tensor) -> Tensor:
    """Return values in the order of the unshuffled picture: (..., token), what stood at each token before the shuffle.

    Args:
        values: (..., token), of the shuffled picture.
        order: int (token,), see `of_tokens`.
    """
    found = torch.empty_like(values)
    found[..., order] = values
    return found


def received(seen: Look, head: int | None = None, query: int | None = None) -> Tensor:
    """Return the weight that each token receives: float (token,) in 0..1.

    Args:
        seen: of a picture.
        head: None for the mean of all.
        query: the token that gives it; None for the mean over all.
    """
    heads = slice(None) if head is None else slice(head, head + 1)
    queries, keys = seen.query[heads], seen.key[heads]
    if query is None:
        return torch.from_numpy(normalisers(queries, keys)[1]).mean(0)
    rows = scores(queries[:, [query]], keys)  # (head, 1, key)
    return rows.softmax(-1)[:, 0].mean(0)


def differences(before: Look, after: Look, order: Tensor) -> tuple[Array, float]:
    """Return by how much weights and outputs differ, at most, once they are put back in place.

    Both are 0 but for rounding where the attention does not notice the shuffle.

    Args:
        before, after: of the picture as it is, and shuffled.
        order: int (token,), see `of_tokens`.

    Returns:
        (head,): largest absolute difference of a weight, over all pairs.
        The largest of a number of the layer's output.
    """
    found = before.query.new_zeros(len(before.query))
    for head in range(len(found)):
        for start in range(0, len(order), _BLOCK):
            moved = order[start : start + _BLOCK]  # which queries stand there now
            weights = scores(before.query[head, moved], before.key[head]).softmax(-1)
            moved = scores(after.query[head, start : start + _BLOCK], after.key[head]).softmax(-1)
            found[head] = torch.maximum(found[head], moved.sub_(weights.index_select(1, order)).abs_().max())
    return found.double().numpy(), float((put_back(after.output.mT, order) - before.output.mT).abs().max())
