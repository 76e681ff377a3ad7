"""The picture as one token: attention with a single weight, which is 1, so query and key never change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import streamlit as st

from attnviz import cards, subjects
from attnviz.arrays import Floats
from attnviz.data import always
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net, Picture, Subject
from attnviz.subjects.subject import origin_of
from attnviz.ui.components.map_grid import Table, map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention.paper_tiles import PARTS, untrained
from attnviz.ui.mechanisms.pixel_attention.selection import single_token
from attnviz.ui.shared import cache, experiments, url_state
from attnviz.ui.shared.wording import short

if TYPE_CHECKING:
    from attnviz.measures.pixel_attention.linear import Line
    from attnviz.subjects import Loaded

TITLE = "What does attention do with a single token?"
MEASURES = (
    "Measures how much training has changed query, key and value of a model that takes all 784 pixels as *one* token."
)
WORDS = ()

NAME = "pixel_attention.1v8-one-token"
ROUNDING = 1e-9
STATES = ("before training", "after training", "difference")
PICTURES = 100  # drawn digits on which the logistic regression and the network are compared


@dataclass(frozen=True, eq=False)
class Kernels:
    """The kernels of query, key and value of the one-token model, and the logistic regression that equals the model.

    Args:
        before, after: The kernels (part, row, column); those before training are computed from config and seed.
        moved: The largest difference (part,), biases included.
        line: The whole network as one logistic regression on the pixels.
        apart: The largest difference between its log-odds and the network's, over 100 drawn digits.
        size: The largest absolute log-odds among them.
        origin: The fields of exports that record the origin of the kernels.
    """

    before: Floats
    after: Floats
    moved: tuple[float, ...]
    line: "Line"
    apart: float
    size: float
    origin: dict[str, str | int | float]


def refusal(net: Net) -> str | None:
    """Return a message if the one-token model, which is always shown, has not been trained, else None."""
    return None if cards.is_there(NAME) else f"`{NAME}`: *not trained*."


def show(subject: Subject) -> None:
    """Draw the kernels before and after training, the single weight, and the equivalent logistic regression."""
    say = experiments.finding()
    own = Subject(subjects.net(NAME), subject.example)
    found, view = cache.of_net(kernels, own.net), attention(own)
    weight = float(
        np.exp(view.query[0, 0] @ view.key[0, 0] / np.sqrt(view.query.shape[-1]) - view.log_normaliser[0, 0])
    )
    if subject.net.key != NAME:
        st.button(
            "Open this model in the viewer",
            on_click=url_state.set_value,
            kwargs={"model": NAME, "query": None, "key": None},
        )
    moved = dict(zip(PARTS, found.moved, strict=True))
    say(finding(weight, moved))
    st.markdown(
        "The softmax over one score is $e^s / e^s = 1$, on this picture as on any other. So :orange[query] and "
        ":blue[key] cannot change the answer, and no gradient reaches them."
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        map_grid(ONE_TOKEN.of(own, maps="kernels"), key="one_token_kernels")
        st.caption("The kernels before training were computed again from the recipe and the seed.")
    with right:
        map_grid(ONE_TOKEN.of(own, maps="line"), key="one_token_line")
        odds = float(found.line.logit(own.image[..., 0] / 255))
        st.markdown(
            f"Multiply each pixel by its weight here, add up the products, and add {short(found.line.bias)}: for the "
            f"picture above this gives **{short(odds)}**, the log-odds of {view.classes[1]} against {view.classes[0]}. "
            f"The network gives {short(float(np.log(view.probabilities[1] / view.probabilities[0])))}."
        )
    st.markdown(
        f"Value, output and classifier are linear, so they combine into this one picture. On {PICTURES} drawn digits "
        f"the two differ by {plain(found.apart)} at most, where log-odds reach {short(found.size)}: rounding.\n\n"
        "**What it does not show.** This does not mean that such a network is bad: logistic regression is hard to beat "
        "on upright ones and eights. It only means that there is no attention in it."
    )


def finding(weight: float, moved: Mapping[str, float]) -> str:
    """Return the finding on whether attention does anything with one token, from its weight and each part's change."""
    still = [part for part in ("query", "key") if moved[part] == 0]
    if abs(weight - 1) < ROUNDING and len(still) == 2:
        return (
            f"**Nothing**: the only weight on this picture is {weight:.10g}. Training has changed :orange[query] and "
            f":blue[key] by exactly 0, :green[value] by up to {plain(moved['value'])}."
        )
    return (
        f"**Something**: the only weight on this picture is {weight:.10g}. Training has changed :orange[query] by up "
        f"to {plain(moved['query'])}, :blue[key] by up to {plain(moved['key'])}, :green[value] by up to "
        f"{plain(moved['value'])}."
    )


