"""The heads of a model, as calls of its attention that are identified by the tap paths of their weights."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.errors import AttnvizError, BadInput, TraceError
from attnviz.grids import Grid
from attnviz.readings import Reading
from attnviz.tracing import trace

LARGEST = 192 << 20
"""The maximum size in bytes of one picture's weights in one call; larger calls are left out to limit memory."""

_AXES = ("batch", "head", "query", "key")


@dataclass(frozen=True)
class Call:
    """One attention call of a model.

    Args:
        path: the prefix of its tap paths, such as "layers.2.attention".
        heads, queries, keys: number of heads, queries and keys.
        grid: where queries and keys lie on the picture; None if unknown, or if they lie on different grids.
        bytes: size of its weights for one picture.
    """

    path: str
    heads: int
    queries: int
    keys: int
    grid: Grid | None
    bytes: int

    def tap(self, name: str) -> str:
        """Return the path of one of its taps."""
        return f"{self.path}.{name}" if self.path else name


def calls_of(model: nn.Module, images: Tensor) -> tuple[tuple[Call, ...], dict[str, str]]:
    """Return the attention calls in a pass of a model, ours or any torch module, on two pictures, in order; and the
    reasons why others are left out, by path.

    BadInput: the model has no attention heads, answers step by step, or fails with two pictures.
    """
    try:
        with torch.no_grad(), trace(model, ["*weights"]) as seen:
            logits = model(images)
    except TraceError as error:
        raise BadInput(f"{type(model).__name__} has no attention heads that can be looked at: {error}") from error
    except AttnvizError:
        raise
    except Exception as error:  # the model's own code
        raise BadInput(
            f"{type(model).__name__} failed with a batch of shape {tuple(images.shape)} ({error}). Heads are measured "
            "over batches: it must take any number of pictures."
        ) from error
    if not isinstance(logits, Tensor) or logits.ndim != 2:
        raise BadInput(
            f"Heads are measured by the answer to a picture, logits (batch, class). {type(model).__name__} returns "
            f"{tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__}."
        )
    found, left_out = [], {}
    for tap_path, reading in seen.items():
        path, _, tap = tap_path.rpartition(".")
        if tap != "weights":
            continue
        reason = _refused(reading)
        if reason:
            left_out[path] = reason
            continue
        heads, queries, keys = reading.tensor.shape[1:]
        size = heads * queries * keys * reading.tensor.element_size()
        if size > LARGEST:
            left_out[path] = f"its weights take {size >> 20} MB a picture, more than {LARGEST >> 20}"
            continue
        found.append(Call(path, heads, queries, keys, _grid(reading, queries, keys), size))
    with suppress(TraceError):  # if nothing had to be captured
        left_out |= {key: call.refused for key, call in seen.captured.calls.items() if call.refused}
    if not found:
        why = "; ".join(f"{path}: {reason}" for path, reason in left_out.items())
        raise BadInput(f"{type(model).__name__} has no attention heads that can be measured. {why}".strip())
    return tuple(found), left_out


def _refused(reading: Reading) -> str:
    if reading.axes == _AXES:
        return ""
    return f"its weights have the axes {' '.join(reading.axes)}, not {' '.join(_AXES)}"


def _grid(reading: Reading, queries: int, keys: int) -> Grid | None:
    """Return where queries and keys lie, if they lie row by row after the tokens without a position."""
    grid = reading.grid
    if grid is None or not grid.tokens == queries == keys:
        return None
    places: Any = getattr(reading, "places", None)  # for a captured call, whose tokens can be in any order
    if places is None:
        return grid
    raster = (*[-1] * grid.prefix, *range(grid.rows * grid.columns))
    both = [places("query"), places("key")]
    return grid if all(one is not None and one.cells == (raster,) for one in both) else None


def outline(calls: tuple[Call, ...]) -> list[Mapping[str, Any]]:
    """Return the properties of these calls that determine the parts of the work, which can be written as JSON."""
    return [{"path": one.path, "sizes": [one.heads, one.queries, one.keys], "grid": str(one.grid)} for one in calls]
