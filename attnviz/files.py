"""Writing files so that a kill, a power cut or a full disk leaves either the old or the new content; and reading them
so that no file takes more time or memory than expected.
"""

import errno
import json
import math
import os
import stat
import struct
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Generic, Literal, NamedTuple, TypeVar

from attnviz.errors import BadInput

T = TypeVar("T")
_SETTLED = 2_000_000_000  # nanoseconds


def write(path: Path, content: bytes | memoryview | str) -> None:
    """Write content to a path atomically: write a temporary file, sync it, rename it, and sync the rename."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        sync(path.parent)
    except BaseException:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def read(path: Path, most: int) -> bytes:
    """Return the content of a regular file, or of a link to one. Raise OSError if it has more than `most` bytes, or is
    a device or a pipe.
    """
    with opened(path) as file:
        return file.read(_size(file.fileno(), most))


def end(path: Path, most: int) -> bytes:
    """Return at most the last `most` bytes of a regular file of any size; otherwise OSError as in `read`."""
    with opened(path) as file:
        file.seek(max(0, _size(file.fileno()) - most))
        return file.read(most)


def from_json(content: bytes | str) -> Any:
    """Parse JSON; raise ValueError if it is invalid, or nested too deeply for Python."""
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def opened(path: Path, mode: Literal["rb", "wb", "ab"] = "rb") -> BinaryIO:
    """Open a regular file, or a link to one. Refuse others, which might block, before reading or truncating them."""
    file = open(path, "ab" if mode == "wb" else mode, opener=_without_waiting)  # noqa: PTH123, SIM115 (no `with`)
    try:
        _size(file.fileno())
        if mode == "wb":
            file.truncate(0)
    except BaseException:
        file.close()
        raise
    return file


def is_there(path: Path | str) -> bool:
    """Return whether a regular file exists; unlike pathlib, without errors for folders that may not be read."""
    return os.path.isfile(path)  # noqa: PTH113


def regular(path: Path, most: int) -> Path:
    """Return the path of a regular file or a link to one, for a library to open; raise OSError as in `read`."""
    with opened(path) as file:
        _size(file.fileno(), most)
    return path


def _size(descriptor: int, most: float = math.inf) -> int:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if found.st_size > most:
        raise OSError(errno.EFBIG, f"it has {found.st_size:,} bytes, and at most {most:,} are expected")
    return found.st_size


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)  # otherwise, a pipe would wait for a writer


def sync(folder: Path) -> None:
    """Make the names in a folder durable. Systems that cannot open folders (Windows) make renames durable anyway."""
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def reason(error: OSError) -> str:
    """Return in words why a file could not be read or written: "no space left on device"."""
    return (error.strerror or str(error) or type(error).__name__).lower()


class Stamp(NamedTuple):
    """Attributes of a file that change when it is written again or replaced."""

    written: int  # nanoseconds since 1970
    size: int
    inode: int

    @property
    def settled(self) -> bool:
        """Whether the stamp identifies the content: two writes within a tick of the file system share a stamp."""
        return time.time_ns() - self.written > _SETTLED


def stamp(path: Path | str) -> Stamp | None:
    """Return the stamp of a file, or None if the file does not exist."""
    try:
        found = os.stat(path)  # noqa: PTH116 (a Path for each of many files takes three times as long)
    except (OSError, ValueError):  # a name with NUL or surrogates raises ValueError
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


class Remembered(Generic[T]):
    """A cache of results read from files of at most `most` bytes in all; the least recently read are dropped first."""

    def __init__(self, most: float) -> None:
        self._most, self._lock = most, Lock()
        self._known: OrderedDict[Path, tuple[tuple[Stamp | None, ...], T]] = OrderedDict()

    def known(self, path: Path, stamps: tuple[Stamp | None, ...]) -> T | None:
        """Return the cached result of a path if its stamps have not changed, else None."""
        found = self._known.get(path)
        return found[1] if found is not None and found[0] == stamps else None

    def get(self, path: Path, stamps: tuple[Stamp | None, ...], read: Callable[[], T]) -> T:
        """Return the cached result of a path, or read it again if its stamps, taken before, have changed."""
        known = self._known.get(path)
        if known is not None and known[0] == stamps:
            return known[1]
        found = read()
        if all(stamp is not None and stamp.settled for stamp in stamps):
            with self._lock:
                self._known.pop(path, None)
                self._known[path] = stamps, found
                while sum(stamp.size for each, _ in self._known.values() for stamp in each if stamp) > self._most:
                    self._known.popitem(last=False)
        return found


_END = struct.Struct("<4s4H2LH")
_EACH = 160  # bytes of an entry with a long name in the list


def check_directory(content: bytes, most: int, what: str) -> None:
    """Check the end of a zip before its list of members is read, whose entries would take a hundred times their bytes
    in memory: it may have at most `most` members, called `what` in the error.
    """
    at = len(content) - _END.size
    if at < 0 or not (content.startswith(b"PK\5\6", at) and content.endswith(b"\0\0")):
        at = content.rfind(b"PK\5\6", max(0, at - 2**16))
    if at < 0 or at + _END.size > len(content):
        return  # not a zip file, which its reader reports
    count, size = _END.unpack_from(content, at)[4:6]
    if count > most or size > _EACH * most or content[max(0, at - 20) :].startswith(b"PK\6\7"):
        raise BadInput(f"The file holds too many members: at most {most:,} {what} are read.")
