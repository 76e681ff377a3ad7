"""Pictures and targets on the device: the parts of a recipe's data, batches, and the input of a model."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz import data
from attnviz.data import Dataset
from attnviz.data.augment import augment
from attnviz.data.loading import digest_of_batches
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Augmentation, Recipe


class ExampleSet(ABC):
    """Pictures and targets on which a model is measured."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def split(self, size: int) -> "Iterator[Examples]":
        """Yield the examples in parts, each with pictures of one size."""

    def targets(self) -> Tensor:
        """Return all labels: int64 (count,), or (count, step) if a target is a text."""
        labels = [part.labels for part in self.split(len(self))]
        if len({one.shape[1:] for one in labels}) > 1:
            raise BadInput("These targets are texts of several lengths: measure them part by part, with `split`.")
        return torch.cat(labels)


class TrainingSet(ABC):
    """Pictures and targets on which a model is trained; it makes the batches itself."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """The device of the batches."""

    @abstractmethod
    def steps(self, recipe: Recipe) -> int:
        """Return the number of batches in an epoch."""

    @abstractmethod
    def epoch(self, recipe: Recipe, generator: torch.Generator) -> "Iterator[Examples]":
        """Yield the batches of an epoch. Each is made on request, since in between training draws from the same
        generator, on the CPU, which determines the order of the pictures and their variants.
        """

    @abstractmethod
    def first(self, count: int | None = None) -> ExampleSet:
        """Return the first examples, without variants."""


@dataclass(frozen=True)
class Examples(ExampleSet, TrainingSet):
    """Pictures of one size on the device, uint8 (count, channel, row, column), and their targets, int64 (count,), or
    (count, step) for texts.
    """

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, chosen: Tensor | slice) -> "Examples":
        """Return a selection, by a slice or by indices."""
        return Examples(self.images[chosen], self.labels[chosen])

    @property
    def device(self) -> torch.device:
        """The device of the examples."""
        return self.labels.device

    def split(self, size: int) -> Iterator["Examples"]:
        """Yield the examples in parts of one size; the last may have fewer. Args and Yields: as in `ExampleSet`."""
        for images, labels in zip(self.images.split(size), self.labels.split(size), strict=True):
            yield Examples(images, labels)

    def first(self, count: int | None = None) -> "Examples":
        """Return the first examples. Args: as in `TrainingSet.first`."""
        return self[:count]

    def steps(self, recipe: Recipe) -> int:
        """Return the number of batches in an epoch. Args: as in `TrainingSet.steps`."""
        return -(-self._shown(recipe) // recipe.batch)

    def epoch(self, recipe: Recipe, generator: torch.Generator) -> Iterator["Examples"]:
        """Yield all pictures, with or replaced by their variants, in random order."""
        batches = torch.randperm(self._shown(recipe), generator=generator).split(recipe.batch)
        if recipe.augmentation is None or recipe.augment == "instead":
            for chosen in self._sent(batches):
                batch = self[chosen]
                yield batch if recipe.augmentation is None else batch.variants(recipe.augmentation, generator)
        else:  # indices from len(self) on stand for variants
            plain = self._sent([chosen[chosen < len(self)] for chosen in batches])
            varied = self._sent([chosen[chosen >= len(self)] - len(self) for chosen in batches])
            for own, others in zip(plain, varied, strict=True):
                yield self[own] + self[others].variants(recipe.augmentation, generator)

    def _sent(self, batches: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return the indices of an epoch's batches on the device, sent in one copy, since the host waits for each."""
        sent: Sequence[Tensor] = torch.cat([*batches]).to(self.device).split([*map(len, batches)])
        return sent

    def _shown(self, recipe: Recipe) -> int:
        beside = recipe.augmentation is not None and recipe.augment == "beside"
        return len(self) * (2 if beside else 1)

    def variants(self, augmentation: Augmentation, generator: torch.Generator) -> "Examples":
        """Return a random variant of each example, uint8 (count, channel, row, column), with its label; the generator
        is on the CPU.
        """
        return Examples(augment(self.images, generator, **augmentation.model_dump()), self.labels)

    def __add__(self, other: "Examples") -> "Examples":
        return Examples(torch.cat([self.images, other.images]), torch.cat([self.labels, other.labels]))


@dataclass(frozen=True)
class Parts(ExampleSet):
    """Examples with pictures of different sizes, in parts with one size each."""

    parts: tuple[Examples, ...]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def split(self, size: int) -> Iterator[Examples]:
        """Yield the examples in parts, each with pictures of one size. Args and Yields: as in `ExampleSet`."""
        for part in self.parts:
            yield from part.split(size)


