"""Heads of two nets matched by their maps: which head of the one is most like which head of the other.

Source: matching the units of two trainings one to one, by their correlation, is done in "Convergent Learning: Do
Different Neural Networks Learn the Same Representations?", Li, Yosinski, Clune, Lipson and Hopcroft, 2016,
https://arxiv.org/abs/1511.07543, section 3.2; the exact assignment is that of "The Hungarian Method for the Assignment
Problem", Kuhn, 1955, https://doi.org/10.1002/nav.3800020109.

Differs: units are compared by their activations there, heads here by the places that they attend to. The correlation
keeps its sign: a head that looks away from what another looks at is not like it.
"""

import torch
from torch import Tensor

from attnviz.errors import BadInput

FLAT = 1e-6
"""A map that varies by less than this share of its mean is the same everywhere, up to rounding."""


def similarity(one: Tensor, other: Tensor) -> Tensor:
    """Return how alike the maps of every two heads are: their correlation over the places of each picture.

    Args:
        one: (picture, head, place), maps of one net.
        other: (picture, other head, place), of another net on the same pictures.

    Returns:
        float64 (picture, head, other head), -1 (one looks where the other does not) to 1 (the same up to a factor); 0
        where a map is the same everywhere, and so has no pattern.
    """
    if one.ndim != 3 or other.ndim != 3 or one.shape[::2] != other.shape[::2]:
        raise BadInput(
            f"Maps are compared as (picture, head, place) on the same pictures and places, not {tuple(one.shape)} with "
            f"{tuple(other.shape)}."
        )
    return pattern(one.double()) @ pattern(other.double()).mT


def match(alike: Tensor) -> list[tuple[int, int]]:
    """Match heads one to one such that the sum of their similarities is the largest that there is.

    Args:
        alike: (head, other head), such as the mean of `similarity` over pictures.

    Returns:
        Pairs (head, other head), by head; of unequal numbers, every head of the fewer ones has its pair.
    """
    if alike.ndim != 2 or not alike.numel() or not bool(alike.isfinite().all()):
        raise BadInput(f"Heads are matched by finite numbers (head, other head), not by {tuple(alike.shape)}.")
    if alike.shape[0] > alike.shape[1]:
        return sorted((head, other) for other, head in match(alike.mT))
    costs = (-alike).tolist()
    rows, columns = alike.shape
    # Row after row is assigned along the shortest path of exchanges; prices keep all reduced costs at 0 or more.
    of_row, of_column = [0.0] * rows, [0.0] * columns
    owner: list[int | None] = [None] * columns
    for row in range(rows):
        nearest, before = [float("inf")] * columns, [-1] * columns
        reached: set[int] = set()
        current, column = row, -1
        while True:
            for to in set(range(columns)) - reached:
                away = costs[current][to] - of_row[current] - of_column[to]
                if away < nearest[to]:
                    nearest[to], before[to] = away, column
            step, following = min((nearest[to], to) for to in set(range(columns)) - reached)
            of_row[row] += step
            for to in reached:
                of_column[to] -= step
                of_row[owner[to]] += step  # type: ignore[index]  # what was reached has an owner
            nearest = [away - step for away in nearest]
            column = following
            reached.add(column)
            if owner[column] is None:
                break
            current = owner[column]  # type: ignore[assignment]
        while column >= 0:  # hand the columns along the path on
            owner[column] = row if before[column] < 0 else owner[before[column]]
            column = before[column]
    return sorted((row, column) for column, row in enumerate(owner) if row is not None)


def shuffled(maps: Tensor, generator: torch.Generator) -> Tensor:
    """Return maps (picture, head, place) with their places in a random order, another one for each head and picture."""
    order = torch.rand(maps.shape, generator=generator).argsort(-1)
    return maps.gather(-1, order)


def pattern(maps: Tensor) -> Tensor:
    """Return maps, float (..., place), less their mean, of length 1; 0 where they are the same everywhere."""
    mean = maps.mean(-1, keepdim=True)
    centred = maps - mean
    length = centred.norm(dim=-1, keepdim=True)
    flat = length <= FLAT * mean.abs() * maps.shape[-1] ** 0.5
    return torch.where(flat, 0.0, centred / torch.where(flat, 1.0, length))
