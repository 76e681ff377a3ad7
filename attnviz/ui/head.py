"""The head of Streamlit's page: our style sheet, and the scripts that a page's component will want.

Drawn by the page's script, a style sheet would come last, and bring 200 kB of Streamlit's scripts along that hold up
all else; here it is there before anything is drawn. The component's scripts are fetched together with Streamlit's, not
after them.
"""

import re
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.ui import warm

FRONTEND = Path(__file__).parent / "frontend"
END = b"</head>"


class Head:
    """ASGI middleware that completes the head of every page, and begins with the imports at the first request.

    Args:
        app: what answers.
        components: the last part of a page's address -> the component that it draws.
    """

    def __init__(self, app: ASGIApp, components: Mapping[str, str]) -> None:
        self.app = app
        self.style = f"<style>{(FRONTEND / 'page.css').read_text()}</style>"
        self.scripts = {page: _preload(component) for page, component in components.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; where a browser asks for a page, complete the head of the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        warm.begin()
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


def _preload(component: str) -> str:
    """Return the elements that fetch a component's module and all that it imports, relative to a page's address."""
    names = [f"{component}.js"]
    for name in names:
        found = re.findall(r'from "\./([\w.]+)"', (FRONTEND / name).read_text())
        names += [other for other in dict.fromkeys(found) if other not in names]
    folder = f"_stcore/bidi-components/attnviz.{component}"
    return "".join(f'<link rel="modulepreload" href="{folder}/{name}">' for name in names)
