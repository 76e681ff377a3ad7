"""What the pages of mechanisms share: which models they show, a settled view into the URL, and the results at the end.

from attnviz.ui.shared import mechanism_page

mechanism_page.draw(MECHANISM, "Who attends to whom?", "No model is trained.", see)     # see(names) draws the page
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from attnviz import cards
from attnviz.recipes import Recipe
from attnviz.subjects import Net
from attnviz.ui.mechanisms import Mechanism
from attnviz.ui.shared import page, url_state
from attnviz.ui.shared.results import result_dots

keep = url_state.keep_view

_BELOW = "page_below"  # what the lower part of the page belongs to, in the session


def draw(
    row: Mechanism,
    question: str,
    none: str,
    see: Callable[[list[str]], Net],
    tries: Sequence[tuple[str, Mapping[str, str]]] = (),
    controls: bool = False,
    compared: Callable[[Recipe], bool] | None = None,
) -> None:
    """Draw a mechanism's page, which answers the `question`; `none` is the text where no model of it is here.

    `see` draws the page between its head and its results, from the names of the checkpoints of its own models and, with
    `controls`, of the controls, and returns the net that is looked at; it runs alone, as a fragment, when the view
    changes. `compared` says which recipes stand beside the net in the results; None for all of its task.
    """
    page.start(row.title, question, tries=tries)
    with page.sentences():
        own = [name for name in cards.names() if name.split(".")[0] in row.models]
        known = cards.readable(own)
        hidden = {name for name, card in known.items() if row.is_control(card.config) and not controls}
        names = [name for name in own if name not in hidden]
        if names:
            follow(lambda: (see(names),), lambda net: results(row, net, compared))
        else:
            st.markdown(none)


def follow(see: Callable[[], tuple[Any, ...]], below: Callable[..., None]) -> None:
    """Draw with `see` the part of a page that depends on the picture, which can run alone, and with `below` the part
    that depends only on what `see` returns: a net, and plain values.
    """
    st.session_state[_BELOW] = None  # not drawn yet: the first run of the upper part need not ask for it
    seen = _above(see)
    if seen:  # else a sentence says why there is nothing
        with page.sentences():
            below(*seen)


@st.fragment
def _above(see: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    url_state.catch_up()
    seen: tuple[Any, ...] = ()
    with page.sentences():
        seen = see()
    before, st.session_state[_BELOW] = st.session_state[_BELOW], _named(seen)
    if before not in (None, _named(seen)):
        st.rerun()  # the lower part belongs to another net
    return seen


def _named(seen: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((one.key, one.digest) if isinstance(one, Net) else one for one in seen)


def results(row: Mechanism, net: Net, compared: Callable[[Recipe], bool] | None = None) -> None:
    """Draw the results of a mechanism on the task of one of its nets, beside the recipes `compared` (None for all of
    the task), and the link to all others.
    """
    if net.data is not None:
        st.header("How accurate it is", anchor=False)
        result_dots.of_mechanism(
            row, result_dots.Task(net.data, net.labels), key="results", like=net.key, compared=compared
        )
    page.link(result_dots.PAGE, "All results, with the papers' tables", mechanism=row.name)
