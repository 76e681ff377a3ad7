"""The choices that pages share: which model, which picture. What is chosen is written into the URL.

model     the checkpoint
data      the data set
digit     the class of the pictures to choose among; the name dates from when all classes were digits
wrong     "yes" for only those pictures that the model answers wrongly
number    the index in the test split, on every server, even where only samples of the data set are available
drawing   a visitor's drawing, instead of all these
"""

import random
import re
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.data import samples
from attnviz.data.inputs import drawing
from attnviz.errors import AttnvizError, BadInput, CheckpointError
from attnviz.grids import Grid
from attnviz.ui.shared import cache, page, url_state

ANY = "any"
CLASS = "digit"
QUERY = "query"
DRAWN = "drawing"
_TURN = "number.turn"


@dataclass(frozen=True)
class Picture:
    """A test picture: its data set, and its index in the test split from 0; a drawing is its own source."""

    source: str
    number: int


def model(names: list[str], default: str) -> Card:
    """Draw the choice of a trained model and return its card.

    A checkpoint that is damaged or has no weights is not offered; if the URL names it, the error says what is wrong.

    Args:
        names: of the checkpoints to choose from.
        default: which one, where the URL names none.

    Raises:
        CheckpointError: there is none to choose from, or the one that the URL names cannot be used.
    """
    if not names:
        raise CheckpointError(
            f"There is no trained model of this kind in {cards.folder()}. Restore the committed folder, "
            "or train one: `python -m attnviz reproduce schwarz --train`."
        )
    known = cards.usable(names)
    first = default if default in known else next(iter(known), names[0])
    name = url_state.choice("model", names, first)
    titles = {one: known[one].recipe.title if one in known else one for one in names if one in known or one == name}
    st.selectbox(
        "Model", list(titles), key="model", format_func=titles.__getitem__, on_change=url_state.keep, args=("model",)
    )
    return cards.read(name)


def picture(card: Card, opens: Picture | None = None) -> Picture:
    """Draw the choice of a test picture: data set, class, number, at random, next, wrong answers only.

    A drawing in the URL takes precedence, with a way back to the data sets.

    Args:
        card: of the model that will look at it; the classes on offer are those it knows.
        opens: what is shown of its data set until something is chosen; by default the first picture of the first class.

    Raises:
        DataError: no picture of these classes is here; says how to get some.
    """
    spec = data.spec(card.recipe.data)
    here = data.sources(spec.classes, spec.shape)
    drawn = _drawing(here)
    if drawn:
        return drawn
    if not here:
        for name in _alike(card):
            _offer(name)
        data.shown(card.recipe.data)  # says what is missing, and how to get it
    source = url_state.choice("data", here, default_source(card))
    classes = [ANY, *(spec.classes[label] for label in sorted(card.recipe.classes))]
    chosen = url_state.choice(CLASS, classes, ANY)
    wrong = url_state.choice("wrong", ["yes", "no"], "no") == "yes"
    shown = data.shown(source)
    fitting = Fitting(card, source, chosen, wrong)
    first = Fitting(card, source, card.classes[0] if chosen == ANY and not wrong else chosen, wrong).after(-1)
    begins = first if first is not None else int(shown.numbers[0])
    if opens and opens.source == source and chosen == ANY and not wrong and opens.number in fitting.numbers:
        begins = opens.number
    number = _number(source, begins)

    if len(here) > 1:
        titles = {name: data.DATASETS[name].title for name in here}
        st.segmented_control(
            "Pictures", here, key="data", format_func=titles.__getitem__, required=True,
            on_change=_restart, args=("data",),
        )  # fmt: skip
    if max(map(len, classes[1:])) == 1:
        st.segmented_control("Digit", classes, key=CLASS, required=True, on_change=_restart, args=(CLASS,))
    else:
        st.selectbox("Shows", classes, key=CLASS, width=160, on_change=_restart, args=(CLASS,))
    key = _number_key()
    st.number_input(
        "Number", 0, int(shown.numbers[-1]), key=key, width=116, on_change=_typed, args=(source, number, key)
    )
    st.button("Next", on_click=_go, args=(fitting.after(number),), disabled=first is None)
    st.button("Random", on_click=_go, args=(fitting.random(),), disabled=first is None)
    st.session_state["wrong_only"] = wrong
    st.toggle("Wrong answers only", key="wrong_only", on_change=_toggle_wrong)
    if first is None:
        st.caption("There is no such picture: every answer here is correct.")
    return Picture(source, number)


