"""Where checkpoints lie. Apart from `attnviz.cards`, because the first page knows it before numpy is loaded."""

import os
import re
import sys
from pathlib import Path

_INSTALLED = Path(__file__).parent / "_checkpoints"  # where setup.py puts them
_IN_REPOSITORY = Path(__file__).parent.parent / "checkpoints"

WORD = r"[A-Za-z0-9_][A-Za-z0-9_-]*"
"""Pattern of a model's name and of a recipe's, which make up the name of a folder."""

_NAME = re.compile(rf"{WORD}(\.{WORD})+")
_LONGEST = 200  # characters of a name


def folder() -> Path:
    """Return the folder of the checkpoints: `ATTNVIZ_CHECKPOINTS`, else the installed one, else the repository's."""
    if chosen := os.environ.get("ATTNVIZ_CHECKPOINTS"):
        return Path(chosen)
    return _INSTALLED if _INSTALLED.is_dir() else _IN_REPOSITORY


def kept() -> Path:
    """Return the folder of the models that somebody keeps: `ATTNVIZ_KEPT`, else one among the user's data.

    It is made when the first model is kept.
    """
    if chosen := os.environ.get("ATTNVIZ_KEPT"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        data = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        data = "~/Library/Application Support"
    else:
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "attnviz" / "checkpoints"


def is_name(name: str) -> bool:
    """Return whether this can be the name of a checkpoint, and so of a folder: MODEL.RECIPE, of plain characters.

    Args:
        name: from anywhere; no path may be made of one that is none.
    """
    return len(name) <= _LONGEST and _NAME.fullmatch(name) is not None
