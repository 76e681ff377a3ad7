"""The recurrent attention model spelled out once more, value by value, in float64: an oracle for what is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch


@dataclass
class Spelled:
    """A path: locations (glimpse, 2), patches (glimpse, scale, row, column), corners (glimpse, scale, 2), beliefs."""

    locations: np.ndarray
    patches: np.ndarray
    corners: np.ndarray
    beliefs: np.ndarray


def spelled(
    state: Mapping[str, torch.Tensor],
    config: Mapping[str, Any],
    image: np.ndarray,
    draw: int | None,
    forced: Mapping[int, Sequence[float]] = {},
) -> Spelled:
    """Look at a picture.

    Args:
        state: the state of the model.
        config: of the model.
        image: uint8 (row, column, 1).
        draw: seed of the random numbers; None for the means.
        forced: glimpse -> (row, column) in -1..1.
    """
    weights = {name.removeprefix("glimpses."): value.double().numpy() for name, value in state.items()}

    def linear(name: str, values: np.ndarray) -> np.ndarray:
        return weights[f"{name}.weight"] @ values + weights[f"{name}.bias"]

    def two(name: str, values: np.ndarray) -> np.ndarray:
        if f"{name}.weight" in weights:  # a single layer
            return linear(name, values)
        return linear(f"{name}.2", np.maximum(linear(f"{name}.0", values), 0))

    glimpses, policy = config["glimpses"], config.get("policy", "learnt")
    sides = np.array(image.shape[:2])
    noise = _noise(glimpses, policy, draw)
    hidden, found = np.zeros(config["width"]), Spelled(*(np.zeros(0) for _ in range(4)))
    lists: list[list[np.ndarray]] = [[], [], [], []]
    for number in range(glimpses):
        if policy == "fixed":
            location = 2 * np.array(config["path"][number]) / sides
        elif policy == "random" or number == 0:
            location = noise[number] * (0 if policy == "learnt" and config.get("first") == "centre" else 1)
        else:
            location = np.clip(np.tanh(two("mean", hidden)) + config.get("location_std", 0.1) * noise[number], -1, 1)
        location = np.array(forced.get(number, location), np.float64)
        patches, corners = _retina(image, location, config["size"], config["scales"])
        glimpse = np.maximum(two("what", patches.ravel()) + two("where", location), 0)
        hidden = np.maximum(linear("from_glimpse", glimpse) + linear("from_hidden", hidden), 0)
        logits = linear("classifier", hidden)
        belief = np.exp(logits - logits.max())
        for some, value in zip(lists, (location, patches, corners, belief / belief.sum()), strict=True):
            some.append(value)
    found.locations, found.patches, found.corners, found.beliefs = (np.stack(some) for some in lists)
    return found


def _noise(glimpses: int, policy: str, draw: int | None) -> np.ndarray:
    """Return the random numbers, which are the model's own: (glimpse, 2)."""
    if draw is None or policy == "fixed":
        return np.zeros((glimpses, 2))
    generator, uniform = torch.Generator().manual_seed(draw), glimpses if policy == "random" else 1
    first = torch.empty(1, uniform, 2).uniform_(-1, 1, generator=generator)
    rest = torch.empty(1, glimpses - uniform, 2).normal_(generator=generator)
    return torch.cat([first, rest], 1)[0].double().numpy()


def _retina(image: np.ndarray, location: np.ndarray, size: int, scales: int) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = image.shape[:2]
    patches, corners = np.zeros((scales, size, size)), np.zeros((scales, 2))
    pixel = [
        int(np.floor(np.float32((place + 1) / 2 * side))) for place, side in zip(location, image.shape, strict=False)
    ]
    for scale in range(scales):
        box = 2**scale
        top, left = (place - size * box // 2 for place in pixel)
        corners[scale] = top, left
        for row in range(size):
            for column in range(size):
                total = 0.0
                for r in range(top + row * box, top + (row + 1) * box):
                    for c in range(left + column * box, left + (column + 1) * box):
                        total += image[r, c, 0] / 255 if 0 <= r < rows and 0 <= c < columns else 0
                patches[scale, row, column] = total / box**2
    return patches, corners
