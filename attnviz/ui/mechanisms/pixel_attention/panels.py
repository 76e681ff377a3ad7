"""The draw page's panels for pixel attention and its controls, and the contribution of each pixel to the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.dot_product.mean_row import OF_ATTENTION
from attnviz.ui.live.derived import Context, Derived, NoParameters
from attnviz.ui.mechanisms.pixel_attention.selection import single_token

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attnviz.readings import Reading


def added_by_pixel(context: Context[NoParameters]) -> Reading:
    """Return the contribution of each pixel to the answer, (batch, row, column)."""
    import torch

    from attnviz.measures.pixel_attention.linear import toward_answer
    from attnviz.readings import Reading

    assert context.logits is not None
    each = [_by_pixels(context.loaded.model, image) for image in context.images]
    found = [toward_answer(*one).pixels for one in zip(context.logits, each, strict=True)]
    return Reading("added", torch.stack(found), ("batch", "row", "column"))


def _by_pixels(model: nn.Module, image: Tensor) -> Tensor:
    """Return the contribution of each pixel of an image (channel, row, column) to each logit, summed over channels."""
    import torch
    from torch import nn

    from attnviz.measures.pixel_attention.linear import by_histogram, by_line, folded
    from attnviz.models.controls import Histogram, PixelLine
    from attnviz.models.parts import LEVELS, levels_of
    from attnviz.models.pixel_attention import PixelAttention

    if type(model) is PixelLine:
        return by_line(model.classifier.weight / model.standardise.std, image).sum(1)
    if isinstance(model, Histogram) and isinstance(model.classifier, nn.Linear):
        bins = levels_of(image[0]) * model.bins // LEVELS
        return by_histogram(model.classifier.weight * (model.bins / bins.numel()), bins)
    one = isinstance(model, PixelAttention) and model.grid.tokens == 1 and model.pool == 1 and model.positions is None
    if isinstance(model, PixelAttention) and one and not model.skip:
        attention, standard = model.attention, model.standardise
        chain = [(part.weight, part.bias) for part in (attention.value, attention.output, model.classifier)]
        line = folded(*chain, mean=standard.mean, std=standard.std, shape=model.shape)
        return by_line(torch.tensor(line.weight).flatten()[None], image[0])
    raise BadInput("The answer of this model is not a sum over pixels, so a pixel has no contribution of its own.")


DERIVED: tuple[Derived[Any], ...] = (Derived("added_by_pixel", NoParameters, added_by_pixel),)


ADDED = {"derived": "added_by_pixel"}


def panel_of(net: Net) -> Panel:
    """Return the panel of a net."""
    return _PANELS[net.architecture](net)


def _attention(net: Net) -> Panel:
    """Return a panel of what the ink attends to or, for a single token, of the contribution of each pixel."""
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
