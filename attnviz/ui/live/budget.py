"""How much work a request of the live channel takes, known before it runs, and how long work lets others in.

Work is counted in entries of attention matrices that are materialised: heads times tokens squared, times pictures. An
entry takes about 10 ns. What is not attention, and fused attention, is counted as pairs that take as
long, roughly: by tens, not by tenths. Importing this costs no torch.
"""

from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from attnviz.errors import BadInput

if TYPE_CHECKING:
    from torch import nn

BUDGET = 1.2e9  # pairs of a request: all maps of 64 pictures, of 24 heads and 784 tokens; ten seconds of one core
LIGHT = 4e6  # pairs of an ask that others may have to wait for: some 40 ms
# Pairs of a request for which the same holds: the cards that the draw page opens with have 4e6, the first 24 digit
# models 1.2e7. The 24 heaviest have 3.7e7, which counts as long.
LIGHT_REQUEST = 2e7
FUSED = 0.1  # of the time, where a layer need not materialise its matrix
OPERATIONS = 50  # multiplications of a matrix product that take as long as a pair

PAUSE: ContextVar[Callable[[], None]] = ContextVar("PAUSE", default=lambda: None)
"""What `pause` calls in this thread."""


class Dropped(Exception):
    """Nobody is waiting for the answer any more."""


def pause() -> None:
    """Let others compute between two chunks; Dropped ends it where the visitor has left or sent a newer request."""
    PAUSE.get()()


def per_picture(model: "nn.Module", cells: int, taps: Collection[str], passes: float = 1.0) -> float:
    """Return a model's work for one picture of so many cells, rows times columns, in pairs of tokens, for all forward
    passes; attention materialises its matrix where one of its taps is kept or edited.
    """
    weights, layers = _sizes(model)
    # As if every weight were used at every pixel, an overestimate, unless the model declares how often it uses them.
    plain = weights * min(cells, getattr(model, "weight_uses", cells)) / OPERATIONS
    spelled = 0.0
    for layer in layers:
        pairs = layer.pairs(cells)
        plain += pairs * FUSED
        spelled += 0 if layer.spelling.isdisjoint(taps) else pairs
    return passes * plain + spelled


class _Layer(NamedTuple):
    """A layer that compares pairs of tokens.

    `spelling`: paths of the taps for which it materialises its matrix. `pairs`: from the cells of a picture to how many
    there are.
    """

    spelling: frozenset[str]
    pairs: Callable[[int], int]


_SIZES: "WeakKeyDictionary[nn.Module, tuple[int, list[_Layer]]]" = WeakKeyDictionary()


def _sizes(model: "nn.Module") -> tuple[int, list[_Layer]]:
    """Return how many weights a model has, and its layers that say how many pairs of tokens they compare; remembered,
    as every movement asks for it."""
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
    """Return how many pictures are computed in one chunk, if one of them is so much work."""
    return max(1, int(LIGHT // max(work, 1.0)))


def long(works: Sequence[float]) -> list[bool]:
    """Return which asks of a request take long: those that are much work, or all, if together they are."""
    much = sum(works) > LIGHT_REQUEST
    return [much or work > LIGHT for work in works]


def check(works: Sequence[float], pictures: int) -> None:
    """Refuse a request that is too much work."""
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
