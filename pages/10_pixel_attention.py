"""Pixel attention: where each pixel of a digit takes its information from, in every head."""

import numpy as np
import streamlit as st

from attnviz import cards, data, results
from attnviz.cards import Card
from attnviz.recipes import PAPERS
from attnviz.ui import address, cache, equations, page, pickers, warm
from attnviz.ui.map_grid import map_grid
from attnviz.ui.pixel_viewer import DEFAULTS as VIEW
from attnviz.ui.pixel_viewer import AttentionView, pixel_viewer, settled_view, view_from_address, view_to_address

MODEL = "pixel_attention.1v8"
VIEWER = "viewer"
LOCK = "Click a pixel to lock it, then another one: their numbers stand here."

TRIES = [
    ("the loop of an 8", {"digit": "8", "query": "9,12"}),
    ("ink against paper", {"digit": "1", "query": "14,14", "key": "3,3"}),
    ("who is looked at most", {"digit": "8", "direction": "received"}),
]


def main() -> None:
    page.start(
        "Pixel attention",
        "Where does this pixel take its information from? Move over the digit: every head answers.",
        tries=TRIES,
    )
    with page.sentences():
        with st.container(key="page_choices", horizontal=True, vertical_alignment="bottom"):
            card = pickers.model([name for name in cards.names() if name.startswith("pixel_attention.")], MODEL)
            chosen = pickers.picture(card)
        look(card, chosen)
        with st.container(key="results"):
            show_results(card, chosen.source)
    warm.soon()


def look(card: Card, chosen: pickers.Picture) -> None:
    """Draw the viewer, and what it means with the numbers of the locked pair."""
    view = cache.attention(card, chosen.source, chosen.number)
    if view.label not in card.classes:
        st.info(f"This picture shows a {view.label}; this model only knows {' and '.join(card.classes)}.")
    state = view_from_address(st.query_params.to_dict())
    pixel_viewer(view, key=VIEWER, state=state, on_change=keep_view)
    explain(view, equations.numbers(view, state))


def keep_view() -> None:
    """Put the view that has settled into the address."""
    words = view_to_address(settled_view(VIEWER) or {})
    address.put(**{name: words.get(name) for name in VIEW})


def explain(view: AttentionView, numbers: tuple[str, str] | None) -> None:
    """Say what the pictures mean, with the numbers of the locked pair, and what they do not show."""
    page.meaning(
        "Each pixel is a token. Its :orange[query] is compared with the :blue[key] of every pixel; the softmax of "
        "these scores says how much of each pixel's :green[value] it takes.\n\n"
        + formulas(equations.symbols(view.query.shape[-1]))
        + (f"The pair that is locked:\n\n{formulas(numbers)}" if numbers else LOCK),
        "A large weight is not a large effect: the value it carries can be small, and the layer after it can undo it. "
        "*Weight × value* shows what is carried.\n\n"
        "Nothing tells this model where a pixel is. Two pixels of the same intensity ask the same and get the same: "
        "the map of a pixel shows *how much ink* it looks for, never *where*. A line through the same pixels, "
        "without any attention, answers as well: the table below has both.",
    )


def formulas(several: tuple[str, ...]) -> str:
    """Return formulas in Markdown, each on a line of its own: a phone is wide enough for one."""
    return "".join(f"$$\n{formula}\n$$\n\n" for formula in several)


def show_results(card: Card, source: str) -> None:
    """Draw the end of the page: accuracy beside the control's, confusions, and every wrong answer, a click away."""
    st.header("How good it is", anchor=False)
    paper = PAPERS["schwarz"]
    st.markdown(f"{paper.title}, {paper.source}. {results.reproduction(paper)}")
    if not st.toggle(
        f"Show every wrong answer on the test pictures of {data.DATASETS[source].title}", key="show_wrong"
    ):
        return
    found, labels = cache.answers(card, source), data.labels(source, "test")
    names = data.DATASETS[source].classes
    lines = ["| shows | " + " | ".join(f"answered {name}" for name in card.classes) + " |", "| --- " * 3 + "|"]
    for label in card.recipe.classes:
        counts = [int(((labels == label) & (found == other)).sum()) for other in card.recipe.classes]
        lines.append(f"| {names[label]} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    st.markdown("\n".join(lines))
    gallery(card, source)


def gallery(card: Card, source: str) -> None:
    """Draw the wrong answers; a click opens one in the viewer."""
    wrong = cache.wrong_answers(card, source)[:96]
    if not len(wrong):
        st.markdown("There are none.")
        return
    found, names = cache.answers(card, source), data.DATASETS[source].classes
    pictures = np.stack([cache.picture(source, int(number))[0][..., 0] / 255 for number in wrong])
    captions = [f"{number}: {names[found[number]]}?" for number in wrong]

    def open_picture() -> None:
        state = st.session_state["gallery"]
        if state and state.get("chosen") is not None:
            address.put(number=int(wrong[state["chosen"]]), data=source)

    map_grid(pictures, captions, key="gallery", role="ink", title=f"{len(wrong)} wrong answers", on_change=open_picture)


main()
