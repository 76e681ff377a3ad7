"""A visitor's own pictures as a data set: checked when they come, kept for training, and shown to nobody else.

    FOLDER/own/NAME/  images.npy  labels.npy  about.json

They come as a `.npz` (images, labels and perhaps classes) or as a zip with a folder of picture files for each class. No
path is made of what a file says, nothing in it is run, and no more of it is unpacked than fits into bounded memory.

Such a data set has a training part alone and is in no table: no page that shows pictures of data sets knows of it.
Whoever brought it is known by a word that is kept as a digest; only that one can see it, train on it, and remove it.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import re
import shutil
import struct
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attnviz import files
from attnviz.data.inputs.prepared import in_channels
from attnviz.data.inputs.resized import scaled
from attnviz.data.place import folder
from attnviz.data.specs import Dataset, DataSpec
from attnviz.errors import AttnvizError, BadInput, DataError, UnknownName

LARGEST = 20 * 2**20
"""Bytes of a file that is brought."""

UNPACKED = 200 * 2**20
"""Bytes of all that is packed in it, and of the pictures as they are kept."""

PICTURES, CLASSES, FEWEST = 50_000, 100, 20
"""At most so many pictures and classes, and at least so many pictures."""

SETS, OF_ONE = 20, 4
"""At most so many data sets, of all visitors and of one."""

LONGEST = 1024
"""Pixels along the longer side of a picture in a `.npz`, at most."""

Bytes = npt.NDArray[np.uint8]
_NAME = re.compile(r"own-[0-9a-f]{16}")
_CLASS = re.compile(r"[^\x00-\x1f\x7f/\\]{1,40}")
_DIRECTORY = 8 * 2**20  # bytes of a zip's list of members: 50,000 of them take about half
_END = struct.Struct("<4s4H2LH")


def is_own(name: str) -> bool:
    """Return whether a name is one that a visitor's data set has, be it there or not."""
    return _NAME.fullmatch(name) is not None


def names(holder: str) -> list[str]:
    """Return the data sets that somebody has brought.

    Args:
        holder: the word by which they are known.
    """
    return [name for name in _all() if held(name, holder)]


def held(name: str, holder: str) -> bool:
    """Return whether a data set was brought by somebody, and is there.

    Args:
        name: of the data set, from anywhere.
        holder: the word by which they are known.
    """
    with suppress(AttnvizError):
        return bool(holder) and hmac.compare_digest(_about(name)["holder"], _digest(holder))
    return False


def spec(name: str) -> DataSpec:
    """Return what a visitor's data set is.

    Args:
        name: one for which `is_own` holds, from anywhere.

    Raises:
        UnknownName: there is none of that name.
        DataError: it cannot be read.
    """
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


def bring(content: bytes, title: str, like: DataSpec, holder: str) -> str:
    """Keep pictures as a data set.

    Args:
        content: of a `.npz` or a zip.
        title: what its holder calls it; a word or a few.
        like: the data set whose rows, columns and channels the pictures get; where that is ink on empty paper, dark ink
            on light paper is inverted.
        holder: the word by which whoever brings it is known.

    Returns:
        Its name, the same for the same pictures of the same holder.

    Raises:
        BadInput: it is no such file, is too large, or there are too many; says what is wrong.
        DataError: it cannot be written.
    """
    if not holder:
        raise BadInput("Your browser takes no cookies, so nobody could tell that these pictures are yours.")
    if not re.fullmatch(r"[\w .,()-]{1,40}", title):
        raise BadInput("Give your pictures a name of at most 40 letters, digits and spaces.")
    if like.batches is not None or like.columns is not None or like.target.per_step:
        raise BadInput(f"A recipe that trains on {like.title} cannot be trained on pictures of one's own.")
    images, labels, classes = _unpacked(content, like)
    _check(labels, classes)
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
        home.mkdir(parents=True, exist_ok=True)
        for part, array in (("images", images), ("labels", labels)):
            file = io.BytesIO()
            np.save(file, array)
            files.write(home / f"{part}.npy", file.getvalue())
        files.write(home / "about.json", json.dumps(about) + "\n")  # last: without it there is no data set
    except OSError as error:
        if is_new:  # else it is the same data set, which is whole still
            shutil.rmtree(home, ignore_errors=True)
        raise DataError(f"Your pictures cannot be kept: {files.reason(error)}.") from error
    return name


def remove(name: str, holder: str) -> None:
    """Remove a data set.

    Args:
        name: of the data set, from anywhere.
        holder: the word by which whoever brought it is known.

    Raises:
        UnknownName: they have none of that name.
        DataError: it cannot be removed.
    """
    if not held(name, holder):
        raise UnknownName("data set of yours", name, names(holder))
    try:
        shutil.rmtree(_home(name))
    except OSError as error:
        raise DataError(f"Your pictures cannot be removed: {files.reason(error)}.") from error


