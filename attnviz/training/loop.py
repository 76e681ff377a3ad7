"""The training loop. It knows nothing of files: model, data and recipe in, events out, and a state to go on from."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from attnviz.data.augment import augment
from attnviz.errors import RunError
from attnviz.recipes.recipe import Augmentation, Recipe

WARM_UP = 0.05  # share of all steps over which a cosine schedule rises


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
        train_loss: mean over the epoch's batches, while the weights changed.
        validation_loss, validation_accuracy: afterwards, on the validation part.
    """

    epoch: int
    train_loss: float
    validation_loss: float
    validation_accuracy: float


@dataclass(frozen=True)
class Examples:
    """Pictures and labels as they lie on the device.

    Args:
        images: uint8 (count, channel, row, column).
        labels: int64 (count,).
    """

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self, size: int, order: Tensor | None = None) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield float pictures in 0..1 and labels, `size` at a time, in the given order of indices or as they lie."""
        for chosen in (torch.arange(len(self)) if order is None else order).split(size):
            chosen = chosen.to(self.labels.device)
            yield as_float(self.images[chosen]), self.labels[chosen]

    def variants(self, augmentation: Augmentation, generator: torch.Generator) -> "Examples":
        """Return one random variant of each, with its label."""
        return Examples(augment(self.images, generator, **augmentation.model_dump()), self.labels)

    def __add__(self, other: "Examples") -> "Examples":
        return Examples(torch.cat([self.images, other.images]), torch.cat([self.labels, other.labels]))


class Training:
    """One training of one model, that can be stopped after any epoch and gone on with from its state.

    Args:
        model: with fresh weights, on the device.
        recipe: how to train it.
        train, validation: on the same device.
        generator: decides the order of the pictures and their variants; on the CPU, so that it is the same for every
            device.
    """

    def __init__(
        self, model: nn.Module, recipe: Recipe, train: Examples, validation: Examples, generator: torch.Generator
    ) -> None:
        self.model, self.recipe, self.train, self.validation = model, recipe, train, validation
        self.generator = generator
        self.optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
        self.epoch = self.best_epoch = 0
        self.best_loss = float("inf")
        self.best = {name: tensor.clone() for name, tensor in model.state_dict().items()}

    @property
    def finished(self) -> bool:
        """Whether all epochs are done, or the validation loss has not fallen for `patience` of them."""
        return self.epoch >= self.recipe.epochs or self.epoch - self.best_epoch >= self.recipe.patience

    def run(self) -> Iterator[Step | Epoch]:
        """Train until finished, one event a batch and one an epoch. The state may be taken after an `Epoch`.

        Raises:
            RunError: the validation loss is not a finite number.
        """
        while not self.finished:
            total = torch.zeros((), device=self.train.labels.device)
            shown = len(self.train) * (1 if self.recipe.augmentation is None else 2)
            order = torch.randperm(shown, generator=self.generator)
            steps = -(-shown // self.recipe.batch)
            self.model.train()
            for step, chosen in enumerate(order.split(self.recipe.batch), 1):
                for group in self.optimiser.param_groups:
                    group["lr"] = self.rate((self.epoch * steps + step) / (self.recipe.epochs * steps))
                batch = self._batch(chosen)
                loss = loss_of(self.model(as_float(batch.images)), batch.labels)
                self.optimiser.zero_grad()
                loss.backward()
                self.optimiser.step()
                total += loss.detach() * len(batch)
                yield Step(step, steps)
            self.epoch += 1
            validation_loss, accuracy = measure(self.model, self.validation)
            if not math.isfinite(validation_loss):
                raise RunError(
                    f"After epoch {self.epoch} the validation loss is {validation_loss}: the training has diverged. "
                    "Lower the recipe's learning rate."
                )
            if validation_loss < self.best_loss:
                self.best_loss, self.best_epoch = validation_loss, self.epoch
                self.best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
            yield Epoch(self.epoch, float(total) / shown, validation_loss, accuracy)

    def rate(self, progress: float) -> float:
        """Return the learning rate when so much, 0..1, of all steps that there could be is done."""
        peak = self.recipe.learning_rate
        if self.recipe.schedule == "constant":
            return peak
        if progress < WARM_UP:
            return peak * progress / WARM_UP
        return peak * (1 + math.cos(math.pi * (progress - WARM_UP) / (1 - WARM_UP))) / 2

    def _batch(self, chosen: Tensor) -> Examples:
        """Return pictures by their number in this epoch: from the number of pictures on, it is a variant of one."""
        chosen = chosen.to(self.train.labels.device)
        plain, varied = chosen[chosen < len(self.train)], chosen[chosen >= len(self.train)] - len(self.train)
        batch = Examples(self.train.images[plain], self.train.labels[plain])
        if self.recipe.augmentation is None:
            return batch
        found = Examples(self.train.images[varied], self.train.labels[varied])
        return batch + found.variants(self.recipe.augmentation, self.generator)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that is needed to go on as if nothing had happened: tensors by name, and plain numbers."""
        tensors = {f"weights/{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"best/{name}": tensor for name, tensor in self.best.items()}
        for index, entries in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser/{index}/{name}": tensor for name, tensor in entries.items()}
        tensors["generator"] = self.generator.get_state()
        tensors = {name: tensor.clone() for name, tensor in tensors.items()}  # training on must not change them
        return tensors, {"epoch": self.epoch, "best_epoch": self.best_epoch, "best_loss": self.best_loss}

    def restore(self, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> None:
        """Take up a state that `state` gave."""
        parts: dict[str, dict[str, Tensor]] = {"weights": {}, "best": {}, "optimiser": {}}
        for name, tensor in tensors.items():
            if name != "generator":
                part, _, rest = name.partition("/")
                parts[part][rest] = tensor
        self.model.load_state_dict(parts["weights"])
        self.best = parts["best"]
        optimiser = self.optimiser.state_dict()
        for name, tensor in parts["optimiser"].items():
            index, _, entry = name.partition("/")
            optimiser["state"].setdefault(int(index), {})[entry] = tensor.clone()
        self.optimiser.load_state_dict(optimiser)
        self.generator.set_state(tensors["generator"].cpu())
        self.epoch, self.best_epoch, self.best_loss = numbers["epoch"], numbers["best_epoch"], numbers["best_loss"]


def as_float(images: Tensor) -> Tensor:
    """Turn uint8 pictures into float ones in 0..1: k/255 exactly as a model checks it."""
    return images.float() / 255


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross entropy of logits (batch, 1) or (batch, class) and labels (batch,)."""
    if logits.shape[1] == 1:
        return binary_cross_entropy_with_logits(logits[:, 0], labels.to(logits.dtype))
    return cross_entropy(logits, labels)


def answers(model: nn.Module, examples: Examples, size: int = 256) -> Tensor:
    """Return a model's logits, (count, 1) or (count, class), without changing anything.

    Args:
        size: how many pictures at once.
    """
    model.eval()
    with torch.no_grad():
        return torch.cat([model(images) for images, _ in examples.batches(size)])


def chosen(logits: Tensor) -> Tensor:
    """Return the answer, int (count,): the class with the largest probability."""
    return (logits[:, 0] > 0).long() if logits.shape[1] == 1 else logits.argmax(1)


def measure(model: nn.Module, examples: Examples) -> tuple[float, float]:
    """Return mean loss and accuracy (0..1) of a model on examples."""
    logits = answers(model, examples)
    accuracy = (chosen(logits) == examples.labels).double().mean()
    return float(loss_of(logits.double(), examples.labels)), float(accuracy)
