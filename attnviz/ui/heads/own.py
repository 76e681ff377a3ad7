"""The choice of photographs for the visitor's own model: those of the folder, or several of the visitor's."""

import hashlib
from collections import OrderedDict
from pathlib import Path
from threading import Lock

import streamlit as st

from attnviz.errors import BadInput
from attnviz.subjects import Net, photos
from attnviz.ui.heads.pictures import FOLDER, UPLOADED, Asked
from attnviz.ui.shared import url_state

COUNTS = ("10", "100")
MOST = 32  # maximum number of photographs per visitor
TITLES = {FOLDER: "of the folder", UPLOADED: "your own"}
COSTS = (
    "For each picture every head is switched off once and up to 64 parts are erased, each a pass of the model; then "
    "once more with random weights. On a processor a large model may take a minute per picture."
)
SETS = 256  # maximum number of remembered selections of photographs, for all visitors together
_sets: OrderedDict[str, tuple[str, ...]] = OrderedDict()
_lock = Lock()


def choose(net: Net) -> Asked:
    """Draw the choice of photographs, and return it; `missing` reports if there are fewer than two."""
    there = photos.in_folder()
    changed: tuple[int, ...] = ()
    here = TITLES if there else {UPLOADED: TITLES[UPLOADED]}
    source = url_state.pick(st.segmented_control, "Photographs", "photographs", here, FOLDER if there else UPLOADED,
                            required=True)  # fmt: skip
    if source == FOLDER:
        count = url_state.pick(st.segmented_control, "How many, at most", "count", COUNTS, COUNTS[0], required=True)
        words = tuple([*there][: int(count)])
        changed = tuple(_changed(there[word]) for word in words)
    else:
        count = url_state.choice("count", COUNTS, COUNTS[0])
        with st.popover("Choose photographs"):
            st.file_uploader(
                f"Two to {MOST} photographs", key="heads_files", accept_multiple_files=True, on_change=_upload,
            )  # fmt: skip
        words = _uploaded()
    if refused := st.session_state.pop("heads_refused", ""):
        url_state.complain(refused)
    return Asked(net.key, net.digest, source, int(count), words, changed)


def missing(asked: Asked) -> str:
    """Return a sentence if there are fewer than two photographs, or else ""."""
    if len(asked.words) > 1:
        return ""
    if asked.source == FOLDER:
        return "The folder that this server was started with has one photograph; at least two are needed."
    return (
        "Choose at least two photographs: heads are measured over several. They stay on the machine that runs this app."
    )


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # the file is gone; reading it will raise the error
        return 0


def _uploaded() -> tuple[str, ...]:
    word = st.query_params.get("chosen", "")
    with _lock:
        words = _sets.get(word, ())
    try:
        for one in words:
            photos.Photo(one)
    except BadInput:
        words = ()
    if word and not words:
        url_state.complain("These photographs are not on this server, or not any more: choose them again.")
    return words


def _upload() -> None:
    kept = {}
    for file in st.session_state["heads_files"][:MOST]:
        try:
            kept[photos.keep(file.getvalue()).word] = True
        except BadInput as error:
            st.session_state["heads_refused"] = f"{file.name}: {error}"
    url_state.set_value(chosen=together(tuple(kept)) if kept else None)


def together(words: tuple[str, ...]) -> str:
    """Remember a selection of photographs, and return its value in a URL, a digest."""
    word = hashlib.sha256(" ".join(words).encode()).hexdigest()[:32]
    with _lock:
        _sets[word] = words
        while len(_sets) > SETS:
            _sets.popitem(last=False)
    return word