def more(card: Card, picture: Picture) -> None:
    """Draw a quiet line: where the pictures come from if they are few, and the data sets that can be downloaded."""
    absent = [name for name in _alike(card) if data.DATASETS[name].megabytes and not data.available(name)]
    few = picture.source in data.DATASETS and data.shown(picture.source).split == "samples"
    if not absent and not few:
        return
    with st.container(key="page_more", horizontal=True, vertical_alignment="center"):
        if few:
            spec = data.DATASETS[picture.source]
            count = len(data.shown(picture.source).numbers)
            st.caption(f"{count} sample pictures of {spec.title}, {_licence(picture.source)}.", width="content")
        for name in absent:
            _offer(name)


def _alike(card: Card) -> list[str]:
    """Return the data sets of a model's classes and shape, available or not."""
    spec = data.spec(card.recipe.data)
    return [name for name, its in data.DATASETS.items() if (its.classes, its.shape) == (spec.classes, spec.shape)]


def tests(card: Card, picture: Picture) -> str:
    """Return the data set whose test pictures stand beside a picture: its own, and for a drawing the model's."""
    return default_source(card) if drawing.is_name(picture.source) else picture.source


def stated(card: Card, picture: Picture) -> dict[str, str | int]:
    """Return the URL fields that name the model and the picture on any server."""
    if drawing.is_name(picture.source):
        return {"model": card.name}
    return {"model": card.name, "data": picture.source, "number": picture.number}


def default_source(card: Card) -> str:
    """Return the data set that a model was trained on or, if that is not available, another of its classes and shape.

    Raises:
        UnknownName: the data set is in no table.
    """
    spec = data.spec(card.recipe.data)
    here = data.sources(spec.classes, spec.shape)
    return card.recipe.data if card.recipe.data in here or not here else here[0]


def nearest(source: str, wanted: int, before: int) -> int:
    """Return a number that was typed or stepped to; if that picture is not available here, the next one that is.

    Args:
        source: a data set.
        wanted: the number.
        before: the one that was shown before: the next one is sought in the direction from it.
    """
    numbers = data.shown(source).numbers
    place = int(np.searchsorted(numbers, wanted, "right")) - 1 if wanted < before else np.searchsorted(numbers, wanted)
    return int(numbers[min(max(place, 0), len(numbers) - 1)])


class Fitting:
    """The available test pictures that match the choice: a class the model knows, and whether it answers wrongly."""

    def __init__(self, card: Card, source: str, chosen: str, wrong: bool) -> None:
        shown, names = data.shown(source), data.DATASETS[source].classes
        wanted = card.classes if chosen == ANY else (chosen,)
        fits = np.isin(shown.labels, [label for label, name in enumerate(names) if name in wanted])
        self.numbers = shown.numbers[fits]
        if wrong:
            self.numbers = np.intersect1d(self.numbers, cache.wrong_answers(card, source))

    def after(self, number: int) -> int | None:
        """Return the next one, after the last the first again; None if there is none."""
        if not len(self.numbers):
            return None
        return int(self.numbers[np.searchsorted(self.numbers, number, "right") % len(self.numbers)])

    def random(self) -> int | None:
        """Return one at random; None if there is none."""
        return int(random.choice(self.numbers)) if len(self.numbers) else None


def _number(source: str, first: int) -> int:
    """Return the number that the URL names; if that picture is missing, show a sentence and return the first one."""
    shown, count = data.shown(source), data.DATASETS[source].counts["test"]
    number = url_state.number("number", count, first, _number_key())
    if shown.place(number) is None:
        url_state.complain(f"{cache.missing(source, number)} You see {first:,} instead.")
        number = st.session_state[_number_key()] = first
    return number


def _number_key() -> str:
    """Return the key of the number's widget, another one after each button that changes the number.

    A browser sends the values of all widgets along with everything. What a component reports while the new number is
    on its way to the browser brings the number before, which would be taken for one that the visitor has typed.
    """
    turn: int = st.session_state.get(_TURN, 0)
    return f"number {turn}" if turn else "number"


