"""Match the heads of two nets by their maps: which head of one net is most similar to which head of the other.

Source: matching the units of two trainings one to one by correlation is from "Convergent Learning: Do Different Neural
Networks Learn the Same Representations?", Li, Yosinski, Clune, Lipson and Hopcroft, 2016,
https://arxiv.org/abs/1511.07543, section 3.2; the exact assignment is from "The Hungarian Method for the Assignment
Problem", Kuhn, 1955, https://doi.org/10.1002/nav.3800020109.

Differences: the paper compares units by their activations; here heads are compared by the positions they attend to. The
correlation keeps its sign, so a head that avoids what another attends to is not similar to it.
"""

import torch
from torch import Tensor

from attnviz.errors import BadInput

FLAT = 1e-6
"""A map that varies by less than this share of its mean counts as constant, up to rounding."""


def similarity(one: Tensor, other: Tensor) -> Tensor:
    """Return the similarity of the maps of every two heads: their correlation over the positions of each picture.

    Args:
        one: (picture, head, position), maps of one net.
        other: (picture, other head, position), maps of another net for the same pictures.

    Returns:
        float64 (picture, head, other head), from -1 (one attends where the other does not) to 1 (equal up to a factor);
        0 if a map is constant and therefore has no pattern.
    """
    if one.ndim != 3 or other.ndim != 3 or one.shape[::2] != other.shape[::2]:
        raise BadInput(
            f"Maps are compared as (picture, head, place) on the same pictures and places, not {tuple(one.shape)} with "
            f"{tuple(other.shape)}."
        )
    return pattern(one.double()) @ pattern(other.double()).mT


def match(alike: Tensor) -> list[tuple[int, int]]:
    """Match heads one to one such that the sum of their similarities is as large as possible.

    Args:
        alike: (head, other head), such as the mean of `similarity` over pictures.

    Returns:
        Pairs (head, other head), by head. If the numbers differ, every head of the smaller net has a pair.
    """
    if alike.ndim != 2 or not alike.numel() or not bool(alike.isfinite().all()):
        raise BadInput(f"Heads are matched by finite numbers (head, other head), not by {tuple(alike.shape)}.")
    if alike.shape[0] > alike.shape[1]:
        return sorted((head, other) for other, head in match(alike.mT))
    costs = (-alike).tolist()
    rows, columns = alike.shape
    # Each row is assigned along the shortest augmenting path; prices keep all reduced costs at 0 or more.
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
        while column >= 0:  # reassign the columns along the path
            owner[column] = row if before[column] < 0 else owner[before[column]]
            column = before[column]
    return sorted((row, column) for column, row in enumerate(owner) if row is not None)


def shuffled(maps: Tensor, generator: torch.Generator) -> Tensor:
    """Return maps (picture, head, position) with positions in random order, different for each head and picture."""
    order = torch.rand(maps.shape, generator=generator).argsort(-1)
    return maps.gather(-1, order)


def pattern(maps: Tensor) -> Tensor:
    """Return maps, float (..., position), with mean 0 and length 1; 0 if they are constant."""
    mean = maps.mean(-1, keepdim=True)
    centred = maps - mean
    length = centred.norm(dim=-1, keepdim=True)
    flat = length <= FLAT * mean.abs() * maps.shape[-1] ** 0.5
    return torch.where(flat, 0.0, centred / torch.where(flat, 1.0, length))
