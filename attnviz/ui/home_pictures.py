"""Makes the pictures of the home page in advance: `python -m attnviz.ui.home_pictures [NAME ...]`; without names, all.

A test holds them equal to what the models compute. Drawn while a visitor waits, they would need torch.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from PIL.Image import Image

from attnviz.subjects import Loaded, Picture, net
from attnviz.tracing import trace
from attnviz.ui.components.layer_board import FIELDS as BOARD
from attnviz.ui.dot_product import attending
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.channel_attention import gates
from attnviz.ui.mechanisms.element_wise import stages
from attnviz.ui.mechanisms.recurrent_attention import glances
from attnviz.ui.mechanisms.recurrent_attention.derived import layer_of
from attnviz.ui.mechanisms.sequences import choose, reading
from attnviz.ui.mechanisms.spatial_transformer import grids
from attnviz.ui.mechanisms.spatial_transformer.many import path_of
from attnviz.ui.mechanisms.vision_transformer import layers
from attnviz.ui.shared import home_picture, inference
from attnviz.views.attention import AttentionView

Pair = tuple[Image, Image]


def tiles(name: str) -> Pair:
    """Return the two tiles of a mechanism's picture: what the model sees, and what attention does with it."""
    row = MECHANISMS[name].home
    assert row is not None
    shown = row.view
    loaded = net(shown["model"]).load(double=True)
    if "data" not in shown:
        return _strip(loaded)
    picture = Picture(shown["data"], shown["number"])
    return TILES[name](loaded, picture, picture.taken_by(loaded.net), shown)


def _weights(view: AttentionView, place: tuple[int, int], head: int) -> np.ndarray:
    """Return the weights with which a head takes values for the token at (row, column), (row, column)."""
    return view.weights(view.token(place))[head, view.prefix :].reshape(view.rows, view.columns)


def _pixel(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the digit with the query's pixel outlined, where the strokes of the 8 cross, and its weights."""
    query = (6, 6)
    view = attending.attention(loaded, picture)
    weights = _weights(view, query, int(shown["head"]) - 1)
    left, right = home_picture.grey((255 * view.picture).astype(np.uint8)), home_picture.heat(weights)
    for tile in (left, right):
        home_picture.outline(tile, weights.shape, query, 1)
    return left, right


def _block(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the digit with what a block sees outlined, a block on the strokes, and its weights."""
    query, head = (2, 3), 6
    view = attending.attention(loaded, picture, unit="block")
    weights = _weights(view, query, head)
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    assert view.boxes is not None
    top, across, down, right_by, size, _ = view.boxes
    corner = round(top + query[0] * down), round(across + query[1] * right_by)
    home_picture.outline(left, image.shape[:2], corner, round(size))
    home_picture.outline(right, weights.shape, query, 1)
    return left, right


def _patch(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the digit with one patch outlined, and the weights with which a head takes values for it."""
    view = layers.view(loaded, picture)
    asked = BOARD.read({name: str(word) for name, word in shown.items()})
    (row, column), layer, head = asked["query"], asked["layer"], asked["head"]
    query = view.prefix + row * view.columns + column
    scores = view.query[layer, head, query] @ view.key[layer, head].T / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[layer, head, query])[view.prefix :].reshape(view.rows, view.columns)
    side = image.shape[0] // view.rows
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    home_picture.outline(left, image.shape[:2], (row * side, column * side), side)
    home_picture.outline(right, weights.shape, (row, column), 1)
    return left, right


def _relevance(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the boot, and its relevance in the first head: a share of its row times a share of its column."""
    tap = f"{next(iter(stages.layers_of(loaded.model)))}.relevance"
    with torch.no_grad(), trace(loaded.model, [tap]) as seen:
        loaded.model(inference.batch_of(loaded, picture))
    relevance = seen[tap].tensor[0, 0, 0].numpy()
    return home_picture.grey(image[..., 0]), home_picture.heat(relevance - relevance.min())


def _glimpses(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the digit with the sharp patches and the path over it, and the digit where only what it saw is left."""
    model = net(shown["model"]).load().model  # in single precision, as it was trained
    corners = glances.path_over(model, image, None).corner[:, 0]  # (glimpse, 2) of the sharp patches
    size = layer_of(model)[1].retina.size
    left = home_picture.grey(image[..., 0])
    for corner in corners:
        home_picture.outline(left, image.shape[:2], (int(corner[0]), int(corner[1])), size, 1)
    home_picture.path(left, image.shape[:2], [(row + size / 2, column + size / 2) for row, column in corners])
    seen = np.zeros(image.shape[:2], bool)
    for row, column in corners:
        seen[max(row, 0) : max(row + size, 0), max(column, 0) : max(column + size, 0)] = True
    return left, home_picture.grey(np.where(seen, image[..., 0], 0))


def _gates(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the digit, and the gates of the last block as bars, from the floor of its row up."""
    across, high, gap = 32, 48, 8  # bars in a row; steps of a bar, and between two rows
    found = gates.of_picture(loaded, picture)[int(shown["layer"]) - 1]
    rows = [found[first : first + across] for first in range(0, len(found), across)]
    levels = (np.arange(high, 0, -1) - 0.5) / high
    drawn = [np.concatenate([levels[:, None] < row, np.zeros((gap, across), bool)]) for row in rows]
    return home_picture.grey(image[..., 0]), home_picture.heat(np.concatenate(drawn).astype(float))


def _grid(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Any) -> Pair:
    """Return the digit with the outline of its grid, and what is sampled."""
    shrunk = 0.75  # of the picture, so that the grid, which may reach beyond it, has room
    seen, _ = grids.seen_of(loaded, picture)
    path = path_of(loaded)
    theta, sampled = (seen[f"{path}.{tap}"].tensor[0].numpy() for tap in ("theta", "transformed"))
    around = [round(count * (1 / shrunk - 1) / 2) for count in image.shape[:2]]
    padded = np.pad(image[..., 0], [(one, one) for one in around])
    rows, columns = image.shape[:2]
    points = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)):
        across, down = theta @ (x, y, 1)
        points.append((around[0] + (down + 1) * rows / 2, around[1] + (across + 1) * columns / 2))
    left = home_picture.grey(padded)
    home_picture.path(left, padded.shape, points)
    return left, home_picture.grey(255 * sampled[0])


def _strip(loaded: Loaded) -> Pair:
    """Return the strip, two lines of four digits, and the weights of its steps: a row for each step."""
    digits = 4
    view = reading.view(loaded, choose.opening())
    picture, side = view.picture[..., 0], view.picture.shape[0]
    lines = [picture[:, start : start + digits * side] for start in range(0, picture.shape[1], digits * side)]
    room = np.zeros((digits * side, digits * side), np.uint8)
    for number, line in enumerate(lines):
        top = round((number + 0.5) * digits * side / len(lines) - side / 2)
        room[top : top + side, : line.shape[1]] = line
    weights = view.layers[0].own
    assert weights is not None
    return home_picture.grey(room), home_picture.heat(weights.mean(0))


TILES: dict[str, Callable[[Loaded, Picture, np.ndarray, Any], Pair]] = {
    "pixel_attention": _pixel,
    "element_wise": _relevance,
    "recurrent_attention": _glimpses,
    "cnn_attention": _block,
    "vision_transformer": _patch,
    "channel_attention": _gates,
    "spatial_transformer": _grid,
}


if __name__ == "__main__":
    for one in sys.argv[1:] or MECHANISMS:
        if found := MECHANISMS[one].home:
            home_picture.pair(*tiles(one)).save(found.file, optimize=True)
