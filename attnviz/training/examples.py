"""Pictures and labels as they lie on the device, and as a model gets them."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.data import Dataset
from attnviz.data.augment import augment
from attnviz.recipes.recipe import Augmentation


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

    def __getitem__(self, chosen: Tensor | slice) -> "Examples":
        """Return some of them, by a slice or by their places."""
        return Examples(self.images[chosen], self.labels[chosen])

    def split(self, size: int) -> Iterator["Examples"]:
        """Yield the examples in parts.

        Args:
            size: how many examples a part has; the last may have fewer.

        Yields:
            The parts, in order.
        """
        for images, labels in zip(self.images.split(size), self.labels.split(size), strict=True):
            yield Examples(images, labels)

    def variants(self, augmentation: Augmentation, generator: torch.Generator) -> "Examples":
        """Return one random variant of each, with its label.

        Args:
            augmentation: how the variants differ.
            generator: of the random numbers, on the CPU.

        Returns:
            As many examples: images uint8 (count, channel, row, column), and the same labels.
        """
        return Examples(augment(self.images, generator, **augmentation.model_dump()), self.labels)

    def __add__(self, other: "Examples") -> "Examples":
        return Examples(torch.cat([self.images, other.images]), torch.cat([self.labels, other.labels]))


def as_float(images: Tensor) -> Tensor:
    """Turn uint8 pictures into float ones in 0..1: exactly k/255.

    Args:
        images: uint8 (count, channel, row, column).

    Returns:
        float32 of the same shape.
    """
    return images.float() / 255


def on_device(dataset: Dataset, device: str) -> Examples:
    """Put a data set on a device, still as 8-bit numbers.

    Args:
        dataset: images uint8 (count, row, column, channel), labels int64 (count,).
        device: such as "cpu" or "cuda".

    Returns:
        Examples: images uint8 (count, channel, row, column).
    """
    images = torch.tensor(dataset.images.transpose(0, 3, 1, 2))  # a copy: the data set may be a file
    return Examples(images.contiguous().to(device), torch.tensor(dataset.labels).to(device))
