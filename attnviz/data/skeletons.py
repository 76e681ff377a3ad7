"""Skeletons of handwritten digits: the literal table of shapes that `strokes` draws from, and their smooth curves.

A shape is the path of the pen: the points it passes through, "x,y" in hundredths of the digit's height, x to the right
and y downwards; most digits are 100 high and about 60 wide. " / " lifts the pen. A point written twice is a corner; the
path through all others is smooth. The weight is the frequency of a shape among those of its digit.

Source: ours, drawn by hand while looking at MNIST's training pictures.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import dist

import numpy as np

from attnviz.arrays import Floats, Integers

Point = tuple[float, float]


@dataclass(frozen=True)
class Skeleton:
    """A way to write a digit: its name, its weight, and the path of the pen."""

    name: str
    weight: float
    path: str

    @property
    def strokes(self) -> list[list[Point]]:
        """The points of each stroke, (x, y), in units of about the digit's height."""
        movements = [movement.split() for movement in self.path.split("/")]
        return [[_point(word) for word in movement] for movement in movements]


def _point(word: str) -> Point:
    x, y = word.split(",")
    return int(x) / 100, int(y) / 100


def smooth(shape: Skeleton, dabs: int) -> tuple[Floats, Floats]:
    """Return a skeleton's points (point, 2), and the smooth curve through them as linear combinations (dab, point).

    The curve is a cubic between neighbouring points, whose slopes follow from the neighbours on both sides (Catmull-Rom
    with the distances as parameter). It is linear in the points, so that jittered points need no new curve.
    """
    places: list[tuple[float, float]] = []
    pieces: list[list[int]] = []  # indices into `places`; a corner ends one piece and begins the next
    for stroke in shape.strokes:
        piece: list[int] = []
        for place in stroke:
            if piece and places[piece[-1]] == place:
                pieces.append(piece)
                piece = [piece[-1]]
                continue
            places.append(place)
            piece.append(len(places) - 1)
        pieces.append(piece)
    spot = np.array(places)
    lengths = [[dist(places[a], places[b]) for a, b in pairwise(piece)] for piece in pieces]
    total = sum(sum(piece) for piece in lengths)
    shares = np.array([sum(piece) / total for piece in lengths])
    ends = np.rint(np.cumsum(shares) * dabs).astype(int)
    found = np.zeros((dabs, len(places)))
    start = 0
    for piece, steps, end in zip(pieces, lengths, ends, strict=True):
        found[start:end] = _cubics(np.array(piece), np.array(steps), end - start, len(places))
        start = end
    return spot, found


def _cubics(piece: Integers, steps: Floats, dabs: int, points: int) -> Floats:
    """Return a smooth piece through the points with these indices: (dabs, points)."""
    unit = np.eye(points)[piece]
    rise = (unit[1:] - unit[:-1]) / steps[:, None]
    slope = np.concatenate([rise[:1], rise[-1:]]) if len(piece) == 2 else np.empty_like(unit)
    if len(piece) > 2:
        before, after = steps[:-1, None], steps[1:, None]
        slope[1:-1] = (after * rise[:-1] + before * rise[1:]) / (before + after)
        slope[0] = 1.5 * rise[0] - 0.5 * slope[1]
        slope[-1] = 1.5 * rise[-1] - 0.5 * slope[-2]
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0, knots[-1], dabs)
    left = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(steps) - 1)
    step = steps[left][:, None]
    t = (at[:, None] - knots[left][:, None]) / step
    value: Floats = (
        (1 + 2 * t) * (1 - t) ** 2 * unit[left]
        + t * (1 - t) ** 2 * step * slope[left]
        + t * t * (3 - 2 * t) * unit[left + 1]
        + t * t * (t - 1) * step * slope[left + 1]
    )
    return value


