"""Several files in one zip; untrusted zips are read within bounds, and their names never become paths."""

import io
import zipfile
from collections.abc import Iterable, Mapping

from attnviz.errors import BadInput
from attnviz.files import check_directory

_MOST = 2000  # maximum number of files


def packed(files: Mapping[str, bytes]) -> bytes:
    """Pack files, name -> content, into a zip; equal files give equal bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, file in files.items():
            archive.writestr(zipfile.ZipInfo(name), file)  # ZipInfo's default date is constant
    return content.getvalue()


def names(content: bytes, most: int) -> list[str]:
    """Return the names of the files in an untrusted zip, in alphabetical order, without reading them. It may have at
    most `most` bytes, packed and unpacked.
    """
    return sorted(_sizes(content, most))


def members(content: bytes, wanted: Iterable[str], most: int) -> dict[str, bytes]:
    """Return some of the files in an untrusted zip; nothing is written."""
    sizes = _sizes(content, most)
    found = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in wanted:
                with archive.open(name) as file:  # reads at most the stated size, so a false size has no effect
                    found[name] = file.read(sizes[name] + 1)
    except Exception as error:  # zipfile may raise anything for a damaged file
        raise _damaged() from error
    return found


def _sizes(content: bytes, most: int) -> dict[str, int]:
    if len(content) > most:
        raise BadInput(f"The file has {len(content):,} bytes; at most {most:,} are read.")
    check_directory(content, _MOST, "files")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            every = archive.infolist()
    except Exception as error:
        raise _damaged() from error
    sizes = {one.filename: one.file_size for one in every}
    if len(sizes) < len(every) or len(sizes) > _MOST:
        raise BadInput(f"The file must be a zip of at most {_MOST:,} files with unique names.")
    if sum(sizes.values()) > most:
        raise BadInput(f"The unpacked contents of the file have more than {most:,} bytes.")
    return sizes


def _damaged() -> BadInput:
    return BadInput("The file is not a zip packed by attnviz, or it is damaged.")
