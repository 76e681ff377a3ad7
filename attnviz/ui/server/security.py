"""Protects visitors and server with headers on every answer, and shows one sentence for an uncaught error."""

import base64
import hashlib
import logging
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.errors import AttnvizError
from attnviz.ui.shared.wording import UNEXPECTED, verbatim


def inline_scripts(page: str) -> str:
    """Return the content policy's sources, as digests, that allow only the inline scripts of an HTML page. Browsers
    read its line ends as single line feeds.
    """
    found = re.findall(r"<script>(.*?)</script>", page.replace("\r\n", "\n"), re.DOTALL)
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in found)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


_PAGE = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")

# With this policy the app cannot fetch anything from another host, not even by mistake. Plotly's SVG traces, formulas
# and components served as files work under it; WebGL traces and inline components are refused. Streamlit's camera
# fetches the photograph it has taken from a data URL of the page, which contacts no host.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        f"script-src 'self' {inline_scripts(_PAGE)} 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_log = logging.getLogger(__name__)


class Headers:
    """ASGI middleware that adds HEADERS to every answer, including assets, refused sockets and server errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the first message of the response."""
        started = False

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            if scope["type"] != "http" or started:
                raise
            # Starlette builds its own error responses outside all middleware, so they would lack the headers.
            _log.exception("No answer to %s %s", scope["method"], scope["path"])
            await PlainTextResponse(UNEXPECTED, status_code=500)(scope, receive, send_with_headers)


def one_sentence(error: Exception) -> bool:
    """Show an uncaught error as one sentence, after Streamlit has logged its traceback; the result True suppresses
    Streamlit's own error box.
    """
    st.error(verbatim(str(error)) if isinstance(error, AttnvizError) else UNEXPECTED)
    return True