@dataclass(frozen=True)
class Stream(TrainingSet):
    """The training part of a data set that makes its own batches."""

    name: str
    size: int
    on: str

    @property
    def device(self) -> torch.device:
        """The device of the batches."""
        return torch.device(self.on)

    def steps(self, recipe: Recipe) -> int:
        """Return the number of batches in an epoch. Args: as in `TrainingSet.steps`."""
        return -(-data.spec(self.name).counts["train"] // self.size)

    def epoch(self, recipe: Recipe, generator: torch.Generator) -> Iterator[Examples]:
        """Yield the data set's batches, with a seed from the generator."""
        seed = int(torch.randint(2**31, (), generator=generator))
        for batch in data.batches(self.name, "train", size=self.size, seed=seed):
            yield on_device(batch, self.on)

    def first(self, count: int | None = None) -> Parts:
        """Return the first examples of the batches with seed 0. Args: as in `TrainingSet.first`."""
        return streamed(self.name, "train", self.size, self.on, count)


def streamed(name: str, split: str, size: int, device: str, count: int | None = None) -> Parts:
    """Return the first `count` examples (None for all), with seed 0, of a data set that makes its own batches."""
    parts: list[Examples] = []
    left = data.spec(name).counts[split] if count is None else count
    for batch in data.batches(name, split, size=size):
        if left <= 0:
            break
        parts.append(on_device(batch, device)[:left])
        left -= len(parts[-1])
    return Parts(tuple(parts))


def as_float(images: Tensor) -> Tensor:
    """Convert pictures, uint8 (count, channel, row, column), to floats in 0..1: exactly k/255."""
    return images.float() / 255


def on_device(dataset: Dataset, device: str) -> Examples:
    """Copy a data set to a device, still in 8 bits: images (count, channel, row, column), and its labels."""
    found = dataset.images.transpose(0, 3, 1, 2)
    # With one channel both layouts are the same bytes, but torch chooses convolutions by the declared layout.
    layout = torch.channels_last if found.shape[1] == 1 else torch.contiguous_format
    images = torch.empty(found.shape, dtype=torch.uint8, memory_format=layout)
    images.numpy()[:] = found  # the only copy; the data set may be a file
    return Examples(images.to(device), torch.tensor(dataset.labels).to(device))


SPLIT_SEED = 0  # all seeds share one validation part and its variants, so that their losses can be compared


@dataclass(frozen=True)
class Material:
    """A recipe's whole training data on the device, and its sha256."""

    recipe: Recipe
    everything: TrainingSet
    digest: str

    def parts(self) -> tuple[TrainingSet, ExampleSet | None]:
        """Return the training part and the validation part, if any. They are the same for all seeds."""
        recipe, everything = self.recipe, self.everything
        if not isinstance(everything, Examples):
            if recipe.validation is None:
                return everything, None
            return everything, streamed(recipe.data, "validation", recipe.batch, str(everything.device))
        held_out, train = (everything[part.to(everything.device)] for part in split(len(everything), recipe))
        if recipe.validation == "validation":
            held_out = on_device(data.load(recipe.data, "validation", classes=recipe.classes), str(everything.device))
        if recipe.augmentation is not None and recipe.augment == "beside" and len(held_out):
            held_out += held_out.variants(recipe.augmentation, torch.Generator().manual_seed(SPLIT_SEED))
        return train, held_out if len(held_out) else None


def material(recipe: Recipe, device: str) -> Material:
    """Load a recipe's training data."""
    its = data.spec(recipe.data)
    if its.batches is None:
        dataset = data.load(recipe.data, "train", classes=recipe.classes)
        return Material(recipe, on_device(dataset, device), data.digest(dataset))
    for word, asked in {
        "a share of them as validation part": isinstance(recipe.validation, float),
        "variants of them": recipe.augmentation is not None,
        "some of its classes only": recipe.classes != tuple(range(len(its.classes))),
    }.items():
        if asked:
            raise BadInput(f"{its.name} yields its pictures in batches, so {recipe.key} cannot ask for {word}.")
    return Material(recipe, Stream(its.name, recipe.batch, device), digest_of_batches(its.name, "train", recipe.batch))


def split(count: int, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """Return the indices of the pictures held out for choosing weights, the same for every seed, and of those trained
    on: int64. No pictures are held out if the data set has its own validation part.
    """
    if recipe.validation is None or recipe.validation == "validation":
        return torch.arange(0), torch.arange(count)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(SPLIT_SEED))
    held_out = max(1, round(count * recipe.validation))
    return order[:held_out], order[held_out:]
