"""The derived value of pixel attention and its controls: what each pixel adds to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.ui.live.derived import Context, Derived, NoParameters

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attnviz.readings import Reading


def added_by_pixel(context: Context[NoParameters]) -> Reading:
    """Return what each pixel adds to the answer, batch by row and column."""
    import torch

    from attnviz.measures.pixel_attention.linear import toward_answer
    from attnviz.readings import Reading

    assert context.logits is not None
    each = [_by_pixels(context.loaded.model, image) for image in context.images]
    found = [toward_answer(*one).pixels for one in zip(context.logits, each, strict=True)]
    return Reading("added", torch.stack(found), ("batch", "row", "column"))


def _by_pixels(model: nn.Module, image: Tensor) -> Tensor:
    """Return what each pixel (row, column) of an image (channel, row, column) adds to each logit, of all channels."""
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
