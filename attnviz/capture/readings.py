"""Captured calls as readings, like those of taps."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from attnviz.capture.call import Call
from attnviz.capture.gates import Gate
from attnviz.capture.listening import Capture, address
from attnviz.readings import Grid, Reading


class Computed(Reading):
    """A reading whose tensor is computed when it is first looked at."""

    def __init__(
        self,
        address: str,
        tensor: Tensor | Callable[[], Tensor],
        axes: tuple[str, ...],
        grid: Grid | None = None,
        before: Tensor | None = None,
    ) -> None:
        later = {"_compute": tensor} if callable(tensor) else {"tensor": tensor}
        values: dict[str, Any] = {"address": address, **later, "axes": axes, "grid": grid, "before": before}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:  # for what is not there yet
        if name != "tensor":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        tensor = self._compute()
        object.__setattr__(self, "tensor", tensor)
        return tensor


def readings_of(capture: Capture, calls: Mapping[str, Call]) -> dict[str, Reading]:
    """Return what was kept of a pass, by tap path, in the order of the pass."""
    found: dict[str, Reading] = {}
    for key, call in calls.items():
        if not call.refused:
            for tap, part in capture.wanted(key).items():
                if tap not in call.kept and tap not in ("scores", "weights"):
                    continue
                reading = _reading(call, tap)
                found[reading.address] = reading.part(**part) if part else reading
    for path, (gate, kept, before) in capture.gates.items():
        key, _, tap = path.rpartition(".")
        if tap in capture.wanted(key, (tap,)):
            part = capture.wanted(key, (tap,))[tap]
            reading = Reading(path, kept, tuple(gate.words.split()), None, before)
            found[path] = reading.part(**part) if part else reading
    return found


def _reading(call: Call, tap: str) -> Reading:
    path, axes = address(call.where.key, tap), call.axes(tap)
    if tap in call.kept:
        return Reading(path, call.kept[tap], axes, None, call.before.get(tap))
    return Computed(path, call.weights if tap == "weights" else call.scores, axes)


def gates_of(capture: Capture) -> dict[str, Gate]:
    """Return the gates of a pass by tap path."""
    return {path: gate for path, (gate, _, _) in capture.gates.items()}
