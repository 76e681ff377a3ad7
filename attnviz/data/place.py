"""Where data sets are kept."""

import os
import sys
from pathlib import Path


def folder() -> Path:
    """Say where data sets are kept: `ATTNVIZ_DATA`, else a folder in the user's cache. It need not exist yet."""
    chosen = os.environ.get("ATTNVIZ_DATA")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        cache = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        cache = "~/Library/Caches"
    else:
        cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "attnviz"
