"""A second board next to the first: another query, another picture, or the first picture's queries on another.

Both show the same layer and head. In the URL, "beside" names the kind of board, "other_number" is the number of the
other picture, and "other_query" is the locked query on the second board of the same picture.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attnviz.subjects import Example, Picture, Subject
from attnviz.ui.components.layer_board import FIELDS, layer_board, settled_view
from attnviz.ui.mechanisms.vision_transformer.derived import LAYERS_VIEW
from attnviz.ui.shared import cache, pickers, url_state
from attnviz.views.url_fields import Fields

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


@dataclass(frozen=True)
class Boards:
    """The boards of a net on an example.

    Args:
        first: draws the first.
        second: draws the second of an example, of a kind in KINDS.
        other: draws the choice of the second example, given the first, and returns it.
        named: the name of an example, for a title.
    """

    first: Callable[[], object]
    second: Callable[[Example, str], object]
    other: Callable[[Example], Example]
    named: Callable[[Example], str]


def choose(example: Example, *, any_example: bool) -> str:
    """Draw the selector for the second board, and return the chosen name in KINDS. Other pictures than those of a data
    set have a second one only if `any_example` can be chosen."""
    kinds = [*KINDS] if any_example or isinstance(example, Picture) else ["", "query"]
    kind = url_state.choice(FIELD, kinds, "", "board beside the first")
    st.selectbox(
        "Beside it", kinds, key=FIELD, format_func=KINDS.__getitem__, width=130,
        on_change=lambda: url_state.set_value(**{FIELD: st.session_state[FIELD] or None, QUERY: None}),
    )  # fmt: skip
    return kind


def draw(example: Example, kind: str, boards: Boards) -> None:
    """Draw both boards, with the state of the first in the URL."""
    other = example if kind == "query" else boards.other(example)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**{boards.named(example)}**")
        boards.first()
    with right:
        st.markdown(
            "**The same picture**, another query" if kind == "query" else f"**{boards.named(other)}**{MARKS[kind]}"
        )
        boards.second(other, kind)
        if kind == "across":
            st.caption(ACROSS)


def state_of(kind: str, fields: Fields, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of the second board, which has a query of its own if it shows the same picture."""
    if kind != "query":
        return dict(state)
    locked = fields.read({"query": word} if (word := st.query_params.get(QUERY)) else {})
    return {name: value for name, value in state.items() if name not in ("query", "key")} | locked


def keep_of(kind: str, fields: Fields, settled: Callable[[str], Mapping[str, Any] | None]) -> Callable[[], None]:
    """Return a callback that puts the settled state of the second board into the URL."""
    return (lambda: _keep_query(fields, settled)) if kind == "query" else url_state.keep_view(fields, settled, KEY)


def ours(subject: Subject, first: Callable[[], object], state: Mapping[str, Any]) -> Boards:
    """Return the boards of one of our nets."""

    def second(other: Example, kind: str) -> None:
        if kind == "across":
            from attnviz.ui.mechanisms.vision_transformer import layers

            assert isinstance(other, Picture)
            data = cache.of_subject(layers.across, subject, other.data, other.number).packed()
        else:
            data = LAYERS_VIEW.of(Subject(subject.net, other))
        layer_board(data, key=KEY, state=state_of(kind, FIELDS, state), on_change=keep_of(kind, FIELDS, settled_view))

    return Boards(first, second, _other, _named)


def _named(example: Example) -> str:
    return f"Picture {example.number:,}" if isinstance(example, Picture) else "The picture"


def _keep_query(fields: Fields, settled: Callable[[str], Mapping[str, Any] | None]) -> None:
    if found := settled(KEY):
        words = fields.write(found)
        own, _ = words.pop("query"), words.pop("key")
        url_state.set_value(**words, **{QUERY: own})


def _other(first: Example) -> Example:
    """Return the second picture, by default the next available one, and draw an input for its number."""
    from attnviz import data

    assert isinstance(first, Picture)
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
