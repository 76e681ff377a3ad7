"""Load what is slow to load while nobody waits for it: the start of the app stays that of Streamlit.

While the first browser fetches Streamlit's scripts, what the pages need before torch is imported. Torch, the
slowest, is loaded a moment after a page has been sent, while the visitor reads. What the pixel page shows first needs
no torch: see `first_look`.
"""

import gc
import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from threading import Timer

AT_ONCE = 0.6  # seconds from the first request: by then Streamlit's scripts have been served
CALM = 3.0  # seconds from the end of a page's script: by then it is painted, and who clicks at once has been answered

_log = logging.getLogger(__name__)


@cache  # once a process: a race of two visitors would only import twice, and the second import finds all there
def soon() -> Timer:
    """Load torch in a moment, in a thread of its own: the last thing that a page asks for."""
    return _later(CALM, load_models)


@cache
def begin() -> Timer:
    """Import what pages need before torch, in a thread of its own, once."""
    # A thread that only computes, as one that imports does, then lets the others in ten times as often: files are
    # served and pages run meanwhile.
    sys.setswitchinterval(0.0005)
    # Visitors compute side by side, each on one core: the parts of a small model would wait for one another, and for
    # the browser on the same machine, longer than they take. Whoever starts the app can say another number.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return _later(AT_ONCE, load_pages)


def load_pages() -> None:
    """Import what home and the way from it to the pixel page need, and draw the first digits."""
    import_module("PIL.Image")
    import_module("attnviz.data").load("strokes", "test", count=256)
    for name in ("pickers", "equations", "map_grid", "pixel_viewer"):
        import_module(f"attnviz.ui.{name}")


def load_models() -> None:
    """Import torch, and all that runs a model. Where that fails the server lives on; the log says why."""
    gc.disable()  # importing makes many objects and no garbage: looking for it takes a tenth of the time
    try:
        import_module("attnviz.ui.looking")
    except ImportError:
        _log.exception("torch cannot be loaded: the home page works, the pages with models will not")
    finally:
        gc.freeze()
        gc.enable()


def _later(seconds: float, load: Callable[[], None]) -> Timer:
    timer = Timer(seconds, load)
    timer.name, timer.daemon = f"attnviz-{load.__name__}", True
    timer.start()
    return timer
