"""Measure a net for the experiments, on one example and on a picture of each class. Imports torch."""

from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.answers import as_batch, predicted, probabilities
from attnviz.arrays import Floats
from attnviz.data import always, inputs
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.measures import agreement, place_maps, sanity, switched
from attnviz.measures.jacobian import answered
from attnviz.measures.vision_transformer import late_registers, normal, over_layers
from attnviz.models.vision_transformer import VisionTransformer
from attnviz.subjects import Example, Loaded
from attnviz.tracing import trace
from attnviz.ui.mechanisms.vision_transformer.layers import attentions
from attnviz.ui.shared.inference import batch_of

SEED = 0
ROLLOUT, FLOW, WEIGHTED, PRODUCT, ERASURE, RANDOM = "rollout", "flow", "weighted", "product", "erasure", "random"


@dataclass(frozen=True, eq=False)
class Combined:
    """Maps over all layers on one picture, of the net and of the same net with random weights.

    Args:
        answer: number of the predicted class.
        maps: name -> (row, column) of the patches, at least 0: ROLLOUT, FLOW, WEIGHTED, PRODUCT (the picture times
            its Jacobian), ERASURE and RANDOM.
        drawn: the same maps with random weights, for the answer of the trained net.
        taus: name -> Kendall's tau between a map of the net and the effect of erasing; NaN if either is uniform.
        same: name -> Kendall's tau between a map of the net and the same map with random weights.
    """

    answer: int
    maps: dict[str, Floats]
    drawn: dict[str, Floats]
    taus: dict[str, float]
    same: dict[str, float]


def combine(loaded: Loaded, example: Example) -> Combined:
    """Return several maps combined over all layers, of the net and with random weights."""
    model, batch = _vision(loaded.model), batch_of(loaded, example).double()
    with torch.no_grad():
        answer = int(predicted(model(batch)))
    *_, random = sanity.randomised(model, sanity.from_the_top(model), seed=SEED)
    maps, drawn = (_maps(_vision(one), batch, answer) for one in (model, random))
    flat = {name: one.ravel() for name, one in maps.items()}
    return Combined(
        answer,
        maps,
        drawn,
        {name: float(agreement.kendall(one, flat[ERASURE])) for name, one in flat.items() if name != ERASURE},
        {name: float(agreement.kendall(one, drawn[name].ravel())) for name, one in flat.items() if name != RANDOM},
    )


def _maps(model: VisionTransformer, batch: Tensor, answer: int) -> dict[str, Floats]:
    grid = model.grid
    taps = [f"{path}.weights" for path in attentions(model)]
    weights, gradients = over_layers.weights_and_gradients(model, batch, taps, answer)
    mixed = over_layers.mixed(weights).double().numpy()
    _, gradient = answered(model, batch, answer)
    product = (gradient[0] * batch[0]).sum(0).abs().double().numpy()
    return {
        ROLLOUT: _read(model, over_layers.rollout(weights)),
        FLOW: _on_patches(model, over_layers.attention_flow(mixed, _reader(model))),
        WEIGHTED: _read(model, over_layers.weighted_rollout(weights, gradients)),
        PRODUCT: place_maps.by_place(product, _patches(model)),
        ERASURE: place_maps.erasure(model, batch[0], _patches(model), answer),
        RANDOM: agreement.random_map((grid.rows, grid.columns), seed=SEED),
    }


def _read(model: VisionTransformer, taken: Tensor) -> Floats:
    """Return the attention that the tokens behind the answer pay to each patch, (row, column)."""
    return _on_patches(model, _reader(model) @ taken.double().numpy())


def _reader(model: VisionTransformer) -> Floats:
    """Return each token's share in the reading of the answer, (token,)."""
    found: Floats = np.zeros(model.grid.tokens)
    found[slice(model.grid.prefix, None) if model.answer.mean else slice(0, 1)] = 1
    found /= found.sum()
    return found


def _on_patches(model: VisionTransformer, row: Floats) -> Floats:
    grid = model.grid
    found: Floats = row[grid.prefix :].reshape(grid.rows, grid.columns)
    return found


@dataclass(frozen=True, eq=False)
class Switched:
    """The probability that the answer on one picture loses without a part of the net.

    Args:
        answer: number of the predicted class.
        heads: (layer, head) probability lost without each head.
        layers: (layer,) lost without the attention of a whole layer.
        keys: (row, column) lost without a patch as a key, in all layers.
        others: how many of these removals change the answer.
        nowhere: lost without each token that has no position on the picture.
    """

    answer: int
    heads: Floats
    layers: Floats
    keys: Floats
    others: int
    nowhere: Floats