SKELETONS: tuple[tuple[Skeleton, ...], ...] = (
    (  # 0
        Skeleton("oval", 4, "40,1 14,16 1,50 12,84 35,100 58,84 69,50 58,15 36,0"),
        Skeleton("hooked", 2, "62,12 40,0 12,18 0,52 12,86 36,100 60,84 68,50 56,16 36,6 24,16"),
        Skeleton("narrow", 2, "28,0 10,18 2,52 8,84 22,100 38,84 46,50 42,14 24,0"),
        Skeleton("pointed", 1.5, "46,0 22,14 5,48 6,80 26,100 54,82 68,44 62,12 44,4"),
        Skeleton("clockwise", 1, "22,8 46,0 66,22 68,56 54,88 32,100 10,84 0,48 8,18 30,2"),
        Skeleton("open", 0.6, "30,2 8,20 0,55 14,88 38,100 60,82 68,48 60,18 48,6"),
        Skeleton("inner tail", 0.8, "30,4 8,24 2,58 16,92 42,98 62,72 66,36 52,8 28,4 30,22 44,30"),
    ),
    (  # 1
        Skeleton("bar", 12, "0,0 0,33 0,67 0,100"),
        Skeleton("bent", 2, "3,0 -1,33 -1,67 3,100"),
        Skeleton("flag", 0.7, "-22,22 -10,13 0,0 0,0 0,33 0,67 0,100"),
        Skeleton("flag and foot", 0.5, "-22,20 -10,12 0,0 0,0 0,35 0,70 0,100 / -28,100 0,99 28,98"),
        Skeleton("long flag", 0.3, "-36,32 -18,18 0,0 0,0 0,33 0,67 0,100"),
    ),
    (  # 2
        Skeleton("plain", 4, "6,20 18,5 40,0 58,14 54,38 36,64 4,97 4,97 24,95 48,96 72,95"),
        Skeleton("loop", 3, "6,18 22,3 44,2 56,18 50,42 34,70 12,94 0,92 4,80 18,80 36,92 54,98 76,90"),
        Skeleton("big loop", 1.5, "10,14 28,0 48,8 54,30 46,58 28,88 10,100 -2,90 6,72 24,72 40,86 56,96 78,92"),
        Skeleton("flat", 2, "2,14 18,3 38,1 56,8 52,30 30,60 2,94 2,94 26,93 54,95 86,97"),
        Skeleton("curled", 1, "22,34 8,26 14,8 38,0 58,14 54,42 34,70 6,96 6,96 26,92 48,97 70,90"),
        Skeleton("wavy foot", 1.5, "8,22 20,4 42,2 55,18 48,44 28,72 2,92 2,92 20,84 42,92 58,100 74,94"),
        Skeleton("small head, long foot", 2, "10,16 24,2 42,6 44,26 28,50 2,78 2,78 24,76 50,82 76,88 100,84"),
        Skeleton("wide loop", 2, "12,20 28,2 48,4 56,24 48,54 30,86 10,98 -8,88 -4,70 16,64 36,74 52,90 66,100"),
        Skeleton("low loop", 2, "8,30 10,10 32,0 52,14 50,42 40,70 20,95 2,95 -5,80 10,68 35,76 55,90 80,85"),
        Skeleton("high tail", 3.5, "10,20 30,2 52,6 60,30 56,60 44,86 22,98 2,86 8,66 28,58 52,62 72,66 92,62"),
        Skeleton("tall, small foot", 1, "26,2 40,14 46,42 36,78 16,98 -2,88 8,72 32,76 60,88"),
        Skeleton("narrow", 1.2, "14,16 30,0 46,10 46,38 32,72 14,98 14,98 36,94 64,92"),
    ),
    (  # 3
        Skeleton("plain", 4, "4,12 24,0 50,6 54,26 40,42 20,48 20,48 46,52 60,70 50,92 26,100 0,90"),
        Skeleton("smooth", 2.5, "6,10 28,0 50,10 50,32 34,46 50,54 60,74 46,96 20,100 0,88"),
        Skeleton("loop", 2, "6,12 28,0 52,10 50,32 30,50 20,48 28,42 48,50 60,72 48,94 22,100 0,88"),
        Skeleton("flat top", 1.2, "2,6 30,2 58,0 58,0 42,20 24,38 24,38 50,46 62,68 50,92 24,100 0,92"),
        Skeleton("small head", 1.5, "14,12 32,0 48,8 46,26 26,38 26,38 50,44 62,66 46,92 18,100 -6,88"),
        Skeleton("big head", 1.5, "0,16 22,1 52,4 62,24 44,48 22,56 22,56 44,58 54,76 42,95 20,100 2,92"),
        Skeleton("closed foot", 1, "6,14 26,0 50,8 52,28 28,44 28,44 52,54 58,78 40,98 14,96 8,80 22,70"),
        Skeleton("pointed", 1.5, "2,10 22,2 46,2 52,14 36,30 16,44 16,44 38,46 50,62 42,82 22,94 -2,100"),
    ),
    (  # 4
        Skeleton("open", 3, "10,2 6,24 2,48 2,48 24,50 46,48 66,46 / 58,0 54,34 50,68 48,100"),
        Skeleton("cup", 4, "10,4 3,26 8,46 26,52 44,46 58,34 / 62,0 56,34 52,68 48,100"),
        Skeleton("one movement", 2.5, "8,6 3,26 10,46 30,46 48,28 60,4 60,4 55,36 50,68 46,100"),
        Skeleton("closed", 1.3, "50,0 34,18 16,38 0,58 0,58 24,60 48,60 74,58 / 50,0 50,34 48,68 47,100"),
        Skeleton("nearly closed", 1.5, "34,2 20,20 2,46 2,46 24,50 44,48 66,44 / 56,2 50,34 44,68 40,100"),
        Skeleton("long bar", 1.2, "20,6 10,26 0,50 0,50 28,52 56,50 86,48 / 52,10 48,38 44,70 40,100"),
    ),
    (  # 5
        Skeleton("one movement", 4, "66,2 44,2 20,4 20,4 16,22 10,42 10,42 32,40 52,56 52,80 34,98 14,100 -4,92"),
        Skeleton("two movements", 3, "18,6 15,22 12,40 34,42 52,58 50,82 30,99 10,100 -5,92 / 18,6 40,4 72,0"),
        Skeleton("smooth", 2.5, "60,0 38,3 20,14 18,32 34,46 50,62 46,86 24,100 2,96"),
        Skeleton("long bar", 1.5, "88,0 58,4 28,8 28,8 22,24 16,42 16,42 34,46 46,62 42,84 24,98 2,96"),
        Skeleton("steep", 1.2, "46,0 32,2 14,6 14,6 14,26 14,48 14,48 32,44 44,60 42,84 24,100 4,94"),
        Skeleton("curled foot", 1.8, "62,0 40,3 20,6 20,6 14,22 8,42 8,42 30,38 52,52 54,78 36,98 12,96 6,82 18,74"),
        Skeleton("narrow body", 1.2, "40,6 60,4 82,0 / 36,6 28,24 22,42 36,50 42,70 32,90 16,100 0,96"),
    ),
    (  # 6
        Skeleton("plain", 4, "48,0 26,16 8,42 2,70 12,94 32,100 50,86 48,66 30,58 8,70"),
        Skeleton("straight back", 2.5, "34,0 22,22 10,48 5,76 20,98 42,94 54,76 44,58 26,62 12,80"),
        Skeleton("round back", 2, "50,6 32,2 12,20 1,50 6,82 26,100 48,92 54,70 38,54 16,58 5,72"),
        Skeleton("small loop", 1.5, "44,0 22,20 6,48 2,78 14,97 34,98 46,84 38,72 22,76 10,90"),
        Skeleton("flat loop", 1.2, "40,0 20,24 6,54 8,82 28,96 54,90 70,70 58,56 36,66 18,86"),
        Skeleton("wide loop", 1.2, "22,0 8,24 1,54 8,84 30,100 58,94 72,74 58,58 32,62 10,78"),
        Skeleton("open loop", 0.5, "36,0 18,22 6,50 6,78 22,98 46,94 56,76 46,62 30,64"),
    ),
    (  # 7
        Skeleton("plain", 4, "0,8 22,5 42,4 60,2 60,2 48,34 34,68 22,100"),
        Skeleton("round corner", 3, "0,12 20,6 44,2 60,10 54,34 42,66 34,100"),
        Skeleton("hooked", 2, "2,26 2,14 6,6 6,6 24,6 44,4 62,2 62,2 50,34 38,68 28,100"),
        Skeleton("barred", 1.5, "0,8 22,5 42,4 60,4 60,4 46,34 32,68 20,100 / 14,54 36,50 60,48"),
        Skeleton("curved", 2, "0,10 20,6 42,5 64,0 64,0 42,26 30,60 28,100"),
        Skeleton("steep", 1.5, "0,14 14,8 30,5 46,0 46,0 44,34 42,68 40,100"),
        Skeleton("deep hook", 1.2, "0,34 3,18 6,4 6,4 26,8 46,6 64,0 64,0 58,34 50,68 42,100"),
        Skeleton("wide bar", 1, "0,10 22,6 44,2 60,6 52,32 38,66 26,100 / 6,52 38,48 74,42"),
        Skeleton("raised hook", 1.2, "0,36 6,18 14,4 14,4 26,14 42,12 62,0 62,0 48,32 36,66 26,100"),
        Skeleton("bow", 1, "0,10 28,0 54,10 60,36 46,70 24,100"),
    ),
    (  # 8
        Skeleton("from the right", 4, "56,12 34,0 12,10 14,32 34,48 52,68 46,92 24,100 6,88 12,66 34,46 54,26 56,10"),
        Skeleton("from the top", 2.5, "38,1 16,8 12,28 30,46 50,64 48,88 28,100 6,90 10,68 30,48 50,30 52,10 34,0"),
        Skeleton("open top", 2.2, "52,8 30,2 12,14 18,34 38,52 48,74 38,96 18,98 8,82 20,62 42,42 64,18"),
        Skeleton(
            "two circles", 1, "28,0 10,10 10,34 28,46 46,34 48,12 28,0 / 28,46 6,58 2,84 26,100 50,84 50,58 28,46"
        ),
        Skeleton("small foot", 1.5, "60,8 36,0 14,14 18,36 34,52 42,72 36,94 20,100 10,86 18,66 40,44 58,24 58,6"),
        Skeleton("from the left", 1, "10,22 22,4 46,2 54,20 38,42 14,62 4,84 22,100 46,92 48,70 30,48 12,32 12,12"),
        Skeleton("wide head", 1.5, "66,16 44,0 16,4 4,20 18,38 36,52 46,72 38,94 18,100 8,86 22,64 46,44 66,24"),
        Skeleton("small head", 2, "48,8 30,0 16,12 24,28 44,46 54,70 42,96 16,98 4,78 16,54 36,36 48,18 44,4"),
        Skeleton("free ends", 2, "70,5 45,6 20,14 20,34 40,50 50,70 40,95 15,98 5,80 20,60 45,35 70,0"),
        Skeleton("thin foot", 0.8, "50,10 30,0 8,10 6,30 25,42 40,56 44,76 36,98 26,95 24,76 34,50 50,26 46,5"),
        Skeleton(
            "big head, small foot", 1.2, "58,20 40,0 8,8 2,34 24,50 42,66 40,90 24,100 14,88 22,68 46,50 62,34 54,10"
        ),
        Skeleton("crossed ends", 1, "64,4 40,18 18,30 30,46 44,64 46,86 28,100 14,88 24,66 48,40 74,14"),
    ),
    (  # 9
        Skeleton("straight", 4, "54,8 34,0 10,14 4,36 22,48 42,36 56,10 56,10 53,40 49,70 46,100"),
        Skeleton("smooth", 3, "50,12 32,0 10,10 4,30 18,44 40,36 53,14 52,38 44,70 34,100"),
        Skeleton("curved tail", 1.8, "54,14 36,0 12,8 6,30 22,44 44,34 56,12 56,38 52,68 40,92 20,100 4,90"),
        Skeleton("closed loop", 2, "46,24 46,6 26,0 6,16 8,38 28,42 44,28 48,6 48,36 44,68 40,100"),
        Skeleton("flat head", 1.2, "62,4 38,2 14,10 2,28 16,40 40,34 60,10 60,10 50,40 40,70 32,100"),
        Skeleton("from the top", 1.5, "30,2 10,12 4,34 22,44 42,34 50,12 32,0 48,10 52,38 48,70 46,100"),
        Skeleton("big head", 2, "62,10 38,0 12,16 0,44 12,62 36,54 56,32 66,6 66,6 64,38 60,70 58,100"),
        Skeleton("hanging tail", 1, "50,16 32,4 10,12 6,34 24,42 46,30 54,2 56,34 58,66 60,100"),
        Skeleton("pointed head", 2, "55,5 28,12 2,40 20,50 42,34 55,5 55,5 52,36 48,68 44,100"),
        Skeleton("open head", 2, "62,10 40,0 14,10 4,30 20,44 44,38 58,24 56,46 42,76 20,100"),
    ),
)
"""The ways to write each digit, in order."""
