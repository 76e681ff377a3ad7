"""Which searches a visitor looks at, and their trials as lines across parallel axes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.ui.components import parallel_coordinates as lines
from attnviz.ui.components.url_view import settled_view
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.version import VERSION
from attnviz.views.url_fields import Fields
from attnviz.work.search import table, trials
from attnviz.work.search.trials import Found

FIRST = ("schwarz-wide", "schwarz-33", "schwarz-paper")
BESIDE = "schwarz-paper"
RANDOM = "schwarz-heads"  # whose settings were drawn at random, and no trial was ended early
"""What is shown where the URL names none: the first of these searches that is there, and another beside it."""


def choose() -> list[Found]:
    """Draw the choice of one search and of another beside it; return their trials."""
    known = titles()
    names = list(known)
    usual = next((name for name in FIRST if name in names), names[0])
    first = url_state.choice("search", names, usual, "search")
    with st.container(key="search_choice", horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Search", names, key="search", format_func=known.__getitem__, width=360, on_change=_other, args=("search",)
        )
        others = {"none": "nothing"} | {name: title for name, title in known.items() if name != first}
        usual = BESIDE if BESIDE in others else "none"
        second = url_state.pick(st.selectbox, "Beside it", "beside", others, usual, "search", width=360, then=_other)
    found = [_read(name) for name in (first, second) if name != "none"]
    return [one for one in found if one is not None]


def titles() -> dict[str, str]:
    """Return name -> title of all searches that can be shown: those of this machine, then the shipped ones."""
    found = {}
    for name in table.ids():
        try:
            wanted = table.read(name)
            found[name] = f"Yours: {wanted.made().title}, {wanted.trials} trials ({name[-4:]})"
        except AttnvizError:
            continue
    return {**found, **{name: trials.shipped(name).title for name in trials.names()}}


def draw(found: list[Found], below: Callable[[Found, Fields], None]) -> None:
    """Draw the trials of one search, or of two beside each other on the same scale; `below` draws what is said under
    each, which on a phone stands above the other's trials.
    """
    values = [trial.value for one in found for trial in one.finished if trial.value is not None]
    if not values:
        st.caption("The trials appear here once the first is finished.")
        return
    low, high = min(values), max(values)
    ends = (low, high) if high > low else (low - 0.5, high + 0.5)
    sides = zip(st.columns(len(found), gap="large"), found, (lines.FIELDS, lines.BESIDE), strict=False)
    for number, (column, one, fields) in enumerate(sides):
        with column:
            _lines(one, ends, fields, f"trials-{number}")
            st.caption(verbatim(one.source))
            below(one, fields)


def words(found: list[Found]) -> dict[str, str]:
    """Return the URL fields of the searches that are shown."""
    if not found:
        return {}
    return {"search": found[0].name, "beside": found[1].name if len(found) > 1 else "none"}


def _lines(one: Found, ends: tuple[float, float], fields: Fields, key: str) -> None:
    if not one.finished:
        st.caption("No trial is finished yet.")
        return
    origin = {"software": f"attnviz {VERSION}", "search": one.name, "trials": one.title}
    lines.parallel_coordinates(
        lines.packed(one, ends, origin),
        key=key,
        state=fields.read(st.query_params.to_dict()),
        on_change=lambda: _settled(key, fields),
        fields=fields,
    )


def _settled(key: str, fields: Fields) -> None:
    view = settled_view(key)
    if view is not None:
        url_state.set_value(**fields.write(view))


def _other(field: str) -> None:
    """Show another search, without the brushes and the trial of the one before."""
    gone = lines.FIELDS if field == "search" else lines.BESIDE
    url_state.set_value(**{**dict.fromkeys(gone.defaults), field: st.session_state[field]})


def _read(name: str) -> Found | None:
    try:
        return trials.shipped(name) if name in trials.names() else table.found(name)
    except AttnvizError as error:
        st.error(verbatim(str(error)))
        return None
