"""What is measured over many strips for the experiments. Loads torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from attnviz.answers import as_batch
from attnviz.data.digit_strips import STOP, STRIPS, strip
from attnviz.errors import BadInput
from attnviz.layers.columns import PITCH
from attnviz.measures.agreement import random_map
from attnviz.measures.sequences import attribution, steering
from attnviz.tracing import trace
from attnviz.ui.mechanisms.sequences.reading import looking, reads
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from torch import Tensor, nn

    from attnviz.subjects import Loaded

STRIPS_OF_STEERING, STRIPS_OF_AGREEMENT = 32, 8


@dataclass(frozen=True)
class Steered:
    """What a net says when its weights are replaced, over many strips.

    Args:
        digits: name of the replacement -> the share of digits that are right; "own" for the net as it is.
        apart: likewise, the mean total variation from the answer of the net as it is.
        follows, stays, ends: how often a single step that is given the weights of the next one says that digit, its
            own, or ends the text.
        strips: how many.
    """

    digits: Mapping[str, float]
    apart: Mapping[str, float]
    follows: float
    stays: float
    ends: float
    strips: int


@dataclass(frozen=True)
class Agreed:
    """How far several methods agree on which digits count.

    Args:
        mean, spread: two methods -> mean and standard deviation of Kendall's rank correlation over steps.
        hits: method -> how often the digit that counts most is the one that is said.
        chance: standard deviation of the correlation with a map that is drawn at random.
        strips: how many.
    """

    mean: Mapping[tuple[str, str], float]
    spread: Mapping[tuple[str, str], float]
    hits: Mapping[str, float]
    chance: float
    strips: int


def batch(loaded: Loaded, source: str, length: int, count: int) -> tuple[Tensor, Tensor]:
    """Return the first test strips of a length, float (count, 1, 28, column) in single precision, which is twice as
    fast, and what the net should say of them."""
    how = STRIPS[loaded.net.data or ""]
    found = [strip(source, length, number) for number in range(count)]
    digits = np.array([[int(digit) for digit in text] for _, text in found])
    images = as_batch(np.stack([picture for picture, _ in found]))
    return images, torch.from_numpy(how.targets(digits))


def steer(loaded: Loaded, source: str, length: int) -> Steered:
    """Return what a net says when the weights of its steps are swapped, permuted, uniform, or only their peak.

    Every step is told the true symbols before it. All heads and layers that look at the strip are changed alike.

    Args:
        loaded: a net with weights that come from scores.
        source: of the digits.
        length: of the strips, at least 2.

    Raises:
        BadInput: the net has no such weights, or one digit alone, whose weights cannot be swapped.
    """
    model = cache.single(loaded.net).model
    paths = [f"{one.path}.weights" for one in looking(model) if (one.queries, one.keys) == ("steps", "columns")]
    if not paths or loaded.net.config.get("attention") == "uniform":
        raise BadInput(f"{loaded.net.title} has no weights to replace. Choose a model with attention.")
    if length < 2:
        raise BadInput("Weights can be swapped between digits only: choose a strip of two digits or more.")
    images, texts = batch(loaded, source, length, STRIPS_OF_STEERING)
    with torch.no_grad(), trace(model, paths) as seen:
        logits = model(images, targets=texts)
    own = {path: steering.rows(seen[path]) for path in paths}
    order = [
        *range(1, length),
        0,
        length,
    ]  # each step gets the weights of the next one; what ends the text keeps its own

    def with_weights(change: Callable[[Tensor], Tensor]) -> Tensor:
        edits = steering.edits_of(seen, {path: change(one) for path, one in own.items()})
        with torch.no_grad(), trace(model, [], edits):
            answered: Tensor = model(images, targets=texts)
        return answered

    def permuted(weights: Tensor) -> Tensor:
        return steering.permuted(weights, torch.Generator().manual_seed(0))

    answers = {
        "own": logits,
        "peak": with_weights(steering.only_peak),
        "uniform": with_weights(steering.even),
        "permuted": with_weights(permuted),
        "swapped": with_weights(lambda weights: steering.swapped(weights, order)),
    }
    probabilities = {name: one[:, :length].softmax(-1) for name, one in answers.items()}
    singly = [_one_step(with_weights, texts, step) for step in range(length)]
    follows, stays, ends = np.nanmean(singly, 0)
    return Steered(
        {name: float((one.argmax(-1) == texts[:, :length]).double().mean()) for name, one in probabilities.items()},
        {
            name: float(steering.total_variation(one, probabilities["own"]).mean())
            for name, one in probabilities.items()
        },
        float(follows),
        float(stays),
        float(ends),
        len(texts),
    )


def _one_step(
    with_weights: Callable[[Callable[[Tensor], Tensor]], Tensor], texts: Tensor, step: int
) -> tuple[float, float, float]:
    """Return how often a step that alone is given the weights of the next one says that digit, its own, or the end.

    If all are swapped at once, what they take in changes the state of a recurrent decoder too.
    """
    length = texts.shape[1] - 1
    other = (step + 1) % length
    order = [other if place == step else place for place in range(length + 1)]
    said = with_weights(lambda weights: steering.swapped(weights, order))[:, step].argmax(-1)
    counted = texts[:, step] != texts[:, other]
    if not counted.any():
        return np.nan, np.nan, np.nan
    shares = [(said == wanted)[counted].double().mean() for wanted in (texts[:, other], texts[:, step], texts[:, -1])]
    return float(shares[0]), float(shares[1]), float(shares[2])


def agree(loaded: Loaded, source: str, length: int) -> Agreed:
    """Return how far weights, gradient and two kinds of erasure agree on which digits count for each step.

    Args: as of `steer`.

    Raises:
        BadInput: the net has no weights, or the strip has fewer than three digits, which rank too little.
    """
    model, net = cache.single(loaded.net)
    looks = [one for one in looking(model) if (one.queries, one.keys) == ("steps", "columns")]
    if not looks or net.config.get("attention") == "uniform":
        raise BadInput(f"{net.title} has no weights to compare. Choose a model with attention.")
    if length < 3:
        raise BadInput("Which digits count can be ranked from three digits on: choose a longer strip.")
    images, texts = batch(loaded, source, length, STRIPS_OF_AGREEMENT)
    scores = [f"{one.path}.{_scores_of(model, one.path)}" for one in looks]
    found = attribution.by_method(model, images, texts, weights=[f"{one.path}.weights" for one in looks], scores=scores)
    pairs = attribution.agreements(found)
    originals = [strip(source, length, number)[1] for number in range(len(texts))]
    places = torch.tensor([reads(net, text) for text in originals])  # (strip, step): the digit that is said
    shape = found["weights"].shape
    by_chance = attribution.agreements(
        {"weights": found["weights"], "chance": torch.from_numpy(random_map(tuple(shape), seed=0))}
    )
    return Agreed(
        {pair: float(np.nanmean(values)) for pair, values in pairs.items()},
        {pair: float(np.nanstd(values)) for pair, values in pairs.items()},
        {name: float((values.argmax(-1) == places).double().mean()) for name, values in found.items()},
        float(np.nanstd(next(iter(by_chance.values())))),
        len(texts),
    )


def _scores_of(model: nn.Module, path: str) -> str:
    """Return the name of the tap whose softmax a layer's weights are."""
    return "energies" if "energies" in getattr(model.get_submodule(path), "taps", ()) else "scores"


