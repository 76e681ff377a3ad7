"""The two sides of *Side by side*: what each is, their maps, the difference, and the numbers below them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.measures import compare as measure
from attnviz.ui import locked
from attnviz.ui.map_grid import map_grid
from attnviz.ui.pixel_viewer import AttentionView
from attnviz.ui.wording import short

DIRECTIONS = {"from": "Takes from", "to": "Gives to", "received": "Received from all"}
SAME = 1e-9  # even shares: nearer maps differ by the order in which numbers were added

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two.

    Args:
        title: what sets it apart from the other, in words.
        view: of its model and picture.
        head: None for the mean of all.
        token: that is held; None where none is.
    """

    title: str
    view: AttentionView
    head: int | None
    token: locked.Token | None

    def map(self, direction: measure.Direction) -> Array:
        """Return how many times an even share each place has, (row, column)."""
        view = self.view
        found = measure.multiples(
            view.query, view.key, view.log_normaliser, direction=direction, head=self.head,
            token=self.token.number if self.token else None,
        )  # fmt: skip
        return found[view.prefix :].reshape(view.rows, view.columns)

    def cell(self, rows: int, columns: int) -> int:
        """Return where the token that is held lies on another grid over the same picture, row by row from 0."""
        assert self.token is not None, "only what is held has a place"
        row, column = divmod(self.token.number - self.view.prefix, self.view.columns)
        return row * rows // self.view.rows * columns + column * columns // self.view.columns

    def answer(self) -> str:
        """Return the model's answer with its probability."""
        best = int(self.view.probabilities.argmax())
        return f"{self.view.classes[best]}, {100 * self.view.probabilities[best]:.1f} %"


def draw(left: Side, right: Side, direction: measure.Direction) -> None:
    """Draw both maps and their difference, and say how far they are apart."""
    sides = left, right
    maps = measure.coarser((left.map(direction), right.map(direction)))
    rows, columns = maps[0].shape
    found = measure.compared(*maps)
    pictures = [measure.coarser((one.view.picture, maps[0]))[0] for one in sides]
    held = [one.cell(rows, columns) for one in sides] if direction == "from" else None
    labels = [f"left: {left.title}", f"right: {right.title}"]
    origin = {**left.view.origin, "direction": direction, "left": left.title, "right": right.title}
    wide, narrow = st.columns([2, 1], gap="medium", vertical_alignment="bottom")
    with wide:
        map_grid(
            np.stack(maps) / maps[0].size, labels, key="compare_maps", role="share", title=DIRECTIONS[direction],
            picture=np.stack(pictures), origin=origin, outlined=held,
        )  # fmt: skip
    with narrow:
        map_grid(
            found.doublings[None], ["right against left"], key="compare_difference", role="signed",
            title="Difference, in doublings", scale="pictures", fixed=True,
            bounds=(-2 * measure.REACH, 2 * measure.REACH),
            picture=pictures[0] if np.array_equal(pictures[0], pictures[1]) else None, origin=origin,
        )  # fmt: skip
    st.caption(
        "Difference: by how many doublings of an even share the right map is above the left one; a share below 1/16 or "
        "above 16 counts as that, as in the colours of the maps. " + grids(left.view, right.view)
    )
    st.markdown(numbers(left, right, maps, found, direction))


def grids(left: AttentionView, right: AttentionView) -> str:
    """Return a sentence about what was done where the grids differ."""
    shapes = [(one.rows, one.columns) for one in (left, right)]
    if shapes[0] == shapes[1]:
        return ""
    (fine, coarse) = (f"{rows} × {columns}" for rows, columns in sorted(shapes, reverse=True))
    return (
        f"One model sees {fine} places, the other {coarse}: both maps are on the coarser grid, as means over its boxes "
        "of the multiples of an even share."
    )


def numbers(
    left: Side, right: Side, maps: tuple[Array, Array], found: measure.Comparison, direction: measure.Direction
) -> str:
    """Return what both sides are in numbers, and how far they are apart, in Markdown."""
    lines = [
        f"| {DIRECTIONS[direction]} | left: {left.title} | right: {right.title} |",
        "| --- | --- | --- |",
        f"| answer | {left.answer()} | {right.answer()} |",
        "| the most | " + " | ".join(most(one) for one in maps) + " |",
        "| half of it lies on | " + " | ".join(f"{measure.half(one)} of {one.size} places" for one in maps) + " |",
    ]
    return "\n".join(lines) + "\n\n" + apart(found, direction)


def most(multiples: Array) -> str:
    """Return where a map is largest, and how large."""
    row, column = divmod(int(multiples.argmax()), multiples.shape[1])
    return f"{short(float(multiples.max()), 3)} × an even share, at row {row + 1}, column {column + 1}"


def apart(found: measure.Comparison, direction: measure.Direction) -> str:
    """Return how far two maps are apart, in words."""
    if found.distance < SAME:
        return "**The two maps are the same**, but for rounding."
    if direction == "to":  # what a key gets from all queries sums to anything
        distance = f"Half of the mean difference, without its sign: **{short(found.distance, 3)} even shares**"
    else:
        distance = f"Total variation distance: **{short(found.distance, 3)}** (0: the same, 1: nothing in common)"
    if found.correlation is None:
        return f"{distance}. One of the maps is even: nothing can be correlated with it."
    return f"{distance}. Correlation of the maps: **{short(found.correlation, 3)}**."
