"""The four parts of a score: the content or position half of the query times a half of the key."""

import numpy as np
import streamlit as st

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Example, Loaded, Subject
from attnviz.ui.components.map_grid import map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import Index, View
from attnviz.ui.mechanisms.pixel_attention import equations, selection
from attnviz.ui.mechanisms.pixel_attention.selection import of_one_token
from attnviz.ui.shared import cache, experiments
from attnviz.ui.shared.wording import share, short

TITLE = "Does a pixel look for ink or for a position?"
MEASURES = (
    "Splits each score into four parts, from the intensities and the positions of :orange[query] and :blue[key], and "
    "measures how much of the score each explains."
)
WORDS = ()

CONTENT, PLACE = "content", "position"
# In the order of `attnviz.measures.pixel_attention.score_decomposition`.
HALVES = [(query, key) for query in (CONTENT, PLACE) for key in (CONTENT, PLACE)]

EVEN = 0.1  # a share of the variance nearer to one half than this counts as one half

refusal = of_one_token(
    "This model takes many pixels as one token: its scores belong to whole patches, not to single intensities."
)


def show(subject: Subject) -> None:
    """Draw the four parts of one row of scores and their sum, and the numbers of one pair."""
    say = experiments.finding()
    view = attention(subject)
    head = selection.head(len(view.query)) or 0
    query = selection.token(view, "query")
    if query is None:
        query = selection.middle_of_the_ink(view)
        st.info(f"Click a pixel in the viewer above to lock it. This example uses {query.place}.")
    parts = cache.of_subject(compute, subject, head, query.number)
    say(finding(explained(parts), query.place, head))
    key = selection.token(view, "key")
    chosen = (
        "the locked key" if key else "the key with the largest score; click a second pixel above to lock another key"
    )
    key = key or selection.at(view, int(parts.sum(0).argmax()))

    map_grid(SCORE_PARTS.of(subject, head=head, query=query.number), key="parts")
    left, right = st.columns([3, 2], gap="large")
    left.markdown(table(parts, key.number))
    left.caption(
        "Each part is one half of the :orange[query] times one half of the :blue[key]. *Explains* is the part's "
        "covariance with the score divided by the score's variance, over all keys. The four shares add up to 100 %; a "
        "part that works against the others is below 0."
    )
    with right:
        positions = bool(subject.net.config.get("positions"))
        st.markdown(formula(positions, view.query.shape[-1]))
        st.markdown(
            f"This pair, :orange[{query.place}] and :blue[{key.place}] ({chosen}):\n\n{pair(parts, key.number)}"
        )
        st.markdown(meaning(positions))


def finding(shares: Floats, place: str, head: int) -> str:
    """Return the finding on what decides a row of scores, from variance shares as in `HALVES`, NaN if constant."""
    whose = f"for the pixel in {place}, in head {head + 1}"
    if np.isnan(shares).any():
        return f"**For neither**: {whose}, all keys have the same score."
    ink = float(sum(part for part, (_, key) in zip(shares, HALVES, strict=True) if key == CONTENT))
    numbers = (
        f"the keys' intensities explain {said(ink)} of the variance of its scores, their positions {said(1 - ink)}"
    )
    if abs(ink - 0.5) < EVEN:
        return f"**For both about equally**: {whose}, {numbers}."
    return f"**For {'ink' if ink > 0.5 else 'a position'}**: {whose}, {numbers}; equal shares would be 50 % each."


class OfRow(Strict):
    """A row of scores: its head and its token, which is None for one in the middle of the ink."""

    head: Index = 0
    query: Index | None = None


def payload(subject: Subject, parameters: OfRow) -> bytes:
    """Return the four parts of a row of scores and their sum, as maps."""
    view, head = attention(subject), parameters.head
    selection.check(view, head, parameters.query)
    query = selection.middle_of_the_ink(view) if parameters.query is None else selection.at(view, parameters.query)
    parts = cache.of_subject(compute, subject, head, query.number)
    maps = np.concatenate([parts, parts.sum(0)[None]])  # (part or sum, token)
    return packed(
        maps[:, view.prefix :].reshape(-1, view.rows, view.columns),
        [*(f"{one} × {other}" for one, other in HALVES), "sum: the score"],
        title=f"Scores of {query.place}, head {head + 1}",
        picture=view.picture,
        origin={**view.origin, "experiment": "parts", "query": query.place, "head": head + 1},
    )


