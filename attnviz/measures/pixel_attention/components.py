"""The components of queries, keys and values as functions of a pixel: linear in its intensity, plus a position term.

A token is [intensity, code], and a linear layer makes component = slope x intensity + what code and bias add. So two
pictures, all black and all white, determine everything.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lines:
    """The components of all heads as linear functions of the intensity.

    Args:
        slope: (head, component) by how much it rises from intensity 0 to intensity 1, at every token.
        start: (head, component) its value at intensity 0; the mean over the tokens if the position adds something.
        placed: whether the position adds something.
        lowest, highest: bounds of the components of any picture.
    """

    slope: Array
    start: Array
    placed: bool
    lowest: float
    highest: float


def lines(black: Array, white: Array) -> Lines:
    """Return the linear functions that fit the components on two pictures.

    Args:
        black, white: (head, token, component) on the picture of all 0, and of all 1.

    Returns:
        The slope and the start of every component, and their bounds.

    Raises:
        BadInput: two different shapes, or slopes that differ from token to token, which are not linear in the
            intensity.
    """
    if black.shape != white.shape:
        raise BadInput(f"Both pictures must give the same components, not {black.shape} and {white.shape}.")
    slopes = white - black
    slope = slopes.mean(1)
    most = max(np.abs(black).max(), np.abs(white).max())
    if np.abs(slopes - slope[:, None]).max() > 1e-6 * most:
        raise BadInput("These components are not linear in the intensity: their slopes differ from token to token.")
    return Lines(
        slope=slope,
        start=black.mean(1),
        placed=bool(np.ptp(black, axis=1).max() > 1e-9 * most),
        lowest=float(min(black.min(), white.min())),
        highest=float(max(black.max(), white.max())),
    )
