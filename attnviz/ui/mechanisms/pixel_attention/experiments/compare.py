"""How far apart are two maps? Two pixels, heads, pictures or models side by side, and their signed difference."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import streamlit as st

from attnviz import cards, data, subjects
from attnviz.measures.compare import Direction
from attnviz.subjects import EXAMPLES, Example, Picture, Subject
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.mechanisms.pixel_attention import selection
from attnviz.ui.mechanisms.pixel_attention.experiments.compare_sides import COMPARED, DIRECTIONS, Side, draw
from attnviz.ui.mechanisms.pixel_attention.selection import of_one_token, single_token
from attnviz.ui.shared import experiments, pickers, url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.views import url_fields
from attnviz.views.attention import AttentionView

TITLE = "How far apart are two maps?"
MEASURES = "Changes the pixel, the head, the picture or the model, and measures what changes in the map."
WORDS = ("other", "other_pixel", "other_head", "other_number", "other_model")

VIEWS = (COMPARED,)

Pair = tuple[Side, Side] | None

refusal = of_one_token(
    "This model takes the whole picture as one token: every map has a single value, and all maps are the same."
)


def show(subject: Subject) -> None:
    """Draw the choice of what differs, both maps, their difference and the numbers."""
    say = experiments.finding()
    view = attention(subject)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = {name: title for name, (title, _) in OTHERS.items() if name != "head" or len(view.query) > 1}
        segments = partial(url_state.pick, st.segmented_control, required=True)
        other = segments("Compare with another", "other", options, "pixel")
        direction = cast("Direction", segments("Direction", "direction", DIRECTIONS, "from"))
        head = None if other == "model" else selection.head(len(view.query), mean=True)
        pair = OTHERS[other][1](subject, Side("", view, head, held(view, direction)))
    if pair is None:
        return
    say(draw(subject, *pair, direction))
    if other == "model":
        st.caption("The maps show the mean of all heads, because the heads of two models do not correspond.")
    if pair[0].token:
        role = ":orange[query]" if direction == "from" else ":blue[key]"
        found = selection.token(view, "query" if direction == "from" else "key")
        where = (
            "locked in the viewer above" if found else "in the middle of the ink, because none is locked in the viewer"
        )
        st.caption(f"The {role} in the left map is {pair[0].token.place}: the one {where}.")


def held(view: AttentionView, direction: str) -> selection.Token | None:
    """Return the pixel locked in the viewer or one in the middle of the ink, or None if the direction needs none."""
    if direction == "received":
        return None
    return selection.token(view, "query" if direction == "from" else "key") or selection.middle_of_the_ink(view)


def other_pixel(subject: Subject, left: Side) -> Pair:
    """Draw the choice of another pixel, at first the upper left one, or one on the ink if that is too similar."""
    if left.token is None:
        st.info(
            "*Received from all* does not depend on a pixel. Choose another direction, or compare heads, pictures or "
            "models."
        )
        return None
    view = left.view
    other = selection.at(view, view.prefix) if left.token.ink else selection.middle_of_the_ink(view)
    word = st.query_params.get("other_pixel")
    if word is not None:
        place = url_fields.place(word)
        if place and 0 <= place[0] < view.rows and 0 <= place[1] < view.columns:
            other = selection.at(view, view.prefix + place[0] * view.columns + place[1])
        else:
            asked = f"The URL asks for the other pixel {word!r}; rows run from 1 to {view.rows}, columns from 1 to"
            st.warning(verbatim(f"{asked} {view.columns}. You see {other.place} instead."))
    row, column = divmod(other.number - view.prefix, view.columns)
    st.session_state["other_row"], st.session_state["other_column"] = row + 1, column + 1
    st.number_input("Other row", 1, view.rows, key="other_row", width=110, on_change=keep_pixel)
    st.number_input("Other column", 1, view.columns, key="other_column", width=110, on_change=keep_pixel)
    return replace(left, title=left.token.place), replace(left, title=other.place, token=other)


def keep_pixel() -> None:
    """Put the other pixel into the URL in the viewer's form: row,column, counted from 1."""
    url_state.set_value(other_pixel=f"{st.session_state['other_row']},{st.session_state['other_column']}")


def other_head(subject: Subject, left: Side) -> Pair:
    """Draw the choice of another head, at first the mean of all."""
    numbers = [*map(str, range(1, len(left.view.query) + 1)), selection.MEAN]
    names = {word: selection.name(None if word == selection.MEAN else int(word) - 1) for word in numbers}
    usual = "1" if left.head is None else selection.MEAN
    word = url_state.pick(st.selectbox, "Other head", "other_head", names, usual, width=190)
    head = None if word == selection.MEAN else int(word) - 1
    return replace(left, title=selection.name(left.head)), replace(left, title=names[word], head=head)


def other_picture(subject: Subject, left: Side) -> Pair:
    """Draw the choice of another picture of the data set, at first the first one of another class."""
    net, example = subject
    source = pickers.tests(subject)
    last = int(data.shown(source).numbers[-1])
    opens = Picture(source, int(pickers.Fitting(net, source, pickers.ANY, wrong=False).numbers[0]))
    if opens.target == example.target:
        opens = opens.of_another_class(net.classes) or opens
    number = url_state.number("other_number", last + 1, opens.number)
    st.number_input(
        "Other picture: number", 0, last, key="other_number", width=170,
        on_change=url_state.keep, args=("other_number",),
    )  # fmt: skip
    other = Picture(source, number)
    return (
        replace(left, title=called(example)),
        replace(left, title=called(other), view=attention(Subject(net, other)), other=other.asked),
    )


def called(example: Example) -> str:
    """Return the title of an example: its label and number, or the name of its kind."""
    if example.data is not None:
        return f"{example.target}, number {example.asked['number']}"
    (kind,) = example.words
    title = EXAMPLES[kind].title
    return title[:1].lower() + title[1:]


def other_model(subject: Subject, left: Side) -> Pair:
    """Draw the choice of another model with attention."""
    net, example = subject
    known = subjects.usable([name for name in cards.names() if name.startswith(f"{net.architecture}.")])
    several = {name: one for name, one in known.items() if not single_token(one)}
    titles = {name: one.title for name, one in several.items() if name != net.key}
    if not titles:
        st.info("There is no other trained model with attention among pixels.")
        return None
    name = url_state.pick(st.selectbox, "Other model", "other_model", titles, next(iter(titles)), width=400)
    view = attention(Subject(known[name], example))
    right = replace(left, title=titles[name], view=view, other={"checkpoint": name})
    if left.token:
        right = replace(right, token=selection.at(view, view.prefix + left.cell(view.rows, view.columns)))
    return replace(left, title=net.title), right


OTHERS: dict[str, tuple[str, Callable[[Subject, Side], Pair]]] = {
    "pixel": ("Pixel", other_pixel),
    "head": ("Head", other_head),
    "picture": ("Picture", other_picture),
    "model": ("Model", other_model),
}
