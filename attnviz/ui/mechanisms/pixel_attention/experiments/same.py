"""Do pixels of the same intensity attend in the same way? Without positions they do."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.arrays import Floats
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Example, Loaded, Subject
from attnviz.ui.components.map_grid import map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import Index, View
from attnviz.ui.mechanisms.pixel_attention import equations, selection
from attnviz.ui.shared import cache, experiments
from attnviz.ui.shared.wording import short
from attnviz.views.attention import AttentionView

TITLE = "Do pixels of the same intensity attend in the same way?"
MEASURES = (
    "Compares the weights of one pixel with those of every other pixel; lock a pixel in the viewer above to choose it."
)

ROUNDING = 1e-9  # smaller differences between weights come from the order in which numbers were added


@dataclass(frozen=True, eq=False)
class Facts:
    """One pixel's row of weights, compared with all other rows.

    Args:
        same: Whether each pixel (position,), including this one, has the same intensity.
        apart: The largest difference (position,) of each pixel's row from this row, over heads and keys.
        within: The largest of these differences among pixels of the same intensity.
        other: The closest other intensity, or None if there is none.
        beyond: The smallest difference to a row of that intensity.
    """

    same: npt.NDArray[np.bool_]
    apart: Floats
    within: float
    other: float | None
    beyond: float


def show(subject: Subject, head: int | None) -> None:
    """Draw the pixels of one intensity, how much each row differs from theirs, and the row of a head or the mean."""
    view = attention(subject)
    st.subheader(TITLE, anchor=False)
    say = experiments.finding("same")
    st.markdown(MEASURES)
    locked = selection.token(view, "query")
    query = of_an_intensity(view, locked)
    if query is not locked:
        st.info(f"Click a pixel in the viewer above to lock it. This example uses {query.place}.")
    assert query.ink is not None, "only tokens that lie nowhere have none"
    facts = cache.of_subject(compute, subject, query.number)
    counts = cache.of_subject(count, subject)
    positions = bool(subject.net.config.get("positions"))
    say(f"{finding(view, facts, query.ink)} {whole(*counts, positions)}")

    columns = st.columns(3, gap="medium", vertical_alignment="bottom")  # aligns the maps
    for column, name in zip(columns, ("lit", "apart", "row"), strict=True):
        with column:
            map_grid(SAME_INTENSITY.of(subject, map=name, query=query.number, head=head), key=f"same_{name}")
    st.markdown(proof(positions))


class OfPixel(Strict):
    """The map to show: the pixels of one intensity, how much each row differs from theirs, or the row itself.

    The query is the token with this intensity, or None for one in the middle of the ink. The head is None for the mean
    of all heads.
    """

    map: Literal["lit", "apart", "row"] = "apart"
    query: Index | None = None
    head: Index | None = None


def payload(subject: Subject, parameters: OfPixel) -> bytes:
    """Return one of the three maps."""
    view, number, head = attention(subject), parameters.query, parameters.head
    selection.check(view, head, number)
    query = of_an_intensity(view, None if number is None else selection.at(view, number))
    assert query.ink is not None, "only tokens that lie nowhere have none"
    facts = cache.of_subject(compute, subject, query.number)
    shape = (1, view.rows, view.columns)
    origin = {**view.origin, "experiment": "same", "query": query.place}
    if parameters.map == "lit":
        return packed(
            facts.same.reshape(shape), ["1: the same, 0: different"], role="unit",
            title=f"Ink {short(query.ink, 3)}, like {query.place}", picture=view.picture, origin=origin,
        )  # fmt: skip
    if parameters.map == "apart":
        return packed(
            facts.apart.reshape(shape), ["largest difference between weights"], role="positive",
            title="How much each row differs from this one", picture=view.picture, origin=origin,
        )  # fmt: skip
    return packed(
        row(view, head, query.number).reshape(shape), ["weights"], role="share", tokens=view.query.shape[1],
        title=f"{selection.name(head)}: its row", picture=view.picture, origin=origin,
    )  # fmt: skip


SAME_INTENSITY = View("same_intensity", OfPixel, payload)


def of_an_intensity(view: AttentionView, locked: selection.Token | None) -> selection.Token:
    """Return the locked token or, if none with a position is locked, one in the middle of the ink."""
    if locked is None or locked.ink is None:
        return selection.middle_of_the_ink(view, company=True)
    return locked


def row(view: AttentionView, head: int | None, query: int) -> Floats:
    """Return one row of weights, (position,), of a head or the mean of all, without tokens that have no position."""
    scores = np.einsum("hs,hts->ht", view.query[:, query], view.key) / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[:, [query]])  # (head, key)
    found: Floats = weights.mean(0) if head is None else weights[head]
    return found[view.prefix :]


def finding(view: AttentionView, facts: Facts, ink: float) -> str:
    """Return the finding on how similar the rows of one intensity are, and how different the closest other one is."""
    heads, tokens, _ = view.query.shape
    over = f"{heads} heads and {tokens} keys" if heads > 1 else f"{tokens} keys"
    count = int(facts.same.sum())
    if count == 1:
        first = f"**No other pixel** has the ink {short(ink, 3)}. Lock another pixel, such as one on the background."
    else:
        size = times(facts.within, tokens) if facts.within > ROUNDING else "only rounding"
        first = (
            f"**{count} pixels** have the ink {short(ink, 3)}. The largest difference between their rows of weights, "
            f"over {over}, is **{short(facts.within)}**{'' if facts.within == 0 else f', {size}'}."
        )
    if facts.other is None:
        return first
    return (
        f"{first} The row of the closest other ink, {short(facts.other, 3)}, differs by **{short(facts.beyond)}**, "
        f"{times(facts.beyond, tokens)}."
    )


def times(difference: float, tokens: int) -> str:
    """Return a difference of weights as a multiple of an even share."""
    return f"{short(difference * tokens, 3)} × an even share"


def whole(intensities: int, rows: int, positions: bool) -> str:
    """Return a sentence on the number of different rows in the whole picture."""
    found = f"In the whole picture: **{intensities} different intensities, {rows} different rows**."
    if rows == intensities:
        return found
    if rows > intensities:
        return f"{found} The same ink at another position attends differently." if positions else found
    return f"{found} Some intensities have the same row except for rounding: their queries choose almost the same keys."


def proof(positions: bool) -> str:
    """Return the reason for equal or different rows, in one line."""
    query, key = equations.coloured(equations.QUERY, "q_i"), equations.coloured(equations.KEY, "k_j")
    if positions:
        return (
            f"Why not: ${query} = w\\,x_i + P\\,p_i + b$. Besides the intensity $x_i$, the :orange[query] contains the "
            "code $p_i$ of its position, so two pixels of one intensity have different queries."
        )
    return (
        f"Why: ${query} = w\\,x_i + b$, and the row is the softmax of ${query} \\cdot {key}$ over all :blue[keys]. "
        "Only the intensity $x_i$ distinguishes pixel $i$ from another pixel: the same $x_i$ gives the same row."
    )


def compute(loaded: "Loaded", example: "Example", query: int) -> Facts:
    """Return the comparison of one token's row of weights with all others, in all heads."""
    import torch

    from attnviz.measures.pixel_attention.equal_rows import differences, intensity_groups

    view = attention(Subject(loaded.net, example))
    ink, place = view.picture.ravel(), query - view.prefix
    apart = differences(torch.tensor(view.query), torch.tensor(view.key), query)[view.prefix :]
    groups = intensity_groups(ink)
    alike = groups == groups[place]
    away = np.where(alike, np.inf, np.abs(ink - ink[place]))
    nearest = groups == groups[away.argmin()]
    other = float(ink[away.argmin()]) if not alike.all() else None
    return Facts(alike, apart, float(apart[alike].max()), other, float(apart[nearest].min()))


def count(loaded: "Loaded", example: "Example") -> tuple[int, int]:
    """Return the numbers of different intensities and of different rows of weights of an example."""
    import torch

    from attnviz.measures.pixel_attention.equal_rows import distinct_rows, intensity_groups

    view = attention(Subject(loaded.net, example))
    pixels = slice(view.prefix, None)
    rows = distinct_rows(torch.tensor(view.query[:, pixels]), torch.tensor(view.key))
    return int(intensity_groups(view.picture.ravel()).max()) + 1, rows
