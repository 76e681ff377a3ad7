"""Photographs as examples: those in a folder that the server was started with, and those uploaded by visitors.

An uploaded photograph is kept in memory under a digest of its content, which is its name in the URL: only those who
have the photograph, or that URL, can ask for it. Uploads are not listed, and the oldest ones are forgotten.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from attnviz import files
from attnviz.arrays import Bytes
from attnviz.data.inputs import pictures
from attnviz.errors import BadInput
from attnviz.subjects.net import Net

VARIABLE = "ATTNVIZ_PHOTOS"
SAMPLE = "cifar10"  # the data set whose pictures are shown if there is no photograph
"""The environment variable that names the folder."""

UPLOADED = "uploaded-"
MOST = 64 << 20  # bytes of all uploaded photographs, decoded
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif")

_uploaded: OrderedDict[str, Bytes] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True)
class Photo:
    """A photograph, named by a word: a file name in the folder, or `uploaded-` and a digest."""

    word: str

    def __post_init__(self) -> None:
        if self.word.startswith(UPLOADED):
            if self.word not in _uploaded:
                raise BadInput("This photograph is not, or no longer, on this server: upload it again.")
        elif self.word not in in_folder():
            raise BadInput(f"There is no photograph {self.word!r} in the folder that this server was started with.")

    @property
    def key(self) -> str:
        """Its name in exports: a file name, or a digest."""
        return f"photo/{self.word}"

    @property
    def words(self) -> Mapping[str, str]:
        """The URL field that names it."""
        return {"photo": self.word}

    @property
    def asked(self) -> Mapping[str, Any]:
        """Its name in a request of the live channel."""
        return {"data": f"photo:{self.word}", "number": 0}

    data = None
    target = None
    ink = False

    @property
    def picture(self) -> Bytes:
        """The photograph, uint8 (row, column, 3), no side over 1,024 pixels; BadInput: it has been forgotten."""
        if self.word.startswith(UPLOADED):
            with _lock:
                if self.word not in _uploaded:
                    raise BadInput("This photograph is no longer on this server: upload it again.")
                _uploaded.move_to_end(self.word)
                return _uploaded[self.word]
        try:
            path = in_folder()[self.word]
            state = path.stat()
            return _read(path, state.st_mtime_ns, state.st_size)
        except KeyError:
            raise BadInput(f"The photograph {self.word!r} is no longer in its folder. Choose another.") from None
        except OSError as error:
            raise BadInput(f"The photograph {self.word!r} cannot be read: {files.reason(error)}.") from error

    def taken_by(self, net: Net) -> Bytes:
        """Return the middle square of the photograph as the input of one of our nets."""
        picture = self.picture
        rows, columns = picture.shape[:2]
        side = min(rows, columns)
        top, left = (rows - side) // 2, (columns - side) // 2
        return net.fitted(picture[top : top + side, left : left + side])


def in_folder() -> dict[str, Path]:
    """Return the photographs of the folder by file name: only files whose names fit into a URL."""
    named = os.environ.get(VARIABLE)
    if not named:
        return {}
    try:
        paths = sorted(Path(named).iterdir())
    except OSError:  # `attnviz app` reports this at the start
        return {}
    return {one.name: one for one in paths if one.suffix.lower() in SUFFIXES and _is_usable(one)}


def _is_usable(path: Path) -> bool:
    named = not any("\ud800" <= sign <= "\udfff" for sign in path.name)  # bytes of the name that are not UTF-8
    return named and files.is_there(path)


def keep(data: bytes) -> Photo:
    """Keep an uploaded photograph; BadInput explains why it cannot be read."""
    colours = _colours(data)
    word = f"{UPLOADED}{hashlib.sha256(data).hexdigest()}"
    with _lock:
        _uploaded[word] = colours
        while len(_uploaded) > 1 and sum(one.nbytes for one in _uploaded.values()) > MOST:
            _uploaded.popitem(last=False)
    return Photo(word)


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> Bytes:
    return _colours(files.read(path, pictures.MOST_BYTES + 1))


def _colours(data: bytes) -> Bytes:
    colours = pictures.read(data, colours=True).colours
    assert colours is not None
    return colours
