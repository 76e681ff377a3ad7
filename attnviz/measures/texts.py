"""Texts that a model outputs, compared with their targets, and the accuracy of guessing sorted digits.

Source: the edit distance is from "Binary codes capable of correcting deletions, insertions, and reversals",
Levenshtein, 1966.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import comb, factorial

import torch
from torch import Tensor


def compared(answers: Tensor, targets: Tensor) -> dict[str, Tensor]:
    """Compare the texts that a model outputs with their targets.

    Args:
        answers: int64 (batch, any number of steps), symbols.
        targets: int64 (batch, length + 1); the last symbol of each ends the text and occurs nowhere else in it.

    Returns:
        "accuracy", bool (batch,): the whole text is right; "digits", bool (batch, length): the symbol at a position is
        right; "stopped", bool (batch,): the text ends where it should; "distance", float64 (batch,): its
        `edit_distance` divided by its length.
    """
    stop, length = targets[:, -1:], targets.shape[1] - 1
    missing = max(targets.shape[1] - answers.shape[1], 0)
    full = torch.cat([answers, stop.expand(-1, missing)], 1)
    before = ~(full == stop).cumsum(1).bool()  # positions before the first stop symbol
    kept = torch.where(before, full, stop)  # ignore what follows it
    lengths = before.sum(1)
    texts = zip(kept.tolist(), lengths.tolist(), targets[:, :-1].tolist(), strict=True)
    distances = [edit_distance(one[:end], other) / max(length, 1) for one, end, other in texts]
    return {
        "accuracy": (kept[:, : length + 1] == targets).all(1),
        "digits": kept[:, :length] == targets[:, :length],
        "stopped": lengths == length,
        "distance": torch.tensor(distances, dtype=torch.float64, device=answers.device),
    }


def edit_distance(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the smallest number of insertions, deletions and changes of symbols that turn one text into another."""
    if list(one) == list(other):
        return 0  # a shortcut for tests with thousands of right texts
    row = list(range(len(other) + 1))
    for place, symbol in enumerate(one, 1):
        diagonal, row[0] = row[0], place
        for column, wanted in enumerate(other, 1):
            change = diagonal + (symbol != wanted)
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, change)
    return row[-1]


DIGITS = 10


def guessed_by_place(length: int) -> float:
    """Return the share of positions in texts of `length` digits that guessing the most probable digit gets right."""
    return sum(max(_at(place, length)) for place in range(length)) / length


def guessed_whole(length: int) -> float:
    """Return the probability that a guess of the most probable text of `length` digits is entirely right."""
    each, more = divmod(length, DIGITS)  # how often a digit occurs in the most probable text
    orders: int = factorial(length) // (factorial(each) ** (DIGITS - more) * factorial(each + 1) ** more)
    return float(orders / DIGITS**length)


def _at(place: int, length: int) -> list[float]:
    """Return the probability of each digit at a position of a sorted text."""

    def up_to(digit: int) -> float:  # probability that at least place + 1 digits are at most this one
        share = (digit + 1) / DIGITS
        counts = range(place + 1, length + 1)
        return sum(comb(length, count) * share**count * (1 - share) ** (length - count) for count in counts)

    return [high - low for low, high in pairwise([0.0, *map(up_to, range(DIGITS))])]
