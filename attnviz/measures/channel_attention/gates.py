"""The gates of a layer over many pictures: which are always open, which never vary, which separate classes.

Source: the gates by class and depth are from "Squeeze-and-Excitation Networks", Hu et al., 2018,
https://arxiv.org/abs/1709.01507, section 7.2. A gate that is the same for all pictures is not attention but an ordinary
weight, which could be multiplied into the preceding normalisation of a residual block.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from attnviz.arrays import Floats, Integers
from attnviz.errors import BadInput

Kind = Literal["varies", "constant", "always open"]

OPEN, MOSTLY = 0.98, 0.99  # a gate is always open if it is above OPEN for at least the share MOSTLY of the pictures
STILL = 0.01  # a gate with a standard deviation below this is constant


def kinds(gates: Floats) -> tuple[Kind, ...]:
    """Return for each gate whether it is always open, constant, or varies from picture to picture.

    Args:
        gates: (picture, channel), 0..1, for at least two pictures.

    Returns:
        One word per channel: "always open" if above 0.98 for at least 99 % of the pictures, otherwise "constant" if the
        standard deviation is below 0.01, otherwise "varies".

    Raises:
        BadInput: there are not two axes, or fewer than two pictures.
    """
    _check(gates)
    opened, still = (gates > OPEN).mean(0) >= MOSTLY, gates.std(0) < STILL
    return tuple(
        "always open" if up else "constant" if rest else "varies" for up, rest in zip(opened, still, strict=True)
    )


def between_classes(gates: Floats, labels: Integers) -> float:
    """Return the share of the variance of a layer's gates that lies between the classes.

    Args:
        gates: (picture, channel).
        labels: int (picture,), any numbers.

    Returns:
        0 (every class has the same mean gates) to 1 (all pictures of a class have the same gates): the variance of the
        class means, weighted by the number of pictures per class, divided by the total variance. Both are summed over
        channels. 0 if no gate varies.
    """
    _check(gates)
    if labels.shape != gates.shape[:1]:
        raise BadInput(f"Each of {len(gates)} pictures needs a label; the labels have the shape {labels.shape}.")
    return float(_drawn(gates, labels, np.ones((1, len(gates))))[0])


def by_chance(gates: Floats, labels: Integers, *, draws: int = 20, seed: int = 0) -> Floats:
    """Return `between_classes` for labels shuffled `draws` times, as a baseline for this number of classes: float64
    (draws,), each 0..1.
    """
    between_classes(gates, labels)  # checks the arguments
    chance, centred = np.random.default_rng(seed), gates - gates.mean(0)
    shuffled = np.stack([chance.permutation(labels) for _ in range(draws)])
    told = (shuffled[:, None] == np.unique(labels)[:, None]).astype(np.float64)  # (draw, class, picture)
    sums = (told.reshape(-1, len(gates)) @ centred).reshape(*told.shape[:2], -1)
    return _share(centred, sums, told.sum(-1), np.ones(shuffled.shape))


def gain_with_depth(
    layers: Sequence[Floats], labels: Integers, *, draws: int = 200, seed: int = 0
) -> tuple[float, float, tuple[float, float]]:
    """Compare `between_classes` in the first and second half of the layers; a middle layer belongs to the second half.

    Args:
        layers: the gates of at least two layers, each (picture, channel), in the order of the forward pass.
        labels: int (picture,).
        draws: number of bootstrap samples of the pictures, drawn with replacement.
        seed: seed of the draws.

    Returns:
        The shares of both halves, each of the variance of all gates in that half, and the 95 % bootstrap interval of
        the second minus the first.
    """
    if len(layers) < 2:
        raise BadInput(f"To compare early layers with late ones there must be two or more; here it is {len(layers)}.")
    half = len(layers) // 2
    early, late = np.concatenate(layers[:half], 1), np.concatenate(layers[half:], 1)
    shares = between_classes(early, labels), between_classes(late, labels)
    chance, pictures = np.random.default_rng(seed), len(labels)
    drawn = [np.bincount(chance.integers(0, pictures, pictures), minlength=pictures) for _ in range(draws)]
    times = np.stack(drawn).astype(np.float64)
    low, high = np.percentile(_drawn(late, labels, times) - _drawn(early, labels, times), [2.5, 97.5])
    return *shares, (float(low), float(high))


def class_means(gates: Floats, labels: Integers, classes: int) -> Floats:
    """Return the mean gates (picture, channel) of each class for a heat map: float64 (class, channel), NaN for a class
    without pictures. Labels are int (picture,), 0 to classes - 1.
    """
    if labels.shape != gates.shape[:1] or labels.min(initial=0) < 0 or labels.max(initial=0) >= classes:
        raise BadInput(f"Each of {len(gates)} pictures needs a label from 0 to {classes - 1}.")
    sums = np.zeros((classes, gates.shape[1]))
    np.add.at(sums, labels, gates)
    counts = np.bincount(labels, minlength=classes)[:, None]
    found: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return found


def _drawn(gates: Floats, labels: Integers, times: Floats) -> Floats:
    """Return `between_classes` for bootstrap samples, given how often each picture occurs, (draw, picture): (draw,)."""
    centred = gates - gates.mean(0)
    classes = [labels == label for label in np.unique(labels)]
    sums = np.stack([times[:, own] @ centred[own] for own in classes], 1)
    return _share(centred, sums, np.stack([times[:, own].sum(1) for own in classes], 1), times)


def _share(centred: Floats, sums: Floats, counts: Floats, times: Floats) -> Floats:
    """Return the share of the variance that lies between classes: float64 (draw,).

    Args:
        centred: gates minus their mean over all pictures, (picture, channel).
        sums: sums over the pictures of each class, (draw, class, channel).
        counts: number of drawn pictures of each class, (draw, class).
        times: how often each picture was drawn, (draw, picture).
    """
    # Squared distances to the sample mean equal the squares minus the sample mean's own square, which is small.
    middle = (sums.sum(1) ** 2).sum(-1) / counts.sum(-1)
    between = ((sums**2).sum(-1) / np.maximum(counts, 1)).sum(-1) - middle
    whole = times @ (centred**2).sum(1) - middle
    flat = whole <= 1e-18 * centred.size
    found: Floats = np.where(flat, 0.0, between / np.where(flat, 1.0, whole))
    return found


def _check(gates: Floats) -> None:
    if gates.ndim != 2 or len(gates) < 2:
        raise BadInput(f"Gates are (picture, channel), of at least two pictures, not of the shape {gates.shape}.")