def _home(name: str) -> Path:
    """Return the folder of a data set, whose name can come from anywhere: no path is made of one that is none."""
    if not is_own(name):
        raise UnknownName("data set", name, [])
    return folder() / "own" / name


def _all() -> list[str]:
    with suppress(OSError):
        return sorted(
            path.name for path in (folder() / "own").iterdir() if is_own(path.name) and (path / "about.json").is_file()
        )
    return []


def _about(name: str) -> dict[str, Any]:
    path = _home(name) / "about.json"
    try:
        found: dict[str, Any] = json.loads(files.read(path, 2**16))
        kinds = {"title": str, "holder": str, "shape": list, "classes": list, "count": int, "ink": bool}
        if not all(isinstance(found[key], kind) for key, kind in kinds.items()):
            raise ValueError(name)
    except FileNotFoundError:
        raise UnknownName("data set", name, []) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path} cannot be read. Remove its folder, and bring the pictures again.") from error
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
            array: Any = np.lib.format.open_memmap(home / f"{part}.npy", mode="r")
        except (OSError, ValueError) as error:
            raise DataError(f"The data set {name} is damaged. Bring the pictures again.") from error
        if array.shape != shape or array.dtype != kind:
            raise DataError(f"The data set {name} is damaged. Bring the pictures again.")
        arrays.append(array[:count])
    return Dataset(*arrays)


def _check(labels: npt.NDArray[np.int64], classes: list[str]) -> None:
    if len(labels) < FEWEST:
        raise BadInput(f"There must be at least {FEWEST} pictures, not {len(labels)}.")
    if not 2 <= len(classes) <= CLASSES:
        raise BadInput(f"There must be from 2 to {CLASSES} classes, not {len(classes):,}.")
    if any(_CLASS.fullmatch(name) is None for name in classes) or len(set(classes)) < len(classes):
        raise BadInput("Each class needs a name of its own, of at most 40 characters.")


def _unpacked(content: bytes, like: DataSpec) -> tuple[Bytes, npt.NDArray[np.int64], list[str]]:
    """Return the pictures, their labels, and the names of the classes."""
    if len(content) > LARGEST:
        raise BadInput(f"The file has {len(content):,} bytes; at most {LARGEST:,} are read.")
    _check_directory(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and not _is_clutter(one.filename)]
            if sum(one.file_size for one in members) > UNPACKED:
                raise BadInput(f"What is packed in the file has more than {UNPACKED:,} bytes.")
            if any(_leads_out(one.filename) for one in archive.infolist()):
                raise BadInput("The file holds names that lead out of it, such as ../picture.png. Pack it again.")
            if members and all(one.filename.endswith(".npy") for one in members):
                return _arrays(archive, members, like)
            return _folders(archive, members, like)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise BadInput("The file is no .npz and no zip, or it is damaged or locked by a password.") from error


def _check_directory(content: bytes) -> None:
    """Refuse a zip whose list of members is very long before it is read: each would take a hundred times its bytes."""
    at = len(content) - _END.size
    if at < 0 or not (content.startswith(b"PK\5\6", at) and content.endswith(b"\0\0")):
        at = content.rfind(b"PK\5\6", max(0, at - 2**16))
    if at < 0 or at + _END.size > len(content):
        raise BadInput("The file is no .npz and no zip, or it is damaged.")
    count, size = _END.unpack_from(content, at)[4:6]
    if count > PICTURES + 2 * CLASSES or size > _DIRECTORY or content[max(0, at - 20) :].startswith(b"PK\6\7"):
        raise BadInput(f"The file holds too many members: at most {PICTURES:,} pictures are read.")


def _is_clutter(name: str) -> bool:
    """Return whether a member is what file managers add by themselves."""
    parts = name.split("/")
    return parts[0] == "__MACOSX" or parts[-1] in (".DS_Store", "Thumbs.db", "desktop.ini")


