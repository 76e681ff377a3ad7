"""The heads side by side: switch them off and see the answer, compare how widely they attend, group similar ones."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net, Subject
from attnviz.ui.components import head_switch as component
from attnviz.ui.components.head_switch import Answer, SwitchView, edits_of, head_switch, states_from_url, states_to_url
from attnviz.ui.components.map_grid import Names, map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.mechanisms.pixel_attention.selection import of_one_token
from attnviz.ui.shared import cache, experiments, page, url_state
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import share, short, verbatim

if TYPE_CHECKING:
    from attnviz.measures.heads import Reach, Tree
    from attnviz.subjects import Example, Loaded

TITLE = "Does every head matter?"
MEASURES = "Switches each head off alone, then all of them, and compares the answers; switch them yourself below."
WORDS = ("off", "uniform", "alike")

LAYER = "attention"
SWITCH = "head_switch"
ALIKE = ("0.05", "0.1", "0.2", "0.4")


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements of the heads on one picture.

    Args:
        reach: The measures of how widely each head attends.
        distances: The distances between heads (head, head), 0..1.
        tree: The tree of similar heads.
        without: The probabilities (2 + head, class): unedited, without all heads, then without each head alone.
    """

    reach: "Reach"
    distances: np.ndarray
    tree: "Tree"
    without: np.ndarray


refusal = of_one_token(
    "This model sees the whole picture as one token: its weight is always 1, for any head and any picture."
)


def show(subject: Subject) -> None:
    """Draw the switches with the answer, the table of heads, and the groups of similar heads."""
    say = experiments.finding()
    measured = cache.of_subject(measure, subject)
    say(finding(measured.without, subject.net.classes))
    switches(subject)
    st.markdown(
        f"**Off**: the {term('head')} contributes nothing. **Uniform**: it attends to all tokens equally, so only the "
        "choice that its attention made is lost. The rest of the model stays as it was trained and does not adapt: a "
        "head that is not needed for one picture may be needed for another."
    )
    left, right = st.columns(2, gap="large")
    with left:
        table(measured.reach)
    with right:
        likeness(subject, measured)


@st.fragment
def switches(subject: Subject) -> None:
    """Draw the switches of the heads, and the answer."""
    with page.sentences():
        states, sentences = states_from_url(st.query_params.to_dict(), len(attention(subject).received))
        for sentence in sentences:
            st.warning(verbatim(sentence))
        head_switch(HEAD_SWITCH_VIEW.of(subject, states=states), key=SWITCH, on_change=keep_states)


class OfStates(Strict):
    """The state of each head; an empty list switches all heads on."""

    states: Annotated[list[Literal["on", "off", "uniform"]], Field(max_length=10_000)] = []


def switch_payload(subject: Subject, parameters: OfStates) -> bytes:
    """Return the heads and the answer as the switch's payload."""
    view = attention(subject)
    measured = cache.of_subject(measure, subject)
    heads = len(view.received)
    states: list[str] = [*parameters.states] or ["on"] * heads
    shown = SwitchView(
        received=view.received[:, view.prefix :].reshape(heads, view.rows, view.columns),
        entropy=measured.reach.entropy,
        tokens=measured.reach.tokens,
        picture=view.picture,
        classes=view.classes,
        label=view.label,
        path=f"{LAYER}.mixed",
        checkpoint=subject.net.key,
        asked=subject.example.asked,
        before=answer(subject, ["on"] * heads),
        now=answer(subject, states),
        origin=view.origin,
    )
    return component.packed(shown, states)


def passes(parameters: Strict, net: Net) -> float:
    """Return the cost in forward passes: one without each head, and four others."""
    return 4.0 + int(net.config.get("heads", 1))


HEAD_SWITCH_VIEW = View("head_switch_view", OfStates, switch_payload, passes)


def keep_states() -> None:
    """Put the states of the heads into the URL."""
    states = component.switched(SWITCH)
    if states is not None:
        url_state.set_value(**states_to_url(states))


def answer(subject: Subject, states: list[str]) -> Answer:
    """Return the net's answer with its heads in these states, computed as by the live channel and not cached."""
    from attnviz.answers import probabilities
    from attnviz.ui.live.answer import ask_model
    from attnviz.ui.live.request import Ask

    ask = Ask.model_validate({"checkpoint": subject.net.key, "edits": edits_of(states, f"{LAYER}.mixed")})
    logits = ask_model(cache.single(subject.net), ask, subject.image[None], {}).logits
    return Answer(logits[0].numpy(), probabilities(logits)[0].numpy())


