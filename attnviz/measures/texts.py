"""Texts that a model outputs, compared with their targets.

Source: the edit distance is that of "Binary codes capable of correcting deletions, insertions, and reversals",
Levenshtein, 1966.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def compared(answers: Tensor, targets: Tensor) -> dict[str, Tensor]:
    """Compare the texts that a model outputs with their targets.

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
    """Return the smallest number of insertions, deletions and changes of symbols that make one text of another."""
    if list(one) == list(other):
        return 0  # so that a test of thousands of right texts costs nothing
    row = list(range(len(other) + 1))
    for place, symbol in enumerate(one, 1):
        diagonal, row[0] = row[0], place
        for column, wanted in enumerate(other, 1):
            change = diagonal + (symbol != wanted)
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, change)
    return row[-1]
