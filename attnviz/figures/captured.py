"""Views of a trace of any model: `attnviz.watch(model)(batch)`. Importing this loads torch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from attnviz.arrays import Bytes
from attnviz.capture.call import Call
from attnviz.capture.frames import tensors_of
from attnviz.errors import BadInput
from attnviz.figures.lies import Lies, lies_of
from attnviz.figures.photo import as_received, digest, stretched
from attnviz.figures.shown import chosen
from attnviz.grids import Grid
from attnviz.version import VERSION
from attnviz.views.attention import LayerView

if TYPE_CHECKING:
    from attnviz.listening import Trace

MOST_SHOWN = 5  # maximum number of classes of an answer
LARGEST = 1 << 27  # maximum size in bytes of scores that are not a product of queries and keys


def views_of(
    seen: Trace,
    layers: Sequence[int | str] | None,
    photo: Bytes | None,
    classes: Sequence[str] | None,
    batch: int,
    grid: tuple[int, int] | None,
    origin: Mapping[str, Any] | None = None,
) -> dict[str, LayerView]:
    """Return the views of captured layers, by the paths of the modules that called attention.

    Args:
        layers: indices in the order of the pass, from 0, or paths; None for all layers whose tokens lie on a picture.
        photo: uint8 (row, column, colour), the photograph behind the model's input, cropped to the part that it
            received; None for the input itself, stretched to 0..255.
        classes: names of the answers, if the model returns their logits.
        batch: index of the picture in the batch.
        grid: rows and columns of tokens, if the model does not reveal them.
        origin: origin of the pass; None for the model's class, and digests of its weights and of its input.
    """
    captured = seen.captured
    calls = {key: call for key, call in captured.calls.items() if not call.refused}
    paths = chosen([*calls], layers)
    pixels = _input(captured.mode.frames.arguments, batch)
    shown = _shown(photo, pixels)
    origin = _origin(captured.mode.model, shown) if origin is None else origin
    answer = _answer(seen.output, classes, batch)
    found: dict[str, LayerView] = {}
    why: BadInput | None = None
    for path in paths:
        try:
            lies = lies_of(path, calls[path], captured.places(path), grid, pixels)
            found[path] = _view(seen, path, calls[path], lies, shown, pixels, answer, origin, batch)
        except BadInput as error:
            if layers is not None:
                raise
            why = error
    if not found:
        raise why or BadInput("Nothing that was captured can be drawn: print(seen.report()) lists what was captured.")
    return found


def lies_in(seen: Trace, path: str) -> Lies:
    """Return where the tokens of a captured layer lie, or raise BadInput with the reason why it cannot be drawn."""
    pixels = _input(seen.captured.mode.frames.arguments, 0)
    return lies_of(path, seen.captured.calls[path], seen.captured.places(path), None, pixels)


def _view(
    seen: Trace, path: str, call: Call, lies: Lies, photo: Bytes | None, pixels: Tensor | None,
    answer: Mapping[str, Any], origin: Mapping[str, Any], batch: int,
) -> LayerView:  # fmt: skip
    start, grid = f"{path}." if path else "", lies.grid
    heads = call.layout.size("head")
    read = {tap: seen[f"{start}{tap}"].at(batch=batch) for tap in ("query", "key", "value") if f"{start}{tap}" in seen}
    attending: Tensor | None = None
    if "query" in read and "key" in read and is_product(call, lies):
        query, key = (_exact(read[tap].expand(heads, call.keys, -1)[:, lies.order]) for tap in ("query", "key"))
        factor = float(call.scale or 0) * query.shape[-1] ** 0.5
        if abs(factor - 1) > 1e-12:
            query = query.double() * factor
        scores = query.double() / query.shape[-1] ** 0.5 @ key.double().mT
        given: dict[str, Any] = {"query": query.numpy(), "key": key.numpy()}
    else:
        scores = _scores(seen, start, batch)
        if scores.numel() * scores.element_size() > LARGEST:
            raise BadInput(f"{path}: {call.keys} tokens are too many if scores are not products of query and key.")
        if lies.some:
            attending, attended = lies.some
            scores = lies.rows(scores)
            given = {"attending": attending.int().numpy(), "attended": attended.int().numpy()}
        else:
            scores, given = scores[:, lies.order][..., lies.order], {}
        given["scores"] = scores.numpy()
    normaliser = scores.logsumexp(-1)
    weights = (scores - normaliser[..., None]).exp_()
    size = (grid.rows, grid.columns) if pixels is None else pixels.shape[-2:]
    return LayerView(
        **given,
        **answer,
        picture=_intensities(photo, grid),
        log_normaliser=lies.of_queries(normaliser).numpy(),
        carried=lies.of_keys(read["value"].double().norm(dim=-1) if "value" in read else None, heads).numpy(),
        carried_signed=False,
        received=lies.received(weights).numpy(),
        rows=grid.rows,
        columns=grid.columns,
        prefix=grid.prefix,
        origin={**origin, "address": path},
        ink=False,
        background=photo,
        boxes=None if photo is None or _covers(grid, size, photo) else grid.boxes,
        unit="block",
        names=lies.names,
    )


def is_product(call: Call, lies: Lies) -> bool:
    """Return whether every token's query meets every key, with nothing added to their product."""
    return call.scale is not None and not (call.masked or call.causal or lies.some)


