"""The visitor of a page: the browser's cookie, data private to another browser, and access to the camera."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st

if TYPE_CHECKING:
    from attnviz.recipes import Recipe

COOKIE = "attnviz_browser"
"""The cookie that identifies a browser, set by attnviz/ui/server/sockets.py."""


def holder() -> str:
    """Return the identifier of this visitor's pictures: the browser's cookie, or "" if it has none."""
    return str(st.context.cookies.get(COOKIE, ""))


def is_hidden(recipe: Recipe) -> bool:
    """Return whether a recipe trains on pictures that another visitor uploaded."""
    from attnviz.data import own  # imported here because the live channel uses the cookie without loading numpy

    return own.is_own(recipe.data) and not own.held(recipe.data, holder())


def camera_refusal(url: str | None, instead: str) -> str | None:
    """Return why a browser denies the camera to a page at this URL, and which button (`instead`) accepts a file.

    Returns None if the camera is available with the visitor's permission. The URL is None if it is unknown.
    """
    parts = urlsplit(url or "")
    host = parts.hostname or ""
    if parts.scheme != "http" or host == "localhost" or host.endswith(".localhost") or _is_loopback(host):
        return None
    return (
        "Browsers allow the camera only on pages that are loaded over https or from this machine; this page was loaded "
        f"over plain http from {host}. Choose “{instead}”: a phone or tablet offers its camera there too."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
