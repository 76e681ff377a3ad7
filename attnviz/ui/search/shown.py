"""The searches on this machine, with their buttons, and the trials of the selected ones as lines across axes."""

from collections.abc import Callable

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.ui.components import parallel_coordinates as lines
from attnviz.ui.components.url_view import settled_view
from attnviz.ui.search import settings
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access
from attnviz.ui.training.watch import EVERY
from attnviz.version import VERSION
from attnviz.views.url_fields import Fields
from attnviz.work.search import table, trials
from attnviz.work.search.trials import Found

FIRST = ("schwarz-wide", "schwarz-33", "schwarz-paper")
BESIDE = "schwarz-paper"
RANDOM = "schwarz-heads"  # its settings were drawn at random, and no trial was ended early
"""The default searches: the first available one is shown, with another next to it."""


def choose() -> list[Found]:
    """Draw the choice of one search and of another to compare it with; return their trials."""
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
    """Draw the trials of one search, or of two side by side on the same scale; `below` draws the text under each, which
    on a phone is above the other's trials.
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
    """Show another search, without the previous one's brushes and trial."""
    gone = lines.FIELDS if field == "search" else lines.BESIDE
    url_state.set_value(**{**dict.fromkeys(gone.defaults), field: st.session_state[field]})


def _read(name: str) -> Found | None:
    try:
        return trials.shipped(name) if name in trials.names() else table.found(name)
    except AttnvizError as error:
        st.error(verbatim(str(error)))
        return None


_COLOURS = {"running": "green", "finished": "gray", "stopped": "gray"}
_SHOWN = "search_shown"  # session state key: another search was chosen, so the rest of the page must run again
_DRAWN = "search_drawn"  # session state key: the searches' states when the page was drawn


def searches() -> None:
    """Draw all searches, and refresh every two seconds while one is running."""
    live = any(table.at_work(name) for name in table.ids())
    st.session_state[_DRAWN] = None
    st.fragment(_list, run_every=EVERY if live else None)()


def _list() -> None:
    names, known = table.ids(), titles()
    states = {name: _state(name) for name in names}
    before, st.session_state[_DRAWN] = st.session_state.get(_DRAWN), states
    if access.done() or (before is not None and before != states) or st.session_state.pop(_SHOWN, False):
        st.rerun()  # a search has another state, or the part above must show another one
    for name, state in states.items():
        with st.container(border=True, key=f"search-{name.replace('.', '-')}"):
            word = "unreadable" if isinstance(state, str) else state.word
            st.markdown(f"**{verbatim(known.get(name, name))}** :{_COLOURS.get(word, 'orange')}-badge[{word}]")
            if isinstance(state, str):
                st.caption(verbatim(state))
            elif state.word == "running":
                st.progress(min(1.0, state.done / state.trials), state.sentence)
            else:
                st.caption(verbatim(state.sentence))
            _buttons(name, word)


def _buttons(name: str, word: str) -> None:
    key = f"search-{name}"
    with st.container(horizontal=True, key=f"search-buttons-{name.replace('.', '-')}"):
        st.button("Show", key=f"Show-{name}", on_click=show, args=(name,))
        if word == "running":
            access.button("Stop", key, lambda: table.stop(name), "It stops after this batch, and can be resumed.")
            return
        if word not in ("finished", "unreadable"):
            access.button("Resume", key, lambda: table.start(table.read(name)))
        access.button("Delete", key, lambda: table.delete(name), "It is deleted, with the runs that it began.")


def show(name: str) -> None:
    """Show a search above the list; called back by the list of searches."""
    turn_to(name)
    st.session_state[_SHOWN] = True


def turn_to(name: str) -> None:
    """Write a search into the URL, keeping the settings of the next one."""
    kept = {field: word for field, word in url_state.shown().items() if field in settings.FIELDS}
    url_state.become({"v": url_state.VERSION, "search": name, **kept})


def _state(name: str) -> table.State | str:
    try:
        return table.state(name)
    except AttnvizError as error:
        return str(error)
