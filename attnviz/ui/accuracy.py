"""How good a model is: the tables it stands in, what it takes for what, and every wrong answer."""

import numpy as np
import streamlit as st

from attnviz import data, results
from attnviz.cards import Card
from attnviz.recipes import PAPERS
from attnviz.ui import address, cache
from attnviz.ui.map_grid import map_grid

SHOWN = 96  # wrong answers at most


def show(card: Card, source: str) -> None:
    """Draw a model's accuracy beside the controls', and, a click away, confusions and wrong answers on a data set."""
    st.header("How good it is", anchor=False)
    for paper in PAPERS.values():
        figures = [figure for figure in paper.figures if card.name in figure.checkpoints]
        for figure in figures:
            st.markdown(f"{paper.title}, {paper.source}. {results.compared(figure)}")
    if not st.toggle(
        f"Show every wrong answer on the test pictures of {data.DATASETS[source].title}", key="show_wrong"
    ):
        return
    found, labels = cache.answers(card, source), data.labels(source, "test")
    names = data.DATASETS[source].classes
    lines = ["| shows | " + " | ".join(f"answered {name}" for name in card.classes) + " |"]
    lines.append("| --- " * (len(card.classes) + 1) + "|")
    for label in card.recipe.classes:
        counts = [int(((labels == label) & (found == other)).sum()) for other in card.recipe.classes]
        lines.append(f"| {names[label]} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    st.markdown("\n".join(lines))
    gallery(card, source)


def gallery(card: Card, source: str) -> None:
    """Draw the wrong answers; a click opens one in the viewer."""
    wrong = cache.wrong_answers(card, source)[:SHOWN]
    if not len(wrong):
        st.markdown("There are none.")
        return
    found, names = cache.answers(card, source), data.DATASETS[source].classes
    pictures = np.stack([cache.picture(source, int(number))[0][..., 0] / 255 for number in wrong])
    captions = [f"{number}: {names[found[number]]}?" for number in wrong]

    def open_picture() -> None:
        state = st.session_state["gallery"]
        if state and state.get("chosen") is not None:
            address.put(number=int(wrong[state["chosen"]]), data=source, drawing=None)

    map_grid(pictures, captions, key="gallery", role="ink", title=f"{len(wrong)} wrong answers", on_change=open_picture)
