"""What protects visitor and server: headers on every answer, and one sentence for an error nobody caught."""

import logging
from collections.abc import MutableMapping
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.errors import AttnvizError
from attnviz.ui.page import verbatim

# With this policy the app cannot fetch anything from elsewhere, not even by mistake. Plotly's SVG traces, formulas and
# components that come as files live under it; WebGL traces and inline components are refused. Streamlit's camera
# connects to the photograph that it has taken, which is data of the page and comes from nowhere.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
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

UNEXPECTED = "Something went wrong here that attnviz did not expect. Reload the page; the server's log has the details."

_log = logging.getLogger(__name__)


class Headers:
    """ASGI middleware that puts HEADERS on every answer: pages, assets, refused sockets, errors of the server too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the first message of what comes back."""
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
            # Starlette's own answer to an error is made outside of all middleware and would go without the headers.
            _log.exception("No answer to %s %s", scope["method"], scope["path"])
            await PlainTextResponse(UNEXPECTED, status_code=500)(scope, receive, send_with_headers)


def one_sentence(error: Exception) -> bool:
    """Show an error that no page caught as one sentence; Streamlit has written its traceback to the log.

    Args:
        error: what was raised in a page or in a callback.

    Returns:
        True, which tells Streamlit to leave out its own box.
    """
    st.error(verbatim(str(error)) if isinstance(error, AttnvizError) else UNEXPECTED)
    return True