def switch(loaded: Loaded, example: Example) -> Switched:
    """Return the probability lost without each head, each layer's attention, and each token as a key."""
    model, batch = _vision(loaded.model), batch_of(loaded, example)
    paths, grid = attentions(model), model.grid
    heads = model.get_submodule(paths[0]).heads
    assert isinstance(heads, int)
    edits = [switched.head_off(path, head) for path in paths for head in range(heads)]
    edits += [switched.attention_off(path) for path in paths]
    edits += [switched.key_off(paths, key) for key in range(grid.tokens)]
    lost, answers = switched.changes(model, batch, edits)
    with torch.no_grad():
        answer = int(predicted(model(batch)))
    of_heads, of_layers, of_keys = np.split(lost, [len(paths) * heads, len(paths) * (heads + 1)])
    return Switched(
        answer,
        of_heads.reshape(len(paths), heads),
        of_layers,
        of_keys[grid.prefix :].reshape(grid.rows, grid.columns),
        sum(one != answer for one in answers),
        of_keys[: grid.prefix],
    )


@dataclass(frozen=True, eq=False)
class Heads:
    """Every head on one picture of each class: (layer, head).

    Args:
        distance: mean distance in pixels, over pictures.
        position: the share of the deviation from an even share that is the same on all pictures, 0..1.
        even_distance: mean distance in pixels if all keys receive the same weight.
        pictures: the number of pictures.
    """

    distance: Floats
    position: Floats
    even_distance: float
    pictures: int


def heads(loaded: Loaded) -> Heads:
    """Return the attention distance of each head, and the share of its attention that is the same on all pictures."""
    model, net = _vision(loaded.model), loaded.net
    source = None if net.data is None else always.source(net.data)
    if source is None:
        raise BadInput(f"There are no built-in pictures of {net.data or net.key} to compare heads on.")
    taken = net.input
    images = np.stack([inputs.fitted(one, **asdict(taken)) for one in always.one_of_each(source, net.labels)])
    batch = as_batch(images, double=True)
    paths = attentions(model)
    keep = [f"{path}.{tap}" for path in paths for tap in ("query", "key", "weights")]
    with torch.no_grad(), trace(model, keep) as seen:
        model(batch)
    pairs = [(seen[f"{path}.query"].tensor, seen[f"{path}.key"].tensor) for path in paths]
    each = [over_layers.by_layer([(q[one], k[one]) for q, k in pairs], model.grid) for one in range(len(batch))]
    position = [normal.by_constant(seen[f"{path}.weights"].tensor, 0).numpy() for path in paths]
    distance = np.mean([one.distance for one in each], 0)
    return Heads(distance, np.stack(position), each[0].even_distance, len(batch))


@dataclass(frozen=True, eq=False)
class Normal:
    """Findings in the maps of a picture, compared with random weights and an even share.

    Args:
        own, drawn: the results of `normal.together` for the net, and for the same net with random weights.
        tokens: the token of the net that receives the most attention in each layer.
        sinks: the attention it receives in each layer, as a multiple of an even share.
        moved: the results once outliers are moved to a register; None if there are no outliers.
        answers: the answer and its probability before and after the move.
        neurons: the number of neurons moved.
    """

    own: dict[str, float]
    drawn: dict[str, float]
    tokens: list[int]
    sinks: list[float]
    moved: dict[str, float] | None = None
    answers: tuple[tuple[int, float], ...] = ()
    neurons: int = 0


def look(loaded: Loaded, example: Example) -> Normal:
    """Return whether tokens draw attention from everywhere, have large norms, or all have the same map."""
    model, batch = _vision(loaded.model), batch_of(loaded, example)
    *_, random = sanity.randomised(model, sanity.from_the_top(model), seed=SEED)
    own, drawn = _found(model, batch), _found(_vision(random), batch)
    found = Normal(normal.together(own), normal.together(drawn), [one.token for one in own], [one.sink for one in own])
    neurons = late_registers.register_neurons(model, batch)
    if not neurons:
        return found
    config = {**loaded.net.config, "classes": loaded.net.classes}
    wider = VisionTransformer(**{**config, "registers": config.get("registers", 0) + 1})
    without = late_registers.WithRegister(model, wider, neurons)
    after = normal.together(_found(without, batch, "wider."))
    with torch.no_grad():
        each = [probabilities(one(batch))[0] for one in (model, without)]
    answers = tuple((int(one.argmax()), float(one.max())) for one in each)
    return replace(found, moved=after, answers=answers, neurons=len(neurons))


def _found(model: nn.Module, batch: Tensor, within: str = "") -> list[normal.Found]:
    paths = attentions(model)
    keep = [f"{path}.weights" for path in paths] + [f"{within}layers.{layer}.output" for layer in range(len(paths))]
    with torch.no_grad(), trace(model, keep) as seen:
        model(batch)
    return [
        normal.found_in(seen[f"{path}.weights"].at(batch=0), seen[f"{within}layers.{layer}.output"].at(batch=0))
        for layer, path in enumerate(paths)
    ]


def _patches(model: VisionTransformer) -> Grid:
    return replace(model.grid, prefix=0)


def _vision(model: nn.Module) -> VisionTransformer:
    if not isinstance(model, VisionTransformer) or not attentions(model):
        raise BadInput("This model has no layers in which patches attend to one another.")
    return model
