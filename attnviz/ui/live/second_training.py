"""Two trainings with one slider: the maps of both nets at the same epoch, the second below the first, on one scale.

A page calls `slider(subject)` in place of `epochs.slider(net)`: it draws the slider, the choice of a second training,
and the maps once there are two.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz import subjects
from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes.recipe import Strict
from attnviz.roles import role_of
from attnviz.subjects import Net, Subject
from attnviz.subjects.history import History, history
from attnviz.ui.components.map_grid import Table, map_grid, packed
from attnviz.ui.live import trainings
from attnviz.ui.live.derived import Address, Index, View
from attnviz.ui.live.tap_view import cell_of, edge, maps_of
from attnviz.ui.shared import epochs, findings, query_picker, url_state
from attnviz.ui.shared.wording import verbatim

if TYPE_CHECKING:
    from attnviz.ui.shared.inference import TapInfo

SECOND, TAP = "second", "second_tap"  # URL fields: the other training, and the tap shown for both
KEY = "two_trainings"
TILE, MARGIN, NARROWEST = 116, 60, 680  # pixels
NONE = "no weights of the second training"


class OfTwo(Strict):
    """The tap to show in both nets, and the second net.

    The second net's key is "" if its training has no weights at this epoch: the epoch slider changes it together with
    the first net (frontend/core/epoch.js). For a tap with queries, one query's row is shown, by its token's index.
    """

    address: Address
    second: Annotated[str, Field(pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,199})?$")] = ""
    query: Index | None = None


def payload(subject: Subject, parameters: OfTwo) -> bytes:
    """Return the maps of one tap of two nets on the same example, the second below the first, or next to it if each has
    a single map of a picture.

    Raises UnknownName if there is no second net with that key, or a net has no such tap. Raises BadInput if the two
    maps differ in shape, or a query is missing, out of range, or given for a tap without queries.
    """
    address, query = parameters.address, parameters.query
    upper, tap = maps_of(subject, address, query)
    other = Subject(subjects.net(parameters.second), subject.example) if parameters.second else None
    lower = maps_of(other, address, query)[0] if other else None
    shape = upper.values.shape[1:]
    if lower is not None and lower.values.shape[1:] != shape:
        raise BadInput(
            f"{address} has maps of the shape {shape} in one net, and {lower.values.shape[1:]} in the other."
        )
    most = upper if lower is None or len(upper.values) >= len(lower.values) else lower
    both = np.full((2, len(most.values), *shape), np.nan)  # maps that one of the two lacks stay NaN
    both[0, : len(upper.values)] = upper.values
    if lower is not None:
        both[1, : len(lower.values)] = lower.values
    nets = _nets(subject.net, other.net if other else None)
    labels = list(most.captions or [""])
    beside = len(most.values) == 1 and shape[0] > 1
    placed = f" {'beside' if beside else 'above'} ".join(nets) if other else NONE
    cell = cell_of(query, tap.grid)
    return packed(
        both.reshape(-1, *shape), [f"{name}, {label}" for name in nets for label in most.labels or [address]],
        role=role_of(address).colouring,
        title=f"{_epoch(subject.net)}: {placed}",
        picture=edge(subject.image, tap.grid, shape) if subject.example.ink else None,
        table=Table([""], nets) if beside else Table(nets, labels),
        outlined=None if cell is None else [cell] * (2 * len(most.values)),
        origin={**subject.origin(address), "second": parameters.second or "none at this epoch"},
    )  # fmt: skip


def two_passes(parameters: OfTwo, net: Net) -> float:
    """Return the work: one pass of each net."""
    return 2.0


BESIDE_VIEW = View("two_trainings", OfTwo, payload, two_passes)


def slider(subject: Subject) -> None:
    """Draw the epoch slider of a net's training, with a choice of a second training, and the maps of both."""
    net = subject.net
    others = _others(net)
    if not others:
        url_state.choice(SECOND, [""], "", "training")  # complains if the URL names one
        epochs.slider(net)
        return
    titles = {"": "nothing", **others}
    with st.container(key="epochs_and_second", horizontal=True, vertical_alignment="center"):
        second = url_state.choice(SECOND, list(titles), "", "training")
        other = trainings.history_of(second) if second else None
        epochs.slider(net, other)
        st.selectbox(
            "Beside", list(titles), key=SECOND, format_func=lambda one: titles.get(one, one), width=270,
            on_change=_choose,
        )  # fmt: skip
    if other is not None:
        maps(subject, other)


