"""The card of a checkpoint: what it is, how it was made, and what it reaches. Reading cards costs no torch."""

import base64
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from attnviz.errors import CheckpointError, UnknownName
from attnviz.files import reason
from attnviz.recipes.recipe import Augmentation, Recipe, Strict, Test


class Figure(Strict):
    """One measured number.

    Args:
        name: of what, such as accuracy.
        data, split, count: measured on so many pictures of which part of which data set.
        value: of the shipped weights.
        mean, lowest, highest: over the seeds.
        seeds: how many.
        augmentation, draws: it was measured on so many variants of each of `count / draws` pictures.
        right: which pictures the shipped weights answered rightly, a bit each in the order of the pictures (of all in
            the first draw, then the second), packed and in base64: so two models can be compared picture by picture.
    """

    name: str
    data: str
    split: str
    count: int
    value: float
    mean: float
    lowest: float
    highest: float
    seeds: int
    augmentation: Augmentation | None = None
    draws: int = 1
    right: str

    def unpacked(self) -> npt.NDArray[np.bool_]:
        """Return which pictures were answered rightly: bool (count,)."""
        bits = np.frombuffer(base64.b64decode(self.right), np.uint8)
        return np.unpackbits(bits, count=self.count).astype(bool)


def packed(right: npt.NDArray[np.bool_]) -> str:
    """Return what `Figure.right` holds, for bool (count,)."""
    return base64.b64encode(np.packbits(right).tobytes()).decode()


class SeedRun(Strict):
    """The training of one seed: where it stopped, and its curve as (train loss, validation loss, accuracy) an epoch."""

    seed: int
    best_epoch: int
    validation_loss: float
    curve: tuple[tuple[float, float, float], ...]


class Example(Strict):
    """Logits of a few drawn digits, to see that the weights still say what they said.

    Args:
        version, seed, digits: of the `strokes` that were drawn.
        logits: (digit, column).
    """

    version: int
    seed: int
    digits: tuple[int, ...]
    logits: tuple[tuple[float, ...], ...]


class Card(Strict):
    """All there is to know about a checkpoint.

    Args:
        name: MODEL.RECIPE.
        recipe, config: how it was trained, and what the model was built from, in full.
        classes: the names of the answers, in the order of the logits.
        parameters: how many numbers were learnt.
        data_digest: sha256 of the training part (pixels and labels).
        weights_digest: sha256 of weights.safetensors.
        seed: the one whose weights are shipped: the smallest validation loss of all.
        runs: every seed's training.
        figures: what was measured, once, after everything was chosen.
        example: logits of drawn digits.
        seconds: of all trainings together.
        device, threads, versions: what it was made with.
        command: makes it again.
    """

    name: str
    recipe: Recipe
    config: dict[str, Any]
    classes: tuple[str, ...]
    parameters: int
    data_digest: str
    weights_digest: str
    seed: int
    runs: tuple[SeedRun, ...]
    figures: tuple[Figure, ...]
    example: Example
    seconds: float
    device: str
    threads: int
    versions: dict[str, str]
    command: str

    def figure(self, test: Test, name: str = "accuracy") -> Figure | None:
        """Return what was measured in a test, or None."""
        asked = name, test.data, test.split, test.augmentation
        return next((f for f in self.figures if (f.name, f.data, f.split, f.augmentation) == asked), None)


def folder() -> Path:
    """Return where the checkpoints lie: `ATTNVIZ_CHECKPOINTS`, else the folder of the repository."""
    return Path(os.environ.get("ATTNVIZ_CHECKPOINTS") or Path(__file__).parent.parent / "checkpoints")


def names() -> list[str]:
    """Return the names of all checkpoints, in alphabetical order."""
    return sorted(path.parent.name for path in folder().glob("*/card.json"))


def read(name: str) -> Card:
    """Read a checkpoint's card.

    Raises:
        UnknownName: there is no checkpoint of that name; the closest ones are listed.
        CheckpointError: its card cannot be read, or is not a card.
    """
    if name not in names():
        raise UnknownName("checkpoint", name, names())
    path = folder() / name / "card.json"
    try:
        return Card.model_validate_json(path.read_bytes(), strict=False)
    except OSError as error:
        raise CheckpointError(f"The card {path} cannot be read: {reason(error)}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise CheckpointError(
            f"{path} is not a card of this version of attnviz: {place}: {first['msg']}. "
            "Train the checkpoint again, or take back the committed folder."
        ) from error
