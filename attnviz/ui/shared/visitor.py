"""Who looks at a page: the browser, by its cookie, and what is for another browser alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
