"""Where files lie: what comes with attnviz, and what its user writes. `attnviz paths` lists the folders."""

from pathlib import Path

import platformdirs

_SHIPPED = Path(__file__).parent / "_shipped"  # where setup.py puts what lies beside the package in a checkout
_CHECKOUT = Path(__file__).parents[1]


def shipped(name: str) -> Path:
    """Return where a file or folder of the repository lies that comes with attnviz: "checkpoints", "app.py".

    Args:
        name: its path in the repository. In a wheel it lies inside the package.
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
