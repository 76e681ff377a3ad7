"""Loads slow modules while nobody is waiting for them, so that the app starts as fast as Streamlit.

While the first browser fetches Streamlit's scripts, the modules needed before torch are imported. The home page needs
none of them, so there the import waits until the page is painted. Torch, the slowest, is loaded just after a page has
been sent, while the visitor reads. The first views of home and pixel attention need no torch: see `first_look`.
"""

import gc
import logging
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from threading import Timer

from attnviz.ui.mechanisms import MECHANISMS, guard
from attnviz.ui.server import connections, descriptors, log
from attnviz.ui.shared import threads

AT_ONCE = 0.6  # seconds after the first request: by then Streamlit's scripts have been served
CALM = 3.0  # seconds after a page's script has ended: by then it is painted, and any immediate click has been answered

_log = logging.getLogger(__name__)


def at_start() -> None:
    """Configure the whole process before anything can load torch, such as a probe or a page left open."""
    # A thread that only computes, such as an importing one, then yields the GIL ten times as often, so that files are
    # served and pages run meanwhile.
    sys.setswitchinterval(0.0005)
    threads.one_each()
    descriptors.raise_limit()
    descriptors.spare_sessions()
    connections.bound()
    log.limit()


@cache  # once per process; if two visitors race, both import, and the second import finds everything loaded
def soon() -> Timer:
    """Load the modules that pages need, and torch, a moment later in a separate thread; pages call this last."""
    return _later(CALM, load_all)


@cache
def begin() -> Timer:
    """Import the modules that pages need before torch, once, in a separate thread."""
    return _later(AT_ONCE, load_pages)


def load_all() -> None:
    """Import everything, starting with the quicker modules."""
    load_pages()
    load_models()


def load_pages() -> None:
    """Import the modules that pages need before torch, and draw the first digits."""
    import_module("PIL.Image")
    import_module("attnviz.data").load("strokes", "test", count=256)
    for name in ("attnviz.ui.shared.pickers", "attnviz.ui.components.map_grid"):
        import_module(name)
    for _ in guard.each(MECHANISMS.values(), "modules", lambda row: [import_module(name) for name in row.imports]):
        pass  # a faulty mechanism's page reports what cannot be imported


def load_models() -> None:
    """Import torch, and everything that runs a model. If that fails, log the error and let the server continue."""
    gc.disable()  # importing creates many objects and no garbage; collecting takes a tenth of the time
    try:
        with descriptors.room():
            import_module("attnviz.ui.shared.inference")
    except (ImportError, OSError):
        _log.exception("torch cannot be loaded: the home page works, but the pages with models will not")
    finally:
        gc.freeze()
        gc.enable()


def _later(seconds: float, load: Callable[[], None]) -> Timer:
    timer = Timer(seconds, load)
    timer.name, timer.daemon = f"attnviz-{load.__name__}", True
    timer.start()
    return timer
