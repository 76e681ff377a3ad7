"""Attention while it is learnt: the slider of epochs above the view of a page, where the net has a history.

    net = pickers.net(names, MODEL)
    epochs.slider(net)                                     # nothing where its history is not kept
    pixel_viewer(ATTENTION_VIEW.of(subject), key=VIEWER)   # follows it

What a `View` has made follows by itself. Where the slider comes to rest, the URL names the net of that epoch.
"""

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.subjects import Net
from attnviz.subjects.history import history
from attnviz.ui.components.epoch_slider import epoch_slider, settled
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim

KEY = "epochs"


def slider(net: Net) -> None:
    """Draw the slider of the training that a net comes from; a sentence where its history cannot be read.

    Args:
        net: that is shown, one epoch of it.
    """
    try:
        its = history(net)
    except AttnvizError as error:
        st.warning(verbatim(str(error)))
        return
    if its is None or len(its.points) < 2 or net.key not in {point.key for point in its.points}:
        return
    epoch_slider(
        its.points, net.key, key=KEY, figure=its.figure, unit=its.unit, curve=its.curve, note=its.note,
        on_change=_keep,
    )  # fmt: skip


def _keep() -> None:
    net = settled(KEY)
    if net is not None:
        url_state.set_value(model=net)
