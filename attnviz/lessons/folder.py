"""The lessons of a folder. Changed files are read again."""

import errno
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from attnviz import files, paths
from attnviz.errors import BadInput
from attnviz.files import reason
from attnviz.lessons import reader
from attnviz.lessons.lesson import Known, Lesson, Mistake

_MEANT = re.compile(r".+\.(?:md|markdown|mdown|mkd)(?:\.txt)?", re.IGNORECASE)
MOST = 200  # lessons in a folder
LARGEST_PICTURE = 200_000
"""The maximum number of bytes of a picture for a handout."""


@dataclass(frozen=True)
class Found:
    """The file of a lesson: the lesson, or None if it has mistakes, and its mistakes."""

    lesson: Lesson | None
    mistakes: Sequence[Mistake]


class Folder:
    """The lessons of one folder.

    Args:
        known: the names that lessons may use.
    """

    def __init__(self, path: Path, known: Known) -> None:
        self.path, self.known = path, known
        self._kept: dict[Path, tuple[tuple[int, int], Found]] = {}
        self._lock = Lock()

    def read(self) -> dict[str, Found]:
        """Return file name -> its lesson, sorted by name; only files in the folder itself are read."""
        try:
            root = _real(self.path)
            paths = sorted(path for path in root.iterdir() if _MEANT.fullmatch(path.name))[:MOST]
        except OSError as error:
            raise BadInput(f"The folder of lessons {str(self.path)!r} cannot be read: {reason(error)}.") from error
        found = {}
        for path in paths:
            one = self._one(path, root)
            if path.suffix != ".md":
                found[path.name] = _refused(path, "A lesson must be called NAME.md: rename this file, or move it.")
            elif one:
                found[path.stem] = one
        return found

    def _one(self, path: Path, root: Path) -> Found | None:
        try:
            real = _real(path)
            if not real.is_relative_to(root):
                return _refused(path, "This links to a file outside the folder, which is not read.")
            about = real.stat()
            stamp = about.st_mtime_ns, about.st_size
            with self._lock:
                kept = self._kept.get(path)
            if kept and kept[0] == stamp:
                return kept[1]
            if not real.is_file():
                return _refused(path, "This is not a file.")
            if about.st_size > 4 * reader.LARGEST:
                return _refused(path, f"A lesson has at most {reader.LARGEST:,} characters.")
            found = _parsed(files.read(real, 4 * reader.LARGEST), path.name, self.known)
        except OSError as error:
            return _refused(path, f"The file cannot be read: {reason(error)}.")
        with self._lock:
            self._kept[path] = stamp, found
        return found


def ours() -> Path:
    """Return the folder of the lessons that come with attnviz."""
    return paths.shipped("lessons")


def picture_of(folder: Path, name: str, number: int) -> Path:
    """Return the path of a step's picture in a handout, from 0: the first existing WebP, PNG or JPEG, else the WebP."""
    files = [folder / "pictures" / f"{name}-{number + 1}.{suffix}" for suffix in ("webp", "png", "jpg", "jpeg")]
    return next((file for file in files if file.exists()), files[0])


def pictures(folder: Path, lesson: Lesson) -> dict[int, bytes]:
    """Return step, from 0 -> its picture for a handout, for all pictures in the folder."""
    found = {}
    for number in lesson.views:
        with suppress(OSError):
            path = _real(picture_of(folder, lesson.name, number))
            if path.is_relative_to(_real(folder)):
                found[number] = files.read(path, LARGEST_PICTURE)
    return found


def _real(path: Path) -> Path:
    """Return the path with links resolved; OSError: it does not exist, or the links form a loop."""
    try:
        return path.resolve(strict=True)
    except RuntimeError as error:  # raised by Python before 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


def _parsed(content: bytes, name: str, known: Known) -> Found:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return Found(
            None, [Mistake(name, line, "A lesson is UTF-8 text, and this line is not: save the file as UTF-8.")]
        )
    return Found(*reader.read(text.replace("\r\n", "\n"), name, known))


def _refused(path: Path, sentence: str) -> Found:
    return Found(None, [Mistake(path.name, 1, sentence)])
