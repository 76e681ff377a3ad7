"""Texts that a model says, compared with those that it should say, and what chance alone would give.

Source: the edit distance is that of "Binary codes capable of correcting deletions, insertions, and reversals",
Levenshtein, 1966.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def compared(answers: Tensor, targets: Tensor) -> dict[str, Tensor]:
    """Compare what a model says with what it should say.

    Args:
        answers: int64 (batch, any number of steps), symbols.
        targets: int64 (batch, length + 1); the last symbol of each ends the text, and stands nowhere else in it.

    Returns:
        "accuracy", bool (batch,): the text is right to the end; "digits", bool (batch, length): the right symbol stands
        at a place; "stopped", bool (batch,): it ends where it should; "distance", float64 (batch,): its `edit_distance`
        over its length.
    """
    stop, length = targets[:, -1:], targets.shape[1] - 1
    missing = max(targets.shape[1] - answers.shape[1], 0)
    full = torch.cat([answers, stop.expand(-1, missing)], 1)
    before = ~(full == stop).cumsum(1).bool()  # places before the first stop symbol
    kept = torch.where(before, full, stop)  # what follows it counts for nothing
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
    """Return the smallest number of insertions, deletions and changes that make one text of another.

    Args:
        one, other: symbols.
    """
    if list(one) == list(other):
        return 0  # so that a test of thousands of right texts costs nothing
    row = list(range(len(other) + 1))
    for place, symbol in enumerate(one, 1):
        diagonal, row[0] = row[0], place
        for column, wanted in enumerate(other, 1):
            change = diagonal + (symbol != wanted)
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, change)
    return row[-1]


def all_right(share: float, length: int) -> float:
    """Return how often a text is right throughout if its symbols are right independently of one another.

    Beside the share of texts that are right it says whether long ones are harder than their length alone makes them.

    Args:
        share: of symbols that are right, 0..1.
        length: of the text.
    """
    return float(share**length)


def guessing_sorted(length: int, symbols: int = 10) -> float:
    """Return how often a symbol of a sorted text is right if it is guessed without looking.

    At each place the best guess is the symbol that stands there most often among all texts of that length, whose
    symbols are drawn evenly and independently.

    Args:
        length: of the text, at least 1.
        symbols: how many there are.

    Returns:
        The mean over the places, 0..1.
    """
    total = 0.0
    for place in range(length):
        # The symbol at a place is at most d if more than `place` of all symbols are.
        at_most = [_at_least(length, place + 1, (one + 1) / symbols) for one in range(symbols)]
        total += max(here - below for here, below in zip(at_most, [0.0, *at_most[:-1]], strict=True))
    return total / length


def _at_least(draws: int, count: int, share: float) -> float:
    """Return the probability that at least so many of some independent draws succeed."""
    return sum(math.comb(draws, k) * share**k * (1 - share) ** (draws - k) for k in range(count, draws + 1))
