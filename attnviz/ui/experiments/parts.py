"""What a score is made of: four parts, each a half of the query, content or position, times a half of the key."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.cards import Card
from attnviz.ui import cache, equations, locked, pickers
from attnviz.ui.map_grid import map_grid
from attnviz.ui.wording import short

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint

TITLE = "What a score is made of"
QUESTION = (
    "Does a pixel look for *ink* or for a *place*? Each score is exactly a sum of four: what the intensities and the "
    "places of :orange[query] and :blue[key] say to each other."
)
WORDS = ()

CONTENT, PLACE = "content", "position"
HALVES = [(query, key) for query in (CONTENT, PLACE) for key in (CONTENT, PLACE)]  # in the order of measures/split.py

Array = npt.NDArray[np.float64]


def refusal(card: Card) -> str | None:
    """Return why this model cannot answer it; None where it can."""
    if card.config.get("patch", 1) > 1:
        return "This model takes many pixels as one token: its scores are of whole patches, not of one intensity."
    return None


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the four parts of one row of scores and their sum, and the numbers of one pair."""
    view = cache.attention(card, picture.source, picture.number)
    head = locked.head(len(view.query)) or 0
    query = locked.token(view, "query")
    if query is None:
        query = locked.middle_of_the_ink(view)
        st.info(f"Click a pixel in the viewer above to lock it. As an example, here is {query.place}.")
    parts = cache.kept(compute, card, picture.source, picture.number, head, query.number)
    key = locked.token(view, "key")
    chosen = "the key that is locked" if key else "its largest score; click a second pixel above to lock another"
    key = key or locked.at(view, int(parts.sum(0).argmax()))

    maps = np.concatenate([parts, parts.sum(0)[None]])  # (part or sum, token)
    map_grid(
        maps[:, view.prefix :].reshape(-1, view.rows, view.columns),
        [*(f"{one} × {other}" for one, other in HALVES), "sum: the score"],
        key="parts", title=f"Scores of {query.place}, head {head + 1}",
        picture=view.picture, origin={**view.origin, "experiment": "parts", "query": query.place, "head": head + 1},
    )  # fmt: skip
    left, right = st.columns([3, 2], gap="large")
    left.markdown(table(parts, key.number))
    left.caption(
        "Each part is a half of the :orange[query] times a half of the :blue[key]. *Explains*: the part's covariance "
        "with the score over the score's variance, over all keys. The four sum to 100 %; one that works against the "
        "others is below 0."
    )
    with right:
        positions = bool(card.config.get("positions"))
        st.markdown(formula(positions, view.query.shape[-1]))
        st.markdown(
            f"This pair, :orange[{query.place}] and :blue[{key.place}] ({chosen}):\n\n{pair(parts, key.number)}"
        )
        st.markdown(meaning(positions))


def table(parts: Array, key: int) -> str:
    """Return the parts (part, token) and their sum as a table: range, share of the variance, value at one key."""
    names = [f":orange[{one}] × :blue[{other}]" for one, other in HALVES]
    shares = [percent(share) for share in explained(parts)]
    score = parts.sum(0)
    lines = [
        f"| {name} | {short(row.min())} | {short(row.max())} | {share} | {short(row[key])} |"
        for name, row, share in zip(
            [*names, "**sum: the score**"],
            [*parts, score],
            [*shares, percent(sum(explained(parts)))],
            strict=True,
        )
    ]
    return "\n".join(
        ["| part | lowest | highest | explains | this pair |", "| --- | ---: | ---: | ---: | ---: |", *lines]
    )


def percent(share: float) -> str:
    """Return a share as per cent, a dash where there is none."""
    if np.isnan(share):
        return "\u2013"
    return f"{round(100 * share, 1) + 0.0:.1f} %".replace("-", "\u2212")  # + 0.0: no minus before a zero


def explained(parts: Array) -> Array:
    """Return the share of the variance over keys that each part explains: (part,), they sum to 1.

    Args:
        parts: (part, token), of one row of scores.

    Returns:
        The covariance of each part with the sum, over the variance of the sum; NaN where the sum is constant.
    """
    centred = parts - parts.mean(1, keepdims=True)
    whole = centred.sum(0)
    variance = whole @ whole
    return centred @ whole / variance if variance else np.full(len(parts), np.nan)


def pair(parts: Array, key: int) -> str:
    """Return the four numbers that sum to the score of one key, as an equation."""
    numbers = [f"({short(value)})" if value < 0 else short(value) for value in parts[:, key]]
    return f"{' + '.join(numbers)} = **{short(parts[:, key].sum())}**"


def formula(positions: bool, size: int) -> str:
    """Return the equation of a score as a product of sums, and what the halves are."""
    query, key = (
        equations.coloured(colour, rf"{name}^c_{index} + {name}^p_{index}")
        for colour, name, index in ((equations.QUERY, "q", "i"), (equations.KEY, "k", "j"))
    )
    place = "P\\,p_i + b" if positions else "b"
    return (
        f"$$\ns_{{ij}} = \\frac{{({query}) \\cdot ({key})}}{{\\sqrt{{{size}}}}}\n$$\n\n"
        f"Content is $q^c_i = w\\,x_i$, weight times intensity. Position is $q^p_i = {place}$; keys likewise. The bias "
        "$b$ counts as position, for it does not depend on the picture."
    )


def meaning(positions: bool) -> str:
    """Say how to read the parts."""
    if positions:
        return (
            "What is the same for all keys changes no weight: the softmax takes it away. So a part counts by how much "
            "it *varies* over the map, not by how high it stands."
        )
    return (
        "No code of the place is joined in this model: position is the bias alone. The two parts with the key's "
        "position are then one number for all keys, and the softmax takes it away: they change no weight."
    )


def compute(checkpoint: "Checkpoint", source: str, number: int, head: int, query: int) -> Array:
    """Return the four parts of one row of scores of a test picture: (part, token), in the order of `HALVES`."""
    from attnviz.measures.split import split
    from attnviz.models.pixel_attention import PixelAttention
    from attnviz.ui import looking

    model = checkpoint.model
    assert isinstance(model, PixelAttention), "the page has no others"
    tokens = model.tokens(looking.as_batch(cache.picture(source, number)[0]))[0]  # (token, content and code)
    layer, count = model.attention, model.patch**2
    found = split(
        tokens[:, :count], tokens[:, count:], query_weight=layer.query.weight, query_bias=layer.query.bias,
        key_weight=layer.key.weight, key_bias=layer.key.bias, heads=layer.heads,
    )  # fmt: skip
    return np.stack([part[query] for part in found.scores(head).values()])