SCORE_PARTS = View("score_parts", OfRow, payload)
VIEWS = (SCORE_PARTS,)


def table(parts: Floats, key: int) -> str:
    """Return the parts (part, token) and their sum as a table: range, share of the variance, value at one key."""
    names = [f":orange[{one}] × :blue[{other}]" for one, other in HALVES]
    shares = [said(part) for part in explained(parts)]
    score = parts.sum(0)
    lines = [
        f"| {name} | {short(row.min())} | {short(row.max())} | {part} | {short(row[key])} |"
        for name, row, part in zip(
            [*names, "**sum: the score**"],
            [*parts, score],
            [*shares, said(sum(explained(parts)))],
            strict=True,
        )
    ]
    return "\n".join(
        ["| part | lowest | highest | explains | this pair |", "| --- | ---: | ---: | ---: | ---: |", *lines]
    )


def said(part: float) -> str:
    """Return a share of the variance as a percentage, or a dash for NaN."""
    return "\u2013" if np.isnan(part) else share(round(float(part), 6) + 0.0)  # + 0.0: no minus sign before zero


def explained(parts: Floats) -> Floats:
    """Return the share of the variance over keys that each part (part, token) of a row of scores explains, (part,).

    It is the covariance with the sum over the variance of the sum. Shares add up to 1; NaN if the sum is constant.
    """
    centred = parts - parts.mean(1, keepdims=True)
    whole = centred.sum(0)
    variance = whole @ whole
    return centred @ whole / variance if variance else np.full(len(parts), np.nan)


def pair(parts: Floats, key: int) -> str:
    """Return the four numbers that sum to the score of one key, as an equation."""
    numbers = [f"({short(value)})" if value < 0 else short(value) for value in parts[:, key]]
    return f"{' + '.join(numbers)} = **{short(parts[:, key].sum())}**"


def formula(positions: bool, size: int) -> str:
    """Return the equation of a score as a product of sums, with an explanation of the halves."""
    query, key = (
        equations.coloured(colour, rf"{name}^c_{index} + {name}^p_{index}")
        for colour, name, index in ((equations.QUERY, "q", "i"), (equations.KEY, "k", "j"))
    )
    place = "P\\,p_i + b" if positions else "b"
    return (
        f"$$\ns_{{ij}} = \\frac{{({query}) \\cdot ({key})}}{{\\sqrt{{{size}}}}}\n$$\n\n"
        f"Content is $q^c_i = w\\,x_i$, weight times intensity. Position is $q^p_i = {place}$. Keys are split in the "
        "same way. The bias $b$ counts as position because it does not depend on the picture."
    )


def meaning(positions: bool) -> str:
    """Return the explanation of the parts."""
    if positions:
        return (
            "A part that is the same for all keys changes no weight, because the softmax cancels it. So a part matters "
            "by how much it *varies* over the map, not by how large it is."
        )
    return (
        "This model has no position code: position is the bias alone. The two parts with the key's position are then "
        "the same number for all keys, which the softmax cancels: they change no weight."
    )


def compute(loaded: "Loaded", example: "Example", head: int, query: int) -> Floats:
    """Return the four parts of one row of scores of an example: (part, token), in the order of `HALVES`."""
    from attnviz.measures.pixel_attention.score_decomposition import decompose
    from attnviz.models.pixel_attention import PixelAttention
    from attnviz.ui.shared import inference

    model = loaded.model
    if not isinstance(model, PixelAttention):
        raise BadInput(f"{loaded.net.key} has no scores that are made of content and position.")
    tokens = model.tokens(inference.batch_of(loaded, example))[0]  # (token, content and code)
    layer, count = model.attention, model.patch**2
    found = decompose(
        tokens[:, :count], tokens[:, count:], query_weight=layer.query.weight, query_bias=layer.query.bias,
        key_weight=layer.key.weight, key_bias=layer.key.bias, heads=layer.heads,
    )  # fmt: skip
    return np.stack([part[query] for part in found.scores(head).values()])
