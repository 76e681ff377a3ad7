"""The texts for the page on spatial transformers: the question, and the explanation with live numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attnviz.charts import with_minus
from attnviz.formatting import signed
from attnviz.ui.shared import cache
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.results.verdict import margin, undecided
from attnviz.ui.shared.wording import change_in_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attnviz.measures.difference import Difference
    from attnviz.measures.spatial_transformer.by_angle import Band
    from attnviz.measures.spatial_transformer.decomposition import Undone
    from attnviz.subjects import Subject

QUESTION = "Where does a network sample its picture? Drag the picture, then drag the grid."
NONE = (
    "No spatial transformer has been trained here yet. `python -m attnviz train spatial_transformer --recipe rotated` "
    "trains one on rotated digits in up to an hour; this page then shows it."
)
# One line each, which fits on a phone.
EQUATIONS = r"""$$
\begin{pmatrix} x^s \\ y^s \end{pmatrix} = \theta \begin{pmatrix} x^t \\ y^t \\ 1 \end{pmatrix}
$$

$$
v_{ij} = \sum_{nm} u_{nm} \, k(x^s_{ij} - m) \, k(y^s_{ij} - n)
$$
"""


def means(subject: Subject) -> str:
    """Return the explanation of grid and theta, with the numbers of this model and this picture."""
    from attnviz.measures.spatial_transformer.decomposition import decomposed
    from attnviz.ui.mechanisms.spatial_transformer import grids

    view = cache.of_subject(grids.view, subject)
    rows, columns = view.picture.shape[:2]
    parts = decomposed(view.theta[None], rows=rows, columns=columns)
    right, down = parts.shift[0]
    return (
        f"A small network reads the picture and outputs six numbers, {term('theta')}. They determine where each pixel "
        f"of the classifier's input comes from: the {term('sampling grid')}. Between pixels it is interpolated, with "
        r"$k(d) = \max(0, 1 - |d|)$; outside of the picture it is 0."
        f"\n\n{EQUATIONS}\n\n"
        f"On this picture the grid is rotated by {angle(-parts.angle[0])}, its scales are {parts.scales[0, 0]:.2f} and "
        f"{parts.scales[0, 1]:.2f} (below 1 it covers less than the picture, so what is seen is enlarged), and its "
        f"middle lies {abs(right):.1f} pixels to the {'right' if right >= 0 else 'left'} and {abs(down):.1f} "
        f"{'below' if down >= 0 else 'above'} that of the picture. To undo a rotation the grid must be rotated by the "
        "same angle in the same direction: it turns with the digit."
    )


def does_not_show() -> str:
    """Return the conclusions that the grid does not support."""
    return (
        "**A straightened digit proves nothing.** The network was trained to classify, not to straighten, and any pose "
        "that is the same for all digits of a class would do. Look at the plot of angles: it shows what is undone over "
        "many pictures.\n\n"
        "**What lies outside of the grid does not reach the classifier, but it can move the grid.** The six numbers "
        "are computed from the whole picture. Only if the grid is held by hand do the pixels outside change "
        "nothing.\n\n"
        "**The sampling reads four pixels at a time.** A grid that covers more than the picture skips pixels, and "
        "training learns from the four around each point only."
    )


def angle(counter_clockwise: float) -> str:
    """Return an angle in words, from degrees counter-clockwise as seen; negative angles are clockwise."""
    size = abs(counter_clockwise)
    if size < 0.05:
        return "0\u00b0"
    return f"{size:.1f}\u00b0 {'counter-clockwise' if counter_clockwise > 0 else 'clockwise'}"


def verdict(found: Undone) -> str:
    """Return the finding on whether the grids undo the rotations of the pictures."""
    if found.slope is None:
        return (
            "**Here it does not undo the rotation.** With the rotation of the grids removed, the pictures still "
            "point in all directions, and no line separates the rotation of a grid from that of its picture."
        )
    before, spread = f"{found.before:.0f}\u00b0", f"{found.spread:.0f}\u00b0"
    falls = found.spread < found.before and spread != before
    change = f"falls from {before} to {spread}" if falls else f"was {before} and is {spread}"
    numbers = (
        f"The grid rotates by {with_minus(f'{round(found.slope, 2) + 0.0:.2f}')}\u00b0 for each degree of the picture. "
        f"The standard deviation of the rotation {change}."
    )
    if found.slope < 0.1 or found.spread >= found.before:
        return f"**Here it does not undo the rotation.** {numbers}"
    if found.slope < 0.5:
        return f"**Here it undoes a part of the rotation, and most of it stays.** {numbers}"
    if found.spread > found.before / 2:
        return f"**Here it undoes a part of the rotation.** {numbers}"
    return f"**Here it mostly undoes the rotation.** {numbers}"


def slope_of(found: Undone) -> str:
    """Return, in words, the slope of the grids' rotation against the pictures', and the angle for upright pictures."""
    if found.slope is None:
        return "none"
    return with_minus(f"{found.slope:+.2f}, {found.offset:+.0f}\u00b0")


def undone_caption(said: str, found: Undone) -> str:
    """Return the caption of the plot of angles."""
    return (
        f"Measured on {said}, with one trained model. Both angles count counter-clockwise; the standard deviation of "
        f"the pictures' angles is {found.before:.0f}\u00b0. *Slope*: degrees of the grid for each degree of the "
        "picture; *upright*: the angle of the grid where the line meets pictures that were not rotated. The classifier "
        "works equally well if upright digits are rotated, too, each class by its own angle. So the slope, and not "
        "the angle itself, shows what is undone. If a grid is not rotated, the other parts of theta may still "
        "depend on the picture."
    )


CONSTANT = {"mean": "at its mean", "identity": "at the identity"}
"""The ablations that make theta constant, in words."""
_REPLACED = {"mean": CONSTANT["mean"], "shuffled": "of another picture", "identity": "the identity"}
_ROTATION_AT_MEAN = "at the mean of each number, which also enlarges"


def constant_of(transform: str) -> str:
    """Return the ablation with a constant theta of the transform's kind; the mean of rotations is not a rotation."""
    return "identity" if transform == "rotation" else "mean"


