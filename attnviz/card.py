"""The contents of a model card: what a checkpoint is, how it was made, and how accurate it is. Needs no torch."""

import base64
import binascii
import math
from operator import attrgetter
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from attnviz.recipes.recipe import Augmentation, Recipe, Settings, Strict, Test

Unit = str

"""The unit of a figure: "share" (0..1, shown as a percentage), "nats", "count", ..."""


class Figure(Strict):
    """One measured number.

    Args:
        name: what was measured, such as accuracy.
        unit, better: the unit, and the direction that is better.
        data, split, count: the data set, its split, and the number of pictures.
        value: the figure of the shipped weights.
        mean, lowest, highest: over the seeds.
        seeds: the number of seeds.
        per_seed: the value of each seed, in the order of the card's runs, so that two models can be compared in pairs;
            None on cards written before these values were kept.
        augmentation, draws: the figure was measured on `draws` variants of each of `count / draws` pictures.
        right: for an accuracy, which pictures the shipped weights answered correctly, one bit each in the order of the
            pictures (all of the first draw, then the second), packed and in base64, so that two models can be compared
            picture by picture. None if the figure is not a share of pictures.
        right_per_seed: the same for each seed, in the order of `per_seed`, so that a difference can be told from chance
            in seeds and pictures. None if the answers of any seed are unknown.
    """

    name: str
    unit: Unit = "share"
    better: Literal["higher", "lower"] = "higher"
    data: str
    split: str
    count: int = Field(gt=0)
    value: float
    mean: float
    lowest: float
    highest: float
    seeds: int = Field(gt=0)
    per_seed: tuple[float, ...] | None = None
    augmentation: Augmentation | None = None
    draws: int = Field(default=1, gt=0)
    right: str | None = None
    right_per_seed: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        slack = 1e-9 * max(
            1.0, abs(self.lowest), abs(self.highest)
        )  # a mean of equal numbers can differ in the last bit
        inside = (self.lowest - slack <= value <= self.highest + slack for value in (self.mean, self.value))
        if not all(inside):
            raise ValueError("its value and mean must lie between its lowest and its highest")
        if self.unit == "share" and not -slack <= self.lowest <= self.highest <= 1 + slack:
            raise ValueError("a share must lie between 0 and 1")
        if self.count % self.draws:
            raise ValueError(f"{self.count} pictures are not {self.draws} draws of the same ones")
        if self.per_seed is not None:
            told = len(self.per_seed), min(self.per_seed, default=0.0), max(self.per_seed, default=0.0)
            if told != (self.seeds, self.lowest, self.highest) or self.value not in self.per_seed:
                raise ValueError("its values per seed disagree with its number of seeds, lowest, highest or value")
        if self.right is not None:
            self._holds(self.right, self.value, "right")
        if self.right_per_seed is not None:
            if self.per_seed is None or len(self.right_per_seed) != self.seeds:
                raise ValueError("'right_per_seed' must hold the answers of each seed, beside its value")
            for right, value in zip(self.right_per_seed, self.per_seed, strict=True):
                self._holds(right, value, "right_per_seed")
        return self

    def _holds(self, right: str, value: float, name: str) -> None:
        """Refuse packed answers that do not match a value."""
        try:
            bits = len(base64.b64decode(right, validate=True))
        except (binascii.Error, ValueError) as error:
            raise ValueError(f"{name!r} is not base64") from error
        if bits != -(-self.count // 8):
            raise ValueError(f"{name!r} must hold a bit for each of {self.count} pictures")
        if not math.isclose(float(_unpacked(right, self.count).mean()), value, rel_tol=0, abs_tol=1e-9):
            raise ValueError(f"{name!r} and 'value' disagree")

    def measures(self, test: Test, name: str) -> bool:
        """Return whether this is the figure `name` of a test, on as many pictures as the test requires."""
        asked = name, test.data, test.split, test.augmentation
        same = (self.name, self.data, self.split, self.augmentation) == asked
        return same and test.count in (None, self.count)

    def unpacked(self) -> npt.NDArray[np.bool_]:
        """Return which pictures were answered correctly: bool (count,)."""
        return _unpacked(self.right or "", self.count)

    def answers(self) -> npt.NDArray[np.float64] | None:
        """Return the share of a picture's variants that each seed got right: (seed, picture), 0..1; None if unknown."""
        each = self.right_per_seed
        if each is None and self.seeds == 1 and self.right is not None:
            each = (self.right,)
        if each is None:
            return None
        bits = np.stack([_unpacked(right, self.count) for right in each])
        shares: npt.NDArray[np.float64] = bits.reshape(len(each), self.draws, -1).mean(1)
        return shares


def _unpacked(right: str, count: int) -> npt.NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(base64.b64decode(right), np.uint8), count=count).astype(bool)


