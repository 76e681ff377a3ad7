"""A second board next to the first: another query, another picture, or the first picture's queries on another.

Both show the same layer and head. In the URL, "beside" names the kind of board, "other_number" is the number of the
other picture, and "other_query" is the locked query on the second board of the same picture.
"""

from collections.abc import Callable

import streamlit as st

from attnviz.subjects import Example, Picture, Subject
from attnviz.ui.components.layer_board import FIELDS, layer_board, settled_view
from attnviz.ui.mechanisms.vision_transformer.derived import LAYERS_VIEW
from attnviz.ui.shared import cache, pickers, url_state

FIELD, NUMBER, QUERY, KEY = "beside", "other_number", "other_query", "layers_beside"
KINDS = {
    "": "nothing",
    "query": "a query",
    "picture": "a picture",
    "across": "across",
}
MARKS = {"picture": "", "across": ", with the queries of the first"}
ACROSS = (
    "The queries are those of the first picture, the keys and values those of this one: what the tokens of one picture "
    "would take from the other. The query is outlined at its position in the first. These weights do not occur in any "
    "pass of the model."
)


def choose(subject: Subject) -> str:
    """Draw the selector for the second board, and return the chosen name in KINDS."""
    kinds = [*KINDS] if isinstance(subject.example, Picture) else ["", "query"]
    kind = url_state.choice(FIELD, kinds, "", "board beside the first")
    st.selectbox(
        "Beside it", kinds, key=FIELD, format_func=KINDS.__getitem__, width=130,
        on_change=lambda: url_state.set_value(**{FIELD: st.session_state[FIELD] or None, QUERY: None}),
    )  # fmt: skip
    return kind


def draw(subject: Subject, kind: str, first: Callable[[], None], state: dict[str, object]) -> None:
    """Draw both boards, with the state of the first in the URL."""
    other = subject.example
    if kind != "query":
        assert isinstance(other, Picture)
        other = _other(other)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**{_named(subject.example)}**")
        first()
    with right:
        st.markdown("**The same picture**, another query" if kind == "query" else f"**{_named(other)}**{MARKS[kind]}")
        _second(subject, kind, other, state)


def _second(subject: Subject, kind: str, other: Example, state: dict[str, object]) -> None:
    keep = url_state.keep_view(FIELDS, settled_view, KEY)
    if kind == "query":
        locked = FIELDS.read({"query": word} if (word := st.query_params.get(QUERY)) else {})
        own = {name: value for name, value in state.items() if name not in ("query", "key")} | locked
        layer_board(LAYERS_VIEW.of(subject), key=KEY, state=own, on_change=_keep_query)
    elif kind == "picture":
        layer_board(LAYERS_VIEW.of(Subject(subject.net, other)), key=KEY, state=state, on_change=keep)
    else:
        from attnviz.ui.mechanisms.vision_transformer import layers

        assert isinstance(other, Picture)
        view = cache.of_subject(layers.across, subject, other.data, other.number)
        layer_board(view.packed(), key=KEY, state=state, on_change=keep)
        st.caption(ACROSS)


def _named(example: Example) -> str:
    return f"Picture {example.number:,}" if isinstance(example, Picture) else "The picture"


def _keep_query() -> None:
    settled = settled_view(KEY)
    if settled:
        words = FIELDS.write(settled)
        own, _ = words.pop("query"), words.pop("key")
        url_state.set_value(**words, **{QUERY: own})


def _other(first: Picture) -> Picture:
    """Return the second picture, by default the next available one, and draw an input for its number."""
    from attnviz import data

    numbers = data.shown(first.data).numbers
    later = numbers[numbers > first.number]
    begins = int(later[0] if len(later) else numbers[0])
    number = pickers.nearest(first.data, url_state.number(NUMBER, int(numbers[-1]) + 1, begins), begins)
    st.session_state[NUMBER] = number
    st.number_input(
        "Second picture", 0, int(numbers[-1]), key=NUMBER, width=160,
        on_change=lambda: url_state.set_value(**{NUMBER: int(st.session_state[NUMBER])}),
    )  # fmt: skip
    return Picture(first.data, number)
