"""Shuffle the pixels: without positions, only the last layer of a model is affected; same.py shows why."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz.arrays import Floats
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net, Subject
from attnviz.ui.components.map_grid import map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import Index, View
from attnviz.ui.mechanisms.pixel_attention import selection
from attnviz.ui.mechanisms.pixel_attention.experiments import same
from attnviz.ui.mechanisms.pixel_attention.selection import of_one_token
from attnviz.ui.shared import cache, experiments, url_state
from attnviz.ui.shared.wording import share, short
from attnviz.views.attention import AttentionView

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.measures.pixel_attention.shuffle import Look
    from attnviz.subjects import Example, Loaded

TITLE = "Does it know where a pixel is?"
MEASURES = "Shuffles all pixels, puts the maps back in order, and compares them with the maps of the original picture."
WORDS = ("shuffle",)

ORDERS = 1000
LISTED = 4  # the maximum number of answers in the table
ROUNDING = 1e-9  # smaller differences between weights come from the order in which numbers were added


@dataclass(frozen=True, eq=False)
class Facts:
    """A picture, original and shuffled, and the model's results for both.

    Args:
        pictures: The pictures (2, row, column), original and shuffled, at the resolution of the pixels, 0..1.
        tokens: The same at the resolution of the tokens.
        probabilities: The answers (2, class).
        weights: The largest difference between weights that are put back in order, over all heads and pairs.
        outputs: The same for the layer's outputs.
    """

    pictures: Floats
    tokens: Floats
    probabilities: Floats
    weights: float
    outputs: float


refusal = of_one_token("This model takes the whole picture as one token: there is nothing to shuffle.")


def show(subject: Subject) -> None:
    """Draw the picture and its attention before and after."""
    say = experiments.finding()
    view = attention(subject)
    seed = url_state.number("shuffle", ORDERS, 1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head = selection.head(len(view.query), mean=True)
        st.button("Shuffle again", on_click=url_state.set_value, kwargs={"shuffle": seed % (ORDERS - 1) + 1})
        st.button("Original order", on_click=url_state.set_value, kwargs={"shuffle": 0}, disabled=seed == 0)
    query = selection.token(view, "query")
    facts = cache.of_subject(compute, subject, seed)
    number = query.number if query else None
    received = cache.of_subject(maps, subject, seed, head, number)
    say(finding(view, facts, seed, bool(subject.net.config.get("positions"))))

    left, right = st.columns([2, 3], gap="medium")
    with left:
        map_grid(SHUFFLED.of(subject, maps="pictures", seed=seed), key="shuffle_pictures")
        st.markdown(answers(view.classes, facts.probabilities))
    with right:
        map_grid(SHUFFLED.of(subject, maps="attention", seed=seed, head=head, query=number), key="shuffle_maps")
        apart = float(np.abs(received[2] - received[0]).max())
        st.markdown(f"Largest difference between *original* and *back in order*: **{short(apart)}**.")
    same.show(subject, head)


class OfOrder(Strict):
    """The maps to show of an example and its shuffled version: the pictures, or the attention that positions receive.

    The seed is the number of the order, 0 for the original one. The attention is that of a head or the mean of all
    heads, from a query or the mean over all queries.
    """

    maps: Literal["pictures", "attention"] = "attention"
    seed: Annotated[int, Field(ge=0, lt=ORDERS)] = 1
    head: Index | None = None
    query: Index | None = None


def payload(subject: Subject, parameters: OfOrder) -> bytes:
    """Return maps of the picture, or of its attention, before and after the shuffle."""
    view, seed, head = attention(subject), parameters.seed, parameters.head
    selection.check(view, head, parameters.query)
    facts = cache.of_subject(compute, subject, seed)
    origin = {**view.origin, "experiment": "shuffle", "order": seed}
    if parameters.maps == "pictures":
        labels = ["original", "shuffled" if seed else "order 0: original"]
        return packed(facts.pictures, labels, role="ink", title="The picture", origin=origin)
    query = None if parameters.query is None else selection.at(view, parameters.query)
    of = f"where {query.place} takes from" if query else "received from all"
    return packed(
        cache.of_subject(maps, subject, seed, head, parameters.query).reshape(3, view.rows, view.columns),
        ["original", "shuffled", "back in order"],
        role="share",
        tokens=view.query.shape[1],
        picture=facts.tokens[[0, 1, 0]],
        title=f"{selection.name(head)}, {of}",
        origin=origin,
    )


def four_passes(parameters: OfOrder, net: Net) -> float:
    """Return the cost in forward passes: two for the pictures, and two for the maps."""
    return 4.0


SHUFFLED = View("shuffled", OfOrder, payload, four_passes)
VIEWS = (SHUFFLED, same.SAME_INTENSITY)


def answers(classes: tuple[str, ...], probabilities: Floats) -> str:
    """Return the probabilities (2, class), original and shuffled, as a table of the most probable answers."""
    likeliest = np.argsort(-probabilities.max(0), kind="stable")[:LISTED]
    rows = [(classes[label], *probabilities[:, label]) for label in sorted(likeliest)]
    if len(classes) > LISTED:
        rows.append(("others", *(1 - probabilities[:, likeliest].sum(1)).clip(0)))
    lines = [f"| {label} | {share(float(before))} | {share(float(after))} |" for label, before, after in rows]
    return "\n".join(["| :green[answer] | original | shuffled |", "| --- | ---: | ---: |", *lines])


def finding(view: AttentionView, facts: Facts, seed: int, positions: bool) -> str:
    """Return the finding on which results the shuffle changed."""
    if not seed:
        return "Nothing is shuffled: order 0 is the original picture."
    heads, tokens, _ = view.query.shape
    every = f"all {tokens * tokens:,} pairs" + (f" in each of {heads} heads" if heads > 1 else "")
    moved = 100 * float(np.abs(facts.probabilities[1] - facts.probabilities[0]).max())
    last = (
        f"The answer changes by {moved:.2f} points at most: the last layer has a weight of its own for each position."
    )
    weights, outputs = short(facts.weights), short(facts.outputs)
    if facts.weights <= ROUNDING:
        return (
            f"**No, its attention does not**: the maps are shuffled like the pixels. Over {every}, no weight that is "
            f"put back in order differs by more than {weights}, and no output of the layer by more than {outputs}: "
            f"only rounding. {last}"
        )
    why = " Each token has a position code, which stays where it is while the pixels move." if positions else ""
    return (
        f"**Yes**: the maps are not shuffled like the pixels. Over {every}, weights that are put back in order differ "
        f"by up to {weights}, {short(facts.weights * tokens, 3)} times an even share, and outputs of the layer by up "
        f"to {outputs}; rounding would give about 0.{why} {last}"
    )


def compute(loaded: "Loaded", example: "Example", seed: int) -> Facts:
    """Return an example and its shuffled version with the net's results."""
    import torch

    from attnviz.answers import probabilities
    from attnviz.measures.pixel_attention import shuffle
    from attnviz.views import attending

    pictures, (before, after), order = looks(loaded, example, seed)
    weights, outputs = shuffle.differences(before, after, shuffle.of_tokens(order, before.grid))
    return Facts(
        pictures=torch.stack(pictures)[:, 0].numpy(),
        tokens=np.stack([attending.pooled(one[None], before.grid).numpy() for one in pictures]),
        probabilities=torch.cat([probabilities(seen.logits) for seen in (before, after)]).numpy(),
        weights=float(weights.max()),
        outputs=outputs,
    )


