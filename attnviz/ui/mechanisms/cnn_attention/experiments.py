"""The experiments on the page: how a block is computed; which blocks may attend to which, and what that costs."""

from typing import Annotated

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz import cards, comparisons, result_tables
from attnviz.card import Figure
from attnviz.errors import BadInput
from attnviz.models import input_of
from attnviz.recipes import RECIPES
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Subject, usable
from attnviz.ui.components import stage_maps
from attnviz.ui.components.map_grid import Names, map_grid, packed
from attnviz.ui.live.derived import Index, View
from attnviz.ui.mechanisms.cnn_attention import words
from attnviz.ui.mechanisms.cnn_attention.view import CONVOLUTIONS_VIEW
from attnviz.ui.shared import cache, url_state
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.results import costs
from attnviz.ui.shared.results.verdict import beside
from attnviz.views.attention import FIELDS

MAPS = "convolutions"  # key of the maps of every convolution
KINDS = {
    "blocks": "Every block attends to all blocks",
    "within": "Each block attends to itself alone",
    "zero": "Attention set to zero",
    "narrow": "No attention, narrow blocks",
    "plain": "No attention, the paper's network",
}  # the end of a recipe's name -> which blocks may attend to which
TASKS = ("cluttered", "fashion")  # the tasks in the recipes' names on which all five networks were trained


def computed(subject: Subject) -> None:
    """Draw the maps of every convolution."""
    st.markdown(words.STAGES)
    state = stage_maps.FIELDS.read(st.query_params.to_dict())
    keep = url_state.keep_view(stage_maps.FIELDS, stage_maps.settled_view, MAPS)
    stage_maps.stage_maps(CONVOLUTIONS_VIEW.of(subject), key=MAPS, state=state, on_change=keep)


def who(subject: Subject) -> None:
    """Draw the five networks with their parameters, multiply-adds and accuracies, and weights within a block."""
    say = finding()
    trained_on = {RECIPES[f"cnn_attention.{task}-blocks"].data: task for task in TASKS}
    task = trained_on.get(subject.net.data or "", TASKS[0])
    names = {kind: f"cnn_attention.{task}-{kind}" for kind in KINDS}
    first = RECIPES[names["blocks"]]
    side = input_of(first.model, first.config).rows
    st.markdown(words.WHO)
    titles = {names[kind]: title for kind, title in KINDS.items()}
    costs.table(titles, [name for name in titles if name != names["blocks"]], key="who_bars")
    st.caption(words.counted(side, [names[kind] for kind in KINDS if not cards.is_there(names[kind])]))
    if otherwise := result_tables.trained_otherwise(names.values(), names["blocks"]):
        st.caption(otherwise)
    if any(figure.seeds == 1 for figure in map(measured, titles) if figure):
        st.caption(words.ONE_SEED)
    with_attention, without = measured(names["blocks"]), measured(names["zero"])
    if with_attention and without:
        differs = comparisons.trained_differently(names["blocks"], names["zero"])
        found = words.finding(with_attention, without, len(first.classes), differs)
    else:
        found = words.UNKNOWN
    say(beside(found, subject.net, first.data))
    st.markdown(words.saved({kind: costs.counts(name) for kind, name in names.items()}))
    within(names["within"], subject)


def measured(name: str) -> Figure | None:
    """Return the accuracy of a recipe's model on its largest test, or None if there is none."""
    card = cards.readable([name]).get(name)
    if card is None:
        return None
    own = [one for one in card.figures if (one.name, one.data) == ("accuracy", card.recipe.data)]
    return max(own, key=lambda one: one.count, default=None)


def within(name: str, looked_at: Subject) -> None:
    """Draw the weights between features inside one block of a trained network, or a sentence if it is not here.

    The block is the one locked in the viewer if both nets have the same blocks, else the one with the most ink."""
    from attnviz.ui.mechanisms.cnn_attention import stages

    st.markdown("**Inside one block**")
    net = usable([name]).get(name)
    if net is None:
        card = cards.readable([name]).get(name)
        st.markdown(words.within_is_missing(name, card.command if card else None))
        return
    subject = Subject(net, looked_at.example)
    weights, ink, _ = cache.of_subject(stages.within, subject)
    rows, columns = ink.shape
    same = (net.grid, net.input) == (looked_at.net.grid, looked_at.net.input)
    row, column = (FIELDS.read(st.query_params.to_dict()).get("query") if same else None) or (-1, -1)
    if not (0 <= row < rows and 0 <= column < columns):
        row, column = most_ink(ink)
    st.markdown(words.within(weights[row, column], net, locks=same))
    map_grid(WITHIN.of(subject, block=[row, column]), key="within_weights")


def most_ink(ink: np.ndarray) -> tuple[int, int]:
    """Return the row and column of the block with the most ink."""
    row, column = divmod(int(np.argmax(ink)), ink.shape[1])
    return row, column


class OfBlock(Strict):
    """The row and column of a block, or None for the one with the most ink."""

    block: Annotated[list[Index], Field(min_length=2, max_length=2)] | None = None


def within_payload(subject: Subject, parameters: OfBlock) -> bytes:
    """Return the weights between the features of a block, as a map."""
    from attnviz.ui.mechanisms.cnn_attention import stages

    if subject.net.config.get("attention") != "within":
        raise BadInput(f"{subject.net.key} has no blocks that attend to themselves alone.")
    weights, ink, origin = cache.of_subject(stages.within, subject)
    row, column = parameters.block or most_ink(ink)
    if row >= ink.shape[0] or column >= ink.shape[1]:
        raise BadInput(f"There are {ink.shape[0]} x {ink.shape[1]} blocks, counted from 0; none at {row}, {column}.")
    size = weights.shape[2]
    block = f"the block in row {row + 1}, column {column + 1}"
    features = [str(number + 1) for number in range(size)]
    return packed(
        weights[row, column][None], [block], role="share", tokens=size,
        title=f"Weights between the {size} features of {block}", origin=origin,
        names=Names("feature that takes", features, "feature that gives", features),
    )  # fmt: skip


WITHIN = View("weights_within_a_block", OfBlock, within_payload)


EXPERIMENTS = {
    "computed": Experiment(
        "How is a block computed?",
        "Follows a cell through the convolutions, and draws every channel of every stage.",
        computed,
        tuple(stage_maps.FIELDS.defaults),
    ),
    "who": Experiment(
        "Which blocks may attend to which?",
        "Compares five networks whose blocks may attend to all blocks, to themselves or to none: their size, their "
        "work and their accuracy.",
        who,
    ),
}
