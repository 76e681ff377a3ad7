"""Writing files so that a kill, a power cut or a full disk leaves either the old content or the new, never half; and
reading them so that none takes longer, or more memory, than is expected of it.
"""

import errno
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_SETTLED = 2_000_000_000  # nanoseconds


def write(path: Path, content: bytes | str) -> None:
    """Put content under a name, all of it or none: written beside, synced, renamed, and the rename synced.

    Raises:
        OSError: the folder is read-only, the disk is full, ...; what stood there before still stands there.
    """
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
    """Return the content of a regular file, or of what a link names if that is one.

    Args:
        path: of the file.
        most: so many bytes it may have.

    Returns:
        All of it.

    Raises:
        OSError: it cannot be read, is not a regular file but a device or a pipe, or is larger.
    """
    with open(path, "rb", opener=_without_waiting) as file:  # noqa: PTH123 (Path.open takes no opener)
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"it has {found.st_size:,} bytes, and at most {most:,} are expected")
        return file.read(found.st_size)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe that nobody writes to is opened all the same


def sync(folder: Path) -> None:
    """Make the names in a folder last. Where the system cannot open folders (Windows), renames last by themselves."""
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def reason(error: OSError) -> str:
    """Say in words why a file could not be read or written: "no space left on device"."""
    return (error.strerror or str(error) or type(error).__name__).lower()


class Stamp(NamedTuple):
    """What changes when a file is written again or replaced."""

    written: int  # nanoseconds since 1970
    size: int
    inode: int

    @property
    def settled(self) -> bool:
        """Whether the stamp tells one content from the next: of a file written twice within a tick of the file
        system's clock it does not."""
        return time.time_ns() - self.written > _SETTLED


def stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file; None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # a name with NUL or surrogates is a ValueError
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)