def packed(right: npt.NDArray[np.bool_]) -> str:
    """Pack bool (count,) into the form of `Figure.right`."""
    return base64.b64encode(np.packbits(right).tobytes()).decode()


class Ablated(Strict):
    """Figures of the trained model on the recipe's tests, with a part replaced according to one of its recipe's
    `ablations`; the title names that part in words.
    """

    name: str
    of: str
    title: str
    figures: tuple[Figure, ...]


class SeedRun(Strict):
    """The training of one seed: the epoch, from 1, whose weights were kept, and the curves by name ("train_loss",
    "validation_loss", ..., and the recipe's probes), with a value per epoch, or None if it was not finite.
    """

    seed: int
    epoch: int = Field(gt=0)
    curve: dict[str, tuple[float | None, ...]]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        lengths = {len(values) for values in self.curve.values()}
        if len(lengths) != 1 or self.epoch > lengths.pop():
            raise ValueError("its curves must have a value per epoch, and the kept epoch must be one of them")
        return self

    def kept(self, name: str) -> float | None:
        """Return the value of a curve at the epoch whose weights were kept, or None if there is no such curve."""
        return self.curve[name][self.epoch - 1] if name in self.curve else None


class Example(Strict):
    """Logits of a few built-in pictures, to check that the weights still give the same answers.

    Args:
        data, labels, seed: pictures with these labels, either from `strokes`, drawn with this seed, or the first
            samples of another data set, without a seed.
        digest: sha256 of the pictures as given to the model.
        logits: (picture, column).
    """

    data: str
    labels: tuple[int, ...]
    seed: int | None
    digest: str
    logits: tuple[tuple[float, ...], ...]


class Card(Strict):
    """Everything that is known about a checkpoint.

    Args:
        name: MODEL.RECIPE.
        recipe, config: how it was trained, and the complete configuration of the model.
        classes: the names of the answers, in the order of the logits.
        parameters: the number of learnt parameters.
        data_digest: sha256 of the training part (pixels and labels).
        weights_digest: sha256 of weights.safetensors.
        seed: the seed whose weights are shipped: the best on the validation part, or the lowest if there is none.
        runs: every seed's training.
        figures: the results on the tests, measured once, after all choices were made.
        ablations: the results with parts of the model replaced.
        example: logits of built-in pictures; None if no built-in pictures suit the model.
        seconds: the wall-clock time of all trainings together.
        core_seconds: their CPU time; None on a GPU, with several processes, or if the version did not measure it.
        device, threads, versions: what it was trained with.
        command: the command that trains it again.
    """

    name: str
    recipe: Recipe
    config: Settings
    classes: tuple[str, ...]
    parameters: int
    data_digest: str
    weights_digest: str
    seed: int
    runs: tuple[SeedRun, ...]
    figures: tuple[Figure, ...]
    ablations: tuple[Ablated, ...] = ()
    example: Example | None
    seconds: float
    core_seconds: float | None = None
    device: str
    threads: int
    versions: dict[str, str]
    command: str

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        known = [run.seed for run in self.runs]
        if self.seed not in known or len(set(known)) < len(known):
            raise ValueError("its seed must be that of one of its runs, and no two runs may have the same")
        return self

    def figure(self, test: Test, name: str = "accuracy") -> Figure | None:
        """Return the figure of a test, or None. For a test on all pictures, it is the figure on the most pictures."""
        return max(
            (figure for figure in self.figures if figure.measures(test, name)), key=attrgetter("count"), default=None
        )
