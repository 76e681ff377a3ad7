"""How accurate a model is: its results, its confusions, and every wrong answer."""

import numpy as np
import streamlit as st

from attnviz import data
from attnviz.formatting import counted
from attnviz.subjects import Net, Picture
from attnviz.ui import mechanisms
from attnviz.ui.components.map_grid import chosen_map, map_grid
from attnviz.ui.shared import findings, page, pickers
from attnviz.ui.shared.results import result_dots

SHOWN = 96  # maximum number of wrong answers shown


def show(net: Net, source: str) -> None:
    """Draw a net's accuracy with that of the controls and, one click away, its numbers and wrong answers."""
    st.header("How accurate it is", anchor=False)
    row, card = mechanisms.of_model(net.architecture), net.card
    if row:
        if card is not None and card.recipe.tests:
            task = result_dots.Task(card.recipe.data, card.recipe.classes)
            result_dots.of_mechanism(row, task, key="results_dots", like=card.name)
        page.link(result_dots.PAGE, "All results, with the papers' tables", mechanism=row.name)
    if not source:  # its training pictures are in no data set
        return
    if not st.toggle(
        f"Show every wrong answer on the {which(source)} of {data.DATASETS[source].title}", key="show_wrong"
    ):
        return
    job = findings.asking(net, source)
    if not job.finished:
        findings.progress(net, source)
        return
    found, shown = findings.answers(job), data.shown(source)
    names = data.DATASETS[source].classes
    lines = ["| shows | " + " | ".join(f"answered {name}" for name in net.classes) + " |"]
    lines.append("| --- " * (len(net.classes) + 1) + "|")
    for label in net.labels:
        counts = [int(((shown.labels == label) & (found == other)).sum()) for other in net.labels]
        lines.append(f"| {names[label]} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    st.markdown("\n".join(lines))
    gallery(source, found)


def which(source: str) -> str:
    """Return a name for a data set's pictures that are available here."""
    shown = data.shown(source)
    return "test pictures" if shown.split == "test" else f"{len(shown.numbers)} sample pictures"


def gallery(source: str, found: findings.Labels) -> None:
    """Draw the wrong answers to the available pictures, of all answers `found`; a click on one opens it."""
    shown = data.shown(source)
    wrong = np.flatnonzero((found >= 0) & (found != shown.labels))[:SHOWN]
    if not len(wrong):
        st.markdown("There are none.")
        return
    names, numbers = data.DATASETS[source].classes, [int(shown.numbers[place]) for place in wrong]
    pictures = np.stack([Picture(source, number).picture for number in numbers])
    captions = [f"{number}: {names[found[place]]}?" for number, place in zip(numbers, wrong, strict=True)]

    def open_picture() -> None:
        chosen = chosen_map("gallery")
        if chosen is not None:
            pickers.open_picture(Picture(source, numbers[chosen]))

    map_grid(
        pictures.mean(3) / 255, captions, key="gallery", role="ink", title=counted(len(wrong), "wrong answer"),
        colours=pictures if pictures.shape[3] == 3 else None, on_change=open_picture,
    )  # fmt: skip
