"""A transform decomposed into rotation, scale, shear and shift, and whether it undoes a rotation.

Theta maps each position of the result to the position of the picture that it is sampled from, (x, y) in -1..1 with y
downwards. A = R S is the polar decomposition of its linear part in pixels, so that the angle is also right for pictures
that are not square. To undo a rotation, the grid must rotate with the picture. Its angle is counted clockwise and that
of a picture counter-clockwise, as usual, so it is minus the picture's angle.

Source: the polar decomposition, as in "Matrix Animation and Polar Decomposition", Shoemake and Duff, 1992.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.errors import BadInput

TOGETHER = 0.3
"""Below this concentration the remaining rotations have no clear direction, so there is no centre to measure from."""


@dataclass(frozen=True, eq=False)
class Decomposed:
    """The decomposition of a batch of transforms.

    Args:
        angle: (batch,), rotation of the grid in degrees from -180 to 180, clockwise as seen. For a mirrored grid, the
            rotation that remains after left and right are swapped.
        scales: (batch, 2), the singular values, the larger one first. Below 1 the grid covers less than the picture, so
            that the result is enlarged.
        shear: (batch,), deviation of the grid's axes from a right angle in degrees; 0 for a pure rotation and scale.
        shift: (batch, 2), shift of the grid's centre in pixels, to the right and down.
        mirrored: bool (batch,), whether the grid swaps left and right.
    """

    angle: Floats
    scales: Floats
    shear: Floats
    shift: Floats
    mirrored: npt.NDArray[np.bool_]


def decomposed(theta: Floats, *, rows: int, columns: int) -> Decomposed:
    """Return the decomposition of each theta (batch, 2, 3) for a picture of `rows` x `columns` pixels."""
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
        slope: rotation of the grid per degree of the picture's rotation, in the direction that undoes it: 1 if undone,
            0 if not at all. From the least squares line; None if `together` is below TOGETHER.
        offset: intercept of that line in degrees: upright pictures may be rotated to any pose. None like `slope`.
        spread: standard deviation of the remaining rotation in degrees.
        before: standard deviation of the pictures' rotation in degrees.
        together: concentration of the remaining rotation, 0..1: the length of the mean of unit vectors at these angles.
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
        picture: (picture,), degrees by which each picture was rotated, counter-clockwise as seen.

    Returns:
        Slope, offset and spread. The remaining rotation is an angle, and an angle is linear only within half a turn of
        some centre, here the mean direction of what remains.
    """
    if grid.shape != picture.shape or grid.ndim != 1 or len(grid) < 3 or np.ptp(picture) == 0:
        raise BadInput(
            f"The angles of at least three pictures, rotated differently, are compared with those of their grids, not "
            f"{picture.shape} with {grid.shape}."
        )
    left = picture + grid  # the remaining rotation
    mean = np.exp(1j * np.radians(left)).mean()
    middle = float(np.degrees(np.angle(mean)))
    left = middle + (left - middle + 180) % 360 - 180
    spread, before = float(left.std(ddof=1)), float(picture.std(ddof=1))
    if abs(mean) < TOGETHER:
        return Undone(None, None, spread, before, float(abs(mean)))
    slope, offset = np.polyfit(picture, picture - left, 1)
    return Undone(float(slope), float(offset), spread, before, float(abs(mean)))


def mean_rotation(theta: Floats, *, rows: int, columns: int) -> Floats:
    """Return the mean of rotations as a rotation, by the angle of the mean of their directions.

    The element-wise mean of the matrices is not a rotation: it shrinks the grid, so that the result is enlarged.

    Args:
        theta: (batch, 2, 3).
        rows, columns: size of the picture.

    Returns:
        (2, 3), about the centre of the picture.

    Raises:
        BadInput: the matrices do not have two rows and three columns.
    """
    mean = decomposed(theta.mean(0, keepdims=True), rows=rows, columns=columns)
    turned, ratio = np.radians(mean.angle[0]), rows / columns
    cosine, sine = np.cos(turned), np.sin(turned)
    return np.array([[cosine, -sine * ratio, 0.0], [sine / ratio, cosine, 0.0]])
