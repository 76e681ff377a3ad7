"""The import of torchvision, and its downloads.

With a CPU build of torch and torchvision's ordinary wheel, torchvision's compiled operators cannot be loaded and its
import fails (`operator torchvision::nms does not exist`). Nothing here needs those operators, so their two names are
declared before the import. It takes more than a second: import it only where it is used.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from attnviz.data.specs import Dataset

_lock = Lock()
_declared: list[Any] = []  # torch forgets operators whose library object is gone


def torchvision() -> ModuleType:
    """Import torchvision, even if its compiled library does not fit the installed torch; its data sets, transforms and
    models work, its box operators may not.
    """
    with _lock:
        if not _declared and not _compiled():
            import torch

            library = torch.library.Library("torchvision", "DEF")
            for operator in ("nms", "qnms"):
                library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            _declared.append(library)
        return import_module("torchvision")


def download(kind: str, root: Path, received: Callable[[int], None]) -> dict[str, Dataset]:
    """Let torchvision download and check a data set, named by its class ("MNIST"), into a folder that the caller
    removes; return the splits "train" and "test".

    It is not thread-safe: torchvision's progress bar is a global variable. `received` is called with the number of
    bytes just received; an exception in it ends the download.
    """
    sets = torchvision().datasets
    splits = {}
    # CIFAR-10's pickles were written by an old version of NumPy, and newer versions warn about that.
    with warnings.catch_warnings(), _counting(sets.utils, received):
        warnings.simplefilter("ignore")
        for split in ("train", "test"):
            brought = getattr(sets, kind)(root=str(root), train=split == "train", download=True)
            images = np.asarray(brought.data, np.uint8)
            if images.ndim == 3:
                images = images[..., None]
            splits[split] = Dataset(images, np.asarray(brought.targets, np.int64))
    return splits


def _compiled() -> bool:
    """Return whether torchvision's compiled library can be loaded; repeated calls are harmless."""
    import torch

    found = find_spec("torchvision")
    if found is None or found.origin is None:
        return True  # the import itself then reports what is missing
    for library in Path(found.origin).parent.glob("_C*"):
        try:
            torch.ops.load_library(str(library))
        except OSError:
            continue
        return True
    return False


@contextmanager
def _counting(utilities: Any, received: Callable[[int], None]) -> Iterator[None]:
    """Replace torchvision's progress bar with a counter."""

    class Counter:
        def __init__(self, **_: object) -> None:
            pass

        def __enter__(self) -> "Counter":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, count: int) -> None:
            received(count)

    printed = utilities.tqdm
    utilities.tqdm = Counter
    try:
        yield
    finally:
        utilities.tqdm = printed
