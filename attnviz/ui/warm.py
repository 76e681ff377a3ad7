"""Load what is slow to load while nobody waits for it: the start of the app stays that of Streamlit.

While the first browser fetches Streamlit's scripts, what the pages need before torch is imported. Torch, the
slowest, is loaded a moment after a page has been sent, while the visitor reads. What the pixel page shows first needs
no torch (see `first_look`), and its component's scripts are asked for together with Streamlit's, not after them.
"""

import gc
import logging
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

FRONTEND = Path(__file__).parent / "frontend"
AT_ONCE = 0.4  # seconds from the first request: by then Streamlit's scripts have been served
CALM = 3.0  # seconds from the end of a page's script: by then it is painted, and who clicks at once has been answered

_log = logging.getLogger(__name__)


@cache  # once a process: a race of two visitors would only import twice, and the second import finds all there
def soon() -> Timer:
    """Load torch in a moment, in a thread of its own: the last thing that a page asks for."""
    return _later(CALM, load_models)


class Ahead:
    """ASGI middleware: the first request begins the imports, and a page's answer names its component's scripts.

    Args:
        app: what answers.
        pages: the last part of a page's address -> the component that it draws.
    """

    def __init__(self, app: ASGIApp, pages: Mapping[str, str]) -> None:
        self.app = app
        self.links = {page: _links(component) for page, component in pages.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the header to the answer if it is such a page."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin()
        page = scope["path"].rpartition("/")[2]

        async def send_with_links(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("Link", self.links[page])
            await send(message)

        await self.app(scope, receive, send_with_links if page in self.links else send)


def _links(component: str) -> str:
    """Return the Link header for a component's module and all that it imports, relative to a page's address."""
    names = [f"{component}.js"]
    for name in names:
        found = re.findall(r'from "\./([\w.]+)"', (FRONTEND / name).read_text())
        names += [other for other in dict.fromkeys(found) if other not in names]
    return ", ".join(f"<_stcore/bidi-components/attnviz.{component}/{name}>; rel=modulepreload" for name in names)


@cache
def begin() -> Timer:
    """Import what pages need before torch, in a thread of its own, once."""
    # A thread that only computes, as one that imports does, then lets the others in ten times as often: files are
    # served and pages run meanwhile.
    sys.setswitchinterval(0.0005)
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
