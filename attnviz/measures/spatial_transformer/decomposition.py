"""A transform taken apart into rotation, scale, shear and shift; and whether a rotation was undone.

Theta maps each place of the result to the place of the picture that it is sampled from, (x, y) in -1..1 with y
downwards: A = R S is the polar decomposition of its linear part, in pixels, so that the angle is right on pictures that
are not square. To undo a rotation the grid must rotate with the picture: as its angle is counted clockwise and that of
a picture counter-clockwise, as usual, it is the picture's with the other sign.

Source: the polar decomposition, as in "Matrix Animation and Polar Decomposition", Shoemake and Duff, 1992.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.errors import BadInput

TOGETHER = 0.3
"""Below it what is left of rotations points nowhere in particular, so there is no middle to measure it from."""


@dataclass(frozen=True, eq=False)
class Decomposed:
    """What transforms do, one of each batch.

    Args:
        angle: (batch,), degrees from -180 to 180, of the rotation of the grid, clockwise as seen. Of a mirrored grid,
            what is left after left and right are swapped.
        scales: (batch, 2), the singular values, the larger one first: below 1 the grid covers less than the picture,
            so that what is seen is enlarged.
        shear: (batch,), degrees by which the grid's axes are from a right angle; 0 for a pure rotation and scale.
        shift: (batch, 2), of the middle of the grid, pixels to the right and down.
        mirrored: bool (batch,): the grid swaps left and right.
    """

    angle: Floats
    scales: Floats
    shear: Floats
    shift: Floats
    mirrored: npt.NDArray[np.bool_]


def decomposed(theta: Floats, *, rows: int, columns: int) -> Decomposed:
    """Return rotation, scales, shear and shift of each theta (batch, 2, 3) on a picture of so many rows and columns."""
    if theta.shape[1:] != (2, 3):
        raise BadInput(f"Theta is (batch, 2, 3), not of the shape {theta.shape}.")
    side = np.array([columns / 2, rows / 2])
    linear = theta[:, :, :2] * side[:, None] / side  # in pixels
    mirrored = np.linalg.det(linear) < 0
    left, scales, right = np.linalg.svd(np.where(mirrored[:, None, None], linear * np.array([-1.0, 1.0]), linear))
    rotation = left @ right
    angle = np.degrees(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0]))
    across, down = linear[:, :, 0], linear[:, :, 1]
    lengths = np.linalg.norm(across, axis=1) * np.linalg.norm(down, axis=1)
    cosine = np.einsum("bi,bi->b", across, down) / np.where(lengths > 0, lengths, 1.0)
    shear = np.degrees(np.arcsin(np.clip(cosine, -1.0, 1.0)))
    return Decomposed(angle, scales, shear, theta[:, :, 2] * side, mirrored)


@dataclass(frozen=True)
class Undone:
    """Whether the grids undo the rotations of pictures.

    Args:
        slope: by how much the grid rotates for each degree that the picture was rotated, in the direction that undoes
            it: 1 is undone, 0 is not at all. Of the least squares line; None where `together` is below TOGETHER.
        offset: degrees that the line has for upright pictures: they may be brought to any other pose. None likewise.
        spread: degrees, the standard deviation of the rotation that is left.
        before: degrees, that of the rotation of the pictures.
        together: 0..1, how much what is left points one way: the length of the mean of unit vectors at these angles.
    """

    slope: float | None
    offset: float | None
    spread: float
    before: float
    together: float = 1.0


def undone(grid: Floats, picture: Floats) -> Undone:
    """Compare the angles of grids with those of the pictures.

    Args:
        grid: (picture,), degrees, clockwise as seen: `Decomposed.angle`.
        picture: (picture,), degrees by which each was rotated, counter-clockwise as seen.

    Returns:
        Slope, offset and spread. What is left of a rotation is an angle, and an angle is linear only as far as half a
        turn to either side of some middle: here of the direction in which what is left points on average.
    """
    if grid.shape != picture.shape or grid.ndim != 1 or len(grid) < 3 or np.ptp(picture) == 0:
        raise BadInput(
            f"The angles of at least three pictures, rotated differently, are compared with those of their grids, not "
            f"{picture.shape} with {grid.shape}."
        )
    left = picture + grid  # what is left of the picture's rotation
    mean = np.exp(1j * np.radians(left)).mean()
    middle = float(np.degrees(np.angle(mean)))
    left = middle + (left - middle + 180) % 360 - 180
    spread, before = float(left.std(ddof=1)), float(picture.std(ddof=1))
    if abs(mean) < TOGETHER:
        return Undone(None, None, spread, before, float(abs(mean)))
    slope, offset = np.polyfit(picture, picture - left, 1)
    return Undone(float(slope), float(offset), spread, before, float(abs(mean)))


def mean_rotation(theta: Floats, *, rows: int, columns: int) -> Floats:
    """Return the mean of rotations as a rotation: by the angle of the mean of their directions.

    The mean of their numbers, one by one, is no rotation: it shrinks the grid, so that what is seen is enlarged.

    Args:
        theta: (batch, 2, 3).
        rows, columns: of the picture.

    Returns:
        (2, 3), about the middle of the picture.

    Raises:
        BadInput: not matrices of two rows and three columns.
    """
    mean = decomposed(theta.mean(0, keepdims=True), rows=rows, columns=columns)
    turned, ratio = np.radians(mean.angle[0]), rows / columns
    cosine, sine = np.cos(turned), np.sin(turned)
    return np.array([[cosine, -sine * ratio, 0.0], [sine / ratio, cosine, 0.0]])
