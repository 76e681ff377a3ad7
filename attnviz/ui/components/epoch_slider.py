"""The slider of a training's epochs: the data for `frontend/epoch_slider/`, and where it stands.

The browser moves it alone: components whose view says in its header how it is requested follow over the live channel
(frontend/core/epoch.js). The page receives where it comes to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnviz.errors import BadInput
from attnviz.ui.components.component import component
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import pack

DECLARED = ("epoch", "epochs")
"""What lessons can ask for: the epoch where it stands, 0 before the training, and the last one."""


def epoch_slider(
    points: Sequence[tuple[int, str]],
    net: str,
    *,
    key: str,
    figure: str = "",
    unit: str = "",
    curve: Mapping[int, float] | None = None,
    note: str = "",
    beside: Mapping[int, str] | None = None,
    beside_curve: Mapping[int, float] | None = None,
    on_change: Callable[[], None] | None = None,
) -> None:
    """Draw the slider over `points`, epoch (0 before the training) and key of its net: two at least, ascending.

    It stands at `net`, unless the visitor has moved it since. Below it is the `curve` of a `figure` in words, in
    "share" or "nats", without epochs beyond the points, and a `note`. `beside` and `beside_curve` are those of a second
    training, which goes along. `on_change` is called when the slider has come to rest, before the page runs again;
    `settled` gives the net there.
    """
    epochs, keys = [epoch for epoch, _ in points], [one for _, one in points]
    if len(points) < 2 or epochs != sorted({*epochs}) or net not in keys:
        raise BadInput(
            f"A slider needs two epochs or more, in order, and a net among them; not {points!r:.200}, {net!r}."
        )
    stands = _controlled(key)

    def inside(values: Mapping[int, float] | None) -> list[list[float]]:
        return [[epoch, value] for epoch, value in sorted((values or {}).items()) if epochs[0] <= epoch <= epochs[-1]]

    along = None if beside is None else {"nets": {str(epoch): one for epoch, one in beside.items()},
                                         "curve": inside(beside_curve)}  # fmt: skip
    header = {
        "points": [{"epoch": epoch, "key": one} for epoch, one in points],
        "figure": figure,
        "unit": unit,
        "curve": inside(curve),
        "note": note,
        "beside": along,
        "state": {"net": stands.ask(net)},
    }
    component("epoch_slider")(key=key, data=pack(header, {}), on_net_change=stands.callback(on_change))


def settled(key: str) -> str | None:
    """Return the key of the net at which the slider of that key came to rest last; None before the first time."""
    found: str | None = _controlled(key).shown()
    return found


def _controlled(key: str) -> ControlledState:
    def read(value: Any) -> Any:
        return value if isinstance(value, str) else UNKNOWN

    return ControlledState(key, "net", read)
