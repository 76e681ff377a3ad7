"""The picture as one token: an attention of one weight, which is 1, whose query and key never move."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.ui import address, cache, pickers
from attnviz.ui.map_grid import Table, map_grid
from attnviz.ui.wording import short

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.one_line import Line

TITLE = "The picture as one token"
QUESTION = (
    "The paper's published weights take all 784 pixels as *one* token. What does attention do that has one token only?"
)
WORDS = ()

NAME = "pixel_attention.1v8-one-token"
PARTS = ("query", "key", "value")
STATES = ("before training", "after training", "difference")
STROKES = 100  # pictures on which line and net are compared

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kernels:
    """The kernels of query, key and value of the model of one token, and the line that the whole net is.

    Args:
        before, after: (part, row, column); before is what recipe and seed give.
        moved: (part,) the largest difference, biases included.
        line: the whole net as one line through the pixels.
        apart: the largest difference between its log-odds and the net's, over 100 drawn digits.
        size: the largest log-odds among them, in size.
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
    """Return why it cannot be shown: the model of one token, which it always shows, has not been trained."""
    return None if NAME in cards.names() else f"`{NAME}`: *not trained*."


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the kernels before and after training, the one weight, and the line that the whole net is."""
    own = cards.read(NAME)
    found = cache.kept(kernels, own)
    view = cache.attention(own, picture.source, picture.number)
    weight = float(
        np.exp(view.query[0, 0] @ view.key[0, 0] / np.sqrt(view.query.shape[-1]) - view.log_normaliser[0, 0])
    )
    if card.name != NAME:
        st.button(
            "Open this model in the viewer", on_click=address.put, kwargs={"model": NAME, "query": None, "key": None}
        )
    moved = dict(zip(PARTS, found.moved, strict=True))
    st.markdown(
        f"The softmax over one score is $e^s / e^s = 1$. On this picture the one weight is **{weight:.10g}**, as on "
        "any other. So nothing that :orange[query] or :blue[key] say can change the answer, no gradient reaches them, "
        f"and in training they have moved by **{plain(moved['query'])}** and **{plain(moved['key'])}** at most; "
        f":green[value] by {plain(moved['value'])}."
    )
    maps = np.concatenate([found.before, found.after, found.after - found.before])
    labels = [f"{part}, {state}" for state in STATES for part in PARTS]
    order = [state * 3 + part for part in range(3) for state in range(3)]  # a row a part
    left, right = st.columns([3, 2], gap="large")
    with left:
        map_grid(
            maps[order], [labels[at] for at in order], key="one_token_kernels", table=Table(PARTS, STATES),
            title="One weight a pixel: the kernels", origin=found.origin,
        )  # fmt: skip
        st.caption("Before training is what the recipe and the seed give: it was computed again, not kept.")
    with right:
        map_grid(
            found.line.weight[None], ["log-odds a pixel"], key="one_token_line", picture=view.picture,
            title="The whole net in one picture", origin={**found.origin, "bias": found.line.bias},
        )  # fmt: skip
        image = cache.picture(picture.source, picture.number)[0][..., 0] / 255
        odds = float(found.line.logit(image))
        st.markdown(
            f"Multiply each pixel by this picture, add {short(found.line.bias)}: for the picture above "
            f"**{short(odds)}**, the log-odds of {own.classes[1]} against {own.classes[0]}. The net gives "
            f"{short(float(np.log(view.probabilities[1] / view.probabilities[0])))}."
        )
    st.markdown(
        f"Value, output and classifier are lines one after another, and fold into this one. On {STROKES} drawn digits "
        f"line and net differ by {plain(found.apart)} at most, where log-odds reach {short(found.size)}: rounding.\n\n"
        "**What it does not show.** That such a net is bad: a line through the pixels is hard to beat on upright ones "
        "and eights. Only that no attention is in it."
    )


def plain(value: float) -> str:
    """Return a difference as a person reads it; exactly 0 is said so."""
    return "exactly 0" if value == 0 else short(value, 3)


def kernels(checkpoint: "Checkpoint") -> Kernels:
    """Return the kernels before and after training, and the line that the net is."""
    import torch

    from attnviz.measures import one_line
    from attnviz.training import seeds
    from attnviz.ui import looking

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
    images = [cache.picture("strokes", number)[0] for number in range(STROKES)]
    with torch.no_grad():
        odds = model(torch.cat([looking.as_batch(image) for image in images]))[:, 0].numpy()
    apart = np.abs(line.logit(np.stack(images)[..., 0] / 255) - odds).max()
    return Kernels(before, after, moved, line, float(apart), float(np.abs(odds).max()),
                   looking.origin(checkpoint, "none", "attention"))  # fmt: skip
