"""The answers on the validation part after the last epoch of a run: the confused classes, and wrong answers.

    runs/ID/answers.json

A training writes this file next to its curve, for display only. Reading it does not import torch.
"""

from __future__ import annotations

import base64
import binascii
from contextlib import suppress
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError, model_validator

from attnviz import files
from attnviz.recipes.recipe import Strict
from attnviz.training import runs

if TYPE_CHECKING:
    from attnviz.training.loop import Training

FILE = "answers.json"
SHOWN = 24
"""The maximum number of wrong answers to keep, with their pictures."""

CLASSES = 100
"""The maximum number of classes; with more, no file is written."""

_PIXELS = 2**18  # the maximum number of bytes of all pictures together
_LARGEST = 2**21


class Wrong(Strict):
    """A wrong answer: the indices of the picture's class and of the predicted class, and the picture's shape, (row,
    column, channel), and bytes in base64.
    """

    label: int = Field(ge=0)
    answer: int = Field(ge=0)
    shape: tuple[int, int, int]
    pixels: str

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        try:
            size = len(base64.b64decode(self.pixels, validate=True))
        except (binascii.Error, ValueError) as error:
            raise ValueError("its pixels are not base64") from error
        if min(self.shape) < 1 or size != self.shape[0] * self.shape[1] * self.shape[2] or self.shape[2] not in (1, 3):
            raise ValueError("its pixels do not have the shape that it declares")
        return self

    @property
    def picture(self) -> npt.NDArray[np.uint8]:
        """The picture, uint8 (row, column, channel)."""
        return np.frombuffer(base64.b64decode(self.pixels), np.uint8).reshape(self.shape)


class Mistakes(Strict):
    """The answers on the validation part.

    Args:
        epoch: the number of epochs trained before.
        classes: the names of the answers.
        confusion: for each class, the number of times that its pictures got each answer.
        wrong: the first wrong answers.
    """

    epoch: int = Field(gt=0)
    classes: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    wrong: tuple[Wrong, ...]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        count = len(self.classes)
        if len(self.confusion) != count or any(len(row) != count for row in self.confusion):
            raise ValueError("there must be a row and a column for each class")
        if any(max(one.label, one.answer) >= count for one in self.wrong):
            raise ValueError("a wrong answer names a class that does not exist")
        return self


def of(training: Training, classes: tuple[str, ...]) -> Mistakes | None:
    """Return the answers on the validation part after the last epoch, or None if there is no such part, or its targets
    are texts or other classes.
    """
    answered, held_out = training.answered, training.validation
    if answered is None or held_out is None or len(classes) > CLASSES:
        return None
    labels = held_out.targets().cpu()
    count = len(classes)
    if labels.ndim != 1 or labels.shape != answered.shape or int(labels.max()) >= count:
        return None
    confusion = (labels * count + answered).bincount(minlength=count * count).reshape(count, count)
    wanted = (labels != answered).nonzero()[:SHOWN, 0].tolist()
    wrong: list[Wrong] = []
    start = bytes_taken = 0
    for part in held_out.split(512):
        for place in wanted:
            if start <= place < start + len(part):
                picture = part.images[place - start].permute(1, 2, 0).cpu().numpy()
                if (bytes_taken := bytes_taken + picture.nbytes) <= _PIXELS:
                    pixels = base64.b64encode(picture.tobytes()).decode()
                    wrong.append(
                        Wrong(label=int(labels[place]), answer=int(answered[place]), shape=picture.shape, pixels=pixels)
                    )
        start += len(part)
        if not wanted or start > wanted[-1]:
            break
    return Mistakes(
        epoch=training.epoch, classes=classes, confusion=tuple(map(tuple, confusion.tolist())), wrong=tuple(wrong)
    )


def read(run_id: str) -> Mistakes | None:
    """Return the last answers of a run on its validation part, or None if the file is missing or unreadable."""
    with suppress(OSError, ValidationError):
        return Mistakes.model_validate_json(files.read(runs.home(run_id) / FILE, _LARGEST), strict=False)
    return None
