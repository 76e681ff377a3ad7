"""Where files lie: what comes with attnviz, and what its user writes. `attnviz paths` lists the folders."""

import logging
import os
from pathlib import Path

import platformdirs

_SHIPPED = Path(__file__).parent / "_shipped"  # where setup.py puts what lies beside the package in a checkout
_CHECKOUT = Path(__file__).parents[1]

_log = logging.getLogger(__name__)


def shipped(name: str) -> Path:
    """Return where a file or folder of the repository, by its path there, lies that comes with attnviz, such as
    "checkpoints"; in a wheel it lies inside the package.
    """
    return (_SHIPPED if is_installed() else _CHECKOUT) / name


def is_installed() -> bool:
    """Return whether this attnviz comes from a wheel, into whose folder nothing may be written."""
    return _SHIPPED.is_dir()


def user_data() -> Path:
    """Return the user's folder for what is to be kept; it need not exist yet."""
    return platformdirs.user_data_path("attnviz", appauthor=False)


def user_cache() -> Path:
    """Return the user's folder for what can be downloaded or computed again; it need not exist yet."""
    return platformdirs.user_cache_path("attnviz", appauthor=False, opinion=False)


def computed(name: str) -> Path:
    """Return a folder for what was computed once and can be computed again: "places", "heads"."""
    return user_cache() / name


def made(folder: Path, what: str, variable: str = "") -> Path:
    """Make a folder among the user's files, into which something such as "runs" is written, if it is not there, and
    return it.

    Then the log says where it is, unless the user has set the variable of the environment.
    """
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        if not os.environ.get(variable):
            change = f"; {variable} names another folder" if variable else ""
            _log.warning("Writing %s to %s%s. `attnviz paths` lists all folders.", what, folder.absolute(), change)
    return folder


def say(whether: bool) -> None:
    """Let `made` say where folders are, or not: `--quiet`."""
    _log.setLevel(logging.NOTSET if whether else logging.ERROR)


def data_sets() -> Path:
    """Say where data sets are kept: `ATTNVIZ_DATA`, else a folder in the user's cache. It need not exist yet."""
    chosen = os.environ.get("ATTNVIZ_DATA")
    return Path(chosen).expanduser() if chosen else user_cache()
