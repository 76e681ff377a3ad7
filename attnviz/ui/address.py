"""The address of a page is the one home of what the visitor chose: read on every run, written by callbacks.

So a link, *Back*, a reload and a *try* button all do the same: they change the address, and the page follows.
Streamlit's own binding of widgets drops nonsense silently and puts labels of options, not names, into the address.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attnviz.errors import UnknownName
from attnviz.ui.page import verbatim


def choice(key: str, options: Sequence[str], default: str) -> str:
    """Return which of some options the address names, and put the widget of that key there.

    Args:
        key: of the widget, and the word in the address.
        options: what may stand there.
        default: what holds where nothing stands there, or nonsense, of which a sentence is shown.
    """
    word = st.query_params.get(key, default)
    if word not in options:
        st.warning(verbatim(f"{UnknownName(key, word, options)} This is {default!r}."))
        word = default
    st.session_state[key] = word
    return word


def number(key: str, count: int, default: int) -> int:
    """Return which number from 0 to count - 1 the address names, and put the widget of that key there."""
    word = st.query_params.get(key, str(default))
    if not (word.isascii() and word.isdecimal() and len(word) < 10 and int(word) < count):
        st.warning(verbatim(f"The address asks for {key} {word!r}; there are 0 to {count - 1:,}. This is {default:,}."))
        word = str(default)
    st.session_state[key] = int(word)
    return int(word)


def keep(key: str) -> None:
    """Write a widget's value into the address: the `on_change` of every widget that is part of the view."""
    put(**{key: st.session_state[key]})


def put(**words: Any) -> None:
    """Change some words of the address; None takes one out. All at once: *Back* then undoes them together."""
    kept = {key: word for key, word in st.query_params.to_dict().items() if key not in words}
    st.query_params.from_dict({**kept, **{key: str(word) for key, word in words.items() if word is not None}})
