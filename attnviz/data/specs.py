"""What a data set is, and the table of those there are."""

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
    (count, step) where a target is a text.
    """

    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int64]


@dataclass(frozen=True)
class DataSpec:
    """One data set: how its pictures are shaped, what they show and where they come from."""

    name: str
    title: str
    about: str
    shape: tuple[int, int, int]
    """Of one picture: (row, column, channel), in pixels; of the widest, where they differ in width."""
    classes: tuple[str, ...]
    """What each label stands for, in the order of the labels."""
    counts: Mapping[str, int]
    """Pictures in each split; of one that `batches` hands out, in an epoch."""
    megabytes: int
    """Size of the download in MB of 2**20 bytes, or of the one that it is made from; 0 where there is none."""
    source: str
    torchvision: str | None = None
    """torchvision's name for it; None where torchvision cannot download it."""
    make: Callable[[str, int | None], tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]] | None = None
    """Makes images and labels of a split, all or the first so many, where nothing has to be downloaded."""
    made_from: str | None = None
    """The data set that `make` needs, and without which this one is not available; None where it needs none."""
    make_labels: Callable[[str], npt.NDArray[np.int64]] | None = None
    """Makes the labels of a split alone, where that is quicker."""
    make_some: Callable[[str, npt.NDArray[np.int64]], tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]] | None = None
    """Makes images and labels of some pictures of a split, by their indices, where that is quicker."""
    ink: bool = False
    """Whether the pictures are ink on empty paper: maps over them carry the outline of the ink."""
    target: Target = OneClass()
    """What the target of a picture is: one of the classes, or a text of them."""
    columns: tuple[int, int] | None = None
    """The least and the largest width, in pixels, where the pictures of one batch differ from those of another."""
    batches: Callable[[str, int, int], Iterator[Dataset]] | None = None
    """From a split, the size of a batch and a seed to the batches of an epoch, of a data set that makes its pictures as
    they are needed, and instead of `make`; see `attnviz.data.batches`."""

    @property
    def widths(self) -> tuple[int, int]:
        """The least and the largest width of a picture, in pixels."""
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
"""All data sets, in teaching order: here those that need no other one, then `made.MADE`, then what other packages add
(attnviz/extensions.py)."""
