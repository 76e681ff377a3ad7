"""Estimates the work of a live request before it runs, and lets other requests run between the chunks of long work.

Work is counted in entries of materialised attention matrices: heads times tokens squared, times pictures. An entry
takes about 10 ns. Other layers, and fused attention, are counted as the number of entries that take as long, to within
an order of magnitude. Importing this does not import torch.
"""

from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from attnviz.errors import BadInput

if TYPE_CHECKING:
    from torch import nn

BUDGET = 1.2e9  # token pairs of a request: all maps of 64 pictures for 24 heads and 784 tokens; 10 s on one core
LIGHT = 4e6  # token pairs of an ask that others may have to wait for: about 40 ms
# The same limit for a whole request, in token pairs: the draw page's first cards need 4e6, the first 24 digit models
# 1.2e7. The 24 heaviest need 3.7e7, which counts as long.
LIGHT_REQUEST = 2e7
FUSED = 0.1  # relative time of a layer that need not materialise its matrix
OPERATIONS = 50  # multiplications in a matrix product that take as long as one pair

PAUSE: ContextVar[Callable[[], None]] = ContextVar("PAUSE", default=lambda: None)
"""The function that `pause` calls in this thread."""


class Dropped(Exception):
    """Raised when nobody is waiting for the answer any more."""


def pause() -> None:
    """Let others compute between two chunks; raise Dropped if the visitor has left or sent a newer request."""
    PAUSE.get()()


def per_picture(model: "nn.Module", cells: int, taps: Collection[str], passes: float = 1.0) -> float:
    """Return a model's work for one picture of `cells` (rows times columns), in pairs of tokens, for all forward
    passes. Attention materialises its matrix if one of its `taps` is kept or edited.
    """
    weights, layers = _sizes(model)
    # Assumes that every weight is used at every pixel, an overestimate, unless the model declares how often it is used.
    plain = weights * min(cells, getattr(model, "weight_uses", cells)) / OPERATIONS
    spelled = 0.0
    for layer in layers:
        pairs = layer.pairs(cells)
        plain += pairs * FUSED
        spelled += 0 if layer.spelling.isdisjoint(taps) else pairs
    return passes * plain + spelled


class _Layer(NamedTuple):
    """A layer that compares pairs of tokens.

    `spelling` holds the paths of the taps for which it materialises its matrix. `pairs` maps the number of cells of a
    picture to the number of pairs.
    """

    spelling: frozenset[str]
    pairs: Callable[[int], int]


_SIZES: "WeakKeyDictionary[nn.Module, tuple[int, list[_Layer]]]" = WeakKeyDictionary()


def _sizes(model: "nn.Module") -> tuple[int, list[_Layer]]:
    """Return the number of a model's weights, and its layers that compare pairs of tokens; cached for speed."""
    if model not in _SIZES:
        layers = [
            _Layer(frozenset(f"{path}.{tap}".lstrip(".") for tap in layer.spells_pairs), layer.pairs)
            for path, layer in model.named_modules()
            if hasattr(layer, "pairs")
        ]
        weights = (weight for _, weight in model.named_parameters(remove_duplicate=False))
        _SIZES[model] = sum(weight.numel() for weight in weights), layers
    return _SIZES[model]


def at_once(work: float) -> int:
    """Return the number of pictures to compute in one chunk, given the work of one picture."""
    return max(1, int(LIGHT // max(work, 1.0)))


def long(works: Sequence[float]) -> list[bool]:
    """Return whether each ask of a request takes long: because of its own work, or because of the total."""
    much = sum(works) > LIGHT_REQUEST
    return [much or work > LIGHT for work in works]


def check(works: Sequence[float], pictures: int) -> None:
    """Raise BadInput if a request is too much work."""
    total = sum(works)
    if total <= BUDGET:
        return
    fitting = int(pictures * BUDGET / total)
    asks = next(number for number in range(len(works)) if sum(works[: number + 1]) > BUDGET)
    smaller = [f"{fitting} of its {pictures} pictures"] if fitting else []
    smaller += [f"the first {asks} of its {len(works)} asks"] if asks else []
    hint = f"{' or '.join(smaller)} would fit" if smaller else "ask about fewer maps over all pairs of tokens"
    raise BadInput(f"This request takes {_times(total / BUDGET)} the work that one request may take: {hint}.")


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"
