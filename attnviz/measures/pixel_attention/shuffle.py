"""Shuffle the tokens of a picture, to test whether attention depends on where a token is.

Without positions it does not: attention is equivariant. If `order` holds the token that moves to each position, the
shuffled picture's weights are weights[order][:, order], and its outputs output[order]. A position code stays in place
while the tokens move, and so does a layer with a weight for each position; such models depend on the positions.

"Position" counts the tokens that lie on the picture, row by row from 0. Leading tokens without a position stay.

Source: "Set Transformer", Lee et al., 2019, https://arxiv.org/abs/1810.00825, section 2 and property 1 in 3.1, for
attention without positions.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.attention import normalisers, scores
from attnviz.readings import Grid
from attnviz.tracing import trace

_BLOCK = 128  # queries at a time: the full weights of a head are never stored


@dataclass(frozen=True, eq=False)
class Look:
    """The internals of one attention layer and the logits of the model for one picture.

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


def look(model: nn.Module, picture: Tensor, path: str = "attention") -> Look:
    """Return queries, keys and output of an attention layer, the logits, and the grid of the tokens, for a picture
    (channel, row, column) in 0..1 in the model's precision.
    """
    with torch.no_grad(), trace(model, [f"{path}.{tap}" for tap in ("query", "key", "output")]) as seen:
        logits = model(picture[None])
    query, key, output = (seen[f"{path}.{tap}"].at(batch=0) for tap in ("query", "key", "output"))
    grid = seen[f"{path}.query"].grid
    if grid is None:
        raise BadInput(f"{path} does not record where its tokens lie, so they cannot be shuffled.")
    return Look(query, key, output, logits, grid)


def order(places: int, seed: int) -> Tensor:
    """Return the position whose token moves to each of `places` positions: int64 (position,), a permutation. The seed 0
    leaves everything in place.
    """
    if not seed:
        return torch.arange(places)
    return torch.randperm(places, generator=torch.Generator().manual_seed(seed))


def shuffled(picture: Tensor, order: Tensor, grid: Grid) -> Tensor:
    """Return a picture (channel, row, column) whose tokens, boxes of pixels that must tile it, are permuted by `order`.
    The pixels inside a box do not move.
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
    boxes = boxes.permute(1, 3, 0, 2, 4).flatten(0, 1)[order]  # (position, channel, side, side)
    moved = boxes.unflatten(0, (grid.rows, grid.columns)).permute(2, 0, 3, 1, 4)
    found: Tensor = moved.flatten(3, 4).flatten(1, 2)
    return found


def of_tokens(order: Tensor, grid: Grid) -> Tensor:
    """Return an order of positions, see `order`, as an order of tokens, int64 (token,). Tokens without a position come
    first and stay.
    """
    return torch.cat([torch.arange(grid.prefix), order + grid.prefix])


def put_back(values: Tensor, order: Tensor) -> Tensor:
    """Return values (..., token) of the shuffled picture in the order of the unshuffled one, given the order of its
    tokens.
    """
    found = torch.empty_like(values)
    found[..., order] = values
    return found


def received(seen: Look, head: int | None = None, query: int | None = None) -> Tensor:
    """Return the weight that each token receives, float (token,) in 0..1, from one query or on average over all (None),
    in one head or on average over all (None).
    """
    heads = slice(None) if head is None else slice(head, head + 1)
    queries, keys = seen.query[heads], seen.key[heads]
    if query is None:
        return torch.from_numpy(normalisers(queries, keys)[1]).mean(0)
    rows = scores(queries[:, [query]], keys)  # (head, 1, key)
    return rows.softmax(-1)[:, 0].mean(0)


def differences(before: Look, after: Look, order: Tensor) -> tuple[Floats, float]:
    """Return the largest differences of weights and outputs after they are put back in place.

    Both are 0 up to rounding if the attention does not depend on the positions.

    Args:
        before, after: for the original picture, and for the shuffled one.
        order: int (token,), see `of_tokens`.

    Returns:
        (head,): largest absolute difference of a weight, over all pairs.
        The largest absolute difference of a number of the layer's output.
    """
    found = before.query.new_zeros(len(before.query))
    for head in range(len(found)):
        for start in range(0, len(order), _BLOCK):
            moved = order[start : start + _BLOCK]  # the queries in these positions now
            weights = scores(before.query[head, moved], before.key[head]).softmax(-1)
            moved = scores(after.query[head, start : start + _BLOCK], after.key[head]).softmax(-1)
            found[head] = torch.maximum(found[head], moved.sub_(weights.index_select(1, order)).abs_().max())
    return found.double().numpy(), float((put_back(after.output.mT, order) - before.output.mT).abs().max())