def _typed(source: str, before: int, key: str) -> None:
    if key == _number_key():
        url_state.set_value(number=nearest(source, int(st.session_state[key]), before))


def _licence(source: str) -> str:
    return "MIT licence" if samples.about()[source]["licence"].startswith("MIT") else "no licence stated"


def _drawing(here: list[str]) -> Picture | None:
    """Draw the row of choices for the drawing in the URL, if there is one that can be read."""
    word = st.query_params.get(DRAWN)
    if word is None:
        return None
    try:
        drawing.read(drawing.named(word))
    except BadInput as error:
        url_state.complain(str(error))
        return None
    titles = {DRAWN: "Your drawing", **{name: data.DATASETS[name].title for name in here}}
    st.session_state["data"] = DRAWN
    st.segmented_control(
        "Pictures", list(titles), key="data", format_func=titles.__getitem__, required=True, on_change=_leave_drawing
    )
    page.link("05_draw.py", "Back to your drawing")
    return Picture(drawing.named(word), 0)


def _leave_drawing() -> None:
    url_state.set_value(data=st.session_state["data"], number=None, **{DRAWN: None})


def _restart(key: str) -> None:
    url_state.set_value(**{key: st.session_state[key], "number": None})


def _go(number: int | None) -> None:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    url_state.set_value(number=number)


def _toggle_wrong() -> None:
    url_state.set_value(wrong="yes" if st.session_state["wrong_only"] else None, number=None)


def _offer(name: str) -> None:
    """Draw the button that downloads a data set, with its progress, and run the page again once it is here."""
    spec = data.DATASETS[name]
    if not st.button(f"Get {spec.title} ({spec.megabytes} MB)", key=f"get_{name}", type="tertiary"):
        return
    bar = st.progress(0.0, f"Getting {spec.title}")

    def show(fraction: float, sentence: str) -> None:
        bar.progress(fraction, sentence)

    try:
        data.fetch(name, show)
    except AttnvizError as error:
        bar.empty()
        st.error(page.verbatim(str(error)))
    else:
        st.rerun()


def token(count: int, grid: Grid | None) -> int:
    """Draw the choice of one query, and return its number among the tokens, from 0.

    In the URL it is "row,column" from 1, as on the other pages; for tokens without a position, "token" from 1. A whole
    number alone counts from 0, as in older links.

    Args:
        count: of the tokens.
        grid: where they lie, if they do.
    """
    middle = grid.prefix + (grid.rows // 2) * grid.columns + grid.columns // 2 if grid else count // 2
    word = st.query_params.get(QUERY)
    found = middle if word is None else _token_of(word, count, grid)
    if found is None:
        known = f"rows 1 to {grid.rows} and columns 1 to {grid.columns}" if grid else f"tokens 1 to {count}"
        url_state.complain(f"The URL asks for query {word!r}; there are {known}. You see the middle one instead.")
        found = middle
    if grid is None or found < grid.prefix:
        st.session_state["query_token"] = found + 1
        st.number_input(f"Query: token, of {count}", 1, count, key="query_token", width=160, on_change=_keep_token)
        return found
    row, column = divmod(found - grid.prefix, grid.columns)
    st.session_state.update(query_row=row + 1, query_column=column + 1)
    st.number_input("Query: row", 1, grid.rows, key="query_row", width=128, on_change=_keep_place)
    st.number_input("Column", 1, grid.columns, key="query_column", width=128, on_change=_keep_place)
    return found


def _token_of(word: str, count: int, grid: Grid | None) -> int | None:
    """Return the token that a URL field names; None where it names none."""
    found = re.fullmatch(r"([0-9]{1,6}),([0-9]{1,6})|token([0-9]{1,6})|([0-9]{1,6})", word)
    if found is None:
        return None
    if found[1]:
        row, column = int(found[1]), int(found[2])
        inside = grid is not None and 1 <= row <= grid.rows and 1 <= column <= grid.columns
        return grid.prefix + (row - 1) * grid.columns + column - 1 if grid and inside else None
    token = int(found[3]) - 1 if found[3] else int(found[4])
    return token if 0 <= token < count else None


def _keep_place() -> None:
    url_state.set_value(**{QUERY: f"{st.session_state['query_row']},{st.session_state['query_column']}"})


def _keep_token() -> None:
    url_state.set_value(**{QUERY: f"token{st.session_state['query_token']}"})
