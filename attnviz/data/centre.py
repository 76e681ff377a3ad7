"""The centre of mass of a drawing, to the pixel."""

import numpy as np
import numpy.typing as npt


def centre_of_mass(ink: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the pixel next to the centre of mass of each picture, a half rounded up, as MNIST and the strokes have it.

    Args:
        ink: uint8 (..., row, column), 0 is background.

    Returns:
        row, column: int64 (...), from 0; both 0 where there is no ink.
    """
    weights = ink.astype(np.int64)
    mass = np.maximum(weights.sum((-2, -1)), 1)
    row = (2 * (weights.sum(-1) @ np.arange(ink.shape[-2])) + mass) // (2 * mass)
    column = (2 * (weights.sum(-2) @ np.arange(ink.shape[-1])) + mass) // (2 * mass)
    return row, column
