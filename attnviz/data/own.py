"""A visitor's own pictures as a data set: checked on upload, kept for training, and shown to nobody else.

    FOLDER/own/NAME/  images.npy  labels.npy  about.json

They are uploaded as a `.npz` (images, labels and perhaps classes) or as a zip with a folder of picture files for each
class: attnviz/data/brought.py.

Such a data set has only a training part and is not in a table: pages that show pictures of data sets do not list it.
Its owner is identified by a word that is stored as a digest; only the owner can see it, train on it, and remove it.
"""

import hashlib
import hmac
import io
import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from attnviz import files, paths
from attnviz.arrays import Bytes
from attnviz.data.brought import UNPACKED, Brought, opened, refused
from attnviz.data.specs import Dataset, DataSpec
from attnviz.errors import AttnvizError, BadInput, DataError, UnknownName
from attnviz.paths import data_sets as folder

AT_A_TIME = 16
"""The number of pictures to read in a part."""

SETS, OF_ONE = 20, 4
"""The maximum number of data sets of all visitors, and of one visitor."""

_NAME = re.compile(r"own-[0-9a-f]{16}")


def is_own(name: str) -> bool:
    """Return whether a name has the form of a visitor's data set, whether or not it exists."""
    return _NAME.fullmatch(name) is not None


def names(holder: str) -> list[str]:
    """Return the names of a visitor's data sets."""
    return [name for name in _all() if held(name, holder)]


def held(name: str, holder: str) -> bool:
    """Return whether a data set exists and belongs to a visitor."""
    with suppress(AttnvizError):
        return bool(holder) and hmac.compare_digest(_about(name)["holder"], _digest(holder))
    return False


def spec(name: str) -> DataSpec:
    """Return the spec of a visitor's data set."""
    about = _about(name)
    return DataSpec(
        name=name,
        title=f"Your pictures: {about['title']}",
        about="A visitor's own pictures, for training alone.",
        shape=tuple(about["shape"]),
        classes=tuple(about["classes"]),
        counts={"train": about["count"]},
        megabytes=0,
        source="brought by a visitor",
        make=lambda split, count: tuple(_read(name, split, count)),  # type: ignore[arg-type, return-value]
        make_labels=lambda split: _read(name, split, None).labels,
        ink=about["ink"],
    )


