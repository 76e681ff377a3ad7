"""A page's URL is the only store of the visitor's choices: read on every run, written by callbacks.

So a link, *Back*, a reload and a *try* button all do the same thing: they change the URL, and the page follows.
Streamlit's own binding of widgets drops invalid values silently and puts labels of options, not names, into the URL.

A browser sends the URL with every click. A click made before a URL written by Python has reached the browser therefore
carries the previous URL, and would undo the latest choice or drawing. So the URLs that Python has replaced are
remembered, and one that comes back with a click is replaced by the latest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attnviz.errors import UnknownName
from attnviz.ui.components.component import component, when_reported
from attnviz.ui.shared.wording import verbatim
from attnviz.views.payload import pack
from attnviz.views.url_fields import Fields

VERSION = "2"
"""The current version of the defaults, written into links as `v`."""

FIRST = "1"
"""The version of a link that has fields but no version because it predates versions."""

STAYS = ("lesson", "step", "only")
"""URL fields about the visit, not about a page's view: a change of view keeps them."""

_STATED = "url_state.stated"  # the page's view, whether or not the URL states it
_KNOWN = "url_state.known"  # URLs that Python has replaced, with the current one last
_MOST = 8  # maximum number of URLs remembered; a click is late by one or two
_FEW = 8  # maximum number of options listed in a sentence
_PLACE: ContextVar[DeltaGenerator | None] = ContextVar("place of complaints", default=None)


@contextmanager
def complaints_in(place: DeltaGenerator) -> Iterator[None]:
    """Show the complaints of the block in a container, since a row of choices is too narrow for sentences."""
    token = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(token)


def complain(sentence: str) -> None:
    """Show a sentence about an invalid or unavailable value in the URL."""
    (_PLACE.get() or st).warning(verbatim(sentence))


def choice(key: str, options: Sequence[str], default: str, what: str | None = None, widget: str | None = None) -> str:
    """Return the option that the URL names, or the default if it names none, with a complaint if it is invalid; set its
    widget.

    `what` is the word for the options in the complaint, `widget` the widget's key; both are the field by default.
    """
    word = st.query_params.get(key, default)
    if word not in options:
        known = [option for option in options if option]
        instead = f"You see {default!r} instead." if default else "None is chosen."
        sentence = str(UnknownName(what or key, word, known))
        if len(known) > _FEW:  # the widget lists them
            sentence = sentence.rpartition(" There are: ")[0]
        complain(f"{sentence} {instead}")
        word = default
    st.session_state[widget or key] = word
    return word


def pick(
    draw: Callable[..., object],
    label: str,
    key: str,
    options: Mapping[str, str] | Sequence[str],
    default: str,
    what: str | None = None,
    *,
    then: Callable[[str], None] | None = None,
    clears: Sequence[str] = (),
    **looks: Any,
) -> str:
    """Draw a choice among options, or option -> title, with a widget such as `st.selectbox`, and return the option that
    the URL names; see `choice`. On a change, `then` is called with the field, or `keep` by default.
    """
    titles = options if isinstance(options, Mapping) else {one: one for one in options}
    chosen = choice(key, [*titles], default, what)
    draw(
        label, [*titles], key=key, format_func=lambda one: titles.get(one, one), on_change=then or keep,
        args=(key,) if then else (key, None, clears), **looks,
    )  # fmt: skip
    return chosen


def number(key: str, count: int, default: int, widget: str | None = None, least: int = 0) -> int:
    """Return the number from `least` to count - 1 that the URL names, or the default if it names none, with a complaint
    if it is invalid; set its widget.
    """
    word = st.query_params.get(key, str(default))
    if not (word.isascii() and word.isdecimal() and len(word) < 10 and least <= int(word) < count):
        complain(
            f"The URL asks for {key} {word!r}; valid numbers are {least} to {count - 1:,}. You see {default:,} instead."
        )
        word = str(default)
    st.session_state[widget or key] = int(word)
    return int(word)


def text(key: str, default: str, longest: int) -> str:
    """Return a URL field, cut to `longest` characters, or the default, and set the widget of that key to it."""
    word = st.query_params.get(key, default)[:longest]
    st.session_state[key] = word
    return word