def maps(loaded: "Loaded", example: "Example", seed: int, head: int | None, query: int | None) -> Floats:
    """Return the attention that each position receives, (3, position): original, shuffled, and back in order.

    It is that of a head or the mean of all heads, from a query or the mean over all queries. A query is numbered in the
    original picture and followed through the shuffle.
    """
    import torch

    from attnviz.measures.pixel_attention import shuffle

    _, (before, after), order = looks(loaded, example, seed)
    tokens = shuffle.of_tokens(order, before.grid)
    moved = None if query is None else int((tokens == query).nonzero())
    first, second = shuffle.received(before, head, query), shuffle.received(after, head, moved)
    return torch.stack([first, second, shuffle.put_back(second, tokens)])[:, before.grid.prefix :].numpy()


def looks(loaded: "Loaded", example: "Example", seed: int) -> tuple[list["Tensor"], list["Look"], "Tensor"]:
    """Return an example (channel, row, column), original and shuffled, the net's results, and the new order."""
    from attnviz.measures.pixel_attention import shuffle
    from attnviz.ui.shared import inference

    picture = inference.batch_of(loaded, example)[0]
    before = shuffle.look(loaded.model, picture)
    order = shuffle.order(before.grid.rows * before.grid.columns, seed)
    moved = shuffle.shuffled(picture, order, before.grid)
    return [picture, moved], [before, shuffle.look(loaded.model, moved)], order
