"""Shuffle the pixels: a model without positions does not notice, but for its last layer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.cards import Card
from attnviz.ui import address, cache, locked, pickers
from attnviz.ui.map_grid import map_grid
from attnviz.ui.pixel_viewer import AttentionView
from attnviz.ui.wording import short

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.shuffle import Look

TITLE = "Shuffle the pixels"
QUESTION = "Does the attention notice *where* a pixel is? Shuffle all of them, put the map back in place, and compare."
WORDS = ("shuffle",)

ORDERS = 1000
LISTED = 4  # answers
ROUNDING = 1e-9  # a smaller difference between weights comes from the order in which numbers were added

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Facts:
    """A picture as it is and shuffled, and what a model makes of both.

    Args:
        pictures: (2, row, column) as it is, shuffled; at the resolution of the pixels, 0..1.
        tokens: (2, row, column) the same at the resolution of the tokens.
        probabilities: (2, class)
        weights: largest difference of a weight once put back in place, over all heads and pairs.
        outputs: the same of a number of the layer's output.
    """

    pictures: Array
    tokens: Array
    probabilities: Array
    weights: float
    outputs: float


def refusal(card: Card) -> str | None:
    """Return why this model cannot answer it; None where it can."""
    if card.config.get("pool", 1) * card.config.get("patch", 1) >= card.config.get("rows", 28):
        return "This model takes the whole picture as one token: there is nothing to shuffle."
    return None


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the picture and its attention before and after."""
    view = cache.attention(card, picture.source, picture.number)
    seed = address.number("shuffle", ORDERS, 1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head = locked.head(len(view.query), mean=True)
        st.button("Shuffle again", on_click=address.put, kwargs={"shuffle": seed % (ORDERS - 1) + 1})
        st.button("As it is", on_click=address.put, kwargs={"shuffle": 0}, disabled=seed == 0)
    query = locked.token(view, "query")
    facts = cache.kept(compute, card, picture.source, picture.number, seed)
    asked = picture.source, picture.number, seed, head, query.number if query else None
    received = cache.kept(maps, card, *asked).reshape(3, view.rows, view.columns)
    origin = {**view.origin, "experiment": "shuffle", "order": seed}

    left, right = st.columns([2, 3], gap="medium")
    with left:
        map_grid(
            facts.pictures, ["as it is", "shuffled" if seed else "order 0: as it is"], key="shuffle_pictures",
            role="ink", title="The picture", origin=origin,
        )  # fmt: skip
        st.markdown(answers(view.classes, facts.probabilities))
    with right:
        of = f"taken by {query.place}" if query else "received from all"
        map_grid(
            received, ["as it is", "shuffled", "put back in place"],
            key="shuffle_maps", role="share", tokens=view.query.shape[1],
            picture=facts.tokens[[0, 1, 0]], title=f"{locked.name(head)}, {of}", origin=origin,
        )  # fmt: skip
        apart = float(np.abs(received[2] - received[0]).max())
        st.markdown(f"Largest difference between *as it is* and *put back in place*: **{short(apart)}**.")
        st.markdown(finding(view, facts, seed, bool(card.config.get("positions"))))


def answers(classes: tuple[str, ...], probabilities: Array) -> str:
    """Return the probabilities (2, class), as it is and shuffled, as a table: of all answers, or of the likeliest."""
    likeliest = np.argsort(-probabilities.max(0), kind="stable")[:LISTED]
    rows = [(classes[label], *probabilities[:, label]) for label in sorted(likeliest)]
    if len(classes) > LISTED:
        rows.append(("others", *(1 - probabilities[:, likeliest].sum(1)).clip(0)))
    lines = [f"| {label} | {100 * before:.2f} % | {100 * after:.2f} % |" for label, before, after in rows]
    return "\n".join(["| :green[answer] | as it is | shuffled |", "| --- | ---: | ---: |", *lines])


def finding(view: AttentionView, facts: Facts, seed: int, positions: bool) -> str:
    """Say what the shuffle changed and what it did not."""
    if not seed:
        return "Nothing is shuffled: order 0 is the picture as it is."
    heads, tokens, _ = view.query.shape
    every = f"all {tokens * tokens:,} pairs" + (f" in each of {heads} heads" if heads > 1 else "")
    moved = 100 * float(np.abs(facts.probabilities[1] - facts.probabilities[0]).max())
    last = f"The answer changes by {moved:.2f} points at most: the last layer has a weight of its own for each place."
    weights, outputs = short(facts.weights), short(facts.outputs)
    if facts.weights <= ROUNDING:
        return (
            f"Over {every}, no weight that is put back in place differs by more than **{weights}**, and no output of "
            f"the layer by more than {outputs}: nothing but rounding. **The maps shuffle along**, for nothing tells "
            f"this attention where a pixel is. {last}"
        )
    why = (
        "Each token carries a code of its place, which stays where it is while the pixels move."
        if positions
        else "That is more than rounding."
    )
    return (
        f"Over {every}, weights that are put back in place differ by up to **{weights}**, "
        f"{short(facts.weights * tokens, 3)} times an even share, and outputs of the layer by up to {outputs}. "
        f"**The maps do not shuffle along.** {why} {last}"
    )


def compute(checkpoint: "Checkpoint", source: str, number: int, seed: int) -> Facts:
    """Look at a test picture as it is and shuffled."""
    import torch

    from attnviz.measures import shuffle
    from attnviz.models import probabilities
    from attnviz.ui import looking

    pictures, (before, after), order = looks(checkpoint, source, number, seed)
    weights, outputs = shuffle.differences(before, after, shuffle.of_tokens(order, before.grid))
    return Facts(
        pictures=torch.stack(pictures)[:, 0].numpy(),
        tokens=np.stack([looking.pooled(one[None], before.grid).numpy() for one in pictures]),
        probabilities=torch.cat([probabilities(seen.logits) for seen in (before, after)]).numpy(),
        weights=float(weights.max()),
        outputs=outputs,
    )


def maps(checkpoint: "Checkpoint", source: str, number: int, seed: int, head: int | None, query: int | None) -> Array:
    """Return what each place of a picture receives: (3, place), as it is, shuffled, and put back in place.

    Args:
        checkpoint, source, number, seed: what looks at what.
        head: None for the mean of all.
        query: the token that gives, counted in the picture as it is and followed through the shuffle; None for the
            mean over all.
    """
    import torch

    from attnviz.measures import shuffle

    _, (before, after), order = looks(checkpoint, source, number, seed)
    tokens = shuffle.of_tokens(order, before.grid)
    moved = None if query is None else int((tokens == query).nonzero())
    first, second = shuffle.received(before, head, query), shuffle.received(after, head, moved)
    return torch.stack([first, second, shuffle.put_back(second, tokens)])[:, before.grid.prefix :].numpy()


def looks(
    checkpoint: "Checkpoint", source: str, number: int, seed: int
) -> tuple[list["Tensor"], list["Look"], "Tensor"]:
    """Return a picture, (channel, row, column), as it is and shuffled; a model's look at both; the order of places."""
    from attnviz.measures import shuffle
    from attnviz.ui import looking

    picture = looking.as_batch(cache.picture(source, number)[0])[0]
    before = shuffle.look(checkpoint.model, picture)
    order = shuffle.order(before.grid.rows * before.grid.columns, seed)
    moved = shuffle.shuffled(picture, order, before.grid)
    return [picture, moved], [before, shuffle.look(checkpoint.model, moved)], order