class OfMaps(Strict):
    """The maps to show: the kernels, or the logistic regression that equals the network."""

    maps: Literal["kernels", "line"] = "kernels"


def payload(subject: Subject, parameters: OfMaps) -> bytes:
    """Return the kernels before and after training, or the whole network in one picture, as maps."""
    if not single_token(subject.net):
        raise BadInput(f"{subject.net.key} takes a picture as several tokens.")
    found = cache.of_net(kernels, subject.net)
    if parameters.maps == "line":
        return packed(
            found.line.weight[None], ["log-odds per pixel"], picture=attention(subject).picture,
            title="The whole network in one picture", origin={**found.origin, "bias": found.line.bias},
        )  # fmt: skip
    maps = np.concatenate([found.before, found.after, found.after - found.before])
    labels = [f"{part}, {state}" for state in STATES for part in PARTS]
    order = [state * 3 + part for part in range(3) for state in range(3)]  # one row for each part
    return packed(
        maps[order], [labels[at] for at in order], table=Table(PARTS, STATES),
        title="The kernels: one weight per pixel", origin=found.origin,
    )  # fmt: skip


def hundred(parameters: OfMaps, net: Net) -> float:
    """Return the cost in forward passes."""
    return PICTURES


ONE_TOKEN = View("one_token", OfMaps, payload, hundred)
VIEWS = (ONE_TOKEN,)


def plain(value: float) -> str:
    """Return a difference in words, with a difference of 0 as "exactly 0"."""
    return "exactly 0" if value == 0 else short(value, 3)


def kernels(loaded: "Loaded") -> Kernels:
    """Return the kernels before and after training, and the logistic regression that equals the network."""
    import torch

    from attnviz.answers import as_batch
    from attnviz.measures.pixel_attention import linear

    net, model = loaded.net, cast("Any", loaded.model)
    layers = [[getattr(one.attention, part) for part in PARTS] for one in (untrained(net), model)]
    before, after = (
        np.stack([layer.weight[0].reshape(model.shape).numpy() for layer in several]) for several in layers
    )
    moved = tuple(
        max(float((new - old).abs().max()) for old, new in zip(one.parameters(), other.parameters(), strict=True))
        for one, other in zip(*layers, strict=True)
    )
    chain = [(layer.weight, layer.bias) for layer in (model.attention.value, model.attention.output, model.classifier)]
    line = linear.folded(*chain, mean=model.standardise.mean, std=model.standardise.std, shape=model.shape)
    source = always.source(net.data or "")
    assert source is not None, "digits can be drawn"
    images = [Picture(source, number).taken_by(net) for number in range(PICTURES)]
    with torch.no_grad():
        odds = model(torch.cat([as_batch(image, double=True) for image in images]))[:, 0].numpy()
    apart = np.abs(line.logit(np.stack(images)[..., 0] / 255) - odds).max()
    return Kernels(before, after, moved, line, float(apart), float(np.abs(odds).max()),
                   {**origin_of(net), "image": "none", "address": "attention"})  # fmt: skip
