"""The texts of the page of spatial transformers: the question, and the explanation with live numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.shared import cache
from attnviz.ui.shared.glossary import term

if TYPE_CHECKING:
    from attnviz.measures.spatial_transformer.decomposition import Undone
    from attnviz.subjects import Subject

QUESTION = "Where does a network sample its picture? Drag the picture, then drag the grid."
NONE = (
    "No spatial transformer has been trained here yet. `python -m attnviz train spatial_transformer --recipe rotated` "
    "trains one on rotated digits in a few minutes; this page then shows it."
)
# A line each: a phone is wide enough for one.
EQUATIONS = r"""$$
\begin{pmatrix} x^s \\ y^s \end{pmatrix} = \theta \begin{pmatrix} x^t \\ y^t \\ 1 \end{pmatrix}
$$

$$
v_{ij} = \sum_{nm} u_{nm} \, k(x^s_{ij} - m) \, k(y^s_{ij} - n)
$$
"""


def means(subject: Subject) -> str:
    """Return what grid and theta mean, with the numbers of this model and this picture."""
    from attnviz.measures.spatial_transformer.decomposition import decomposed
    from attnviz.ui.mechanisms.spatial_transformer import grids

    view = cache.of_subject(grids.view, subject)
    rows, columns = view.picture.shape[:2]
    parts = decomposed(view.theta[None], rows=rows, columns=columns)
    right, down = parts.shift[0]
    return (
        f"A small network looks at the picture and gives six numbers, {term('theta')}. They say where each pixel of "
        f"what the classifier sees is taken from: the {term('sampling grid')}. Between pixels it is interpolated, with "
        r"$k(d) = \max(0, 1 - |d|)$; outside of the picture it is 0."
        f"\n\n{EQUATIONS}\n\n"
        f"On this picture the grid is rotated by {angle(-parts.angle[0])}, its scales are {parts.scales[0, 0]:.2f} and "
        f"{parts.scales[0, 1]:.2f} (below 1 it covers less than the picture, so what is seen is enlarged), and its "
        f"middle lies {abs(right):.1f} pixels to the {'right' if right >= 0 else 'left'} and {abs(down):.1f} "
        f"{'below' if down >= 0 else 'above'} that of the picture. To undo a rotation the grid must be rotated by the "
        "same angle in the same direction: it turns with the digit."
    )


def does_not_show() -> str:
    """Return what the grid cannot tell."""
    return (
        "**A straightened digit proves nothing.** The network was trained to classify, not to straighten, and any pose "
        "that is the same for all digits of a class would do. Look at the plot of angles: it shows what is undone over "
        "many pictures.\n\n"
        "**What lies outside of the grid does not reach the classifier, but it can move the grid.** The six numbers "
        "are computed from the whole picture. Only with a grid that is held by hand do the pixels outside change "
        "nothing.\n\n"
        "**The sampling looks at four pixels at a time.** A grid that covers more than the picture skips pixels, and "
        "training learns from the four around each point only."
    )


def angle(counter_clockwise: float) -> str:
    """Return an angle in words.

    Args:
        counter_clockwise: degrees as seen; clockwise where negative.
    """
    size = abs(counter_clockwise)
    if size < 0.05:
        return "0\u00b0"
    return f"{size:.1f}\u00b0 {'counter-clockwise' if counter_clockwise > 0 else 'clockwise'}"


def verdict(found: Undone) -> str:
    """Return whether the grids undo the rotations of the pictures."""
    left = f"{found.spread:.0f}\u00b0 of {found.before:.0f}\u00b0"
    numbers = (
        f"The grid rotates by {found.slope:.2f}\u00b0 for each degree of the picture, and {left} of spread are left."
    )
    if found.slope >= 0.5 and found.spread <= found.before / 2:
        return f"**Here it mostly undoes the rotation.** {numbers}"
    if found.slope >= 0.1:
        return f"**Here it undoes a part of the rotation, and most of it stays.** {numbers}"
    return f"**Here it does not undo the rotation.** {numbers}"
