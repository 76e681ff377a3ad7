"""What the card of a model shows on the digit: the one place that decides it, for the models there are and to come.

A view is found by what a checkpoint's card says of its architecture, without torch; `VIEWS` is where a model of another
architecture adds its own. One that is not named there is asked for its taps: where it attends, it shows that; else the
digit alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from attnviz.cards import Card
from attnviz.ui import cache

MAP = "map"  # the name of what is wanted, in every request of a card

# Of the live channel (live_request.py): what each pixel adds to the answer.
ADDED: Mapping[str, Any] = {"added": "pixel"}


@dataclass(frozen=True)
class View:
    """What a card shows.

    Args:
        title, kind: the name of the model, and what tells it from others of that name; short, as a card is narrow.
        picture: share (multiples of an even share), signed (around zero), or ink (the digit itself, in grey).
        says: what is drawn, in words; "{answer}" stands for the answer, "{most}" for the largest value in size.
        wanted: what the live channel is asked for beside the answer; of a head, the card puts in which.
        rows, columns, prefix: how the values lie on the picture.
        heads: among which the card chooses; 0 where there are none.
        page: the address of the page that looks into the model; "" where there is none.
        control: whether nothing in it attends.
    """

    title: str
    kind: str
    picture: Literal["share", "signed", "ink"]
    says: str
    wanted: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 28
    columns: int = 28
    prefix: int = 0
    heads: int = 0
    page: str = ""
    control: bool = False


def view_of(card: Card) -> View:
    """Return what a model's card shows."""
    return VIEWS.get(card.recipe.model, by_taps)(card)


def mean_row(address: str) -> dict[str, Any]:
    """Return what the live channel is asked for: where the tokens that have ink take from, in one head of a layer."""
    return {"address": address, "index": {"head": "furthest"}, "mean": "ink"}


def pixel_attention(card: Card) -> View:
    """Show where the ink takes from; of a single token, which takes from itself alone, what each pixel adds."""
    config = card.config
    side = config.get("pool", 1) * config.get("patch", 1)
    rows, columns = config.get("rows", 28) // side, config.get("columns", 28) // side
    heads, placed = config.get("heads", 1), config.get("positions") is not None
    title, page = "Pixel attention", "pixel_attention"
    if rows * columns == 1:
        says = "its weight is always 1: what each pixel adds to the {answer}, up to {most}"
        return View(title, "the picture as one token", "signed", says, ADDED, page=page)
    kind = f"{heads} head{'s' if heads > 1 else ''}, {'positions' if placed else 'no positions'}"
    says = "what the ink takes from" + ("" if placed else ", by intensity alone")
    return View(title, kind, "share", says, mean_row("attention.weights"), rows, columns, heads=heads, page=page)


def pixel_line(card: Card) -> View:
    """Show what each pixel adds."""
    says = "no attention: what each pixel adds to the {answer}, up to {most}"
    return View("A line", "through the pixels", "signed", says, ADDED, control=True)


def histogram_line(card: Card) -> View:
    """Show what each pixel adds, wherever it is."""
    says = "no attention: what its intensity alone adds to the {answer}, up to {most}"
    return View("A line", "through the histogram", "signed", says, ADDED, control=True)


def histogram_mlp(card: Card) -> View:
    """Show the digit."""
    says = "no attention: it sees only how often each intensity occurs"
    return View("A small net", "on the histogram", "ink", says, control=True)


def ink(card: Card) -> View:
    """Show the digit."""
    says = "no attention: it sees only how much ink there is"
    return View("A line", "through the amount of ink", "ink", says, control=True)


def by_taps(card: Card) -> View:
    """Show what can be heard of an architecture that `VIEWS` does not name. Loads torch."""
    from attnviz import models
    from attnviz.layers.attention import Attention

    title = models.MODELS[card.recipe.model].title if card.recipe.model in models.MODELS else card.recipe.model
    for path, layer in cache.single(card.name).model.named_modules():
        grid = getattr(layer, "grid", None)
        if isinstance(layer, Attention) and grid is not None:
            kind, says = f"{layer.heads} head{'s' if layer.heads > 1 else ''}", f"what the ink takes from, in {path}"
            wanted = mean_row(f"{path}.weights".removeprefix("."))
            size = grid.rows, grid.columns, grid.prefix
            return View(title, kind, "share", says, wanted, *size, heads=layer.heads, page="explorer")
    return View(title, card.recipe.title, "ink", "how it looks at the digit cannot be drawn here yet", page="explorer")


VIEWS: dict[str, Callable[[Card], View]] = {
    "pixel_attention": pixel_attention,
    "pixel_line": pixel_line,
    "histogram_line": histogram_line,
    "histogram_mlp": histogram_mlp,
    "ink": ink,
}
