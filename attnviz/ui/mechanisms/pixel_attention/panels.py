"""What the panels of pixel attention and of its controls show on the draw page."""

from collections.abc import Callable

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.dot_product.mean_row import OF_ATTENTION
from attnviz.ui.mechanisms.pixel_attention.selection import single_token

ADDED = {"derived": "added_by_pixel"}


def panel_of(net: Net) -> Panel:
    """Return what the panel of a net shows."""
    return _PANELS[net.architecture](net)


def _attention(net: Net) -> Panel:
    """Show where the ink takes from; of a single token, which takes from itself alone, what each pixel adds."""
    heads, placed = net.config.get("heads", 1), net.config.get("positions") is not None
    title, page, grid = "Pixel attention", "pixel_attention", net.grid
    if single_token(net):
        says = "the weight is always 1; what each pixel adds to the {answer}, up to {most}"
        return Panel(
            title, "the picture as one token", "signed", says, ADDED, net.input.rows, net.input.columns, page=page
        )
    kind = f"{heads} head{'s' if heads > 1 else ''}, {'positions' if placed else 'no positions'}"
    says = "what the ink attends to" + ("" if placed else ", by intensity alone")
    assert grid is not None, "the tokens of this model lie on a grid"
    return Panel(title, kind, "share", says, OF_ATTENTION, grid.rows, grid.columns, heads=heads, page=page)


def _added(kind: str, says: str) -> Callable[[Net], Panel]:
    return lambda net: Panel("Logistic regression", kind, "signed", says, ADDED, net.input.rows, net.input.columns)


def _picture(title: str, kind: str, says: str) -> Callable[[Net], Panel]:
    return lambda net: Panel(title, kind, "ink", says)


_PANELS: dict[str, Callable[[Net], Panel]] = {
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
