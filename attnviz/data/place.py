"""Where data sets are kept."""

import os
from pathlib import Path

from attnviz import paths


def folder() -> Path:
    """Say where data sets are kept: `ATTNVIZ_DATA`, else a folder in the user's cache. It need not exist yet."""
    chosen = os.environ.get("ATTNVIZ_DATA")
    return Path(chosen).expanduser() if chosen else paths.user_cache()