def picture_and_origin(seen: Trace, photo: Bytes | None, batch: int) -> tuple[Bytes | None, dict[str, Any]]:
    """Return the part of a photograph that a model received, or its input stretched to 0..255; and a trace's origin."""
    shown = _shown(photo, _input(seen.captured.mode.frames.arguments, batch))
    return shown, {**_origin(seen.captured.mode.model, shown)}


def shown_of(seen: Trace, batch: int = 0) -> Bytes | None:
    """Return the model's input, stretched to 0..255, or None if it is not a picture."""
    return _shown(None, _input(seen.captured.mode.frames.arguments, batch))


def _shown(photo: Bytes | None, pixels: Tensor | None) -> Bytes | None:
    if pixels is None:
        return photo
    return stretched(pixels) if photo is None else as_received(photo, pixels)


def _exact(tensor: Tensor) -> Tensor:
    """Return a tensor with the same values in a dtype that a view allows."""
    return (tensor if tensor.dtype == torch.float64 else tensor.float()).detach().cpu().contiguous()


def _scores(seen: Trace, start: str, batch: int) -> Tensor:
    """Return the inputs of the softmax in float64, or the logarithms of weights if only these were kept: (head, query,
    key), or with windows (window, head, query, key)."""
    for tap in ("scores", "weights"):
        if f"{start}{tap}" in seen:
            found = seen[f"{start}{tap}"].at(batch=batch).detach().double().cpu()
            return found.log() if tap == "weights" else found
    raise BadInput(f"Neither query and key nor weights of {start.rstrip('.')} were kept: watch(model, keep=...).")


def _input(arguments: tuple[tuple[Any, ...], dict[str, Any]] | None, batch: int) -> Tensor | None:
    """Return the picture that the model was called with, (colour, row, column)."""
    for one in tensors_of(arguments or ()):
        if one.ndim == 4 and one.is_floating_point() and one.shape[1] in (1, 3):
            if not -len(one) <= batch < len(one):
                raise BadInput(f"There is no picture {batch} in the batch: it has {len(one)}, counted from 0.")
            return one[batch].detach().cpu()
    return None


def _intensities(photo: Bytes | None, grid: Grid) -> np.ndarray:
    """Return the mean intensity of each cell of a grid that covers a photograph, 0..1."""
    if photo is None:
        return np.zeros((grid.rows, grid.columns))
    pixels = torch.from_numpy(photo.mean(2) / 255)[None]
    return torch.nn.functional.adaptive_avg_pool2d(pixels, (grid.rows, grid.columns))[0].numpy()


def _covers(grid: Grid, size: Sequence[int], photo: Bytes) -> bool:
    """Return whether the boxes tile the picture, at any resolution that it is shown in."""
    return grid.tiles(size[0], size[1]) or tuple(photo.shape[:2]) != tuple(size)


def _answer(output: Any, classes: Sequence[str] | None, batch: int) -> dict[str, Any]:
    """Return the most probable classes, at most five, or nothing if their names are unknown."""
    nothing = {"classes": (), "probabilities": np.zeros(0)}
    if classes is None:
        return nothing
    logits = getattr(output, "logits", output)
    if not isinstance(logits, Tensor) or logits.ndim != 2 or logits.shape[1] != len(classes):
        found = f"{tuple(logits.shape)}" if isinstance(logits, Tensor) else type(logits).__name__
        raise BadInput(f"classes: {len(classes)} names do not fit the model's output, which is {found}.")
    best = logits[batch].double().softmax(0).cpu().topk(min(MOST_SHOWN, len(classes)))
    names = tuple(str(classes[place]) for place in best.indices.tolist())
    return {"classes": names, "probabilities": best.values.numpy()}


def _origin(model: torch.nn.Module, photo: Bytes | None) -> dict[str, str]:
    weights = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        weights.update(name.encode())
        if tensor.numel():
            weights.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
    kind = type(model)
    return {
        "software": f"attnviz {VERSION}",
        "model": f"{kind.__module__}.{kind.__qualname__}",
        "digest": weights.hexdigest(),
        "image": "none" if photo is None else f"sha256 {digest(photo)}",
    }
