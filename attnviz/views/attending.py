"""Run a net on an example and return the view of its attention. Importing this loads torch."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import LayerNorm, Module
from torch.nn.functional import avg_pool2d

from attnviz.answers import as_batch, probabilities
from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.layers.convolution import ConvBlock
from attnviz.measures.attention import carried, linear_readout, normalisers
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Subject
from attnviz.subjects.asking import ask, batch_of
from attnviz.tracing import Grid, trace
from attnviz.views.attention import AttentionView

TAPS = ("query", "key", "value", "mixed", "output")
Run = tuple[dict[str, Reading], Tensor]  # the readings of a pass by tap path, and the logits


def attention(
    loaded: Loaded, example: Example, *, unit: str | None = None, path: str | None = None, run: Run | None = None
) -> AttentionView:
    """Return the view of the attention of every pixel of a picture, in the layer at a path, by default the first one.

    The default `unit` of a token is "pixel" if it covers one, and "box" if it covers several. `run` is the result of
    `passed` for these arguments, if already available.
    """
    model, net = loaded
    image = example.taken_by(net)
    there = layers(model)
    path = next(iter(there), None) if path is None else path
    layer = None if path is None else there.get(path)
    none = BadInput(f"{net.key} has no layer in which tokens attend to one another. Look at it in the explorer.")
    if path is None or layer is None or not {*TAPS} <= {*layer.taps}:  # a control may attend to nothing
        raise none
    pixels = as_batch(image, double=True)
    seen, logits = run or passed(loaded, example, path)
    query, key, value, mixed, output = (seen[f"{path}.{tap}"].at(batch=0) for tap in TAPS)
    grid = seen[f"{path}.query"].grid
    if grid is None:  # its tokens are not positions of the picture
        raise none
    log_normaliser, received = normalisers(query, key)
    added, signed = carried(value, layer.output.weight)
    with torch.no_grad():
        read = linear_readout(mixed, layer.output, output, logits[0], model.modules())
        end = normed_end(layer, value, mixed, seen[f"{path}.joined"].at(batch=0)) if "joined" in layer.taps else {}
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
        origin=Subject(net, example).origin(path),
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


def passed(loaded: Loaded, example: Example, path: str | None = None) -> Run:
    """Return one pass's taps of an attention layer, by default the first, and of all convolutions; and the logits."""
    there = layers(loaded.model)
    path = next(iter(there), None) if path is None else path
    taps = [] if path is None else [tap for tap in (*TAPS, "joined") if tap in there[path].taps]
    keep = [f"{path}.{tap}" for tap in taps]
    keep += [f"{path}.{tap}" for path in convolutions(loaded.model) for tap in ("after_conv", "after_pool")]
    with torch.no_grad(), trace(loaded.model, keep) as seen:
        logits = ask(loaded, batch_of(loaded, example))
    return dict(seen), logits


def layers(model: Module) -> dict[str, Attention]:
    """Return path -> attention layer."""
    return {path: part for path, part in model.named_modules() if isinstance(part, Attention)}


def convolutions(model: Module) -> dict[str, ConvBlock]:
    """Return path -> convolution block."""
    return {path: part for path, part in model.named_modules() if isinstance(part, ConvBlock)}


def normed_end(layer: Attention, value: Tensor, mixed: Tensor, joined: Tensor) -> dict[str, Any]:
    """Return before, own, added, scale and eps of a view, if the layer's projection is followed by ReLU and a layer
    normalisation, else nothing.

    `value` and `mixed` are (head, token, size). `joined`, (token, feature), is the input of the projection: the
    concatenated heads plus the token itself.
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
    """Return the mean of pixels, float (1, channel, row, column), over the channels and the box of each token, as far
    as it lies on the picture: float (row, column) of the grid.

    The first box starts at the picture's top left corner.
    """
    means = avg_pool2d(pixels.mean(1), int(grid.field), int(grid.stride), ceil_mode=True)[0]
    return means[: grid.rows, : grid.columns]
