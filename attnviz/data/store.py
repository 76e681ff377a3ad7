"""The data folder: reading data sets from it, and downloading missing ones.

    FOLDER/mnist/train-images.npy   train-labels.npy   test-images.npy   test-labels.npy

Files get their names only once they are complete and on the disk: a kill or a full disk at any moment leaves either the
whole file or none.
"""

import errno
import math
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.error import URLError

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from attnviz import files, paths
from attnviz.data import own, vision
from attnviz.data.specs import DATASETS, Dataset, DataSpec
from attnviz.errors import AttnvizError, BadInput, DataError, UnknownName
from attnviz.paths import data_sets as folder

Progress = Callable[[float, str], None]

_one_at_a_time = Lock()
_SILENCE = 30.0  # seconds without a byte after which a download counts as failed
_LEFT_BEHIND = 24 * 3600.0  # seconds after which a killed download's folder is removed
_AT_WORK = ".at-work"  # a file in that folder, locked during the download, since the clock may have been set


def spec(name: str) -> DataSpec:
    """Return the spec of a data set from the table, or of a visitor's own pictures."""
    if own.is_own(name):
        return own.spec(name)
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    return DATASETS[name]


def read(name: str, split: str) -> Dataset:
    """Open the split "train" or "test" of a data set stored in files, memory-mapped, without copying it; DataError says
    which files are damaged or missing, and what to do.
    """
    its = spec(name)
    if split not in its.counts:
        raise UnknownName(f"split of {name}", split, its.counts)
    paths = [folder() / its.name / f"{split}-{part}.npy" for part in Dataset._fields]
    stamps = tuple(map(files.stamp, paths))
    if stamps[0] is None and not _is_there(folder() / its.name):  # failing to open the file takes ten times as long
        raise _missing(its, paths[0])
    return _opened.get(paths[0], stamps, lambda: _checked(its, split))


def _checked(its: DataSpec, split: str) -> Dataset:
    count = its.counts[split]
    images = _open(its, f"{split}-images.npy", (count, *its.shape), np.dtype(np.uint8))
    labels = _open(its, f"{split}-labels.npy", (count,), np.dtype(np.int64))
    if labels.min() < 0 or labels.max() >= len(its.classes):
        raise _damaged(its, f"{split}-labels.npy", f"its labels run from {labels.min()} to {labels.max()}")
    return Dataset(images, labels)


# A page asks for a data set some fifty times: opening and checking its files each time takes a tenth of a second.
_opened = files.Remembered[Dataset](math.inf)  # values are memory-mapped


def available(name: str) -> bool:
    """Return whether a data set can be loaded now, without a download."""
    its = spec(name)
    if its.make is not None or its.batches is not None:
        return its.made_from is None or available(its.made_from)
    try:
        for split in its.counts:
            read(name, split)
    except DataError:
        return False
    return True


def fetch(name: str, progress: Progress | None = None) -> None:
    """Download a data set, or its source, into the data folder, unless it is there and complete.

    `progress` is called with the finished share (0..1) and a sentence; an exception in it stops the download, and
    leaves nothing behind. DataError says what to do if the network or the disk fails.
    """
    its = spec(name)
    if its.made_from is not None:
        fetch(its.made_from, progress)
        return
    tell = progress or (lambda done, sentence: None)
    with _one_at_a_time:
        if available(name):
            tell(1.0, f"{its.title} is available.")
            return
        if its.torchvision is None:
            raise DataError(
                f"{its.title} cannot be downloaded by attnviz: put its files into {folder() / name}. It comes from: "
                f"{its.source}"
            )
        tell(0.0, f"Asking for {its.title} ({its.megabytes} MB) ...")
        try:
            _fetch(its, its.torchvision, tell)
        except (OSError, RuntimeError, HTTPException, ImportError) as error:
            raise _sentence(its, error) from error
        tell(1.0, f"{its.title} is available.")


