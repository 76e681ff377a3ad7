"""Create the sample pictures from the downloaded data sets: `python -m attnviz.data.samples`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from attnviz import data
from attnviz.data.samples import FOLDER, sheet_of

PER_CLASS = {"fashion_mnist": 20, "cifar10": 4}

LICENCES = {
    "fashion_mnist": "MIT, Copyright (c) 2017 Zalando SE; the text is in LICENSE-fashion-mnist.txt.",
    "cifar10": "Its authors state no licence. They ask that the report be cited. The pictures were collected from the "
    "web as part of the 80 Million Tiny Images, which were withdrawn in 2020; CIFAR-10 itself is still offered by its "
    "authors, and is widely redistributed for research and teaching. Remove cifar10.png and its entry in samples.json "
    "if that is not enough for your use: attnviz then needs the download to show CIFAR-10.",
}


def make(folder: Path = FOLDER) -> None:
    """Write the sheets and `samples.json`."""
    entries = {}
    for name, count in PER_CLASS.items():
        entries[name], sheet = sampled(name, count)
        picture = Image.fromarray(sheet if sheet.shape[2] == 3 else sheet[:, :, 0])
        picture.save(folder / f"{name}.png", optimize=True)
    (folder / "samples.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")


def sampled(name: str, count: int) -> "tuple[dict[str, Any], np.ndarray]":
    """Return a data set's entry, and the sheet with the first `count` test pictures of each class."""
    images, labels = data.load(name, "test")
    spec = data.DATASETS[name]
    numbers = np.stack([np.flatnonzero(labels == label)[:count] for label in range(len(spec.classes))])
    chosen = data.Dataset(np.asarray(images[numbers.ravel()]), np.asarray(labels[numbers.ravel()]))
    entry = {
        "origin": spec.source,
        "licence": LICENCES[name],
        "chosen": f"The first {count} test pictures of each class, in the order of the files.",
        "digest": data.digest(chosen),
        "numbers": numbers.tolist(),
    }
    return entry, sheet_of(chosen.images, numbers.shape[1])


if __name__ == "__main__":
    make()
