"""What the gates of a layer do over many pictures: which are always open, which never vary, which tell classes apart.

Source: the gates by class and depth of "Squeeze-and-Excitation Networks", Hu et al., 2018,
https://arxiv.org/abs/1709.01507, section 7.2. A gate that is the same for all pictures is no attention: it is a
weight like any other. In a residual block it could be multiplied into the normalisation before it.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Kind = Literal["varies", "constant", "always open"]

OPEN, MOSTLY = 0.98, 0.99  # a gate above this, for so large a share of the pictures, is always open
STILL = 0.01  # a standard deviation below this is that of a constant gate


def kinds(gates: Floats) -> tuple[Kind, ...]:
    """Say of each gate whether it is always open, constant, or varies from picture to picture.

    Args:
        gates: (picture, channel), 0..1, of two pictures or more.

    Returns:
        "always open": above 0.98 for at least 99 % of the pictures; else "constant": with a standard deviation below
        0.01; else "varies". One word per channel.

    Raises:
        BadInput: not two axes, or fewer than two pictures.
    """
    _check(gates)
    opened, still = (gates > OPEN).mean(0) >= MOSTLY, gates.std(0) < STILL
    return tuple(
        "always open" if up else "constant" if rest else "varies" for up, rest in zip(opened, still, strict=True)
    )


def between_classes(gates: Floats, labels: Integers) -> float:
    """Return which share of the variance of a layer's gates lies between the classes.

    Args:
        gates: (picture, channel).
        labels: int (picture,), any numbers.

    Returns:
        0 (every class has the same mean gates) to 1 (all pictures of a class have the same gates): the variance of the
        class means, weighed by how many pictures a class has, over the whole variance; both are summed over channels.
        0 where no gate varies.

    Raises:
        BadInput: not as many labels as pictures, not two axes, or fewer than two pictures.
    """
    _check(gates)
    if labels.shape != gates.shape[:1]:
        raise BadInput(f"Each of {len(gates)} pictures needs a label; the labels have the shape {labels.shape}.")
    centred = gates - gates.mean(0)
    whole = float((centred**2).sum())
    if whole <= 1e-18 * gates.size:
        return 0.0
    between = sum(
        (labels == label).sum() * (centred[labels == label].mean(0) ** 2).sum() for label in np.unique(labels)
    )
    return float(between) / whole


def by_chance(gates: Floats, labels: Integers, *, draws: int = 20, seed: int = 0) -> Floats:
    """Return `between_classes` for shuffled labels: what the number of classes alone gives.

    Args:
        gates, labels: as of `between_classes`.
        draws: how often the labels are shuffled.
        seed: of the shuffling.

    Returns:
        float64 (draws,), each 0..1.

    Raises:
        BadInput: as of `between_classes`.
    """
    chance = np.random.default_rng(seed)
    return np.array([between_classes(gates, chance.permutation(labels)) for _ in range(draws)])


def gain_with_depth(
    layers: Sequence[Floats], labels: Integers, *, draws: int = 200, seed: int = 0
) -> tuple[float, float, tuple[float, float]]:
    """Compare `between_classes` in the first half of the layers with the second half; a middle layer is of the latter.

    Args:
        layers: the gates of two layers or more, each (picture, channel), in the order of the forward pass.
        labels: int (picture,).
        draws: how often the pictures are drawn again, with replacement.
        seed: of the draws.

    Returns:
        The shares of both halves, each of the variance of all its gates together, and the 95 % interval of the second
        minus the first over the choice of pictures.

    Raises:
        BadInput: as of `between_classes`, or fewer than two layers.
    """
    if len(layers) < 2:
        raise BadInput(f"To compare early layers with late ones there must be two or more; here it is {len(layers)}.")
    half = len(layers) // 2
    early, late = np.concatenate(layers[:half], 1), np.concatenate(layers[half:], 1)
    chance = np.random.default_rng(seed)

    def gain(drawn: Integers) -> float:
        return between_classes(late[drawn], labels[drawn]) - between_classes(early[drawn], labels[drawn])

    gains = [gain(chance.integers(0, len(labels), len(labels))) for _ in range(draws)]
    low, high = np.percentile(gains, [2.5, 97.5])
    return between_classes(early, labels), between_classes(late, labels), (float(low), float(high))


def class_means(gates: Floats, labels: Integers, classes: int) -> Floats:
    """Return the mean gates of each class, for a heat map.

    Args:
        gates: (picture, channel).
        labels: int (picture,), 0 to classes - 1.
        classes: how many there are.

    Returns:
        float64 (class, channel); NaN for a class without pictures.

    Raises:
        BadInput: not as many labels as pictures, or a label beyond the classes.
    """
    if labels.shape != gates.shape[:1] or labels.min(initial=0) < 0 or labels.max(initial=0) >= classes:
        raise BadInput(f"Each of {len(gates)} pictures needs a label from 0 to {classes - 1}.")
    sums = np.zeros((classes, gates.shape[1]))
    np.add.at(sums, labels, gates)
    counts = np.bincount(labels, minlength=classes)[:, None]
    found: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return found


def _check(gates: Floats) -> None:
    if gates.ndim != 2 or len(gates) < 2:
        raise BadInput(f"Gates are (picture, channel), of at least two pictures, not of the shape {gates.shape}.")
