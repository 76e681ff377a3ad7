"""Finished runs and models on other storage: any URL that fsspec knows, such as s3://, gs://, sftp:// or file://."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attnviz import cards, files
from attnviz.errors import AttnvizError, BadInput, RunError
from attnviz.work import packing
from attnviz.work.jobs import carrying, keeping


def push(name: str, url: str) -> str:
    """Copy a finished run, or a checkpoint, as one file to the URL of a file, or of a folder with a slash at its end.
    Replace an existing file, and return its URL.
    """
    content = keeping.packed(name) if name in cards.names() else carrying.packed(name)
    target = f"{url}{name}.zip" if url.endswith("/") else url
    with _told(target, "written"):
        system, path = _opened(target)
        system.pipe_file(path, content)
    return target


def pull(url: str, word: str | None = None) -> str:
    """Import a run or a checkpoint that was copied to a URL, check it like an upload, and return its name.

    A model is kept as MODEL.WORD; by default, WORD is the part of the file's name after the first dot.
    """
    with _told(url, "read"):
        system, path = _opened(url)
        with system.open(path, "rb") as file:
            content = _read(file)
    if carrying.is_run(packing.names(content, carrying.LARGEST)):
        if word is not None:
            raise BadInput("A run has a name already. --as is for models.")
        return carrying.bring(content)
    own = url.rpartition("/")[2].removesuffix(".zip").partition(".")[2]
    return keeping.bring(content, own if word is None else word)


def _read(file: Any) -> bytes:
    """Return the content of a file, up to the maximum size of an import, whatever size the server states."""
    parts, size = [], 0
    while size <= carrying.LARGEST and (part := file.read(2**22)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _opened(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path there."""
    if "://" not in url:
        raise BadInput(f"Give a URL such as s3://bucket/folder/, not {url[:100]!r}.")
    try:
        import fsspec
    except ImportError as error:
        raise BadInput('Other storage needs fsspec. Install it: pip install "attnviz[remote]"') from error
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(url)
    except ImportError as error:  # the message names the missing package
        raise BadInput(f"{url} needs another package. {error}") from error
    except ValueError as error:
        raise BadInput(f"{url} cannot be read as a URL: {error}.") from error
    return found


@contextmanager
def _told(url: str, what: str) -> Iterator[None]:
    """Convert any error with a URL in the block into one sentence, since each file system has its own errors."""
    try:
        yield
    except AttnvizError:
        raise
    except FileNotFoundError as error:
        raise RunError(f"{url} cannot be {what}: there is no such file or folder.") from error
    except Exception as error:
        why = files.reason(error) if isinstance(error, OSError) else str(error) or type(error).__name__
        raise RunError(f"{url} cannot be {what}: {' '.join(why.split())[:300]}") from error
