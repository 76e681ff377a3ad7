"""Turn pictures of digits into what a hand would draw: lines, thinned out of the ink or taken from our generator."""

from itertools import pairwise
from math import hypot

import numpy as np
import numpy.typing as npt
from PIL import Image

from attnviz.data import strokes

Line = npt.NDArray[np.float64]  # (point, 2): x and y, in pixels of the picture, y downwards

FINER = 4  # a picture is thinned at so many times its resolution: lines then run between pixels too
SPUR = 6  # finer pixels: a shorter end that hangs on a crossing is what thinning leaves at a bulge
AROUND = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]  # clockwise from above


def traced(picture: npt.NDArray[np.uint8]) -> list[Line]:
    """Return the lines in the middle of the ink of a picture, uint8 (row, column)."""
    size = (picture.shape[1] * FINER, picture.shape[0] * FINER)
    finer = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
    ways = walked(thinned(np.pad(finer > 127, 1)))
    return [smoothed((np.array(way, float)[:, ::-1] - 0.5) / FINER) for way in joined(ways)]


def written(digit: int, seed: int) -> Line:
    """Return the way of the pen of one digit of our generator, in a box of height 1 or so."""
    x, y = strokes._write(np.array([digit]), strokes._Chance(seed, 0, slice(0, 1)))
    return np.stack([x[:, 0], y[:, 0]], axis=1)


def thinned(ink: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Thin ink to lines of one pixel; its edge pixels must be empty.

    Source: "A fast parallel algorithm for thinning digital patterns", Zhang and Suen, 1984
    """
    ink = ink.copy()
    while True:
        before = ink.sum()
        for first in (True, False):
            ring = [np.roll(ink, (-down, -right), (0, 1)) for down, right in AROUND]
            neighbours = np.sum(ring, axis=0)
            rises = np.sum([~one & other for one, other in pairwise([*ring, ring[0]])], axis=0)
            above, right, below, left = ring[0], ring[2], ring[4], ring[6]
            gone = (
                ~(above & right & below) & ~(right & below & left)
                if first
                else ~(above & right & left) & ~(above & below & left)
            )
            ink &= ~(gone & (rises == 1) & (neighbours >= 2) & (neighbours <= 6))
        if ink.sum() == before:
            return ink


def walked(skeleton: npt.NDArray[np.bool_]) -> list[list[tuple[int, int]]]:
    """Return the ways between ends and crossings of a skeleton, and its loops, each a list of (row, column)."""
    points = {(int(row), int(column)) for row, column in np.argwhere(skeleton)}

    def beside(point: tuple[int, int]) -> list[tuple[int, int]]:
        row, column = point
        near = [(row + down, column + right) for down, right in AROUND]
        found = [other for other in near if other in points]
        # A corner neighbour that is reached over a straight one too would make a crossing of every bend.
        straight = {other for other in found if other[0] == row or other[1] == column}
        return [other for other in found if other in straight or not {(row, other[1]), (other[0], column)} & straight]

    joints = {point for point in points if len(beside(point)) != 2}
    gone: set[frozenset[tuple[int, int]]] = set()
    ways = []
    for start in [*sorted(joints), *sorted(points - joints)]:
        for step in beside(start):
            way = [start]
            while frozenset((way[-1], step)) not in gone:
                gone.add(frozenset((way[-1], step)))
                way.append(step)
                if step in joints or step == start:
                    break
                step = next(other for other in beside(step) if other != way[-2])
            if len(way) > 1:
                ways.append(way)
    lone = [[point] for point in joints if not beside(point)]
    ends = {point for point in joints if len(beside(point)) == 1}
    long = [way for way in ways if len(way) > SPUR or not ({way[0], way[-1]} & ends)]
    return (long or ways) + (lone if not ways else [])


def joined(ways: list[list[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """Join ways that meet, the straightest pairs first, as a hand goes straight on through a crossing."""
    ways = [list(way) for way in ways]
    while True:
        pairs = []
        for one, first in enumerate(ways):
            for other in range(one + 1, len(ways)):
                for left in (first, first[::-1]):
                    for right in (ways[other], ways[other][::-1]):
                        if left[-1] == right[0] and first[0] != first[-1]:
                            pairs.append((_bend(left, right), one, other, left + right[1:]))
        if not pairs:
            return ways
        _, one, other, whole = min(pairs)
        ways = [way for number, way in enumerate(ways) if number not in (one, other)] + [whole]


def _bend(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> float:
    """Return minus the cosine of the turn from one way to the next: -1 is straight on."""
    back, on = left[max(-1 - SPUR, -len(left))], right[min(SPUR, len(right) - 1)]
    here = left[-1]
    before, after = (here[0] - back[0], here[1] - back[1]), (on[0] - here[0], on[1] - here[1])
    return -(before[0] * after[0] + before[1] * after[1]) / max(hypot(*before) * hypot(*after), 1e-9)


def smoothed(line: Line, reach: int = 3) -> Line:
    """Return the running mean of a line, its ends kept: thinning leaves stairs."""
    if len(line) < 3:
        return line
    padded = np.concatenate([np.repeat(line[:1], reach, 0), line, np.repeat(line[-1:], reach, 0)])
    kernel = np.ones(2 * reach + 1) / (2 * reach + 1)
    return np.stack([np.convolve(padded[:, axis], kernel, "valid") for axis in (0, 1)], axis=1)