def _fetch(its: DataSpec, kind: str, tell: Progress) -> None:
    folder().mkdir(parents=True, exist_ok=True)
    _sweep()
    beside = Path(tempfile.mkdtemp(prefix=".fetching-", dir=folder()))
    at_work = FileLock(beside / _AT_WORK)
    try:
        at_work.acquire()
        total = 0

        def received(count: int) -> None:
            nonlocal total
            total += count
            megabytes = min(total / 2**20, its.megabytes)
            tell(
                0.95 * megabytes / its.megabytes,
                f"Downloading {its.title}: {megabytes:.1f} of {its.megabytes} MB",
            )

        with _patience():
            splits = vision.download(kind, beside, received)
        tell(0.95, f"Writing {its.title} ...")
        written = [
            _write(beside / f"{split}-{part}.npy", array)
            for split, dataset in splits.items()
            for part, array in dataset._asdict().items()
        ]
        home = folder() / its.name
        paths.made(home, its.title, "ATTNVIZ_DATA")
        for path in written:
            path.replace(home / path.name)
        files.sync(home)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        at_work.release()


def _open(its: DataSpec, file: str, shape: tuple[int, ...], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    path = folder() / its.name / file
    try:
        array: Any = np.lib.format.open_memmap(
            files.regular(path, 16 * math.prod(shape) * kind.itemsize + 2**16), mode="r"
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _missing(its, path) from error
    except PermissionError as error:
        raise BadInput(f"{path} may not be read. Change its permissions or set ATTNVIZ_DATA.") from error
    except Exception as error:  # NumPy may raise anything for a damaged header
        raise _damaged(its, file, "it is incomplete or not a .npy file") from error
    if array.shape != shape or array.dtype != kind:
        raise _damaged(its, file, f"it holds {array.dtype} {array.shape} where {kind} {shape} was expected")
    if not array.flags.c_contiguous:
        raise _damaged(its, file, "its axes are stored in another order")
    return array  # type: ignore[no-any-return]


def _is_there(home: Path) -> bool:
    try:
        return home.exists()
    except OSError:  # opening it will give the reason
        return True


def _missing(its: DataSpec, path: Path) -> DataError:
    return DataError(
        f"{its.title} has not been downloaded: {path} is missing. Get it with `python -m attnviz data {its.name}` "
        f"({its.megabytes} MB), or use 'strokes', which needs no download."
    )


def _damaged(its: DataSpec, file: str, how: str) -> DataError:
    return DataError(
        f"{folder() / its.name / file} is damaged: {how}. "
        f"Download {its.title} again with `python -m attnviz data {its.name}`."
    )


def _write(path: Path, array: npt.NDArray[Any]) -> Path:
    with path.open("wb") as file:
        np.save(file, np.ascontiguousarray(array))
        file.flush()
        os.fsync(file.fileno())
    return path


def _sweep() -> None:
    for old in folder().glob(".fetching-*"):
        try:
            stale = time.time() - old.stat().st_mtime > _LEFT_BEHIND
        except FileNotFoundError:
            continue
        if stale:
            with suppress(Timeout, OSError), FileLock(old / _AT_WORK, timeout=0):
                shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _patience() -> Iterator[None]:
    """Set a time limit for a silent server, since torchvision does not."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_SILENCE)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _sentence(its: DataSpec, error: Exception) -> AttnvizError:
    number = error.errno if isinstance(error, OSError) and not isinstance(error, URLError) else None
    if number in (errno.ENOSPC, errno.EDQUOT):
        return DataError(
            f"The disk is full: {its.title} does not fit into {folder()}. Make room, or set ATTNVIZ_DATA to a folder "
            "on another disk, and fetch it again; nothing was changed."
        )
    if number in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return BadInput(
            f"{folder()} cannot be written to, so {its.title} cannot be kept there. Set ATTNVIZ_DATA to a folder of "
            "your own and fetch it again."
        )
    if isinstance(error, ImportError):
        return DataError(f"{its.title} is downloaded by torchvision, which cannot be imported here: {error}.")
    words = (str(error).strip() or type(error).__name__).splitlines()[-1].rstrip(".")
    return DataError(
        f"{its.title} could not be downloaded ({words}). Check the network and fetch it again, or copy the folder "
        f"{its.name!r} from another machine's data folder into {folder()}; 'strokes' needs no download."
    )
