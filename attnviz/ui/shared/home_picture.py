"""Draws the pictures of the home page in advance: two square tiles side by side, for both light and dark pages.

As on every map, larger values are a stronger violet. The page shows through where values are small.

`attnviz/ui/home_pictures.py` makes the picture of each mechanism from these.
"""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from attnviz.views.attention import LayerView

TILE, GAP = 224, 8  # pixels
# Middle tones, visible on a light page and on a dark one; the page shows through where the values are lower.
INK, MORE, MARK = (128, 124, 116), (122, 87, 176), (200, 96, 22)
LEAST = 0.06  # opacity of an empty tile, so that its outline stays visible

Corner = tuple[int, int]
Pair = tuple[Image.Image, Image.Image]


def weights(view: LayerView, place: Corner, head: int) -> np.ndarray:
    """Return a head's attention weights for the query token at (row, column), as an array (row, column)."""
    return view.weights(view.token(place))[head, view.prefix :].reshape(view.rows, view.columns)


def grey(picture: np.ndarray) -> Image.Image:
    """Return a tile of a picture, uint8 (row, column); lighter pixels get more ink."""
    return _tile(INK, picture / 255)


def heat(values: np.ndarray) -> Image.Image:
    """Return a tile of a map of non-negative values, (row, column); the largest value is the strongest violet."""
    return _tile(MORE, values / max(float(values.max()), 1e-12))


def outline(tile: Image.Image, grid: tuple[int, int], corner: Corner, size: int, width: int = 2) -> None:
    """Outline a square of `size` pixels of a picture of `grid` (rows, columns), from its corner (row, column), with a
    line `width` tile pixels wide.
    """
    rows, columns = grid
    top, left = corner[0] * TILE / rows, corner[1] * TILE / columns
    box = [left - width, top - width, left + size * TILE / columns + width - 1, top + size * TILE / rows + width - 1]
    ImageDraw.Draw(tile).rectangle([round(side) for side in box], outline=(*MARK, 255), width=width)


def path(tile: Image.Image, grid: tuple[int, int], points: Sequence[tuple[float, float]]) -> None:
    """Connect (row, column) points of a picture of `grid` (rows, columns) with a line, with a dot on each point."""
    rows, columns = grid
    ends = [(column * TILE / columns, row * TILE / rows) for row, column in points]
    draw = ImageDraw.Draw(tile)
    draw.line(ends, fill=(*MARK, 255), width=2)
    for across, down in ends:
        draw.ellipse([across - 4, down - 4, across + 4, down + 4], fill=(*MARK, 255))


def pair(left: Image.Image, right: Image.Image) -> Image.Image:
    """Return two tiles side by side, with a transparent gap between them."""
    both = Image.new("RGBA", (2 * TILE + GAP, TILE))
    both.paste(left, (0, 0))
    both.paste(right, (TILE + GAP, 0))
    return both


def _tile(colour: tuple[int, int, int], strength: np.ndarray) -> Image.Image:
    """Return a tile of one colour, opaque where the strength (row, column) is 1."""
    empty, drawn = np.array((*INK, 255 * LEAST)), np.array((*colour, 255.0))
    opaque = LEAST + (1 - LEAST) * strength[..., None]
    tones = np.where(strength[..., None] > 0, drawn, empty)
    tones[..., 3:] = 255 * opaque
    return Image.fromarray(tones.round().astype(np.uint8)).resize((TILE, TILE), Image.Resampling.NEAREST)
