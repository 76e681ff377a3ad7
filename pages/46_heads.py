"""Heads over many pictures: the behaviour of each attention head of a net, and the pictures that move it."""

from typing import Any

import streamlit as st

import attnviz
from attnviz import data
from attnviz.subjects import Net
from attnviz.ui.components import head_table, url_view
from attnviz.ui.heads import claims, downloads, moved, nets, own, question, work
from attnviz.ui.heads.pictures import Asked, pictures
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import preload
from attnviz.ui.shared import mechanism_page, own_models, page, pickers, url_state
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.over_many import over_many

KEY = "head_table"
MEASURED = "measured"
COUNTS = ("10", "100", "500", "2000")
ANY = "any"
TRIES = [
    ("which head matters most?", {"count": "100", "up": "effect", "across": "object"}),
    ("beside random weights", {"count": "100", "random": "yes", "across": "entropy", "up": "position"}),
    ("one head's pictures", {"count": "100", "head": "1"}),
]


def main() -> None:
    page.start(
        "Heads over many pictures",
        f"What does each {term('head', 'attention head')} do over a whole data set, and which pictures move it?",
        tries=TRIES,
    )
    see()
    question.show()
    page.meaning(
        f"A model with attention looks at a picture with several {term('head', 'heads')} at once, each with its own "
        "map of which part takes information from which. One picture shows what a head does there; the dots are its "
        "means over all pictures, and the thin lines are 95 % confidence intervals.\n\n"
        "**Effect on the answer**: the decrease of the answer's logit when the head is switched off. **Predicted by "
        "position**: 1 if the map is the same for all pictures, 0 if other pictures do not predict it. **Agreement**: "
        "whether the parts that receive most are those that the answer depends on.",
        "A head without effect here may matter together with another one: each is switched off alone. A net with "
        "random weights has maps, too, and some of them look orderly: whatever it shares was not learnt. Means hide "
        "heads that do one thing on some pictures and another on others: look at the pictures of each tenth.\n\n"
        "Models that weigh channels, or that look at one part after the other, are not listed: they have no map from "
        "one part of a picture to another, so only the effect could be measured. Their own pages show what they do "
        "over many pictures.",
    )
    preload.soon()


@st.fragment
def see() -> None:
    """Draw the choices, the table of heads, and the claims."""
    url_state.catch_up()
    with page.sentences():
        of = answers = ANY
        with page.choices():
            net = pickers.net(nets.names(), nets.first())
            if own_models.is_own(net):
                asked = own.choose(net)
            else:
                asked = of_data_set(net)
                of = url_state.pick(st.selectbox, "Of class", "of", (ANY, *net.classes), ANY, width=120)
                answers = url_state.pick(
                    st.segmented_control, "Answers", "answers", (ANY, "right", "wrong"), ANY, required=True
                )
        url_state.state(model=net.key, **asked.stated)
        if asked.is_own:
            if sentence := own.missing(asked):
                st.info(sentence)
                return
            st.caption(own.COSTS)
        over_many(
            MEASURED, len(pictures(asked).images), lambda: work.job(asked),
            lambda parts: draw(asked, parts, of, answers),
            verb=("Measure all heads on", "measured"), begins=not asked.is_own,
        )  # fmt: skip


def of_data_set(net: Net) -> Asked:
    """Draw the choice of pictures of a data set."""
    here = {name: data.DATASETS[name].title for name in pickers.sources(net)}
    source = url_state.pick(st.selectbox, "Pictures", "data", here, pickers.default_source(net), width=200)
    count = url_state.pick(st.segmented_control, "How many", "count", COUNTS, COUNTS[1], required=True)
    return Asked(net.key, net.digest, source, int(count))


def draw(asked: Asked, parts: list[Any], of: str, answers: str) -> None:
    """Draw the measurements so far, for pictures of a class or ANY, and answers that are "right", "wrong" or ANY."""
    found, net = work.table(asked, parts), asked.net
    measuring = len(parts) < work.job(asked).count
    chosen = found.numbers >= 0
    if of != ANY and found.labels is not None:
        chosen &= found.labels == net.classes.index(of)
    if answers != ANY and found.right is not None:
        chosen &= found.right == (answers == "right")
    if not chosen.any():
        st.info("None of the pictures measured so far is of this kind. Choose another class, or any answers.")
        return
    table = found.where(chosen)
    view = head_table.FIELDS.complete(head_table.FIELDS.read(url_state.shown()))
    head = view["head"] if isinstance(view["head"], int) and 0 <= view["head"] < len(table.heads) else None
    measure = view["colour"] if view["colour"] in table.values else "effect"
    row = next((row for row in MECHANISMS.values() if net.architecture in row.models), None)
    url = "explorer" if asked.is_own else row.url if row else ""
    moves = None if head is None else moved.of_head(table, asked, head, measure, url)
    origin: dict[str, str | int | float] = {
        "attnviz": attnviz.__version__, "model": net.key, "weights": net.digest[:12], "data": asked.source,
        "pictures": len(table.numbers), "class": of, "answers": answers,
    }  # fmt: skip
    head_table.head_table(
        head_table.packed(table, moves, origin, measuring=measuring),
        key=KEY,
        state=head_table.FIELDS.read(url_state.shown()),
        on_change=mechanism_page.keep(head_table.FIELDS, url_view.settled_view, KEY),
    )
    downloads.show(table, origin, measuring=measuring)
    st.header("Does a statement about a head hold?", anchor=False)
    claims.show(asked, table, chosen, head)


main()
