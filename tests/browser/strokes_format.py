"""The format of drawings written a second time, and what strokes leave on the canvas computed another way."""

import base64
from dataclasses import dataclass

import numpy as np

UNITS, SIDE = 4, 280


@dataclass(frozen=True)
class Stroke:
    """One stroke; points in quarters of a canvas pixel, pressures 0 to 31."""

    tool: str
    width: int
    points: tuple[tuple[int, int], ...]
    pressures: tuple[int, ...] | None = None


def make_stroke(tool: str, width: int, *points: tuple[float, float]) -> Stroke:
    """Return a stroke through points in canvas pixels."""
    return Stroke(tool, width, tuple((round(x * UNITS), round(y * UNITS)) for x, y in points))


def encode(strokes: list[Stroke]) -> str:
    """Return strokes as they stand in a URL."""
    if not strokes:
        return ""
    body = bytes([1])
    for stroke in strokes:
        flags = 64 * (stroke.tool == "erase") + 128 * (stroke.pressures is not None)
        body += bytes([stroke.width - 1 + flags]) + _varint(len(stroke.points))
        before = (0, 0)
        for point in stroke.points:
            body += _signed(point[0] - before[0]) + _signed(point[1] - before[1])
            before = point
        pressure = 0
        for one in stroke.pressures or ():
            body += _signed(one - pressure)
            pressure = one
    return base64.urlsafe_b64encode(body + compute_checksum(body)).decode().rstrip("=")


def compute_checksum(body: bytes) -> bytes:
    """Return Fletcher-16: the sum of the bytes, and the sum of these sums, each modulo 255."""
    sums = np.cumsum(np.frombuffer(body, np.uint8).astype(np.int64))
    return bytes([int(sums[-1]) % 255, int(sums.sum()) % 255])


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + _varint(value // 128)


def _signed(value: int) -> bytes:
    return _varint(2 * value if value >= 0 else -2 * value - 1)


def rasterise(strokes: list[Stroke], base: np.ndarray | None = None) -> np.ndarray:
    """Return what strokes leave on the canvas, uint8 (280, 280), from points set densely along each parabola."""
    canvas = np.zeros((SIDE, SIDE)) if base is None else np.kron(base, np.ones((10, 10))).astype(float)
    middle = np.arange(SIDE) + 0.5
    for stroke in strokes:
        ink = np.zeros((SIDE, SIDE))
        for x, y, radius in _along(stroke):
            rows, columns = (slice(max(0, int(at - radius) - 1), max(0, int(at + radius) + 2)) for at in (y, x))
            away = np.hypot(middle[None, columns] - x, middle[rows, None] - y)
            ink[rows, columns] = np.maximum(ink[rows, columns], np.clip(radius + 0.5 - away, 0, 1))
        canvas = np.minimum(canvas, 255 * (1 - ink)) if stroke.tool == "erase" else np.maximum(canvas, 255 * ink)
    return np.rint(canvas).astype(np.uint8)


def _along(stroke: Stroke) -> np.ndarray:
    places = np.array(stroke.points, float) / UNITS
    pressures = np.full(len(places), 15.5) if stroke.pressures is None else np.array(stroke.pressures, float)
    radii = stroke.width / 2 * (0.4 + 1.2 * pressures / 31) + (stroke.tool == "erase")  # an eraser reaches further
    knots = np.column_stack([places, radii])
    if len(knots) == 1:
        return knots
    halves = (knots[:-1] + knots[1:]) / 2
    found = [_line(knots[0], halves[0]), _line(halves[-1], knots[-1])]
    for before, knot, after in zip(halves[:-1], knots[1:-1], halves[1:], strict=True):
        t = np.linspace(0, 1, len(_line(before, knot)) + len(_line(knot, after)))[:, None]
        bent = (1 - t) ** 2 * before + 2 * t * (1 - t) * knot + t**2 * after
        bent[:, 2:] = (1 - t) * before[2] + t * after[2]
        found.append(bent)
    return np.concatenate(found)


def _line(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return (point, 3): places and radii from one knot to another, half a pixel apart."""
    count = 2 + int(2 * np.hypot(*(end - start)[:2]))
    return np.linspace(start, end, count)
