"""Accuracy by the length of the strip, read from the cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from attnviz import cards
from attnviz.data.digit_strips import STRIPS, TESTED
from attnviz.recipes.bahdanau import STEPS
from attnviz.ui.components.alignment import Curve
from attnviz.ui.mechanisms.sequences.readers import MODELS, is_control

if TYPE_CHECKING:
    from attnviz.card import Card, Figure
    from attnviz.recipes import Recipe
    from attnviz.subjects import Net


def is_compared(recipe: Recipe) -> bool:
    """Return whether a model is shown with the others on the page; an experiment and the results show the rest.

    A model that was trained ten times as long would only show the effect of its training.
    """
    return recipe.epochs <= STEPS


def of(net: Net) -> list[Curve]:
    """Return the curves of all models trained on the same strips as a net, beginning with that net.

    Models that were trained much longer are left out.
    """
    names = [name for name in cards.names() if name.split(".")[0] in MODELS]
    found = [
        curve
        for name, card in cards.readable(names).items()
        if card.recipe.data == net.data
        and (name == net.key or is_compared(card.recipe))
        and (curve := of_card(name, card)) is not None
    ]
    found.sort(key=lambda curve: (curve.key != net.key, curve.control))
    is_sorted = net.data in STRIPS and STRIPS[net.data].order == "sorted"
    return [*found, guess(found[0].lengths)] if found and is_sorted else found


def guess(lengths: Sequence[int]) -> Curve:
    """Return the curve of guessing sorted digits without looking."""
    digits, exact = ([*values] for values in zip(*map(_guessed, lengths), strict=True))
    return Curve(
        key="",
        title="Guessing without looking",
        control=True,
        lengths=lengths,
        digits=digits,
        exact=exact,
        digits_range=[(one, one) for one in digits],
        exact_range=[(one, one) for one in exact],
    )


@lru_cache(maxsize=64)  # there are strips of 30 lengths
def _guessed(length: int) -> tuple[float, float]:
    from attnviz.measures import texts  # needs torch, which the draw page does not load

    return texts.guessed_by_place(length), texts.guessed_whole(length)


def of_card(name: str, card: Card) -> Curve | None:
    """Return the curve of a model card, or None if nothing was measured by length."""
    figures: dict[str, Figure] = {}
    lengths: list[int] = []
    for source in sorted({one.data for one in card.figures}):  # the strips on which most lengths were tested
        here = {one.name: one for one in card.figures if one.data == source}
        found = [length for length in TESTED if {f"digits_{length}", f"accuracy_{length}"} <= set(here)]
        if len(found) > len(lengths):
            figures, lengths = here, found
    if not lengths:
        return None
    digits, exact = ([figures[f"{what}_{length}"] for length in lengths] for what in ("digits", "accuracy"))
    distance, stops = (
        [figures[one] for length in lengths if (one := f"{what}_{length}") in figures]
        for what in ("distance", "stopped")
    )
    return Curve(
        key=name,
        title=card.recipe.title,
        control=is_control(card.config),
        lengths=lengths,
        digits=[one.mean for one in digits],
        exact=[one.mean for one in exact],
        digits_range=[_range(one) for one in digits],
        exact_range=[_range(one) for one in exact],
        distance=[one.mean for one in distance] if len(distance) == len(lengths) else (),
        stops=[one.mean for one in stops] if len(stops) == len(lengths) else (),
        seeds=min(one.seeds for one in digits),
    )


def _range(figure: Figure) -> tuple[float, float]:
    return figure.lowest, figure.highest
