"""Attention as it is learnt: the epoch slider above a page's view, for nets with a history.

    net = pickers.net(names, MODEL)
    epochs.slider(net)                                     # draws nothing without a history
    pixel_viewer(ATTENTION_VIEW.of(subject), key=VIEWER)   # follows it

Every component drawn by a `View` follows the slider. When it comes to rest, the URL names the net of that epoch.
"""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.subjects import Net
from attnviz.subjects.history import History, history
from attnviz.training import runs
from attnviz.ui.components.epoch_slider import epoch_slider, settled
from attnviz.ui.shared import url_state, visitor
from attnviz.ui.shared.wording import verbatim

KEY = "epochs"


def slider(
    net: Net, beside: History | None = None, on_change: Callable[[str], None] | None = None, key: str = KEY
) -> None:
    """Draw the epoch slider of a net's training, with a second history next to it if given, or a sentence if the
    history cannot be read.

    A training on pictures that another visitor uploaded is drawn without its curve. `on_change` is called with the key
    of the net at which the slider comes to rest; by default this key becomes the URL's `model`.
    """
    try:
        its = _for_all(history(net))
        beside = _for_all(beside)
    except AttnvizError as error:
        st.warning(verbatim(str(error)))
        return
    if its is None or len(its.points) < 2 or net.key not in {point.key for point in its.points}:
        return
    same = beside is not None and beside.figure == its.figure
    epoch_slider(
        its.points, net.key, key=key, figure=its.figure, unit=its.unit, curve=its.curve, note=its.note,
        beside={point.epoch: point.key for point in beside.points} if beside else None,
        beside_curve=beside.curve if beside and same else None,
        on_change=lambda: _keep(key, on_change),
    )  # fmt: skip


def _for_all(its: History | None) -> History | None:
    """Return a history without its curve if only the browser that uploaded the pictures may see it."""
    kind, _, run = its.key.partition(":") if its else ("", "", "")
    if its is None or kind != "run" or not visitor.is_hidden(runs.read(run).recipe):
        return its
    return replace(its, figure="", unit="", curve={})


def _keep(key: str, on_change: Callable[[str], None] | None) -> None:
    net = settled(key)
    if net is not None:
        on_change(net) if on_change else url_state.set_value(model=net)
