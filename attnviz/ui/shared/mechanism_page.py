"""Code shared by the pages of mechanisms: the models to show, the settled view in the URL, and the results.

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

_BELOW = "page_below"  # session state key: the values that the lower part of the page was drawn for


def draw(
    row: Mechanism,
    question: str,
    none: str,
    see: Callable[[list[str]], Net],
    tries: Sequence[tuple[str, Mapping[str, str]]] = (),
    controls: bool = False,
    compared: Callable[[Recipe], bool] | None = None,
) -> None:
    """Draw a mechanism's page, which answers the `question`; `none` is shown if none of its models is available.

    `see` takes the names of the checkpoints of the mechanism's models and, with `controls`, of its controls, draws the
    page between its head and its results, and returns the net that is shown. When the view changes, it runs alone as a
    fragment. `compared` selects the recipes shown with the net in the results; None selects all of its task.
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
    """Draw the part of a page that depends on the picture with `see`, which can rerun alone, and the rest with `below`,
    which takes the values that `see` returns: a net, and plain values.
    """
    st.session_state[_BELOW] = None  # not drawn yet: the first run of the upper part must not request a rerun
    seen = _above(see)
    if seen:  # otherwise a sentence explains why nothing is shown
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
    """Draw the results of a mechanism on the task of one of its nets, with the recipes that `compared` selects (None
    for all of the task), and a link to all results.
    """
    if net.data is not None:
        st.header("How accurate it is", anchor=False)
        result_dots.of_mechanism(
            row, result_dots.Task(net.data, net.labels), key="results", like=net.key, compared=compared
        )
    page.link(result_dots.PAGE, "All results, with the papers' tables", mechanism=row.name)
