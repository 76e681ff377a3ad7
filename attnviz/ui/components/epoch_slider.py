"""The slider over a training's epochs: the data for `frontend/epoch_slider/`, and the slider's position.

The browser handles its movement: components whose view's header holds a "request" follow over the live channel
(frontend/core/epoch.js). The page receives the position when the slider comes to rest.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnviz.errors import BadInput
from attnviz.ui.components.component import component
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import pack

DECLARED = ("epoch", "epochs")
"""The values that lessons can use: the slider's epoch, 0 before the training, and the last epoch."""


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
    """Draw the slider over `points`, two or more ascending pairs of an epoch (0 before the training) and its net's key.

    It is set to `net` unless the visitor has moved it since. Below it are the `curve` of a `figure`, named in words, in
    the `unit` "share" or "nats", without epochs beyond the points, and a `note`. `beside` and `beside_curve` belong to
    a second training that follows the slider. `on_change` is called when the slider has come to rest, before the page
    reruns; `settled` then returns the net.
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
    """Return the net's key at which the slider of that key last came to rest, or None before the first time."""
    found: str | None = _controlled(key).shown()
    return found


def _controlled(key: str) -> ControlledState:
    def read(value: Any) -> Any:
        return value if isinstance(value, str) else UNKNOWN

    return ControlledState(key, "net", read)
