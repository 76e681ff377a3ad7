"""The searches that there are on this machine: how each stands, and its buttons."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.ui.search import settings
from attnviz.ui.search.shown import titles
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import act
from attnviz.ui.training.watch import EVERY
from attnviz.work.search import table

_COLOURS = {"running": "green", "finished": "gray", "stopped": "gray"}
_SHOWN = "search_shown"  # in the session: the rest of the page must run again for another search
_DRAWN = "search_drawn"  # in the session: how the searches stood when the page was drawn


def searches() -> None:
    """Draw all searches, and look again every two seconds while one goes on."""
    live = any(table.at_work(name) for name in table.ids())
    st.session_state[_DRAWN] = None
    st.fragment(_list, run_every=EVERY if live else None)()


def _list() -> None:
    names, known = table.ids(), titles()
    states = {name: _state(name) for name in names}
    before, st.session_state[_DRAWN] = st.session_state.get(_DRAWN), states
    if act.done() or (before is not None and before != states) or st.session_state.pop(_SHOWN, False):
        st.rerun()  # the lines above have another trial, or a search another state
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
    with st.container(horizontal=True, key=f"search-buttons-{name.replace('.', '-')}"):
        st.button("Show", key=f"Show-{name}", on_click=show, args=(name,))
        if word == "running":
            _button(name, "Stop", lambda: table.stop(name), "It stops after this batch, and can be resumed.")
            return
        if word not in ("finished", "unreadable"):
            _button(name, "Resume", lambda: table.start(table.read(name)))
        _button(name, "Delete", lambda: table.delete(name), "It is deleted, with the runs that it began.")


def show(name: str) -> None:
    """Show a search above, in a callback of the list of searches."""
    turn_to(name)
    st.session_state[_SHOWN] = True


def turn_to(name: str) -> None:
    """Write a search into the URL, and leave the settings of the next one as they are."""
    kept = {field: word for field, word in url_state.shown().items() if field in settings.FIELDS}
    url_state.become({"v": url_state.VERSION, "search": name, **kept})


def _button(name: str, label: str, action: Callable[[], object], said: str = "") -> None:
    st.button(label, key=f"{label}-search-{name}", on_click=act.do, args=(action, said))


def _state(name: str) -> table.State | str:
    try:
        return table.state(name)
    except AttnvizError as error:
        return str(error)
