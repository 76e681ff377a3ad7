"""Where checkpoints lie. Apart from `attnviz.cards`, because the first page knows it before numpy is loaded."""

import os
import re
import sys
from functools import lru_cache
from pathlib import Path

_INSTALLED = Path(__file__).parent / "_checkpoints"  # where setup.py puts them
_IN_REPOSITORY = Path(__file__).parent.parent / "checkpoints"

WORD = r"[A-Za-z0-9_][A-Za-z0-9_-]*"
"""Pattern of a model's name and of a recipe's, which make up the name of a folder."""

_NAME = re.compile(rf"{WORD}(\.{WORD})+")
_LONGEST = 200  # characters of a name
_TELL = ("ATTNVIZ_KEPT", "LOCALAPPDATA", "XDG_DATA_HOME", "HOME", "USERPROFILE")  # where kept models lie


def folder() -> Path:
    """Return the folder of the checkpoints: `ATTNVIZ_CHECKPOINTS`, else the installed one, else the repository's."""
    if chosen := os.environ.get("ATTNVIZ_CHECKPOINTS"):
        return Path(chosen)
    return _INSTALLED if _INSTALLED.is_dir() else _IN_REPOSITORY


def kept() -> Path:
    """Return the folder of the models that somebody keeps: `ATTNVIZ_KEPT`, else one among the user's data.

    It is made when the first model is kept.
    """
    return _kept(sys.platform, *map(os.environ.get, _TELL))


@lru_cache(maxsize=16)  # a page asks a hundred times
def _kept(system: str, chosen: str | None, local: str | None, shared: str | None, *_: str | None) -> Path:
    if chosen:
        return Path(chosen).expanduser()
    if system == "win32":
        data = local or "~/AppData/Local"
    elif system == "darwin":
        data = "~/Library/Application Support"
    else:
        data = shared or "~/.local/share"
    return Path(data).expanduser() / "attnviz" / "checkpoints"


def is_name(name: str) -> bool:
    """Return whether this can be the name of a checkpoint, and so of a folder: MODEL.RECIPE, of plain characters.

    Args:
        name: from anywhere; no path may be made of one that is none.
    """
    return len(name) <= _LONGEST and _NAME.fullmatch(name) is not None
