"""The two sides of *How far apart are two maps?*: their maps, the difference, and the numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz import subjects
from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures import compare as measure
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net, Subject
from attnviz.ui.components.map_grid import map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import Index, View
from attnviz.ui.mechanisms.pixel_attention import selection
from attnviz.ui.shared.wording import share, short
from attnviz.views.attention import AttentionView

DIRECTIONS = {"from": "Takes from", "to": "Gives to", "received": "Received from all"}
SAME = 1e-9  # even shares: smaller differences come from the order in which numbers were added


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two sides.

    Args:
        title: Its difference from the other side, in words.
        view: The view of its net and its picture.
        head: The head, or None for the mean of all heads.
        token: The token that is held, or None.
        other: Its net or its example, if they are not those of the page, as parameters of the view `COMPARED`.
    """

    title: str
    view: AttentionView
    head: int | None
    token: selection.Token | None
    other: Mapping[str, Any] = field(default_factory=dict)

    def map(self, direction: measure.Direction) -> Floats:
        """Return the map, (row, column), as multiples of an even share."""
        view = self.view
        found = measure.multiples(
            view.query, view.key, view.log_normaliser, direction=direction, head=self.head,
            token=self.token.number if self.token else None,
        )  # fmt: skip
        return found[view.prefix :].reshape(view.rows, view.columns)

    def cell(self, rows: int, columns: int) -> int:
        """Return the position of the held token on another grid over the same picture, row by row from 0."""
        assert self.token is not None, "only a held token has a position"
        row, column = divmod(self.token.number - self.view.prefix, self.view.columns)
        return row * rows // self.view.rows * columns + column * columns // self.view.columns

    def answer(self) -> str:
        """Return the model's answer with its probability."""
        best = int(self.view.probabilities.argmax())
        return f"{self.view.classes[best]}, {share(float(self.view.probabilities[best]))}"


class OfSide(Strict):
    """One of the two sides, like `Side`, with its token by number."""

    title: Annotated[str, Field(max_length=300)] = ""
    head: Index | None = None
    token: Index | None = None


class OfPair(Strict):
    """The maps to show of two sides.

    Args:
        maps: Both maps, or their difference.
        direction: The direction of the attention in the maps.
        left, right: The two sides.
        checkpoint: The net of the right side, or None for that of the left side.
        data, number: The example of the right side; `data` is None for that of the left side.
    """

    maps: Literal["both", "difference"] = "both"
    direction: Literal["from", "to", "received"] = "received"
    left: OfSide = OfSide()
    right: OfSide = OfSide()
    checkpoint: Annotated[str, Field(max_length=300)] | None = None
    data: Annotated[str, Field(max_length=20_000)] | None = None
    number: Index = 0


def payload(subject: Subject, parameters: OfPair) -> bytes:
    """Return both maps side by side, or their difference."""
    net, example = subject
    if parameters.checkpoint is not None:
        net = subjects.net(parameters.checkpoint)
    if parameters.data is not None:
        example = subjects.example(parameters.data, parameters.number)
    direction = parameters.direction
    sides = left, right = (
        _side(parameters.left, subject, direction),
        _side(parameters.right, Subject(net, example), direction),
    )
    maps = measure.coarser((left.map(direction), right.map(direction)))
    rows, columns = maps[0].shape
    pictures = [measure.coarser((one.view.picture, maps[0]))[0] for one in sides]
    origin = {**left.view.origin, "direction": direction, "left": left.title, "right": right.title}
    if parameters.maps == "difference":
        return packed(
            measure.compared(*maps).doublings[None], ["right minus left"], role="signed",
            title="Difference, as log₂ of the ratio", scale="pictures", fixed=True,
            bounds=(-2 * measure.REACH, 2 * measure.REACH),
            picture=pictures[0] if np.array_equal(pictures[0], pictures[1]) else None, origin=origin,
        )  # fmt: skip
    return packed(
        np.stack(maps) / maps[0].size, [f"left: {left.title}", f"right: {right.title}"], role="share",
        title=DIRECTIONS[direction], picture=np.stack(pictures), origin=origin,
        outlined=[one.cell(rows, columns) for one in sides] if direction == "from" else None,
    )  # fmt: skip


