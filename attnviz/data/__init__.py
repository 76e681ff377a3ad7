"""Data sets of pictures for viewing and training.

    from attnviz import data

    images, labels = data.load("strokes", split="test")             # no download needed
    ones_and_eights = data.load("mnist", split="test", classes=(8, 1))  # eights are 0, ones are 1

`DATASETS` lists the data sets. `strokes` is drawn by attnviz, and cluttered digits are made from other data sets when
they are loaded. All others are downloaded once by `fetch` and kept in `folder()`. Some have `samples`, a few test
pictures that pages can show without the download. Only `fetch` imports torch, when it downloads.
"""

from attnviz.data.loading import (
    Shown,
    available,
    batches,
    can_show,
    digest,
    downloaded,
    fetch,
    labels,
    load,
    pick,
    shown,
    sources,
    subset,
)
from attnviz.data.made import MADE
from attnviz.data.specs import DATASETS, Dataset, DataSpec
from attnviz.data.store import spec
from attnviz.data.targets import OneClass, Target, Text
from attnviz.paths import data_sets as folder

__all__ = [
    "DATASETS",
    "DataSpec",
    "Dataset",
    "OneClass",
    "Shown",
    "Target",
    "Text",
    "available",
    "batches",
    "can_show",
    "digest",
    "downloaded",
    "fetch",
    "folder",
    "labels",
    "load",
    "pick",
    "shown",
    "sources",
    "spec",
    "subset",
]

DATASETS.update(MADE)
