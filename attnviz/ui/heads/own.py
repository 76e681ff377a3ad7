"""The choice of photographs for a model of one's own: those of the folder, or several of a visitor's."""

from __future__ import annotations

import streamlit as st

from attnviz.errors import BadInput
from attnviz.subjects import Net, photos
from attnviz.ui.heads.pictures import FOLDER, UPLOADED, Asked
from attnviz.ui.shared import url_state

COUNTS = ("10", "100")
MOST = 32  # photographs of a visitor's
TITLES = {FOLDER: "of the folder", UPLOADED: "your own"}
COSTS = (
    "For each picture every head is switched off once and up to 64 parts are erased, each a pass of the model; then "
    "once more with random weights. On a processor a large model may take a minute a picture."
)
_KEPT = "heads_uploaded"


def choose(net: Net) -> Asked | None:
    """Draw the choice of photographs; None while there are fewer than two."""
    there = [*photos.in_folder()]
    here = [FOLDER, UPLOADED] if there else [UPLOADED]
    source = url_state.choice("photographs", here, here[0])
    st.segmented_control("Photographs", here, key="photographs", format_func=TITLES.__getitem__, required=True,
                         on_change=url_state.keep, args=("photographs",))  # fmt: skip
    count = url_state.choice("count", COUNTS, COUNTS[0])
    if source == FOLDER:
        st.segmented_control("How many, at most", COUNTS, key="count", required=True,
                             on_change=url_state.keep, args=("count",))  # fmt: skip
        words = tuple(there[: int(count)])
    else:
        st.file_uploader(
            f"Two to {MOST} photographs", key="heads_files", accept_multiple_files=True, on_change=_upload,
        )  # fmt: skip
        words = tuple(st.session_state.get(_KEPT, ()))
    if refused := st.session_state.pop("heads_refused", ""):
        url_state.complain(refused)
    if len(words) < 2:
        st.info(
            "Add at least two photographs: heads are looked at over several pictures. They stay on the machine that "
            "runs this app, and a link does not carry them."
            if source == UPLOADED
            else "The folder that this server was started with has one photograph; at least two are needed."
        )
        return None
    return Asked(net.key, net.digest, source, int(count), words)


def _upload() -> None:
    kept = []
    for file in st.session_state["heads_files"][:MOST]:
        try:
            kept.append(photos.keep(file.getvalue()).word)
        except BadInput as error:
            st.session_state["heads_refused"] = f"{file.name}: {error}"
    st.session_state[_KEPT] = list(dict.fromkeys(kept))
