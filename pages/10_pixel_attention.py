"""Pixel attention: where each pixel of a digit takes its information from, in every head."""

import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.ui import accuracy, address, cache, equations, page, pickers, question, warm
from attnviz.ui.experiments import choice
from attnviz.ui.pixel_viewer import DEFAULTS as VIEW
from attnviz.ui.pixel_viewer import AttentionView, pixel_viewer, settled_view, view_from_address, view_to_address

MODEL = "pixel_attention.1v8"
VIEWER = "viewer"
SAID = "pixel_attention.said"  # the model and data set whose figures stand below
LOCK = "Click a pixel to lock it, then another one: their numbers stand here."
PLACELESS = (
    "Nothing tells this model where a pixel is. Two pixels of the same intensity ask the same and get the same: the "
    "map of a pixel shows *how much ink* it looks for, never *where*."
)
PLACED = (
    "This model knows where a token is: a code of its place is joined to its intensity. So a map can be bright in one "
    "place because of *where* it is, whatever is drawn there; *What a score is made of*, below, takes the two apart."
)
ALONE = (
    "With one token there is nothing to choose from: its weight is 1 on any picture. *The picture as one token*, below."
)

TRIES = [
    ("the loop of an 8", {"digit": "8", "query": "9,12"}),
    ("ink against paper", {"digit": "1", "query": "14,14", "key": "3,3"}),
    ("a 3, with positions", {"model": "pixel_attention.digits", "digit": "3", "query": "9,8"}),
]


def main() -> None:
    page.start(
        "Pixel attention",
        "Where does this pixel take its information from? Move over the digit: every head answers.",
        tries=TRIES,
    )
    st.session_state[SAID] = None  # nothing yet, so that `see` need not ask for it again
    seen = see()
    if seen:
        card, source = seen
        with page.sentences():
            question.show()
            with st.container(key="results"):
                accuracy.show(card, source)
        st.session_state[SAID] = card.name, source
    warm.soon()


@st.fragment
def see() -> tuple[Card, str] | None:
    """Draw the choices, the viewer and the experiment: all that another picture changes, so that no more runs again.

    Returns:
        The model and the data set that were chosen; None where they could not be shown.
    """
    with page.sentences():
        with st.container(key="page_choices", horizontal=True, vertical_alignment="bottom"):
            card = pickers.model([name for name in cards.names() if name.startswith("pixel_attention.")], MODEL)
            chosen = pickers.picture(card)
        look(card, chosen)
        choice.show(card, chosen)
        source = pickers.tests(card, chosen)
        if st.session_state[SAID] not in (None, (card.name, source)):
            st.rerun()  # what is said below is of another model or data set
        return card, source
    return None


def look(card: Card, chosen: pickers.Picture) -> None:
    """Draw the viewer, and what it means with the numbers of the locked pair."""
    view = cache.attention(card, chosen.source, chosen.number)
    if view.label is not None and view.label not in card.classes:
        st.info(f"This picture shows a {view.label}; this model only knows {' and '.join(card.classes)}.")
    state = view_from_address(st.query_params.to_dict())
    pixel_viewer(view, key=VIEWER, state=state, on_change=keep_view)
    explain(card, view, equations.numbers(view, state))


def keep_view() -> None:
    """Put the view that has settled into the address."""
    words = view_to_address(settled_view(VIEWER) or {})
    address.put(**{name: words.get(name) for name in VIEW})


def explain(card: Card, view: AttentionView, numbers: tuple[str, str] | None) -> None:
    """Say what the pictures mean, with the numbers of the locked pair, and what they do not show."""
    page.meaning(
        f"{token_of(card)} is a token. Its :orange[query] is compared with the :blue[key] of every token; the softmax "
        "of these scores says how much of each one's :green[value] it takes.\n\n"
        + formulas(equations.symbols(view.query.shape[-1]))
        + (f"The pair that is locked:\n\n{formulas(numbers)}" if numbers else LOCK),
        "A large weight is not a large effect: the value it carries can be small, and the layer after it can undo it. "
        "*Weight × value* shows what is carried.\n\n" + unsaid(card),
    )


def token_of(card: Card) -> str:
    """Return what a token of this model is, at the beginning of a sentence."""
    side = card.config.get("pool", 1) * card.config.get("patch", 1)
    if side == 28:
        return "The whole picture"
    return "Each pixel" if side == 1 else f"Each box of {side} × {side} pixels"


def unsaid(card: Card) -> str:
    """Return what this model's maps cannot tell."""
    if card.config.get("patch", 1) > 1:
        return ALONE
    return PLACED if card.config.get("positions") else PLACELESS


def formulas(several: tuple[str, ...]) -> str:
    """Return formulas in Markdown, each on a line of its own: a phone is wide enough for one."""
    return "".join(f"$$\n{formula}\n$$\n\n" for formula in several)


main()
