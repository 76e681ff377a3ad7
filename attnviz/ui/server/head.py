"""The head of Streamlit's page: our style sheet, the glossary, and the scripts that a page's component needs.

A style sheet drawn by the page's script would arrive last, with 200 kB of Streamlit's scripts that delay everything
else; here it is available before anything is drawn. The component's scripts are fetched together with Streamlit's, not
after them.
"""

import posixpath
import re
from collections.abc import Iterable, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.subjects import own
from attnviz.ui.components.component import FRONTEND, full_name, module_of
from attnviz.ui.mechanisms import MECHANISMS, Mechanism, guard
from attnviz.ui.server import preload
from attnviz.ui.shared import glossary, reserved

END = b"</head>"
SCRIPTS = "".join(
    f'<script type="module" src="_stcore/bidi-components/attnviz.arrive/{script}.js"></script>'
    for script in ("terms/terms_of_page", "core/menu", "core/links")
)
HOME = ""  # the last part of the home page's URL
STREAMLITS_PAGE = Path(streamlit.__file__).parent / "static" / "index.html"


class Head:
    """ASGI middleware that completes the head of every page, and starts the imports that the page needs."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.style = f"<style>{(FRONTEND / 'core' / 'page.css').read_text()}</style>"
        self.style += (
            f"<style>{reserved.style()}{_reserved(MECHANISMS.values())}</style>" + glossary.element() + SCRIPTS
        )
        drawing = _streamlits(("BidiComponent", "PageLink"), STREAMLITS_PAGE)
        self.scripts = {"draw": drawing + _preload("drawing_pad", FRONTEND)}
        if own.there():
            self.scripts["explorer"] = drawing + _preload("pixel_viewer", FRONTEND)
        # A faulty mechanism's preloads are left out; its page reports the error when it draws the component.
        for row, preloads in guard.each(
            MECHANISMS.values(),
            "components",
            lambda row: "".join(_preload(component, row.frontend) for component in row.preload),
        ):
            scripts = drawing + preloads
            for url in (row.url, *(one.url for one in row.further)):
                self.scripts.setdefault(url, scripts)
            if row.live:
                self.scripts.setdefault(HOME, scripts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and complete the head of the answer if it is a page."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        url = scope["path"].rpartition("/")[2]
        if url != HOME:  # the home page needs only Streamlit, and is painted sooner without these imports
            preload.begin()
        # Without compression, since the head must be found in the body.
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        addition = (self.style + self.scripts.get(url, "")).encode()
        await self.app({**scope, "headers": plain}, receive, _Completing(send, addition).send)


class _Completing:
    """Holds back an answer until it is complete, and sends it with an addition at the end of its head."""

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
            for name in ("ETag", "Last-Modified"):  # they describe the file without the addition
                del headers[name]
        await self.pass_on(self.start)
        await self.pass_on({"type": "http.response.body", "body": self.body})


def _reserved(rows: Iterable[Mechanism]) -> str:
    """Return the rules that reserve the heights of mechanisms' components; page.css sets the size of `--px`."""
    heights = [(f".st-key-{key}", height) for row in rows for key, height in row.heights.items()]
    wide = "".join(f"{element}{{min-height:calc({height.wide} * var(--px))}}" for element, height in heights)
    phone = "".join(f"{element}{{min-height:{height.phone}px}}" for element, height in heights if height.phone)
    return f"{wide}@media (max-width:700px){{{phone}}}"


def _streamlits(elements: Sequence[str], page: Path) -> str:
    """Return the HTML elements that fetch Streamlit's scripts for drawing `elements`, or "" if it has none."""
    folder = page.parent / "static" / "js"
    known = page.read_text() if page.exists() else ""
    names = [path.name for element in elements for path in folder.glob(f"{element}.*.js")]
    for name in names:
        imported = re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', (folder / name).read_text())
        names += [other for other in imported if other not in known and other not in names]
    return "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names)


def _preload(component: str, frontend: Path) -> str:
    """Return the elements that fetch a component's modules and styles, relative to a page's URL."""
    full = full_name(component)
    module = module_of(full.partition(".")[2], frontend)
    names = [f"{module}.js"]
    for name in names:
        found = re.findall(r'from "(\.{1,2}/[\w./]+)"', (frontend / name).read_text())
        others = [posixpath.normpath(posixpath.join(posixpath.dirname(name), other)) for other in found]
        # Files outside the folder belong to another component and are fetched when they are needed.
        names += [other for other in dict.fromkeys(others) if other not in names and not other.startswith("..")]
    styles = [f"{module}.css"] if (frontend / f"{module}.css").exists() else []
    for name in styles:
        found = re.findall(r'@import "(.+?)"', (frontend / name).read_text())
        others = [posixpath.normpath(posixpath.join(posixpath.dirname(name), other)) for other in found]
        styles += [other for other in dict.fromkeys(others) if other not in styles]
    at = f"_stcore/bidi-components/{full}"
    return "".join(
        [
            *(f'<link rel="modulepreload" href="{at}/{name}">' for name in names),
            *(f'<link rel="preload" as="style" href="{at}/{name}">' for name in styles),
        ]
    )
