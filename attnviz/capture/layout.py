"""Work out which leading axes of a call are pictures, windows and heads.

Models lay them out as (batch, head), (batch x window, head), (batch x head), (batch, head, window), ... The sizes of
the batch and the numbers of heads that a module names are evidence; an ambiguous layout is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from torch import Tensor, nn

from attnviz.errors import TraceError

_SHOWN = ("batch", "window", "head")


@dataclass(frozen=True)
class Layout:
    """How leading axes of given sizes are split and named: (word, size) of the axes that each consists of, in order."""

    lead: tuple[int, ...]
    factors: tuple[tuple[str, int], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the leading axes as they are shown: batch, window if there are several, head."""
        return tuple(word for word in _SHOWN if word != "window" or self.size("window") > 1)

    def size(self, word: str) -> int:
        """Return the number of pictures, windows or heads."""
        return dict(self.factors).get(word, 1)

    def shown(self, tensor: Tensor) -> Tensor:
        """Turn (*lead, a, b) into (batch, window, head, a, b), leaving out the window if there is only one."""
        places = [word for word, _ in self.factors]
        split = tensor.reshape(*(size for _, size in self.factors), *tensor.shape[-2:])
        kept = [places.index(word) for word in _SHOWN if word in places]
        split = split.permute(*kept, len(places), len(places) + 1)
        return split.reshape(*(self.size(word) for word in self.words), *tensor.shape[-2:])

    def back(self, tensor: Tensor) -> Tensor:
        """Turn the result of `shown` back into the model's own axes."""
        places = [word for word in _SHOWN if word in dict(self.factors)]
        split = tensor.reshape(*(self.size(word) for word in places), *tensor.shape[-2:])
        split = split.permute(
            *(places.index(word) for word, _ in self.factors if word in places), len(places), len(places) + 1
        )
        return split.reshape(*self.lead, *tensor.shape[-2:])


def layout_of(lead: Sequence[int], batches: Sequence[int], heads: set[int], packed: int | None = None) -> Layout:
    """Return the meaning of leading axes, from their sizes; raise TraceError if more than one reading remains.

    `batches` are the sizes that the batch may have, most likely first; `heads` are numbers that the module names;
    `packed` is the axis along which each vector of features follows the previous one in memory, as with heads.
    """
    lead = tuple(lead)
    first = lead[0] if lead else 1
    likely = [size for size in batches if size == first]
    if len(lead) == 1:
        likely += [size for size in batches if first % size == 0 and first // size in heads]
    likely += [size for size in batches if first % size == 0]
    batch = likely[0] if likely else first
    found = _split(lead, batch, heads, packed)
    if found is None:
        raise TraceError(f"the axes {lead} before its tokens cannot be told apart as pictures, windows and heads")
    return Layout(lead, tuple((word, size) for word, size in found if size > 1 or word != "window"))


def _split(lead: tuple[int, ...], batch: int, heads: set[int], packed: int | None) -> list[tuple[str, int]] | None:
    if prod(lead) == batch:
        return [("batch", batch), ("head", 1)]
    if len(lead) == 1:
        rest = lead[0] // batch
        if rest in heads or not heads:
            return [("batch", batch), ("head", rest)]
        fitting = [number for number in heads if rest % number == 0]
        number = max(fitting, default=1)
        return [("batch", batch), ("window", rest // number), ("head", number)]
    rest = lead[0] // batch
    if len(lead) == 2:
        if rest > 1 and rest in heads and lead[1] not in heads:
            return [("batch", batch), ("head", rest), ("window", lead[1])]
        if rest == 1 and heads == {1}:
            return [("batch", batch), ("window", lead[1]), ("head", 1)]
        return [("batch", batch), ("window", rest), ("head", lead[1])]
    if len(lead) == 3 and rest == 1 and ((lead[1] in heads) != (lead[2] in heads) or packed):
        first = lead[1] in heads and (lead[2] not in heads or packed == 1)
        words = ("head", "window") if first else ("window", "head")
        return [("batch", batch), (words[0], lead[1]), (words[1], lead[2])]
    return None


def packed_axis(query: Tensor) -> int | None:
    """Return the leading axis along which the vectors of a query lie side by side in memory, or None."""
    step = query.shape[-1] * query.stride(-1)
    found = [axis for axis in range(query.ndim - 2) if query.shape[axis] > 1 and query.stride(axis) == step]
    return found[0] if len(found) == 1 and query.stride(-2) != step else None


def heads_named(module: nn.Module | None) -> set[int]:
    """Return the numbers of heads that a module names: its integer attributes with a name such as `num_heads`."""
    named = vars(module).items() if module is not None else ()
    return {
        value
        for name, value in named
        if type(value) is int and value > 0 and (name in ("h", "heads") or _counts_heads(name.lower()))
    }


def _counts_heads(name: str) -> bool:
    return "head" in name and not any(word in name for word in ("dim", "size", "channel", "feature", "width"))
