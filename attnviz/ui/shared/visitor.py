"""Who looks at a page: the browser, by its cookie; what is for another browser alone; whether it lends its camera."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import streamlit as st

if TYPE_CHECKING:
    from attnviz.recipes import Recipe

COOKIE = "attnviz_browser"
"""Which browser asks: attnviz/ui/server/sockets.py gives each one its cookie."""


def holder() -> str:
    """Return the word by which this visitor's pictures are known: that of the browser, "" where it has none."""
    return str(st.context.cookies.get(COOKIE, ""))


def is_hidden(recipe: Recipe) -> bool:
    """Return whether a recipe trains on pictures that somebody else has brought."""
    from attnviz.data import own  # here, as the live channel, which knows the cookie, loads no numpy

    return own.is_own(recipe.data) and not own.held(recipe.data, holder())


def camera_refusal(url: str | None, instead: str) -> str | None:
    """Return why a browser lends no camera to a page at this URL, and what (`instead`) takes a file in its place.

    None where it lends one, if the visitor allows it; the URL is None where it is not known.
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
