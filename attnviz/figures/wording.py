"""A description of a figure in words, for its file, below it, and as its text alternative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attnviz.figures.maps import Head

if TYPE_CHECKING:
    from attnviz.figures.shown import Shown
    from attnviz.views.attention import LayerView


def words_of(figure: Shown) -> str:
    """Return the contents of the maps and the meaning of the colours, in sentences."""
    return f"{shown(figure)} {colours(figure)}"


def shown(figure: Shown) -> str:
    """Return the contents of the maps, in a sentence."""
    choice = figure.choice
    view = next(iter(figure.views.values()))
    what = "Attention weights" if choice.show == "weights" else "Scores before the softmax"
    place = place_in_words(view, choice.token(view))
    how = {
        "from": f"of {place} over all keys" if place.startswith("query") else f"of the query at {place} over all keys",
        "to": f"of all queries for the key at {place}",
        "received": "of each key, as a mean over all queries",
    }[choice.direction]
    return f"{what} {how}, {heads_in_words(choice.heads_of(view), view.heads)}."


def colours(figure: Shown) -> str:
    """Return the meaning of the colours, in a sentence."""
    choice = figure.choice
    sizes = sorted({view.inside for view in figure.views.values()})
    if choice.show == "weights" and choice.scale == "share":
        even = " or ".join(f"1/{size}" for size in sizes)
        more = "black is more" if figure.theme == "print" else "violet is more, grey is less"
        return f"Colours: multiples of an even share, {even}; {more}."
    whose = "each map has its own scale" if choice.scale == "map" else "each layer has its own scale"
    return f"Colours: {whose}; the numbers above a map are the ends of its scale."


def heads_in_words(heads: Sequence[Head], count: int) -> str:
    """Return heads in words, counted from 1."""
    if count == 1:
        return "the only head"
    numbers = [str(head + 1) for head in heads if head != "mean"]
    mean = [f"the mean of {count} heads"] if "mean" in heads else []
    if len(numbers) == count:
        return f"all {count} heads" + (" and their mean" if mean else "")
    *others, last = numbers or [""]
    named = [f"heads {', '.join(others)} and {last}" if others else f"head {last}"] if numbers else []
    return " and ".join([*named, *mean])


def place_in_words(view: LayerView, token: int) -> str:
    """Return the position of a token, counted from 1."""
    if token < view.prefix and view.attending is not None and view.attending.max() < view.prefix:
        return f"query {token + 1} of {len(view.attending)}"
    if token < view.prefix:
        return "the class token" if view.prefix == 1 else f"token {token + 1}, which has no position"
    row, column = divmod(token - view.prefix, view.columns)
    return f"row {row + 1}, column {column + 1}"


def names_of(figure: Shown) -> list[str]:
    """Return the names of all layers for captions: the numbers in their paths if those differ."""
    layers = [*figure.views]
    numbers = [[part for part in _parts(layer) if part.isdigit()] for layer in layers]
    if all(len(found) == 1 for found in numbers) and len({found[0] for found in numbers}) == len(layers):
        return [f"{figure.steps} {found[0]}" for found in numbers]
    if len(layers) == 1 and len(layers[0]) > 14:
        return ["attention"]
    return [_shortened(layer) if layer else "attention" for layer in layers]


def _shortened(layer: str) -> str:
    """Return a path, or as many of its last parts as fit above a map."""
    if len(layer) <= 14:
        return layer
    parts = layer.split(".")
    fitting = next((end for at in range(1, len(parts)) if len(end := ".".join(parts[at:])) <= 12), layer[-12:])
    return f"…{fitting}"


def _parts(layer: str) -> list[str]:
    return layer.replace("_", ".").split(".")
