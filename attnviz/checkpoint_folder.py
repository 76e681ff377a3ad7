"""Where checkpoints lie. Apart from `attnviz.cards`, because the first page knows it before numpy is loaded."""

import os
from pathlib import Path

_INSTALLED = Path(__file__).parent / "_checkpoints"  # where setup.py puts them
_IN_REPOSITORY = Path(__file__).parent.parent / "checkpoints"


def folder() -> Path:
    """Return the folder of the checkpoints: `ATTNVIZ_CHECKPOINTS`, else the installed one, else the repository's."""
    if chosen := os.environ.get("ATTNVIZ_CHECKPOINTS"):
        return Path(chosen)
    return _INSTALLED if _INSTALLED.is_dir() else _IN_REPOSITORY