def measure(loaded: "Loaded", example: "Example") -> Measured:
    """Return the measurements of all heads on one example."""
    import torch

    from attnviz import edits
    from attnviz.answers import probabilities
    from attnviz.layers.attention import Attention
    from attnviz.measures.heads import apart, cluster, reach
    from attnviz.tracing import trace
    from attnviz.ui.shared import inference

    view = attention(Subject(loaded.net, example))
    layer = dict(loaded.model.named_modules()).get(LAYER)
    if not isinstance(layer, Attention) or layer.grid is None:
        raise BadInput(f"{loaded.net.key} has no single layer of attention whose heads could be switched off here.")
    query, key = torch.tensor(view.query), torch.tensor(view.key)  # copies, because cached arrays are read-only
    distances = apart(query, key)
    pixels = inference.batch_of(loaded, example)
    answers = []
    for off in ([], range(layer.heads), *([head] for head in range(layer.heads))):
        edited = trace(loaded.model, [], {f"{LAYER}.mixed": edits.off(head=[*off])}) if off else nullcontext()
        with torch.no_grad(), edited:
            answers.append(probabilities(inference.ask(loaded, pixels))[0].numpy())
    return Measured(reach(query, key, layer.grid), distances, cluster(distances), np.stack(answers))


def finding(without: np.ndarray, classes: Sequence[str]) -> str:
    """Return the finding on whether the answer to this picture needs any single head."""
    whole, none, *each = without
    best = int(whole.argmax())
    end = (
        f"Without any head it answers **{classes[int(none.argmax())]}** ({share(float(none.max()))}; an even guess "
        f"among {len(classes)} answers has {share(1 / len(classes))})."
    )
    if len(each) == 1:
        return f"This model has a single head. {end}"
    needed = [str(head + 1) for head, one in enumerate(each) if int(one.argmax()) != best]
    lost = np.array([whole[best] - one[best] for one in each])
    if not needed:
        said = (
            f"**On this picture no single head is needed**: whichever of the {len(each)} is switched off, the answer "
            f"stays {classes[best]}. Its probability falls most when head {int(lost.argmax()) + 1} is off, by "
            f"{100 * max(float(lost.max()), 0.0):.1f} points."
        )
    else:
        several = len(needed) > 1
        which = f"{', '.join(needed[:-1])} or {needed[-1]}" if several else needed[0]
        said = (
            f"**On this picture {len(needed)} of {len(each)} heads {'are' if several else 'is'} needed**: with only "
            f"head {which} switched off, the answer is no longer {classes[best]}."
        )
    return f"{said} {end}"


def table(reach: "Reach") -> None:
    """Draw the table of heads."""
    st.subheader("How widely each head looks", anchor=False)
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
            "share": st.column_config.NumberColumn("% of uniform", format="%.1f"),
            "distance": st.column_config.NumberColumn("Distance, pixels", format="%.2f"),
            "times": st.column_config.NumberColumn("× uniform", format="%.2f"),
        },
    )
    st.caption(
        f"Means over all queries of this picture. A head that attends to all {reach.tokens} tokens equally has "
        f"{short(float(np.log2(reach.tokens)))} bits, and looks {short(reach.even_distance)} pixels away on average. "
        "Click a column's name to sort by it."
    )


def likeness(subject: Subject, measured: Measured) -> None:
    """Draw the groups of similar heads in words, and the distances between all heads."""
    if len(measured.distances) == 1:
        return
    st.subheader("Which heads are similar", anchor=False)
    chosen = url_state.pick(
        st.segmented_control, "Largest average distance within a group", "alike", ALIKE, "0.1", required=True
    )
    st.markdown(groups_in_words(measured.tree.groups(float(chosen))))
    map_grid(HEAD_DISTANCES.of(subject), key="head_distances")
    st.caption(
        "0 means the same attention; 1 means attention to entirely different pixels. It is the root of the mean "
        "Jensen-Shannon divergence of the heads' rows, in bits, over 64 queries spread over this picture. Similar "
        "heads are next to each other. Heads with similar attention may still carry different values."
    )


def distances_payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return a map of the distances between all heads, with similar heads next to each other."""
    measured = cache.of_subject(measure, subject)
    order = measured.tree.order
    names = [str(head + 1) for head in order]
    return packed(
        measured.distances[np.ix_(order, order)][None],
        ["distance"],
        role="positive",
        title="Distance between heads",
        names=Names("head", names, "head", names),
        origin={**attention(subject).origin, "address": f"{LAYER}.weights"},
    )


HEAD_DISTANCES = View("head_distances", NoParameters, distances_payload, passes)
VIEWS = (HEAD_SWITCH_VIEW, HEAD_DISTANCES)


def groups_in_words(groups: list[tuple[int, ...]]) -> str:
    """Return sentences on which heads, counted from 1, form groups and which do not."""
    several = [sorted(group) for group in groups if len(group) > 1]
    alone = sorted(group[0] for group in groups if len(group) == 1)
    sentences = [f"Heads **{', '.join(str(head + 1) for head in group)}** are similar." for group in sorted(several)]
    if alone and sentences:
        sentences.append(f"In no group: {', '.join(str(head + 1) for head in alone)}.")
    return " ".join(sentences or ["No two heads are similar."])