def trap_caption(transform: str) -> str:
    """Return the caption that explains what was replaced, and how correct answers were counted."""
    mean = "*At its mean*: over 3,000 training pictures, so that every picture is sampled in the same way."
    identity = "*The identity*: the picture as it is."
    if transform == "rotation":
        mean = (
            "*At the mean of each number*: each number over 3,000 training pictures. The mean of rotations is no "
            "rotation: it also enlarges the picture, which this network cannot do. So the finding compares with the "
            "identity, and *Mean* in the view above rotates by the mean angle instead."
        )
    if transform == "affine":
        identity += " The classifier is not used to that: it was mostly trained on enlarged pictures."
    return (
        f"The trained model, with theta replaced and nothing else changed; counted on test pictures. {mean} "
        f"*Of another picture*: every picture gets the theta of another one. {identity}"
    )


def replaced(name: str, of: str, *, transform: str = "affine") -> str:
    """Return an ablation of the card in words; its pattern of tap paths is always theta here."""
    return _ROTATION_AT_MEAN if (name, transform) == ("mean", "rotation") else _REPLACED.get(name, name)


def trapped(found: Difference, constant: str = "mean") -> str:
    """Return the finding on whether a theta that is the same for every picture, one of CONSTANT, would suffice."""
    change = f"with theta {CONSTANT[constant]} the model {change_in_points(found, 'loses', 'gains')}"
    return {
        "better": f"**Here theta depends on the picture, and it matters**: {change}. The plot of angles shows "
        "whether it does so by rotation.",
        "worse": f"**A constant theta is even better**: {change}.",
        "within the margin": f"**Here theta might as well be a constant**: {change}, within {margin(found)}.",
        "not decided": f"**Not decided**: {change}; {undecided(found)}.",
    }[found.verdict]


def band(one: Band) -> str:
    """Return the angles of a band in words; they apply to either side."""
    return f"{one.first:g}\u00b0 to {one.last:g}\u00b0"


def gain_of(one: Band) -> str:
    """Return the fall in errors in a band, in points, with its interval and the number of pictures."""
    low, high = one.interval
    return f"{signed(one.gain)} ({signed(low)} to {signed(high)}), {one.count:,} pictures"


def gained(title: str, source: str, bands: Sequence[Band]) -> str:
    """Return the finding on which bands of angles, in ascending order, gain compared with a control."""
    better = [one for one in bands if one.interval[0] > 0]
    worse = [one for one in bands if one.interval[1] < 0]
    if not better and not worse:
        return (
            f"**No band of angles clearly gains**: compared with *{title.lower()}*, the interval of the difference "
            f"includes zero in all {len(bands)} bands of angles."
        )
    first = max(better, key=lambda one: one.gain, default=None)
    most = f": most at {band(first)}, {signed(first.gain)} points" if first else ""
    near, far = bands[0], bands[-1]
    apart = far.gain - near.gain
    surely = abs(apart) > math.hypot(far.gain - far.interval[0], near.gain - near.interval[0])
    grows = ("more" if apart > 0 else "less") if surely else "neither clearly more nor clearly less"
    return (
        f"**{len(better)} of {len(bands)} bands of angles gain**, {len(worse)} lose, compared with *{title.lower()}*, "
        f"one training each{most}. Pictures that were rotated most gain "
        f"{grows} than those that were rotated least ({signed(far.gain)} and {signed(near.gain)})."
    )


def nothing_to_compare(absent: Sequence[str]) -> str:
    """Return a sentence that there is no control to compare with."""
    return f"No control of this task has answers to compare with here.{_not_trained(absent)}"


def gains_caption(absent: Sequence[str]) -> str:
    """Return the caption that explains how the errors by angle were counted."""
    return (
        "From the cards, which record the test pictures that the shipped training of each model answers correctly. "
        "Pictures are compared one by one. The 95 % intervals cover the choice of pictures alone; another training may "
        f"differ by more.{_not_trained(absent)}"
    )


def _not_trained(absent: Sequence[str]) -> str:
    return f" *Not trained* yet: {'; '.join(absent)}." if absent else ""
