"""What the panels of pixel attention and of its controls show on the draw page."""

from collections.abc import Callable

from attnviz.cards import Card
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.mean_row import OF_ATTENTION

ADDED = {"derived": "added_by_pixel"}


def panel_of(card: Card) -> Panel:
    """Return what the panel of a model shows."""
    return _PANELS[card.recipe.model](card)


def _attention(card: Card) -> Panel:
    """Show where the ink takes from; of a single token, which takes from itself alone, what each pixel adds."""
    config = card.config
    side = config.get("pool", 1) * config.get("patch", 1)
    rows, columns = config.get("rows", 28) // side, config.get("columns", 28) // side
    heads, placed = config.get("heads", 1), config.get("positions") is not None
    title, page = "Pixel attention", "pixel_attention"
    if rows * columns == 1:
        says = "the weight is always 1; what each pixel adds to the {answer}, up to {most}"
        shape = config.get("rows", 28), config.get("columns", 28)
        return Panel(title, "the picture as one token", "signed", says, ADDED, *shape, page=page)
    kind = f"{heads} head{'s' if heads > 1 else ''}, {'positions' if placed else 'no positions'}"
    says = "what the ink attends to" + ("" if placed else ", by intensity alone")
    return Panel(title, kind, "share", says, OF_ATTENTION, rows, columns, heads=heads, page=page)


def _added(kind: str, says: str) -> Callable[[Card], Panel]:
    def panel(card: Card) -> Panel:
        shape = card.config.get("rows", 28), card.config.get("columns", 28)
        return Panel("Logistic regression", kind, "signed", says, ADDED, *shape)

    return panel


def _picture(title: str, kind: str, says: str) -> Callable[[Card], Panel]:
    return lambda card: Panel(title, kind, "ink", says)


_PANELS: dict[str, Callable[[Card], Panel]] = {
    "pixel_attention": _attention,
    "pixel_line": _added("on the pixels", "no attention: what each pixel adds to the {answer}, up to {most}"),
    "histogram_line": _added(
        "on the histogram", "no attention: what its intensity alone adds to the {answer}, up to {most}"
    ),
    "histogram_mlp": _picture(
        "A small network", "on the histogram", "no attention: it only sees how often each intensity occurs"
    ),
    "ink": _picture("Logistic regression", "on ink alone", "no attention: it only sees how much ink there is"),
}
