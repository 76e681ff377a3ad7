"""The choices that pages share: which model, which picture. What is chosen stands in the address."""

import random
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.data import drawing
from attnviz.errors import AttnvizError, BadInput, CheckpointError
from attnviz.ui import address, cache, page

ANY = "any"
DRAWN = "drawing"


@dataclass(frozen=True)
class Picture:
    """A test picture: which data set, and its place in the test split from 0; a drawing is its own source."""

    source: str
    number: int


def model(names: list[str], default: str) -> Card:
    """Draw the choice of a trained model and return its card.

    Args:
        names: of the checkpoints to choose from.
        default: which one, where the address names none.

    Raises:
        CheckpointError: there is none to choose from.
    """
    if not names:
        raise CheckpointError(
            f"There is no trained model of this kind in {cards.folder()}. Take back the committed folder, "
            "or train one: `python -m attnviz reproduce schwarz --train`."
        )
    name = address.choice("model", names, default if default in names else names[0])
    titles = {known: cards.read(known).recipe.title for known in names}
    st.selectbox("Model", names, key="model", format_func=titles.__getitem__, on_change=address.keep, args=("model",))
    return cards.read(name)


def picture(card: Card) -> Picture:
    """Draw the choice of a test picture: data set, digit, number, at random, next, wrong answers only.

    A drawing that the address holds comes before all others, with a way back to the data sets.

    Args:
        card: of the model that will look at it; the digits on offer are those it knows.
    """
    sources = [name for name in data.DATASETS if data.DATASETS[name].classes == data.DATASETS[card.recipe.data].classes]
    here = [name for name in sources if data.available(name)]
    drawn = _drawing(here)
    if drawn:
        return drawn
    source = address.choice("data", here, default_source(card))
    digit = address.choice("digit", [ANY, *sorted(card.classes)], ANY)
    wrong = address.choice("wrong", ["yes", "no"], "no") == "yes"
    count = len(data.labels(source, "test"))
    fitting = Fitting(card, source, digit, wrong)
    first = Fitting(card, source, card.classes[0] if digit == ANY and not wrong else digit, wrong).after(-1)
    number = address.number("number", count, first if first is not None else 0)

    titles = {name: data.DATASETS[name].title for name in here}
    st.segmented_control(
        "Pictures", here, key="data", format_func=titles.__getitem__, required=True,
        on_change=_restart, args=("data",),
    )  # fmt: skip
    st.segmented_control(
        "Digit", [ANY, *sorted(card.classes)], key="digit", required=True, on_change=_restart, args=("digit",)
    )
    st.number_input("Number", 0, count - 1, key="number", width=128, on_change=address.keep, args=("number",))
    st.button("Next", on_click=_go, args=(fitting.after(number),), disabled=first is None)
    st.button("Random", on_click=_go, args=(fitting.random(),), disabled=first is None)
    st.session_state["wrong_only"] = wrong
    st.toggle("Wrong answers only", key="wrong_only", on_change=_toggle_wrong)
    if first is None:
        st.caption("There is no such picture: every answer here is right.")
    for missing in sources:
        if missing not in here:
            _offer(missing)
    return Picture(source, number)


def tests(card: Card, picture: Picture) -> str:
    """Return the data set whose test pictures stand beside a picture: its own, and for a drawing the model's."""
    return default_source(card) if drawing.is_name(picture.source) else picture.source


def default_source(card: Card) -> str:
    """Return the data set that a model was trained on if it is here, else the strokes."""
    return card.recipe.data if data.available(card.recipe.data) else "strokes"


class Fitting:
    """The test pictures that fit what was chosen: a digit the model knows, and whether it answers wrongly."""

    def __init__(self, card: Card, source: str, digit: str, wrong: bool) -> None:
        labels = data.labels(source, "test")
        names = data.DATASETS[source].classes
        wanted = card.classes if digit == ANY else (digit,)
        fits = np.isin(labels, [label for label, name in enumerate(names) if name in wanted])
        self.numbers = np.flatnonzero(fits)
        if wrong:
            self.numbers = np.intersect1d(self.numbers, cache.wrong_answers(card, source))

    def after(self, number: int) -> int | None:
        """Return the next one, from the start again after the last; None where there is none."""
        if not len(self.numbers):
            return None
        return int(self.numbers[np.searchsorted(self.numbers, number, "right") % len(self.numbers)])

    def random(self) -> int | None:
        """Return one at random; None where there is none."""
        return int(random.choice(self.numbers)) if len(self.numbers) else None


def _drawing(here: list[str]) -> Picture | None:
    """Draw the row of choices for the drawing that the address holds, if there is one that can be read."""
    word = st.query_params.get(DRAWN)
    if word is None:
        return None
    try:
        drawing.read(drawing.named(word))
    except BadInput as error:
        st.warning(page.verbatim(str(error)))
        return None
    titles = {DRAWN: "Your drawing", **{name: data.DATASETS[name].title for name in here}}
    st.session_state["data"] = DRAWN
    st.segmented_control(
        "Pictures", list(titles), key="data", format_func=titles.__getitem__, required=True, on_change=_leave_drawing
    )
    page.link("05_draw.py", "Draw another")
    return Picture(drawing.named(word), 0)


def _leave_drawing() -> None:
    address.put(data=st.session_state["data"], number=None, **{DRAWN: None})


def _restart(key: str) -> None:
    address.put(**{key: st.session_state[key], "number": None})


def _go(number: int | None) -> None:
    address.put(number=number)


def _toggle_wrong() -> None:
    address.put(wrong="yes" if st.session_state["wrong_only"] else None, number=None)


def _offer(name: str) -> None:
    """Draw the button that downloads a data set, with its progress, and run the page again once it is here."""
    spec = data.DATASETS[name]
    if not st.button(f"Get {spec.title} ({spec.megabytes} MB)", key=f"get_{name}"):
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


def token(count: int) -> int:
    """Draw the choice of one query, and return its place among the tokens, from 0."""
    chosen = address.number("query", count, count // 2)
    st.number_input(
        "Query: pixel, row by row from 0", 0, count - 1, key="query", on_change=address.keep, args=("query",)
    )
    return chosen