def without_order(loaded: Loaded, source: str, length: int) -> tuple[float, float, float]:
    """Return how many digits of a net's own answers are right, how many of them at any place, and by how much the
    logits change when the columns of features are permuted.

    Args: as of `steer`.
    """
    model = cache.single(loaded.net).model
    images, texts = batch(loaded, source, length, STRIPS_OF_STEERING)
    with torch.no_grad():
        logits = model(images)
    said = logits.argmax(-1)
    right, somewhere = [], []
    for answer, text in zip(said.tolist(), texts[:, :-1].tolist(), strict=True):
        kept = answer[: answer.index(STOP)] if STOP in answer else answer
        right.append(sum(one == other for one, other in zip(kept, text, strict=False)) / length)
        somewhere.append(sum(min(kept.count(digit), text.count(digit)) for digit in set(text)) / length)
    tap = next(f"{path}.columns" for path, layer in model.named_modules() if "columns" in getattr(layer, "taps", ()))
    order = torch.from_numpy(np.random.default_rng(0).permutation(-(-images.shape[-1] // PITCH)))
    with torch.no_grad():
        before = model(images, targets=texts)
        with trace(model, [], {tap: lambda columns: columns[:, order]}):
            after = model(images, targets=texts)
    return float(np.mean(right)), float(np.mean(somewhere)), float((after - before).abs().max())