def maps(subject: Subject, other: History) -> None:
    """Draw the choice of a tap, and its maps in both nets at the epoch of the first."""
    net = subject.net
    known = taps_of(net, subjects.net(other.points[-1].key))
    if not known:
        st.info("These two nets have no taps with maps of the same shape, so their maps cannot be compared.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = url_state.pick(
            st.selectbox, "Tap of both", TAP, list(known), next(iter(known)), width=260, label_visibility="collapsed"
        )
        tap = known[chosen]
        query = query_picker.in_url(tap.shape[tap.axes.index("query")], tap.grid) if "query" in tap.axes else None
        if query is not None:
            st.caption(f"What {_place(query, tap)} attends to, in both.")
    found = BESIDE_VIEW.of(subject, address=chosen, second=second_at(net, other), query=query)
    with st.container(key="both_maps", width=_width(tap)):
        map_grid(found, key=f"{KEY} {chosen}")


def taps_of(net: Net, other: Net) -> dict[str, TapInfo]:
    """Return the taps with maps of the same shape in two nets, starting with those of attention."""
    ours, theirs = findings.list_taps(net), findings.list_taps(other)
    found = {
        address: tap
        for address, tap in ours.items()
        if address in theirs and tap.axes == theirs[address].axes and _places(tap) == _places(theirs[address])
    }
    return dict(sorted(found.items(), key=lambda one: not role_of(one[0]).attends))


def second_at(net: Net, other: History) -> str:
    """Return the key of the second net at the epoch of the first, or "" if its weights are not kept there."""
    its = history(net)
    epoch = next((point.epoch for point in its.points if point.key == net.key), None) if its else None
    return next((point.key for point in other.points if point.epoch == epoch), "")


def _others(net: Net) -> dict[str, str]:
    """Return the trainings that can be compared with a net's, or {} if there is no slider."""
    if not net.history:
        return {}
    try:
        return trainings.like(net)
    except AttnvizError as error:
        st.warning(verbatim(str(error)))
        return {}


def _choose() -> None:
    url_state.set_value(**{SECOND: st.session_state[SECOND] or None, TAP: None})


def _places(tap: TapInfo) -> tuple[int, ...]:
    """Return the sizes of all axes of a tap except those that count its maps."""
    return tuple(size for axis, size in zip(tap.axes, tap.shape, strict=True) if axis not in ("head", "channel"))


def _width(tap: TapInfo) -> int | Literal["stretch"]:
    """Return the width of the maps, in pixels, at which those of both nets are visible together."""
    across = math.prod(size for axis, size in zip(tap.axes, tap.shape, strict=True) if axis in ("head", "channel"))
    return max(NARROWEST, MARGIN + TILE * across) if across < 1180 // TILE else "stretch"


def _nets(one: Net, other: Net | None) -> list[str]:
    """Return short names that distinguish two trainings: their seeds, if these differ."""
    if other is None:
        return ["first", "not kept"]
    return [f"seed {one.seed}", f"seed {other.seed}"] if one.seed != other.seed else ["first", "second"]


def _epoch(net: Net) -> str:
    if net.epoch is None:
        return "As it is shipped"
    return f"Epoch {net.epoch}" if net.epoch else "Before the training"


def _place(query: int, tap: TapInfo) -> str:
    if tap.grid is None or query < tap.grid.prefix:
        return f"token {query + 1}"
    row, column = divmod(query - tap.grid.prefix, tap.grid.columns)
    return f"the query in row {row + 1}, column {column + 1}"
