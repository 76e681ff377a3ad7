"""The events of a training. Importing this costs no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Resumed:
    """A run resumes: this many epochs are done, perhaps all of them; `note` says in sentences which newer states could
    not be read.
    """

    epoch: int
    finished: bool
    note: str = ""


@dataclass(frozen=True)
class Step:
    """A batch is done: `done` of `total` in this epoch."""

    done: int
    total: int


@dataclass(frozen=True)
class Epoch:
    """An epoch is done: a line of the curve.

    Args:
        epoch: its number, from 1.
        values: by name: "train_loss" and whatever else the objective's loss gave, means over the epoch's pictures
            while the weights changed; "validation_loss" and all else that the objective measures, afterwards, on the
            validation part; and the recipe's probes. None where a probe's value is not a finite number.
    """

    epoch: int
    values: dict[str, float | None]
