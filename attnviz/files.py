"""Writing files so that a kill, a power cut or a full disk leaves either the old content or the new, never half."""

import os
from contextlib import suppress
from pathlib import Path


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
