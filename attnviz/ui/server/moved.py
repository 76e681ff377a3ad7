"""Redirects old links to an experiment that has moved to another page, with all URL fields."""

from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.ui.mechanisms import MECHANISMS


class Moved:
    """ASGI middleware that redirects a request for an experiment at its old URL."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.moved = {(row.url, old): new for row in MECHANISMS.values() for old, new in row.moved.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Redirect, or pass the request on."""
        if scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            words = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
            page = scope["path"].rpartition("/")[2]
            if found := self.moved.get((page, words.get("experiment", ""))):
                url, name = found  # relative to the requested URL, so that any base path is kept
                answer = RedirectResponse(f"{url}?{urlencode({**words, 'experiment': name})}")
                await answer(scope, receive, send)
                return
        await self.app(scope, receive, send)
