"""Run a vision transformer on an example and return the contents of its board of layers. Imports torch."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.answers import probabilities
from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.measures.attention import carried, normalisers
from attnviz.measures.vision_transformer.over_layers import answers, by_layer
from attnviz.models.vision_transformer import VisionTransformer
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.tracing import trace
from attnviz.ui.components.layer_board import FIELDS as BOARD
from attnviz.ui.components.layer_board import LayersView
from attnviz.ui.shared import home_picture
from attnviz.ui.shared.inference import ask, batch_of, in_words
from attnviz.views.attending import pooled

TAPS = ("query", "key", "value", "output")


def view(loaded: Loaded, example: Example) -> LayersView:
    """Return the data with which the board shows every head of every layer on a picture."""
    model, net = loaded
    paths = attentions(model)
    if not paths or not isinstance(model, VisionTransformer):
        raise BadInput(f"{net.key} has no layers in which patches attend to one another. Look at it in the explorer.")
    grid = model.grid
    batch = batch_of(loaded, example)
    keep = [f"{path}.{tap}" for path in paths for tap in TAPS] + [f"layers.{i}.output" for i in range(len(paths))]
    with torch.no_grad(), trace(model, keep) as seen:
        logits = ask(loaded, batch)
    parts = {tap: [_of(seen, f"{path}.{tap}") for path in paths] for tap in TAPS}
    pairs = list(zip(parts["query"], parts["key"], strict=True))
    normalised = [normalisers(*pair) for pair in pairs]
    projections = [model.get_parameter(f"{path}.output.weight") for path in paths]
    added = [carried(value, weight)[0] for value, weight in zip(parts["value"], projections, strict=True)]
    measured = by_layer(pairs, grid)
    outputs = [seen[f"layers.{layer}.output"].tensor for layer in range(len(paths))]
    subject = Subject(net, example)
    return LayersView(
        picture=pooled_patches(batch, loaded),
        background=example.taken_by(net),
        query=_stacked(parts["query"]),
        key=_stacked(parts["key"]),
        value=_stacked(parts["value"]),
        output=_stacked(parts["output"]),
        log_normaliser=np.stack([one for one, _ in normalised]),
        received=np.stack([one for _, one in normalised]),
        carried=np.stack(added),
        distance=measured.distance,
        entropy=measured.entropy,
        nowhere=measured.nowhere,
        even={
            "distance": measured.even_distance,
            "entropy": measured.even_entropy,
            "nowhere": measured.even_nowhere,
        },
        answers=answers(outputs, model.answer),
        layers=len(paths),
        rows=grid.rows,
        columns=grid.columns,
        prefix=grid.prefix,
        names=names_of(grid.prefix, net.config.get("reading", "class") == "class"),
        classes=net.classes,
        probabilities=probabilities(logits)[0].double().numpy(),
        label=example.target,
        origin={**subject.origin(), "answer": in_words(net, logits)},
        ink=example.ink,
    )


def across(loaded: Loaded, example: Example, data: str, number: int) -> LayersView:
    """Return the board's view of another picture's keys and values with the queries of the first picture."""
    first, other = view(loaded, example), view(loaded, Picture(data, number))
    pairs = [(torch.from_numpy(q), torch.from_numpy(k)) for q, k in zip(first.query, other.key, strict=True)]
    normalised = [normalisers(*pair) for pair in pairs]
    model = loaded.model
    assert isinstance(model, VisionTransformer)
    measured = by_layer(pairs, model.grid)
    return replace(
        other,
        query=first.query,
        log_normaliser=np.stack([one for one, _ in normalised]),
        received=np.stack([one for _, one in normalised]),
        distance=measured.distance,
        entropy=measured.entropy,
        nowhere=measured.nowhere,
        origin={**other.origin, "queries of": str(first.origin["image"])},
    )


def attentions(model: nn.Module) -> list[str]:
    """Return the paths of all self-attention modules, in the order of the layers."""
    return [path for path, part in model.named_modules() if isinstance(part, Attention)]


def names_of(prefix: int, class_token: bool) -> tuple[str, ...]:
    """Return the names of the tokens without a position on the picture."""
    registers = prefix - class_token
    return ("class token",) * class_token + tuple(f"register {number + 1}" for number in range(registers))


def pooled_patches(batch: Tensor, loaded: Loaded) -> np.ndarray:
    """Return the mean intensity of each patch, float64 (row, column)."""
    assert loaded.net.grid is not None
    found: np.ndarray = pooled(batch.double(), loaded.net.grid).numpy()
    return found


def _stacked(of_layers: list[Tensor]) -> np.ndarray:
    return np.stack([one.numpy() for one in of_layers])


def _of(seen: dict[str, Reading], path: str) -> Tensor:
    return seen[path].at(batch=0)


def home_tiles(loaded: Loaded, picture: Picture, image: np.ndarray, shown: Mapping[str, Any]) -> home_picture.Pair:
    """Return the digit with one patch outlined, and a head's weights for that patch as a query."""
    board = view(loaded, picture)
    asked = BOARD.read({name: str(word) for name, word in shown.items()})
    (row, column), layer, head = asked["query"], asked["layer"], asked["head"]
    query = board.prefix + row * board.columns + column
    scores = board.query[layer, head, query] @ board.key[layer, head].T / np.sqrt(board.query.shape[-1])
    weights = np.exp(scores - board.log_normaliser[layer, head, query])[board.prefix :]
    weights = weights.reshape(board.rows, board.columns)
    side = image.shape[0] // board.rows
    left, right = home_picture.grey(image[..., 0]), home_picture.heat(weights)
    home_picture.outline(left, image.shape[:2], (row * side, column * side), side)
    home_picture.outline(right, weights.shape, (row, column), 1)
    return left, right
