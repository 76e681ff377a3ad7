"""Parts of long work on disk, so that it can be stopped and resumed and is done only once."""

import hashlib
import io
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz import files, paths

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]

VERSION = 2  # of the measures and of the file format
MOST = 64  # maximum number of tables; the least recently used ones are deleted
_LARGEST = 1 << 30  # maximum size of a part, in bytes
_DIGEST = 32  # bytes at the start of a file, before numpy's arrays


def folder() -> Path:
    """Return the folder of the parts, in the user's cache folder."""
    return paths.computed("heads")


def digest(model: nn.Module, images: Any, told: Any) -> str:
    """Return a digest of everything that determines the result: weights, pictures, and the `repr` of the settings."""
    hashed = hashlib.sha256(repr((VERSION, type(model).__qualname__, str(model), told)).encode())
    for name, one in model.state_dict().items():
        if isinstance(one, Tensor):
            hashed.update(repr((name, tuple(one.shape), str(one.dtype))).encode())
            hashed.update(one.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    array = images.cpu().numpy() if isinstance(images, Tensor) else images
    hashed.update(repr((array.shape, str(array.dtype))).encode())
    hashed.update(np.ascontiguousarray(array).data)
    return hashed.hexdigest()[:32]


def load(name: str, part: str) -> Arrays | None:
    """Return a part, or None if it is not stored, or if its file is damaged or belongs to another part."""
    path = folder() / name / part
    try:
        content = files.read(path, _LARGEST)
        digest, content = content[:_DIGEST], content[_DIGEST:]
        if digest != _digest(name, part, content):
            return None
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return {key: found[key] for key in found.files}
    except Exception:  # whatever numpy and zipfile raise for a damaged file
        return None


def save(name: str, part: str, arrays: Mapping[str, Any]) -> None:
    """Store a part. If it cannot be written, it is computed again next time."""
    content = io.BytesIO()
    np.savez(content, **arrays)
    home = folder() / name
    with suppress(OSError):
        is_new = not home.is_dir()
        paths.made(folder(), "tables of heads")
        home.mkdir(exist_ok=True)
        files.write(home / part, _digest(name, part, content.getvalue()) + content.getvalue())
        if is_new:
            _forget(home)


def _digest(name: str, part: str, content: bytes) -> bytes:
    return hashlib.sha256(f"{name} {part} ".encode() + content).digest()


def _forget(new: Path) -> None:
    homes = [path for path in folder().iterdir() if path.is_dir()]
    kept = sorted(homes, key=lambda path: (path == new, path.stat().st_mtime))  # in case the clock was set back
    for old in kept[:-MOST]:
        shutil.rmtree(old, ignore_errors=True)
