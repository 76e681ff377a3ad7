"""What a data set is, and the table of those there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Dataset(NamedTuple):
    """Pictures and what they show: images uint8 (count, row, column, channel), labels int64 (count,)."""

    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int64]


@dataclass(frozen=True)
class DataSpec:
    """One data set: how its pictures are shaped, what they show and where they come from."""

    name: str
    title: str
    about: str
    shape: tuple[int, int, int]
    """Of one picture: (row, column, channel), in pixels."""
    classes: tuple[str, ...]
    """What each label stands for, in the order of the labels."""
    counts: Mapping[str, int]
    """Pictures in each split."""
    megabytes: int
    """Size of the download in MB of 2**20 bytes; 0 where there is none."""
    source: str
    torchvision: str | None = None
    """torchvision's name for it; None where nothing is downloaded."""


_DIGITS = tuple("0123456789")

DATASETS: dict[str, DataSpec] = {
    "strokes": DataSpec(
        name="strokes",
        title="Strokes",
        about="Digits drawn by this software, in MNIST's format: always here, with no download.",
        shape=(28, 28, 1),
        classes=_DIGITS,
        counts={"train": 60_000, "test": 10_000},
        megabytes=0,
        source="attnviz/data/strokes.py",
    ),
    "mnist": DataSpec(
        name="mnist",
        title="MNIST",
        about="Handwritten digits of some 500 people, white on black.",
        shape=(28, 28, 1),
        classes=_DIGITS,
        counts={"train": 60_000, "test": 10_000},
        megabytes=11,
        source="LeCun, Cortes, Burges: The MNIST database of handwritten digits, 1998, http://yann.lecun.com/exdb/mnist/",
        torchvision="MNIST",
    ),
    "fashion_mnist": DataSpec(
        name="fashion_mnist",
        title="Fashion-MNIST",
        about="Pieces of clothing from a shop's catalogue, grey on black.",
        shape=(28, 28, 1),
        classes=(
            "T-shirt/top",
            "trouser",
            "pullover",
            "dress",
            "coat",
            "sandal",
            "shirt",
            "sneaker",
            "bag",
            "ankle boot",
        ),
        counts={"train": 60_000, "test": 10_000},
        megabytes=29,
        source="Xiao, Rasul, Vollgraf: Fashion-MNIST, 2017, https://arxiv.org/abs/1708.07747",
        torchvision="FashionMNIST",
    ),
    "cifar10": DataSpec(
        name="cifar10",
        title="CIFAR-10",
        about="Small colour photographs of animals and vehicles.",
        shape=(32, 32, 3),
        classes=("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
        counts={"train": 50_000, "test": 10_000},
        megabytes=163,
        source="Krizhevsky: Learning multiple layers of features from tiny images, 2009, "
        "https://www.cs.toronto.edu/~kriz/cifar.html",
        torchvision="CIFAR10",
    ),
}
"""All data sets, in teaching order."""
