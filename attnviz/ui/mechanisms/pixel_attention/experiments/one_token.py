"""The picture as one token: attention with a single weight, which is 1, so query and key never change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.ui.components.map_grid import Table, map_grid
from attnviz.ui.shared import cache, pickers, url_state
from attnviz.ui.shared.wording import short

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.pixel_attention.one_line import Line

TITLE = "What does attention do with a single token?"
TEACHES = "The paper's published weights take all 784 pixels as *one* token."
WORDS = ()

NAME = "pixel_attention.1v8-one-token"
PARTS = ("query", "key", "value")
STATES = ("before training", "after training", "difference")
STROKES = 100  # pictures on which the logistic regression and the network are compared

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kernels:
    """The kernels of query, key and value of the one-token model, and the logistic regression that equals the model.

    Args:
        before, after: (part, row, column); before is computed from recipe and seed.
        moved: (part,) the largest difference, biases included.
        line: the whole network as one logistic regression on the pixels.
        apart: the largest difference between its log-odds and the network's, over 100 drawn digits.
        size: the largest absolute log-odds among them.
        origin: for exports.
    """

    before: Array
    after: Array
    moved: tuple[float, ...]
    line: "Line"
    apart: float
    size: float
    origin: dict[str, str | int | float]


def refusal(card: Card) -> str | None:
    """Return why this cannot be shown: the one-token model, which it always shows, has not been trained."""
    return None if NAME in cards.names() else f"`{NAME}`: *not trained*."


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the kernels before and after training, the single weight, and the equivalent logistic regression."""
    own = cards.read(NAME)
    found = cache.computed(kernels, own)
    view = cache.attention(own, picture.source, picture.number)
    weight = float(
        np.exp(view.query[0, 0] @ view.key[0, 0] / np.sqrt(view.query.shape[-1]) - view.log_normaliser[0, 0])
    )
    if card.name != NAME:
        st.button(
            "Open this model in the viewer",
            on_click=url_state.set_value,
            kwargs={"model": NAME, "query": None, "key": None},
        )
    moved = dict(zip(PARTS, found.moved, strict=True))
    st.markdown(
        f"The softmax over one score is $e^s / e^s = 1$. On this picture the only weight is **{weight:.10g}**, as on "
        "any other. So :orange[query] and :blue[key] cannot change the answer, and no gradient reaches them. "
        f"In training they have changed by **{plain(moved['query'])}** and **{plain(moved['key'])}** at most; "
        f":green[value] by {plain(moved['value'])}."
    )
    maps = np.concatenate([found.before, found.after, found.after - found.before])
    labels = [f"{part}, {state}" for state in STATES for part in PARTS]
    order = [state * 3 + part for part in range(3) for state in range(3)]  # a row a part
    left, right = st.columns([3, 2], gap="large")
    with left:
        map_grid(
            maps[order], [labels[at] for at in order], key="one_token_kernels", table=Table(PARTS, STATES),
            title="The kernels: one weight per pixel", origin=found.origin,
        )  # fmt: skip
        st.caption("The kernels before training were computed again from the recipe and the seed.")
    with right:
        map_grid(
            found.line.weight[None], ["log-odds per pixel"], key="one_token_line", picture=view.picture,
            title="The whole network in one picture", origin={**found.origin, "bias": found.line.bias},
        )  # fmt: skip
        image = cache.seen(own, picture.source, picture.number)[..., 0] / 255
        odds = float(found.line.logit(image))
        st.markdown(
            f"Multiply each pixel by its weight here, add up the products, and add {short(found.line.bias)}: for the "
            f"picture above this gives **{short(odds)}**, the log-odds of {own.classes[1]} against {own.classes[0]}. "
            f"The network gives {short(float(np.log(view.probabilities[1] / view.probabilities[0])))}."
        )
    st.markdown(
        f"Value, output and classifier are linear, and combine into this one picture. On {STROKES} drawn digits "
        f"the two differ by {plain(found.apart)} at most, where log-odds reach {short(found.size)}: rounding.\n\n"
        "**What it does not show.** That such a network is bad: logistic regression is hard to beat on upright ones "
        "and eights. It shows only that there is no attention in it."
    )


def plain(value: float) -> str:
    """Return a difference in words; one of exactly 0 is named as such."""
    return "exactly 0" if value == 0 else short(value, 3)


def kernels(checkpoint: "Checkpoint") -> Kernels:
    """Return the kernels before and after training, and the logistic regression that equals the network."""
    import torch

    from attnviz.answers import as_batch
    from attnviz.measures.pixel_attention import one_line
    from attnviz.training import seeds
    from attnviz.ui.shared import inference

    model: Any = checkpoint.model
    card = checkpoint.card
    first: Any = seeds.build(card.recipe, torch.Generator().manual_seed(card.seed)).double().requires_grad_(False)
    layers = [[getattr(one.attention, part) for part in PARTS] for one in (first, model)]
    before, after = (
        np.stack([layer.weight[0].reshape(model.shape).numpy() for layer in several]) for several in layers
    )
    moved = tuple(
        max(float((new - old).abs().max()) for old, new in zip(one.parameters(), other.parameters(), strict=True))
        for one, other in zip(*layers, strict=True)
    )
    chain = [(layer.weight, layer.bias) for layer in (model.attention.value, model.attention.output, model.classifier)]
    line = one_line.folded(*chain, mean=model.standardise.mean, std=model.standardise.std, shape=model.shape)
    images = [cache.seen(card, "strokes", number) for number in range(STROKES)]
    with torch.no_grad():
        odds = model(torch.cat([as_batch(image, double=True) for image in images]))[:, 0].numpy()
    apart = np.abs(line.logit(np.stack(images)[..., 0] / 255) - odds).max()
    return Kernels(before, after, moved, line, float(apart), float(np.abs(odds).max()),
                   inference.origin(checkpoint, "none", "attention"))  # fmt: skip
