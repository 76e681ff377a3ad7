"""The head of Streamlit's page: our style sheet, the glossary, and the scripts that a page's component will want.

Drawn by the page's script, a style sheet would come last, and bring 200 kB of Streamlit's scripts along that hold up
all else; here it is there before anything is drawn. The component's scripts are fetched together with Streamlit's, not
after them.
"""

import posixpath
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.ui.components.component import FRONTEND, full_name, module_of
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import preload
from attnviz.ui.shared import glossary, room

END = b"</head>"
TERMS = '<script type="module" src="_stcore/bidi-components/attnviz.arrive/shared/terms_of_page.js"></script>'
HOME = ""  # the last part of its URL


class Head:
    """ASGI middleware that completes the head of every page, and begins with the imports at the first request.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.style = f"<style>{(FRONTEND / 'shared' / 'page.css').read_text()}</style>"
        self.style += f"<style>{room.style()}</style>" + glossary.element() + TERMS
        self.scripts = {"draw": _preload("drawing_pad", FRONTEND)}
        for row in MECHANISMS.values():
            scripts = "".join(_preload(component, row.frontend) for component in row.preload)
            for url in (row.url, *(one.url for one in row.further)):
                self.scripts[url] = scripts
            if row.live:
                self.scripts.setdefault(HOME, scripts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; where a browser asks for a page, complete the head of the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        preload.begin()
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        # Plain, or the head could not be found in it.
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        addition = (self.style + self.scripts.get(scope["path"].rpartition("/")[2], "")).encode()
        await self.app({**scope, "headers": plain}, receive, _Completing(send, addition).send)


class _Completing:
    """Holds an answer back until it is whole, and sends it with something added at the end of its head."""

    def __init__(self, send: Send, addition: bytes) -> None:
        self.pass_on, self.addition = send, addition
        self.start: MutableMapping[str, Any] = {}
        self.body = b""

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish()
        else:
            await self.pass_on(message)

    async def _finish(self) -> None:
        headers = MutableHeaders(scope=self.start)
        if END in self.body:
            self.body = self.body.replace(END, self.addition + END, 1)
            headers["Content-Length"] = str(len(self.body))
            for name in ("ETag", "Last-Modified"):  # they know nothing of what was added
                del headers[name]
        await self.pass_on(self.start)
        await self.pass_on({"type": "http.response.body", "body": self.body})


def _preload(component: str, frontend: Path) -> str:
    """Return the elements that fetch a component's module and all that it imports, relative to a page's URL."""
    full = full_name(component)
    names = [f"{module_of(full.partition('.')[2], frontend)}.js"]
    for name in names:
        found = re.findall(r'from "(\.{1,2}/[\w./]+)"', (frontend / name).read_text())
        others = [posixpath.normpath(posixpath.join(posixpath.dirname(name), other)) for other in found]
        # What lies beyond the folder belongs to another component, and is fetched when it is asked for.
        names += [other for other in dict.fromkeys(others) if other not in names and not other.startswith("..")]
    return "".join(f'<link rel="modulepreload" href="_stcore/bidi-components/{full}/{name}">' for name in names)
