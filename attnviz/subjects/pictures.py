"""Test pictures of data sets as examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from attnviz import data as datasets
from attnviz.arrays import Bytes
from attnviz.errors import BadInput, UnknownName
from attnviz.subjects.net import Net

QUICK = 256  # pictures of a generated data set to make at first: a tenth of a second for strokes


@dataclass(frozen=True)
class Picture:
    """A test picture of a data set, by its index in the test split from 0."""

    data: str
    number: int

    @property
    def key(self) -> str:
        """Its name in exports, such as "strokes/test/23"."""
        return f"{self.data}/test/{self.number}"

    @property
    def words(self) -> Mapping[str, str]:
        """The URL fields that name it."""
        return {"data": self.data, "number": str(self.number)}

    @property
    def asked(self) -> Mapping[str, Any]:
        """Its name in a request of the live channel."""
        return {"data": self.data, "number": self.number}

    @property
    def target(self) -> str:
        """The name of its class."""
        return self._read()[1]

    @property
    def ink(self) -> bool:
        """Whether the pictures of the data set are ink on empty paper."""
        return datasets.spec(self.data).ink

    @property
    def picture(self) -> Bytes:
        """The picture, uint8 (row, column, channel); BadInput: neither its data set nor a sample is available."""
        return self._read()[0]

    def taken_by(self, net: Net) -> Bytes:
        """Return the picture as a net's input."""
        return net.fitted(self.picture)

    def _read(self) -> tuple[Bytes, str]:
        shown, spec = datasets.shown(self.data), datasets.spec(self.data)
        place = shown.place(self.number)
        if place is None:
            raise BadInput(missing(self.data, self.number))
        if spec.make_some and not spec.megabytes and (spec.made_from or place >= QUICK):
            return _made(self.data, shown.split, place)
        count = QUICK if spec.make and place < QUICK <= len(shown.labels) else None
        images, labels = datasets.load(self.data, shown.split, count=count)
        return images[place], spec.classes[labels[place]]

    def checked(self) -> Picture:
        """Return the picture if the whole test split contains its number; otherwise raise BadInput."""
        if self.data not in datasets.DATASETS:
            raise UnknownName("data set", self.data, datasets.DATASETS)
        count = datasets.DATASETS[self.data].counts["test"]
        if self.number >= count:
            raise BadInput(
                f"{self.data} has {count:,} test pictures, counted from 0; there is no number {self.number:,}."
            )
        return self

    def of_another_class(self, classes: tuple[str, ...]) -> Picture | None:
        """Return the next picture of another of the net's classes, wrapping around after the last one, or None."""
        shown, names = datasets.shown(self.data), datasets.DATASETS[self.data].classes
        wanted = [label for label, name in enumerate(names) if name in classes and name != self.target]
        others = shown.numbers[np.isin(shown.labels, wanted)]
        if not len(others):
            return None
        return Picture(self.data, int(others[np.searchsorted(others, self.number, "right") % len(others)]))


def missing(data: str, number: int) -> str:
    """Return a sentence on why the test picture with the given number cannot be shown."""
    spec, shown = datasets.spec(data), datasets.shown(data)
    if shown.split == "test" or number >= spec.counts["test"]:
        return f"{spec.title} has test pictures 0 to {spec.counts['test'] - 1:,}; there is no number {number:,}."
    return (
        f"Picture {number:,} of {spec.title} has not been downloaded: there are only {len(shown.numbers)} sample "
        f"pictures until you get the rest with `python -m attnviz data {data}` ({spec.megabytes} MB)."
    )


@lru_cache(maxsize=256)
def _made(data: str, split: str, place: int) -> tuple[Bytes, str]:
    images, labels = datasets.pick(data, split, [place])
    return images[0], datasets.spec(data).classes[labels[0]]
