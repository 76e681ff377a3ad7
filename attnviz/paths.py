"""The folders of files that come with attnviz, and of files written for its user; `attnviz paths` lists them."""

import logging
import os
from pathlib import Path

import platformdirs

from attnviz.looks import once

_SHIPPED = Path(__file__).parent / "_shipped"  # setup.py copies here what is next to the package in a checkout
_CHECKOUT = Path(__file__).parents[1]

_log = logging.getLogger(__name__)


def shipped(name: str) -> Path:
    """Return the path of a file or folder of the repository that comes with attnviz, such as "checkpoints"; in a wheel
    it is inside the package.
    """
    return (_SHIPPED if is_installed() else _CHECKOUT) / name


def is_installed() -> bool:
    """Return whether this attnviz was installed from a wheel, so that nothing may be written into its folder."""
    return _SHIPPED.is_dir()


def user_data() -> Path:
    """Return the user's folder for permanent files; it need not exist yet."""
    return platformdirs.user_data_path("attnviz", appauthor=False)


def user_cache() -> Path:
    """Return the user's folder for files that can be downloaded or computed again; it need not exist yet."""
    return once("user cache", lambda: platformdirs.user_cache_path("attnviz", appauthor=False, opinion=False))


def computed(name: str) -> Path:
    """Return a folder for computed results that can be computed again: "places", "heads"."""
    return user_cache() / name


def made(folder: Path, what: str, variable: str = "") -> Path:
    """Return a folder for the user's files, such as "runs"; create it if it does not exist.

    If it was created, its path is logged, unless the user has set the environment variable.
    """
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        if not os.environ.get(variable):
            change = f"; {variable} names another folder" if variable else ""
            _log.warning("Writing %s to %s%s. `attnviz paths` lists all folders.", what, folder.absolute(), change)
    return folder


def say(whether: bool) -> None:
    """Set whether `made` logs the paths of folders; `--quiet` turns it off."""
    _log.setLevel(logging.NOTSET if whether else logging.ERROR)


def data_sets() -> Path:
    """Return the folder of data sets: `ATTNVIZ_DATA`, else a folder in the user's cache. It need not exist yet."""
    chosen = os.environ.get("ATTNVIZ_DATA")
    return Path(chosen).expanduser() if chosen else user_cache()