def keep(key: str, widget: str | None = None, clears: Sequence[str] = ()) -> None:
    """Write a widget's value into the URL, and clear the fields that depend on it.

    This is the `on_change` of every widget that is part of the view. A browser sends the values of all widgets with
    every click. A value equal to that in the URL sent with it was not chosen: the browser has not yet received the
    value that Python has set since.
    """
    value = st.session_state[widget or key]
    if st.query_params.get(key) == str(value):
        catch_up()
    else:
        set_value(**{key: value, **dict.fromkeys(clears)})


def set_value(**words: object) -> None:
    """Change some URL fields together, so that *Back* undoes them together; None removes a field.

    The fields passed to `state` are added, so that the URL means the same wherever it is opened.
    """
    catch_up()
    kept = {key: word for key, word in shown().items() if key not in words}
    become({**kept, **{key: str(word) for key, word in words.items() if word is not None}})


def keep_view(fields: Fields, settled_view: Callable[[str], Mapping[str, Any] | None], key: str) -> Callable[[], None]:
    """Return the callback that writes a component's settled view into the URL."""

    def write() -> None:
        settled = settled_view(key)
        if settled:
            set_value(**fields.write(settled))

    return write


def state(**words: object) -> None:
    """State what the page shows, so that the browser can add missing fields to the URL in place.

    A copied link then shows the same on a server with other data sets, and after a default has changed.
    """
    written = st.query_params.get("v", VERSION)
    if written not in (FIRST, VERSION):
        complain(
            f"This link has version {written!r}; this app reads versions {FIRST} and {VERSION}, and treats the link as "
            f"one of version {VERSION}."
        )
    stated = {"v": version(), **{key: str(word) for key, word in words.items()}}
    st.session_state[_STATED] = stated
    data = {"words": {key: word for key, word in stated.items() if key not in st.query_params}}
    component("arrive")(key="url_state.state", data=pack(data, {}), height=1)


def become(words: Mapping[str, str]) -> None:
    """Replace the whole URL query in a callback, keeping only the fields in `STAYS`."""
    known = _known()
    before = st.query_params.to_dict()
    words = {**{key: word for key, word in before.items() if key in STAYS}, **words}
    # The browser may have completed the URL after sending it, so a late URL can have either form.
    for url in (before, {**_stated(), **before}, dict(words)):
        if url in known:
            known.remove(url)
        known.append(url)
    del known[:-_MOST]
    st.query_params.from_dict(words)


def version() -> str:
    """Return the version of the defaults that the URL uses: the current one if it has no fields.

    A page whose default has changed checks this, so that an old link still shows the same view.
    """
    found = st.query_params.get("v", FIRST if len(st.query_params) else VERSION)
    return found if found == FIRST else VERSION


def arrive() -> None:
    """Accept the URL unchanged, at the start of a whole page, which runs when the visitor navigates there or back."""
    st.session_state.pop(_STATED, None)
    known = _known()
    if not known or known[-1] != st.query_params.to_dict():
        known.clear()


def catch_up() -> None:
    """Replace a URL that was sent before the browser had received the latest one.

    Call it only in callbacks, including those of components, and at the start of fragments. These run only after
    clicks, so a URL reached by *Back* is never changed.
    """
    if is_late():
        st.query_params.from_dict(_known()[-1])


def is_late() -> bool:
    """Return whether Python has already replaced this URL and the browser had not yet received the latest one."""
    return st.query_params.to_dict() in _known()[:-1]


def shown() -> dict[str, str]:
    """Return the page's view as URL fields: those in the URL, and those passed to `state` for the rest."""
    return {**_stated(), **st.query_params.to_dict()}


def _stated() -> dict[str, str]:
    found: dict[str, str] = st.session_state.get(_STATED, {})
    return found


def _known() -> list[dict[str, str]]:
    found: list[dict[str, str]] = st.session_state.setdefault(_KNOWN, [])
    return found


# A component's report may overtake the answer to an earlier click, and would bring back the older URL.
when_reported.append(catch_up)
