"""Run a net on an example and return what the viewer shows of its attention. Loads torch."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import LayerNorm, Module
from torch.nn.functional import avg_pool2d

from attnviz.answers import as_batch, probabilities
from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.layers.convolution import ConvBlock
from attnviz.measures.attention import carried, normalisers
from attnviz.measures.readout import linear_readout
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Subject
from attnviz.tracing import Grid, trace
from attnviz.ui.components.pixel_viewer import AttentionView
from attnviz.ui.shared import cache
from attnviz.ui.shared.inference import ask, batch_of, in_words

TAPS = ("query", "key", "value", "mixed", "output")


def attention(loaded: Loaded, example: Example, *, unit: str | None = None) -> AttentionView:
    """Return what the viewer needs to show the attention of every pixel of a picture.

    Args:
        loaded: a net with an attention layer, in double precision; the first such layer is shown.
        example: that it looks at.
        unit: what a token is called; None for "pixel" where it is one, and "box" where it is a box of several.

    Raises:
        BadInput: the net has no such layer.
    """
    model, net = loaded
    image = example.taken_by(net)
    address, layer = first_layer(model)
    none = BadInput(f"{net.key} has no layer in which tokens attend to one another. Look at it in the explorer.")
    if address is None or layer is None or not {*TAPS} <= {*layer.taps}:  # a control may attend to nothing
        raise none
    pixels = as_batch(image, double=True)
    # Another view of the same page shows the convolutions.
    seen, logits = cache.of_subject(passed, Subject(net, example)) if convolutions(model) else passed(loaded, example)
    query, key, value, mixed, output = (seen[f"{address}.{tap}"].at(batch=0) for tap in TAPS)
    grid = seen[f"{address}.query"].grid
    if grid is None:  # its tokens are no places of the picture
        raise none
    log_normaliser, received = normalisers(query, key)
    added, signed = carried(value, layer.output.weight)
    with torch.no_grad():
        read = linear_readout(mixed, layer.output, output, logits[0], model.modules())
        end = normed_end(layer, value, mixed, seen[f"{address}.joined"].at(batch=0)) if "joined" in layer.taps else {}
    return AttentionView(
        picture=pooled(pixels, grid).numpy(),
        query=query.numpy(),
        key=key.numpy(),
        value=value.numpy(),
        log_normaliser=log_normaliser,
        carried=added,
        carried_signed=signed,
        received=received,
        output=output.numpy(),
        rows=grid.rows,
        columns=grid.columns,
        prefix=grid.prefix,
        classes=net.classes,
        probabilities=probabilities(logits)[0].numpy(),
        label=example.target,
        origin={**Subject(net, example).origin(address), "answer": in_words(net, logits)},
        ink=example.ink,
        background=None if grid.stride == 1 and image.shape[2] == 1 else image,
        projection=None if read is None else read.projection.numpy(),
        readout=None if read is None else read.readout.numpy(),
        of_heads=None if read is None else read.of_heads.numpy(),
        logit=None if read is None else read.logit,
        boxes=None if grid.tiles(*image.shape[:2]) else grid.boxes,
        unit=unit or ("pixel" if grid.field == 1 else "box"),
        **end,
    )


def passed(loaded: Loaded, example: Example) -> tuple[dict[str, Reading], Tensor]:
    """Return of one pass the taps of the first attention layer and of all convolutions, and the logits."""
    address, layer = first_layer(loaded.model)
    taps = [] if layer is None else [tap for tap in (*TAPS, "joined") if tap in layer.taps]
    keep = [f"{address}.{tap}" for tap in taps]
    keep += [f"{path}.{tap}" for path in convolutions(loaded.model) for tap in ("after_conv", "after_pool")]
    with torch.no_grad(), trace(loaded.model, keep) as seen:
        logits = ask(loaded, batch_of(loaded, example))
    return dict(seen), logits


def first_layer(model: Module) -> tuple[str, Attention] | tuple[None, None]:
    """Return path and layer of the first attention; None where a model has none."""
    found = ((path, part) for path, part in model.named_modules() if isinstance(part, Attention))
    return next(found, (None, None))


def convolutions(model: Module) -> dict[str, ConvBlock]:
    """Return path -> block of convolution."""
    return {path: part for path, part in model.named_modules() if isinstance(part, ConvBlock)}


def normed_end(layer: Attention, value: Tensor, mixed: Tensor, joined: Tensor) -> dict[str, Any]:
    """Return what the viewer needs of a layer whose projection passes through ReLU and a layer normalisation.

    Args:
        layer: that ends so.
        value, mixed: (head, token, size).
        joined: (token, feature), what is projected: the heads side by side, with the token itself added.

    Returns:
        before, own, added, scale and eps of the view; nothing where the layer has no such norm.
    """
    norm = getattr(layer, "norm", None)
    if not isinstance(norm, LayerNorm):
        return {}
    heads = mixed.transpose(0, 1).flatten(1)
    parts = layer.output.weight.unflatten(1, (len(value), -1))  # (feature, head, size)
    return {
        "before": layer.output(joined).numpy(),
        "own": ((joined - heads) @ layer.output.weight.mT).numpy(),
        "added": torch.einsum("hts,fhs->htf", value, parts).numpy(),
        "scale": norm.weight.numpy(),
        "eps": norm.eps,
    }


def pooled(pixels: Tensor, grid: Grid) -> Tensor:
    """Return the mean over the channels and the box of each token, as far as it lies on the picture.

    Args:
        pixels: float (1, channel, row, column).
        grid: of boxes whose first one begins at the picture's top left corner.

    Returns:
        float (row, column) of the grid.
    """
    means = avg_pool2d(pixels.mean(1), int(grid.field), int(grid.stride), ceil_mode=True)[0]
    return means[: grid.rows, : grid.columns]
