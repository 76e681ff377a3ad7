"""Captured calls as readings, like those of taps."""

from collections.abc import Callable, Mapping
from functools import cached_property, partial

from torch import Tensor

from attnviz.capture.call import Call
from attnviz.capture.capturing import Capture, tap_path
from attnviz.capture.gates import Gate
from attnviz.capture.places import Both, Places
from attnviz.errors import TraceError
from attnviz.readings import Grid, Reading

_TOKENS = {"query": "query", "mixed": "query", "key": "key", "value": "key"}  # tap -> tokens whose positions it uses


class Computed(Reading):
    """A reading of a captured call, whose tensor and grid are computed on first access."""

    _tensor: Callable[[], Tensor]
    _grid: Callable[[], Both | None]

    def __init__(
        self,
        path: str,
        tensor: Tensor | Callable[[], Tensor],
        axes: tuple[str, ...],
        grid: Grid | None | Callable[[], Both | None] = None,
        before: Tensor | None = None,
    ) -> None:
        values = {"path": path, "tensor": tensor, "axes": axes, "grid": grid, "before": before}
        for name, value in values.items():
            object.__setattr__(self, f"_{name}" if callable(value) else name, value)

    @cached_property
    def tensor(self) -> Tensor:
        """The value."""
        return self._tensor()

    @cached_property
    def grid(self) -> Grid | None:
        """The positions of the keys, or of the tokens, on the picture."""
        places = self.places("key" if "key" in self.axes else "token")
        return None if places is None else places.grid

    def places(self, axis: str) -> Places | None:
        """Return the positions on the picture of the tokens along an axis (query, key or token), or None."""
        both: Both | None = self._grid() if "_grid" in vars(self) else None
        if both is None:
            return None
        what = _TOKENS[self.path.rpartition(".")[2]] if axis == "token" else axis
        return both.query if what == "query" else both.key

    def _cell(self, axis: str, cell: tuple[int, int]) -> dict[str, int]:
        places = self.places(axis)
        if places is None:
            raise TraceError(f"{self.path}: the positions of its tokens are unknown, so {axis} must be a number.")
        window, token = places.find(*cell)
        return {axis: token, **({"window": window} if "window" in self.axes else {})}


def readings_of(
    capture: Capture, calls: Mapping[str, Call], places: Callable[[str], Both | None]
) -> dict[str, Reading]:
    """Return the kept readings of a pass by tap path, in order; `places` finds the positions of a call's tokens."""
    found: dict[str, Reading] = {}
    for key, call in calls.items():
        if not call.refused:
            for tap, part in capture.wanted(key).items():
                if tap in call.kept or tap in ("scores", "weights"):
                    reading = _reading(call, tap, partial(places, key))
                    found[reading.path] = reading.part(**part) if part else reading
    for path, (gate, kept, before) in capture.gates.items():
        key, _, tap = path.rpartition(".")
        if tap in (wanted := capture.wanted(key, (tap,))):
            gates = Reading(path, kept, tuple(gate.words.split()), None, before)
            found[path] = gates.part(**wanted[tap]) if wanted[tap] else gates
    return found


def _reading(call: Call, tap: str, places: Callable[[], Both | None]) -> Computed:
    tensor = call.kept.get(tap, call.weights if tap == "weights" else call.scores)
    return Computed(tap_path(call.where.key, tap), tensor, call.axes(tap), places, call.before.get(tap))


def gates_of(capture: Capture) -> dict[str, Gate]:
    """Return the gates of a pass by tap path."""
    return {path: gate for path, (gate, _, _) in capture.gates.items()}
