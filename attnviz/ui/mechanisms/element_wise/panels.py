"""What the panels of element-wise attention and of its controls show on the draw page."""

from attnviz.cards import Card
from attnviz.models import input_of
from attnviz.ui.components.panel import Panel


def panel_of(card: Card) -> Panel:
    """Return what the panel shows: each layer before its convolution and after ReLU; of a control, the picture."""
    taken = input_of(card.recipe.model, card.config)
    if card.recipe.model != "element_wise":
        return Panel("Convolutions", card.recipe.title, "ink", "no attention: its input", page="explorer")
    heads, layers = card.config.get("heads", 8), card.config.get("layers", 2)
    return Panel(
        "Element-wise attention",
        f"{heads} head{'s' if heads > 1 else ''}, {layers} layers",
        "stages",
        "each layer before its convolution, and its output",
        {"derived": "handed_on"},
        taken.rows,
        taken.columns,
        page="element_wise",
    )