class Bringing:
    """An upload in progress: pictures that are read part by part into a data set.

    Args:
        content: the bytes of a `.npz` or a zip.
        title: its owner's name for it, a word or a few.
        like: the data set whose rows, columns and channels the pictures get; if it is ink on empty paper, dark ink on
            light paper is inverted.
        holder: the word that identifies the owner.

    Raises:
        BadInput: it is not such a file, is too large, or has too many pictures; the message says what is wrong.
    """

    def __init__(self, content: bytes, title: str, like: DataSpec, holder: str) -> None:
        if not holder:
            raise BadInput("Your browser does not accept cookies, so nobody could tell that these pictures are yours.")
        if not re.fullmatch(r"[\w .,()-]{1,40}", title):
            raise BadInput("Give your pictures a name of at most 40 letters, digits and spaces.")
        if like.batches is not None or like.columns is not None or like.target.per_step:
            raise BadInput(f"A recipe that trains on {like.title} cannot be trained on your own pictures.")
        self._found, self._title, self._like, self._holder = opened(content, like), title, like, holder
        self.pictures = len(self._found.labels)
        self.parts = -(-self.pictures // AT_A_TIME)
        self._images = np.empty((self.pictures, *like.shape), np.uint8)

    def step(self, part: int) -> str:
        """Read the next part, each once and in order, and return "". After the last part, keep all pictures and return
        the name of the data set, which is the same for the same pictures and owner.

        BadInput: a picture cannot be read, they have too many pixels, or there are too many data sets.
        """
        with refused():
            for number in range(part * AT_A_TIME, min((part + 1) * AT_A_TIME, self.pictures)):
                self._images[number] = self._found.picture(number)
        if part + 1 < self.parts:
            return ""
        return _kept(self._images, self._found, self._title, self._like, self._holder)


def bring(content: bytes, title: str, like: DataSpec, holder: str) -> str:
    """Keep pictures as a data set, and return its name. Arguments and errors are those of `Bringing`."""
    work = Bringing(content, title, like, holder)
    return [work.step(part) for part in range(work.parts)][-1]


def _kept(images: Bytes, found: Brought, title: str, like: DataSpec, holder: str) -> str:
    labels, classes = found.labels, found.classes
    digest = hashlib.sha256(f"{holder}/{like.shape}/{classes}".encode())
    for array in (images, labels):
        digest.update(np.ascontiguousarray(array).data)
    name = f"own-{digest.hexdigest()[:16]}"
    there = _all()
    if name not in there and (len(there) >= SETS or len(names(holder)) >= OF_ONE):
        raise BadInput(f"At most {OF_ONE} of your data sets, and {SETS} of all visitors', are kept. Remove one first.")
    about = {
        "title": title, "holder": _digest(holder), "shape": [*images.shape[1:]], "classes": classes,
        "count": len(labels), "ink": like.ink,
    }  # fmt: skip
    home = _home(name)
    is_new = not home.exists()
    try:
        paths.made(home.parent, "your pictures", "ATTNVIZ_DATA")
        home.mkdir(exist_ok=True)
        for part, array in (("images", images), ("labels", labels)):
            file = io.BytesIO()
            np.save(file, array)
            files.write(home / f"{part}.npy", file.getbuffer())
        files.write(home / "about.json", json.dumps(about) + "\n")  # last: without it there is no data set
    except OSError as error:
        if is_new:  # otherwise the same data set exists and is still complete
            shutil.rmtree(home, ignore_errors=True)
        raise DataError(f"Your pictures cannot be kept: {files.reason(error)}.") from error
    return name


def remove(name: str, holder: str) -> None:
    """Remove a data set."""
    if not held(name, holder):
        raise UnknownName("data set of yours", name, names(holder))
    try:
        shutil.rmtree(_home(name))
    except OSError as error:
        raise DataError(f"Your pictures cannot be removed: {files.reason(error)}.") from error


def _home(name: str) -> Path:
    """Return the folder of a data set. Its name may be user input, so an invalid name never becomes part of a path."""
    if not is_own(name):
        raise UnknownName("data set", name, [])
    return folder() / "own" / name


def _all() -> list[str]:
    with suppress(OSError):
        return sorted(
            path.name
            for path in (folder() / "own").iterdir()
            if is_own(path.name) and files.is_there(path / "about.json")
        )
    return []


def _about(name: str) -> dict[str, Any]:
    path = _home(name) / "about.json"
    try:
        found: dict[str, Any] = files.from_json(files.read(path, 2**16))
        kinds = {"title": str, "holder": str, "shape": list, "classes": list, "count": int, "ink": bool}
        right = all(type(found[key]) is kind for key, kind in kinds.items())
        right = right and all(type(one) is str for one in found["classes"]) and len(found["classes"]) > 1
        sizes = [found["count"], *found["shape"]]
        if not right or len(sizes) != 4 or not all(type(one) is int and one > 0 for one in sizes):
            raise ValueError(name)
    except FileNotFoundError:
        raise UnknownName("data set", name, []) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} cannot be read. Remove its folder, and upload the pictures again.") from error
    return found


def _digest(holder: str) -> str:
    return hashlib.sha256(f"attnviz/{holder}".encode()).hexdigest()


def _read(name: str, split: str, count: int | None) -> Dataset:
    if split != "train":
        raise UnknownName(f"split of {name}", split, ["train"])
    about, home = _about(name), _home(name)
    shapes = {"images": ((about["count"], *about["shape"]), np.uint8), "labels": ((about["count"],), np.int64)}
    arrays = []
    for part, (shape, kind) in shapes.items():
        try:
            array: Any = np.lib.format.open_memmap(files.regular(home / f"{part}.npy", 2 * UNPACKED), mode="r")
        except Exception as error:  # NumPy may raise anything for a damaged header
            raise DataError(f"The data set {name} is damaged. Upload the pictures again.") from error
        if array.shape != shape or array.dtype != kind:
            raise DataError(f"The data set {name} is damaged. Upload the pictures again.")
        arrays.append(array)
    images, labels = arrays
    if labels.min() < 0 or labels.max() >= len(about["classes"]):
        raise DataError(f"The data set {name} is damaged. Upload the pictures again.")
    return Dataset(images[:count], labels[:count])
