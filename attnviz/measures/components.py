"""What a component of a query, key or value says of a pixel: a straight line of its intensity, and what its place adds.

A token is [intensity, code], and a linear layer makes component = slope x intensity + what code and bias add. So two
pictures, all black and all white, say everything: what the component is in any other lies between.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lines:
    """The components of all heads as lines of the intensity.

    Args:
        slope: (head, component) by how much it rises from intensity 0 to intensity 1, at every token.
        start: (head, component) what it is at intensity 0; the mean over the tokens where the place adds something.
        placed: whether the place adds something.
        lowest, highest: what no component of any picture goes beyond.
    """

    slope: Array
    start: Array
    placed: bool
    lowest: float
    highest: float


def lines(black: Array, white: Array) -> Lines:
    """Return the lines through what the components are on two pictures.

    Args:
        black, white: (head, token, component) on the picture of all 0, and of all 1.

    Raises:
        BadInput: two shapes, or slopes that differ from token to token: these are no lines of the intensity.
    """
    if black.shape != white.shape:
        raise BadInput(f"Both pictures must give the same components, not {black.shape} and {white.shape}.")
    slopes = white - black
    slope = slopes.mean(1)
    most = max(np.abs(black).max(), np.abs(white).max())
    if np.abs(slopes - slope[:, None]).max() > 1e-6 * most:
        raise BadInput("These components are no straight lines of the intensity: they rise by more at some tokens.")
    return Lines(
        slope=slope,
        start=black.mean(1),
        placed=bool(np.ptp(black, axis=1).max() > 1e-9 * most),
        lowest=float(min(black.min(), white.min())),
        highest=float(max(black.max(), white.max())),
    )
