"""The interface of objectives, and classification, which most trainings use."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from attnviz.answers import predicted
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Recipe
from attnviz.training.examples import ExampleSet, as_float

MEASURING_SEED = 0  # for models that sample, so that measurements are repeatable


@dataclass(frozen=True)
class Measure:
    """The meaning of a measured number.

    Args:
        unit: "share", "nats", "count", ...
        better: the direction that is better.
        by_calling: whether it is measured by calling the model. Only then can replacing a part change it, so that it is
            reported for ablations too.
    """

    unit: str
    better: Literal["higher", "lower"]
    by_calling: bool = True


@dataclass(frozen=True)
class Measured:
    """A number measured on examples.

    Args:
        value: the mean over the examples.
        correct: for an accuracy, whether each example was answered correctly: bool (count,), so that two models can be
            compared picture by picture.
        count: the number of examples; None for all.
        answers: for an accuracy, the index of the class predicted for each example: int64 (count,).
    """

    value: float
    correct: Tensor | None = None
    count: int | None = None
    answers: Tensor | None = None


class Objective(ABC):
    """The loss and the measures of a training. Its constructor takes the recipe's `objective_config` as keywords."""

    measures: ClassVar[Mapping[str, Measure]]
    """Everything that `measure` returns. A recipe watches one of these; tests name those for the card."""

    per_step: ClassVar[bool] = False
    """Whether it trains models that predict a distribution per step, on targets that are texts."""

    divisible: bool = True
    """Whether the loss of a batch is the mean over its pictures, so that several processes can share a batch."""

    @abstractmethod
    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        """Return the loss to minimise, under "loss", and any other values for curves, such as a reward.

        Args:
            model: the model, in training mode.
            images: float (batch, channel, row, column) in 0..1.
            labels: int64 (batch,), indices of the classes; (batch, step) if a target is a text.
            generator: the generator for draws, on the CPU, so that it is the same for every device.

        Returns:
            Name -> scalar, each a mean over the batch. Only "loss" needs a gradient. The curve "train_NAME" holds the
            mean of each over an epoch's pictures.
        """

    @abstractmethod
    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        """Measure a model, in evaluation mode, reproducibly and without changing it.

        Args:
            model: the model, on the device of the examples.
            examples: a validation or test part.

        Returns:
            A value for each name in `measures`, except those that cannot be measured on these examples.
        """

    def remark(self, recipe: Recipe, values: Mapping[str, float | None]) -> str | None:
        """Return a sentence for the user if an epoch's values, by curve name, show that something has gone wrong."""
        return None


class Classification(Objective):
    """Cross entropy in nats; binary cross entropy for models of two classes, which return one logit."""

    measures = {"loss": Measure("nats", "lower"), "accuracy": Measure("share", "higher")}

    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        """Return {"loss": the mean cross entropy of a batch, in nats}."""
        return {"loss": loss_of(logits_of(model, images, generator), labels)}

    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        """Return "loss", the mean cross entropy in nats, and "accuracy", 0..1, with the correctness of each example."""
        logits = answers(model, examples)
        labels = examples.targets()
        answered = predicted(logits)
        correct = answered == labels
        return {
            "loss": Measured(float(loss_of(logits.double(), labels))),
            "accuracy": Measured(float(correct.double().mean()), correct.cpu(), answers=answered.cpu()),
        }


def logits_of(model: nn.Module, images: Tensor, generator: torch.Generator) -> Tensor:
    """Return logits, (batch, 1) or (batch, class); a model whose forward takes a generator gets this one."""
    given = {"generator": generator} if "generator" in signature(model.forward).parameters else {}
    logits: Tensor = model(images, **given)
    return logits


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross entropy, in nats, of logits (batch, 1) or (batch, class) and labels (batch,): a scalar."""
    if logits.ndim != 2 or labels.shape != logits.shape[:1]:
        raise BadInput(
            "Classification needs logits (batch, class) and a label for each picture, (batch,), not "
            f"{tuple(logits.shape)} and {tuple(labels.shape)}. Texts need an objective of their own."
        )
    if logits.shape[1] == 1:
        return binary_cross_entropy_with_logits(logits[:, 0], labels.to(logits.dtype))
    return cross_entropy(logits, labels)


def answers(model: nn.Module, examples: ExampleSet, size: int = 256) -> Tensor:
    """Return a model's logits, (count, 1) or (count, class), without changing anything."""
    model.eval()
    generator = torch.Generator().manual_seed(MEASURING_SEED)
    with torch.no_grad():
        return torch.cat([logits_of(model, as_float(part.images), generator) for part in examples.split(size)])