def _side(asked: OfSide, subject: Subject, direction: measure.Direction) -> Side:
    view = attention(subject)
    selection.check(view, asked.head, asked.token)
    if (asked.token is None) != (direction == "received"):
        raise BadInput(f"{DIRECTIONS[direction]}: the first two directions need a token, and the last one takes none.")
    return Side(asked.title, view, asked.head, None if asked.token is None else selection.at(view, asked.token))


def two_passes(parameters: OfPair, net: Net) -> float:
    """Return the cost in forward passes."""
    return 2.0


COMPARED = View("compared", OfPair, payload, two_passes)


def draw(subject: Subject, left: Side, right: Side, direction: measure.Direction) -> str:
    """Draw both maps and their difference, and return the finding on how far apart they are."""
    maps = measure.coarser((left.map(direction), right.map(direction)))
    sides = {
        name: {"title": one.title, "head": one.head, "token": one.token.number if one.token else None}
        for name, one in (("left", left), ("right", right))
    }
    wide, narrow = st.columns([2, 1], gap="medium", vertical_alignment="bottom")
    with wide:
        map_grid(COMPARED.of(subject, maps="both", direction=direction, **sides, **right.other), key="compare_maps")
    with narrow:
        difference = COMPARED.of(subject, maps="difference", direction=direction, **sides, **right.other)
        map_grid(difference, key="compare_difference")
    st.caption(
        "The difference is log₂ of right ÷ left: 1 means twice the share, −1 half of it. A share below "
        "1/16 or above 16 counts as 1/16 or 16, as in the colours of the maps. " + grids(left.view, right.view)
    )
    st.markdown(numbers(left, right, maps, direction))
    return finding(measure.compared(*maps), direction)


def grids(left: AttentionView, right: AttentionView) -> str:
    """Return a sentence that explains the common grid, or "" if the grids are the same."""
    shapes = [(one.rows, one.columns) for one in (left, right)]
    if shapes[0] == shapes[1]:
        return ""
    (fine, coarse) = (f"{rows} × {columns}" for rows, columns in sorted(shapes, reverse=True))
    return (
        f"One model has {fine} tokens, the other {coarse}: both maps are shown on the coarser grid, as means over its "
        "boxes of the multiples of an even share."
    )


def numbers(left: Side, right: Side, maps: tuple[Floats, Floats], direction: measure.Direction) -> str:
    """Return the numbers of both sides as a Markdown table."""
    lines = [
        f"| {DIRECTIONS[direction]} | left: {left.title} | right: {right.title} |",
        "| --- | --- | --- |",
        f"| answer | {left.answer()} | {right.answer()} |",
        "| largest value | " + " | ".join(most(one) for one in maps) + " |",
        "| half of the attention lies on | "
        + " | ".join(f"{measure.half(one)} of {one.size} places" for one in maps)
        + " |",
    ]
    return "\n".join(lines)


def most(multiples: Floats) -> str:
    """Return the largest value of a map and its position, in words."""
    row, column = divmod(int(multiples.argmax()), multiples.shape[1])
    return f"{short(float(multiples.max()), 3)} × an even share, at row {row + 1}, column {column + 1}"


def finding(found: measure.Comparison, direction: measure.Direction) -> str:
    """Return the finding on how far apart two maps are."""
    if found.distance < SAME:
        return "**The two maps are the same**, except for rounding."
    if direction == "to":  # the weights that a key receives from all queries have no fixed sum
        distance = f"half of their mean absolute difference is **{short(found.distance, 3)} even shares**"
    else:
        distance = (
            f"their total variation distance is **{short(found.distance, 3)}**, where 0 is the same map and 1 is "
            "nothing in common"
        )
    if found.correlation is None:
        return f"**The two maps differ**: {distance}. One of them is uniform, so there is no correlation."
    return (
        f"**The two maps differ**: {distance}. Their correlation is **{short(found.correlation, 3)}**; that of "
        "unrelated maps is about 0."
    )
