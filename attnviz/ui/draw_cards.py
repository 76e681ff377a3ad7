"""The cards of the draw page: of which models, and what is said on each. `frontend/draw_cards.js` draws them.

A model of a later architecture has a card as soon as it has a checkpoint that knows ten digits; what that shows,
`card_views` decides. Nothing here needs torch while all architectures are known there.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.errors import CheckpointError, closest
from attnviz.ui import address, page
from attnviz.ui.card_views import MAP, VIEWS, View, view_of
from attnviz.ui.drawing_pad import Cards

DIGITS = tuple("0123456789")
EXTRAS = (
    "pixel_attention.digits-no-positions",
    "pixel_attention.1v8-augmented-positions",
    "pixel_attention.1v8-augmented",
)
"""Cards beside the best one of each architecture: the same with less, and with more heads and only two classes."""

MOST = 24
"""Cards at once: so many still answer while a hand draws."""

WORD = "models"  # in the address

SHOWN = ("picture", "says", "rows", "columns", "prefix", "heads", "page")  # of a view, beside what is wanted


def chosen() -> list[str]:
    """Return the checkpoints that have cards unless the visitor chooses others: those that attend come first.

    They are the checkpoint with the best validation accuracy of every architecture that knows ten digits, and `EXTRAS`.
    """
    known = _known()
    best: dict[str, Card] = {}
    for card in known.values():
        other = best.get(card.recipe.model)
        if card.classes == DIGITS and (other is None or validated(card) > validated(other)):
            best[card.recipe.model] = card
    order = [*VIEWS, *sorted(set(best) - set(VIEWS))]
    names = [best[model].name for model in sorted(best, key=order.index)]
    with_extras = [*names, *(name for name in EXTRAS if name in known and name not in names)]
    return sorted(with_extras, key=lambda name: _order(known[name], order))


def shown() -> list[str]:
    """Return whose cards are shown: those that the address names, else `chosen`; nonsense is a sentence."""
    word = st.query_params.get(WORD)
    if word is None:
        return chosen()
    known = _known()
    asked = list(dict.fromkeys(word.split(",")))
    wrong = next((name for name in asked if name not in known), None)
    if wrong is not None:
        st.warning(page.verbatim(f"There is no model of digits {wrong!r}, so it has no card. {closest(wrong, known)}"))
    if len(asked) > MOST:
        st.warning(f"The address names {len(asked)} models; the first {MOST} have cards.")
    return [name for name in asked if name in known][:MOST] or chosen()


def choose(names: list[str]) -> None:
    """Draw the choice of models; what is chosen goes into the address."""
    titles = {name: card.recipe.title for name, card in _known().items()}
    st.session_state[WORD] = names
    with st.expander("Choose the models"):
        st.multiselect(
            "Models with cards", list(titles), key=WORD, format_func=titles.__getitem__, max_selections=MOST,
            on_change=_keep, placeholder="Choose models", label_visibility="collapsed",
        )  # fmt: skip


def on_cards(names: list[str], *, settled: bool = False) -> Cards:
    """Return what the component is told of the cards.

    Args:
        names: of checkpoints.
        settled: whether the page wants to know, once the hand rests, what the models saw.
    """
    return Cards({"models": describe(names), "settled": settled}, {"card_sample": sample()})


def describe(names: list[str]) -> list[dict[str, Any]]:
    """Return what the browser is told of each card; JSON can say all of it.

    Args:
        names: of checkpoints.

    Returns:
        For each: checkpoint, title, kind, classes, parameters, accuracy (on the validation part, 0..1), page, and of
        what it shows picture, says, wanted, rows, columns, prefix, heads, all as in `card_views.View`.
    """
    found = [(card, view_of(card)) for card in map(cards.read, names)]
    alike = Counter((view.title, _kind(card, view)) for card, view in found)
    return [
        {
            "checkpoint": card.name,
            "title": view.title,
            "kind": _kind(card, view) if alike[view.title, _kind(card, view)] == 1 else card.recipe.title,
            "classes": list(card.classes),
            "parameters": card.parameters,
            "accuracy": validated(card),
            "wanted": {MAP: dict(view.wanted)} if view.wanted else {},
            **{name: getattr(view, name) for name in SHOWN},
        }
        for card, view in found
    ]


def sample(digit: int = 8) -> npt.NDArray[np.uint8]:
    """Return the drawn digit that the cards look at before the first stroke: uint8 (28, 28)."""
    images, labels = data.load("strokes", "test", count=64)
    picture: npt.NDArray[np.uint8] = images[int(np.flatnonzero(labels == digit)[0]), :, :, 0]
    return picture


def validated(card: Card) -> float:
    """Return the accuracy of the shipped weights on the part of the training pictures that they were chosen by."""
    run = next(run for run in card.runs if run.seed == card.seed)
    return run.curve[run.best_epoch - 1][2] if 0 < run.best_epoch <= len(run.curve) else 0.0


def _kind(card: Card, view: View) -> str:
    return view.kind if len(card.classes) > 2 else f"{view.kind}, {' or '.join(sorted(card.classes))}"


def _order(card: Card, order: list[str]) -> tuple[bool, int, bool]:
    view = view_of(card)
    return view.control, order.index(card.recipe.model), card.classes != DIGITS


def _known() -> dict[str, Card]:
    """Return the cards of all models of digits; those that cannot be read are left out, as other pages name them."""
    found = {}
    for name in cards.names():
        with suppress(CheckpointError):
            card = cards.read(name)
            if set(card.classes) <= set(DIGITS):
                found[name] = card
    return found


def _keep() -> None:
    names = st.session_state[WORD]
    address.put(**{WORD: ",".join(names) if names and names != chosen() else None})