def _leads_out(name: str) -> bool:
    return name.startswith("/") or "\\" in name or ":" in name.split("/", maxsplit=1)[0] or ".." in name.split("/")


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member: no more of it than it says is unpacked."""
    with archive.open(member) as file:
        found = file.read(member.file_size + 1)
    if len(found) != member.file_size:
        raise BadInput("The file says other sizes of its members than they have. Pack it again.")
    return found


def _folders(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], like: DataSpec
) -> tuple[Bytes, npt.NDArray[np.int64], list[str]]:
    """Read picture files; the folder that each lies in is its class."""
    from attnviz.data.inputs import pictures  # and Pillow with it

    if not members or len(members) > PICTURES:
        raise BadInput(f"The zip must hold from {FEWEST} to {PICTURES:,} pictures, not {len(members):,}.")
    if any("/" not in one.filename for one in members):
        raise BadInput("In the zip each picture must lie in a folder that is named after its class.")
    found = [one.filename.split("/")[-2] for one in members]
    classes = sorted(set(found))
    if len(classes) > CLASSES:
        raise BadInput(f"There must be from 2 to {CLASSES} classes, not {len(classes):,}.")
    images = np.empty((len(members), *like.shape), np.uint8)
    _bounded(images.nbytes)
    for place, member in enumerate(members):
        try:
            upload = pictures.read(_content(archive, member), colours=like.shape[2] == 3)
        except BadInput as error:
            raise BadInput(f"A picture in the zip, number {place + 1}, cannot be read. {error}") from error
        images[place] = _fitted(upload.grey[:, :, None] if upload.colours is None else upload.colours, like)
    return images, np.array([classes.index(one) for one in found], np.int64), classes


def _arrays(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], like: DataSpec
) -> tuple[Bytes, npt.NDArray[np.int64], list[str]]:
    """Read the arrays of a `.npz`."""
    by_name = {one.filename.removesuffix(".npy"): one for one in members}
    if not {"images", "labels"} <= by_name.keys() <= {"images", "labels", "classes"}:
        raise BadInput("A .npz must hold the arrays images and labels, perhaps classes, and nothing else.")
    images, labels = (_array(_content(archive, by_name[name]), name) for name in ("images", "labels"))
    if images.ndim == 3:
        images = images[:, :, :, None]
    right = images.ndim == 4 and images.dtype == np.uint8 and images.shape[3] in (1, 3) and 0 not in images.shape
    if not right or max(images.shape[1:3]) > LONGEST:
        raise BadInput(
            f"images must be uint8 (count, row, column) or (count, row, column, 1 or 3), with sides of at most "
            f"{LONGEST}, not {images.dtype} {images.shape}."
        )
    if labels.dtype.kind not in "iu" or labels.shape != images.shape[:1]:
        raise BadInput(f"labels must be whole numbers, one for each picture, not {labels.dtype} {labels.shape}.")
    if len(images) > PICTURES:
        raise BadInput(f"There must be from {FEWEST} to {PICTURES:,} pictures, not {len(images):,}.")
    known, places = np.unique(labels, return_inverse=True)
    if len(known) > CLASSES:
        raise BadInput(f"There must be from 2 to {CLASSES} classes, not {len(known):,}.")
    classes = [str(int(label)) for label in known]
    if "classes" in by_name:
        titles = _array(_content(archive, by_name["classes"]), "classes")
        if titles.dtype.kind != "U" or titles.ndim != 1 or known.min() < 0 or known.max() >= len(titles):
            raise BadInput("classes must be an array of texts, one for each label from 0 on.")
        classes = [str(titles[label]) for label in known]
    _bounded(len(images) * int(np.prod(like.shape)))
    made = np.stack([_fitted(image, like) for image in images])
    return made, places.reshape(-1).astype(np.int64), classes


def _array(content: bytes, name: str) -> npt.NDArray[Any]:
    """Return the array that a `.npy` holds: never a pickle, and never larger than the bytes that there are."""
    file = io.BytesIO(content)
    try:
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, backwards, kind = read[np.lib.format.read_magic(file)](file)
        rest = content[file.tell() :]
        if kind.hasobject:
            raise BadInput(f"The array {name} holds Python objects, which could run code: they are not read.")
        count = 1
        for side in shape:
            count *= int(side)
        if kind.itemsize == 0 or count * kind.itemsize != len(rest):
            raise BadInput(f"The array {name} says another size than it has. Save it again.")
        return np.frombuffer(rest, kind).reshape(shape, order="F" if backwards else "C")
    except (ValueError, KeyError, TypeError, OverflowError, SyntaxError, RecursionError, MemoryError) as error:
        raise BadInput(f"The array {name} is damaged. Save it again with numpy.savez.") from error


def _bounded(size: int) -> None:
    if size > UNPACKED:
        raise BadInput(f"As they are kept, the pictures would take more than {UNPACKED:,} bytes. Bring fewer.")


def _fitted(picture: Bytes, like: DataSpec) -> Bytes:
    """Return a picture in the shape of a data set's; on paper, ink is light as it is there."""
    rows, columns, channels = like.shape
    made = picture if picture.shape[:2] == (rows, columns) else scaled(picture, rows, columns)
    made = in_channels(made, channels)
    if like.ink and np.concatenate([made[0], made[-1], made[:, 0], made[:, -1]]).mean() > 127:
        made = 255 - made
    return np.asarray(made, np.uint8)
