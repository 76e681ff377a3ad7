"""The heads side by side: switch them off and see the answer; how spread and how far each looks; which are alike."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from attnviz.cards import Card
from attnviz.ui import address, cache, page, pickers
from attnviz.ui.head_switch import (
    Answer,
    SwitchView,
    edits_of,
    head_switch,
    states_from_address,
    states_to_address,
    switched,
)
from attnviz.ui.map_grid import Names, map_grid
from attnviz.ui.wording import short

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.heads import Reach, Tree
    from attnviz.ui.pixel_viewer import AttentionView

TITLE = "Heads"
QUESTION = "What does each head do, and what does the answer owe to it? Click a head to switch it off."
WORDS = ("off", "uniform", "alike")

LAYER = "attention"
SWITCH = "head_switch"
ALIKE = ("0.05", "0.1", "0.2", "0.4")


@dataclass(frozen=True, eq=False)
class Measured:
    """What is measured of the heads on one picture; `distances` (head, head), 0..1."""

    reach: "Reach"
    distances: np.ndarray
    tree: "Tree"


def refusal(card: Card) -> str | None:
    """Return why this model cannot answer it; None where it can."""
    if card.config.get("patch", 1) > 1:
        return "This model sees the whole picture as one token: its weight is always 1, with any head and any picture."
    return None


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the switches with the answer, the table of heads, and which are alike."""
    view = cache.attention(card, picture.source, picture.number)
    measured = cache.kept(measure, card, picture.source, picture.number)
    switches(card, picture)
    st.markdown(
        "**Off**: the head hands on nothing. **Uniform**: it looks at all pixels alike, so what is lost is what its "
        "attention chose. The rest of the model is as it was trained and does not make up for it: a head that "
        "can be missed on one picture may be needed on another."
    )
    left, right = st.columns(2, gap="large")
    with left:
        table(measured.reach)
    with right:
        likeness(measured, view)


@st.fragment
def switches(card: Card, picture: pickers.Picture) -> None:
    """Draw the heads that can be switched, and the answer."""
    with page.sentences():
        view = cache.attention(card, picture.source, picture.number)
        measured = cache.kept(measure, card, picture.source, picture.number)
        heads = len(view.received)
        states, sentences = states_from_address(st.query_params.to_dict(), heads)
        for sentence in sentences:
            st.warning(page.verbatim(sentence))
        shown = SwitchView(
            received=view.received[:, view.prefix :].reshape(heads, view.rows, view.columns),
            entropy=measured.reach.entropy,
            tokens=measured.reach.tokens,
            picture=view.picture,
            classes=view.classes,
            label=view.label,
            address=f"{LAYER}.mixed",
            checkpoint=card.name,
            source=picture.source,
            number=picture.number,
            before=answer(card, picture, ["on"] * heads),
            now=answer(card, picture, states),
            origin=view.origin,
        )
        head_switch(shown, states, key=SWITCH, on_change=keep_states)


def keep_states() -> None:
    """Put the states of the heads into the address."""
    states = switched(SWITCH)
    if states is not None:
        address.put(**states_to_address(states))


def answer(card: Card, picture: pickers.Picture, states: list[str]) -> Answer:
    """Return what the model says with its heads in these states: computed as the live channel does, and not kept."""
    from attnviz.models import probabilities
    from attnviz.ui.live_answer import ask_model
    from attnviz.ui.live_request import Ask

    ask = Ask.model_validate({"checkpoint": card.name, "edits": edits_of(states, f"{LAYER}.mixed")})
    image = cache.picture(picture.source, picture.number)[0]
    logits = ask_model(cache.single(card.name), ask, image[None], {}).logits
    return Answer(logits[0].numpy(), probabilities(logits)[0].numpy())


def measure(checkpoint: "Checkpoint", source: str, number: int) -> Measured:
    """Measure all heads on one picture."""
    import torch

    from attnviz.layers.attention import Attention
    from attnviz.measures.heads import apart, cluster, reach

    view = cache.attention(checkpoint.card, source, number)
    layer = checkpoint.model.get_submodule(LAYER)
    assert isinstance(layer, Attention)
    assert layer.grid is not None
    query, key = torch.tensor(view.query), torch.tensor(view.key)  # copies: what is cached may not be written
    distances = apart(query, key)
    return Measured(reach(query, key, layer.grid), distances, cluster(distances))


def table(reach: "Reach") -> None:
    """Draw the table of heads."""
    st.subheader("How spread, how far", anchor=False)
    columns = {
        "head": np.arange(1, len(reach.entropy) + 1),
        "entropy": reach.entropy,
        "share": 100 * reach.entropy_share,
        "distance": reach.distance,
        "times": reach.distance / reach.even_distance,
    }
    st.dataframe(
        columns,
        hide_index=True,
        height=min(38 + 35 * len(reach.entropy), 388),
        column_config={
            "head": st.column_config.NumberColumn("Head", width=56),
            "entropy": st.column_config.NumberColumn("Entropy, bits", format="%.3f"),
            "share": st.column_config.NumberColumn("% of even", format="%.1f"),
            "distance": st.column_config.NumberColumn("Distance, pixels", format="%.2f"),
            "times": st.column_config.NumberColumn("× even", format="%.2f"),
        },
    )
    st.caption(
        f"Means over all queries of this picture. A head that looks at all {reach.tokens} pixels alike has "
        f"{short(float(np.log2(reach.tokens)))} bits, and lies {short(reach.even_distance)} pixels away on average. "
        "A click on a column's head sorts by it."
    )


def likeness(measured: Measured, view: "AttentionView") -> None:
    """Draw which heads are alike: the groups in words, and the distances between all."""
    count = len(measured.distances)
    if count == 1:
        return
    st.subheader("Which heads are alike", anchor=False)
    chosen = address.choice("alike", ALIKE, "0.1")
    st.segmented_control(
        "Alike is what lies at most so far apart, on average", ALIKE, key="alike", required=True,
        on_change=address.keep, args=("alike",),
    )  # fmt: skip
    st.markdown(groups_in_words(measured.tree.groups(float(chosen))))
    order = measured.tree.order
    names = [str(head + 1) for head in order]
    map_grid(
        measured.distances[np.ix_(order, order)][None],
        ["distance"],
        key="head_distances",
        role="positive",
        title="Distance between heads",
        names=Names("head", names, "head", names),
        origin={**view.origin, "address": f"{LAYER}.weights"},
    )
    st.caption(
        "0 is the same attention; 1 is attention that shares no pixel: the root of the mean Jensen-Shannon divergence "
        "of their rows, in bits, over 64 queries spread over this picture. The order puts neighbours together. "
        "Heads that look alike may still carry different values."
    )


def groups_in_words(groups: list[tuple[int, ...]]) -> str:
    """Return which heads form groups and which stand alone, counted from 1."""
    several = [sorted(group) for group in groups if len(group) > 1]
    alone = sorted(group[0] for group in groups if len(group) == 1)
    said = [f"**{', '.join(str(head + 1) for head in group)}** are alike." for group in sorted(several)]
    if alone and said:
        said.append(f"Alone: {', '.join(str(head + 1) for head in alone)}.")
    return " ".join(said or ["No two heads are alike."])
