"""Uploaded files with a visitor's pictures: a `.npz`, or a zip with a folder of picture files for each class.

Names in the file never become paths, nothing in it is executed, and it is unpacked into bounded memory. Its pictures
are read one by one, so that a waiting visitor can stop, and others get a turn.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Bytes
from attnviz.data.inputs.prepared import in_channels, scaled
from attnviz.data.specs import DataSpec
from attnviz.errors import BadInput
from attnviz.files import check_directory

LARGEST = 20 * 2**20
"""The maximum number of bytes of an uploaded file."""

UNPACKED = 200 * 2**20
"""The maximum number of bytes of its unpacked contents, and of the stored pictures."""

PIXELS = 400_000_000
"""The maximum number of pixels of all its picture files together: a few seconds of decoding."""

PICTURES, CLASSES, FEWEST = 50_000, 100, 20
"""The maximum number of pictures and of classes, and the minimum number of pictures."""

LONGEST = 1024
"""The maximum number of pixels along the longer side of a picture in a `.npz`."""

_CLASS = re.compile(r"[^\x00-\x1f\x7f/\\]{1,40}")


class Brought(NamedTuple):
    """The contents of a file: a function from a number to its picture, uint8 (row, column, channel), labels, int64
    (count,), and the names of the classes.
    """

    picture: Callable[[int], Bytes]
    labels: npt.NDArray[np.int64]
    classes: list[str]


def opened(content: bytes, like: DataSpec) -> Brought:
    """Return the contents of a file, whose pictures will be read in the shape of another data set's."""
    if len(content) > LARGEST:
        raise BadInput(f"The file has {len(content):,} bytes; at most {LARGEST:,} are read.")
    check_directory(content, PICTURES + 2 * CLASSES, "pictures and folders")
    with refused():
        archive = zipfile.ZipFile(io.BytesIO(content))
        members = [one for one in archive.infolist() if not (one.filename.endswith("/") or _is_clutter(one.filename))]
        if sum(one.file_size for one in members) > UNPACKED:
            raise BadInput(f"The unpacked contents of the file have more than {UNPACKED:,} bytes.")
        if any(one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for one in members):
            raise BadInput("The file is packed in an unusual way. Pack it again, as an ordinary zip.")
        if any(_leads_out(one.filename) for one in archive.infolist()):
            raise BadInput("The file contains names that point outside it, such as ../picture.png. Pack it again.")
        are_arrays = bool(members) and all(one.filename.endswith(".npy") for one in members)
        found = (_arrays if are_arrays else _folders)(archive, members, like)
    _check(found.labels, found.classes)
    if len(found.labels) * int(np.prod(like.shape)) > UNPACKED:
        raise BadInput(f"The stored pictures would take more than {UNPACKED:,} bytes. Upload fewer.")
    return found


@contextmanager
def refused() -> Iterator[None]:
    """Convert any error of a damaged zip in the block into BadInput."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise BadInput("The file is no .npz and no zip, or it is damaged or locked by a password.") from error


def _check(labels: npt.NDArray[np.int64], classes: list[str]) -> None:
    if len(labels) < FEWEST:
        raise BadInput(f"There must be at least {FEWEST} pictures, not {len(labels)}.")
    if not 2 <= len(classes) <= CLASSES:
        raise BadInput(f"There must be from 2 to {CLASSES} classes, not {len(classes):,}.")
    if any(_CLASS.fullmatch(name) is None for name in classes) or len(set(classes)) < len(classes):
        raise BadInput("Each class needs its own name, of at most 40 characters.")


def _is_clutter(name: str) -> bool:
    """Return whether a member was added by a file manager."""
    parts = name.split("/")
    return parts[0] == "__MACOSX" or parts[-1] in (".DS_Store", "Thumbs.db", "desktop.ini")


def _leads_out(name: str) -> bool:
    return name.startswith("/") or "\\" in name or ":" in name.split("/", maxsplit=1)[0] or ".." in name.split("/")


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the content of a member, and refuse one that is larger than it declares."""
    with archive.open(member) as file:
        found = file.read(member.file_size + 1)
    if len(found) != member.file_size:
        raise BadInput("The file declares wrong sizes for its members. Pack it again.")
    return found


def _folders(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], like: DataSpec) -> Brought:
    """Find picture files; the folder of each is its class."""
    from attnviz.data.inputs import pictures  # imports Pillow

    if not members or len(members) > PICTURES:
        raise BadInput(f"The zip must hold from {FEWEST} to {PICTURES:,} pictures, not {len(members):,}.")
    if any("/" not in one.filename for one in members):
        raise BadInput("In the zip each picture must lie in a folder that is named after its class.")
    found = [one.filename.split("/")[-2] for one in members]
    classes = sorted(set(found))
    if len(classes) > CLASSES:
        raise BadInput(f"There must be from 2 to {CLASSES} classes, not {len(classes):,}.")
    pixels = 0

    def picture(number: int) -> Bytes:
        nonlocal pixels
        try:
            upload = pictures.read(_content(archive, members[number]), colours=like.shape[2] == 3)
        except BadInput as error:
            raise BadInput(f"A picture in the zip, number {number + 1}, cannot be read. {error}") from error
        pixels += upload.pixels
        if pixels > PIXELS:
            raise BadInput(
                f"The pictures in the zip have more than {PIXELS // 10**6} megapixels together. Make them smaller: "
                f"here they become {like.shape[0]} × {like.shape[1]} pixels."
            )
        return _fitted(upload.grey[:, :, None] if upload.colours is None else upload.colours, like)

    return Brought(picture, np.array([classes.index(one) for one in found], np.int64), classes)


def _arrays(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], like: DataSpec) -> Brought:
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
    return Brought(lambda number: _fitted(images[number], like), places.reshape(-1).astype(np.int64), classes)


def _array(content: bytes, name: str) -> npt.NDArray[Any]:
    """Return the array in a `.npy`; refuse pickles, and arrays larger than the file."""
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
            raise BadInput(f"The array {name} declares a wrong size. Save it again.")
        return np.frombuffer(rest, kind).reshape(shape, order="F" if backwards else "C")
    except BadInput:
        raise
    except Exception as error:  # NumPy may raise anything for a header from an untrusted file
        raise BadInput(f"The array {name} is damaged. Save it again with numpy.savez.") from error


def _fitted(picture: Bytes, like: DataSpec) -> Bytes:
    """Return a picture in the shape of a data set's; ink on paper becomes light ink if that data set's is."""
    rows, columns, channels = like.shape
    made = picture if picture.shape[:2] == (rows, columns) else scaled(picture, rows, columns)
    made = in_channels(made, channels)
    if like.ink and np.concatenate([made[0], made[-1], made[:, 0], made[:, -1]]).mean() > 127:
        made = 255 - made
    return np.asarray(made, np.uint8)
