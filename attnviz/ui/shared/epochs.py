"""Attention while it is learnt: the slider of epochs above the view of a page, where the net has a history.

    net = pickers.net(names, MODEL)
    epochs.slider(net)                                     # nothing where its history is not kept
    pixel_viewer(ATTENTION_VIEW.of(subject), key=VIEWER)   # follows it

What a `View` has made follows by itself. Where the slider comes to rest, the URL names the net of that epoch.
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
    """Draw the slider of the training that a net comes from, with a second one beside it if given; a sentence where its
    history cannot be read.

    A training on pictures that another visitor has brought is drawn without its curve. `on_change` is called with the
    key of the net at which the slider has come to rest; by default the URL names it as model.
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
    """Return a history without its curve where that is for the browser alone from which the pictures came."""
    kind, _, run = its.key.partition(":") if its else ("", "", "")
    if its is None or kind != "run" or not visitor.is_hidden(runs.read(run).recipe):
        return its
    return replace(its, figure="", unit="", curve={})


def _keep(key: str, on_change: Callable[[str], None] | None) -> None:
    net = settled(key)
    if net is not None:
        on_change(net) if on_change else url_state.set_value(model=net)
