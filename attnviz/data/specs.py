"""The description of a data set, and the table of all data sets."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.data import strokes
from attnviz.data.targets import OneClass, Target
from attnviz.extensions import Table


class Dataset(NamedTuple):
    """Pictures of one size and their targets: images uint8 (count, row, column, channel), labels int64 (count,), or
    (count, step) if a target is a text.
    """

    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int64]


@dataclass(frozen=True)
class DataSpec:
    """A data set: the shape of its pictures, their contents and their origin."""

    name: str
    title: str
    about: str
    shape: tuple[int, int, int]
    """The shape of a picture, (row, column, channel), in pixels; of the widest one if they differ in width."""
    classes: tuple[str, ...]
    """The names of the classes, in the order of the labels."""
    counts: Mapping[str, int]
    """The number of pictures in each split, or in an epoch of `batches`."""
    megabytes: int
    """The size of the download, its own or its source's, in MB of 2**20 bytes; 0 if there is none."""
    source: str
    torchvision: str | None = None
    """torchvision's name of the data set, or None if torchvision cannot download it."""
    make: Callable[[str, int | None], tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]] | None = None
    """Makes images and labels of a split, or of its first `count` pictures, if there is no download."""
    made_from: str | None = None
    """The data set that `make` needs to be available, or None."""
    make_labels: Callable[[str], npt.NDArray[np.int64]] | None = None
    """Makes only the labels of a split, if that is quicker."""
    make_some: Callable[[str, npt.NDArray[np.int64]], tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]] | None = None
    """Makes images and labels of some pictures of a split, by their indices, if that is quicker."""
    ink: bool = False
    """Whether the pictures are ink on empty paper: maps over them show the outline of the ink."""
    target: Target = OneClass()
    """The kind of target: one of the classes, or a text of them."""
    columns: tuple[int, int] | None = None
    """The smallest and the largest width, in pixels, if the widths differ between batches."""
    batches: Callable[[str, int, int], Iterator[Dataset]] | None = None
    """A function from a split, the size of a batch and a seed to the batches of an epoch, instead of `make`, for a data
    set that makes its pictures on request; see `attnviz.data.batches`."""

    @property
    def widths(self) -> tuple[int, int]:
        """The smallest and the largest width of a picture, in pixels."""
        return self.columns or (self.shape[1], self.shape[1])


DIGITS = tuple("0123456789")


_OURS: dict[str, DataSpec] = {
    "strokes": DataSpec(
        name="strokes",
        title="Strokes",
        about="Digits drawn by attnviz in MNIST's format, with no download.",
        shape=(28, 28, 1),
        classes=DIGITS,
        counts={"train": 60_000, "test": 10_000},
        megabytes=0,
        source="attnviz/data/strokes.py",
        make=strokes.load,
        make_labels=strokes.labels,
        make_some=strokes.pick,
        ink=True,
    ),
    "mnist": DataSpec(
        name="mnist",
        title="MNIST",
        about="Handwritten digits of some 500 people, white on black.",
        shape=(28, 28, 1),
        classes=DIGITS,
        counts={"train": 60_000, "test": 10_000},
        megabytes=11,
        source="LeCun, Cortes, Burges: The MNIST database of handwritten digits, 1998, http://yann.lecun.com/exdb/mnist/",
        torchvision="MNIST",
        ink=True,
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
DATASETS = Table("datasets", _OURS)
"""All data sets, in teaching order: those that do not depend on others, then `made.MADE`, then the rows of other
packages (attnviz/extensions.py)."""
