"""Shared by the pixel page and *The paper revisited*: the viewer of a subject, and the meaning of its maps."""

import streamlit as st

from attnviz.subjects import Net, Subject
from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.ui.dot_product.attention_view import ATTENTION_VIEW, attention
from attnviz.ui.live import jacobian_map
from attnviz.ui.mechanisms.pixel_attention import equations
from attnviz.ui.mechanisms.pixel_attention.experiments import erase, one_token, parts
from attnviz.ui.mechanisms.pixel_attention.selection import single_token
from attnviz.ui.shared import experiments, page, pickers, url_state
from attnviz.ui.shared.glossary import term
from attnviz.views.attention import FIELDS, AttentionView

VIEWER = "viewer"
PAPER = "15_paper.py"
LOCK = "Click a pixel to lock it, then click another one: their numbers appear here."
PLACELESS = (
    "This model does not receive the position of a pixel. Two pixels of the same intensity have the same query and "
    "get the same map: the map of a pixel shows *how much ink* it looks for, never *where*."
)
PLACED = (
    "This model receives where a token is: a position code is joined to its intensity. So a map can be violet in one "
    "spot because of *where* it is, whatever is drawn there; {}, on another page, separates the two."
)
ALONE = "With one token there is nothing to choose: its weight is 1 on any picture. {} shows what is left of attention."


def look(subject: Subject) -> tuple[AttentionView, tuple[str, str] | None]:
    """Draw the viewer, with a note on an unknown class; return its view and the equations of a locked pair, or None."""
    view, known = attention(subject), subject.net.classes
    if view.label is not None and view.label not in known:
        st.info(f"This picture shows a {view.label}; this model has only the classes {' and '.join(known)}.")
    state = FIELDS.read(st.query_params.to_dict())
    pixel_viewer(
        ATTENTION_VIEW.of(subject), key=VIEWER, state=state, asked=jacobian_map.asked(subject), on_change=_keep
    )
    return view, equations.numbers(view, state)


def explain(subject: Subject, view: AttentionView, numbers: tuple[str, str] | None) -> None:
    """Draw the explanation of the pictures, with the numbers of the locked pair from `look`, and its limits."""
    page.meaning(
        f"{_token_of(subject.net)} is a {term('token')}. {_in_heads(*view.query.shape[:2])}\n\n"
        + _formulas(equations.symbols(view.query.shape[-1]))
        + (f"For the locked pair:\n\n{_formulas(numbers)}" if numbers else LOCK),
        "**Attention is not an explanation.** A large weight can have a small effect: the value it carries can be "
        "small, and the layer after it can undo it. The last step of the worked pair shows what the pair adds "
        f"to the answer, and {experiments.link('erase', erase.TITLE)} puts it to the test.\n\n" + _unsaid(subject),
    )


def _keep() -> None:
    url_state.set_value(**FIELDS.write(settled_view(VIEWER) or {}))


def _token_of(net: Net) -> str:
    """Return the name of this model's token, to begin a sentence."""
    if single_token(net):
        return "The whole picture"
    side = int(net.grid.field) if net.grid else 1
    return "Each pixel" if side == 1 else f"Each box of {side} × {side} pixels"


def _in_heads(heads: int, tokens: int) -> str:
    """Return sentences on the computation in each head, and on the reason for several heads."""
    several = heads > 1 and tokens > 1
    query, key = term("query", ":orange[query]"), term("key", ":blue[key]")
    value = term("value", ":green[value]")
    return (
        (f"In each of {heads} {term('heads')} its {query}" if several else f"Its {query}")
        + f" is compared with the {key} of every token, and the {term('softmax')} turns the scores into weights: how "
        + f"much of each {value} it takes."
        + (" Every head has its own queries, keys and values, so each can look for something else." if several else "")
    )


def _unsaid(subject: Subject) -> str:
    """Return the limits of this model's maps, with a link to the experiment on the other page that shows more."""
    words = pickers.stated(subject)
    if single_token(subject.net):
        return ALONE.format(page.written_link(PAPER, one_token.TITLE, **words, experiment="one_token"))
    if subject.net.config.get("positions"):
        return PLACED.format(page.written_link(PAPER, parts.TITLE, **words, experiment="parts"))
    return PLACELESS


def _formulas(several: tuple[str, ...]) -> str:
    """Return formulas in Markdown, each on a line of its own, so that they fit on a phone."""
    return "".join(f"$$\n{formula}\n$$\n\n" for formula in several)
