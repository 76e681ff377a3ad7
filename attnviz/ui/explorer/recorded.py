"""The attention during the visitor's own training, recorded by `attnviz.record`, with a slider over its steps."""

import os
from functools import lru_cache
from pathlib import Path

import streamlit as st

from attnviz.errors import BadInput
from attnviz.figures.history import History
from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.ui.shared import mechanism_page, page, url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.views.attention import FIELDS, LayerView

VARIABLE = "ATTNVIZ_RECORD"
"""The environment variable with the path of the file."""

VIEWER = "recorded_layer"
LOOK = {"record": "your recorded training", "model": "a trained model"}
READS = (
    "Move the slider: the maps show the attention to the same picture at another step of the training. What you have "
    "clicked stays, so that you can follow one token."
)
NOT = (
    "This is one picture of one training. Another seed may lead to other heads that do the same, and a map that "
    "changes does not by itself show that the answer improves."
)


def chosen() -> bool:
    """Draw the choice between a recorded training and a model, if the server was started with a recording."""
    if not os.environ.get(VARIABLE):
        return False
    begins = "model" if "model" in st.query_params else "record"  # a link to a model opens that model
    return url_state.pick(st.segmented_control, "Look at", "look", LOOK, begins, required=True) == "record"


def show() -> None:
    """Draw a layer at a step, and the slider."""
    path = Path(os.environ[VARIABLE])
    try:
        history = _opened(path, path.stat().st_mtime_ns)
        layer, step = _choose(history)
        view = _view(path, path.stat().st_mtime_ns, step, layer)
    except (BadInput, OSError) as error:
        st.info(verbatim(f"{path.name} cannot be read." if isinstance(error, OSError) else str(error)))
        return
    keep = mechanism_page.keep(FIELDS, settled_view, VIEWER)
    pixel_viewer(view, key=VIEWER, state=FIELDS.read(st.query_params.to_dict()), on_change=keep)
    page.meaning(READS, NOT)


def _choose(history: History) -> tuple[str, int]:
    steps = [str(step) for step in history.steps]
    layer = url_state.choice("address", history.layers, history.layers[-1], "layer")
    step = url_state.choice("step", steps, steps[-1])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Layer", history.layers, key="address", width=300, on_change=url_state.keep, args=("address",),
                     format_func=lambda path: path or "the model itself")  # fmt: skip
        if len(steps) > 1:
            st.select_slider("Step of the training", steps, key="step", on_change=url_state.keep, args=("step",))
    return layer, int(step)


@lru_cache(maxsize=2)
def _opened(path: Path, changed: int) -> History:
    return History(path)


@lru_cache(maxsize=16)
def _view(path: Path, changed: int, step: int, layer: str) -> LayerView:
    return _opened(path, changed).view(step, layer)
