"""What a network with a spatial transformer computes, spelled out from its file of weights, without torch."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file


class Spelled:
    """Theta, the places that are sampled, what is sampled there, and the answer, in float64.

    Args:
        checkpoint: its folder.
        picture: uint8 (row, column, channel).
        rotation: whether the last layer gives one angle, and not six numbers.
        theta: (2, 3) in the place of the one that is computed.
    """

    def __init__(
        self, checkpoint: Path, picture: np.ndarray, *, rotation: bool = False, theta: np.ndarray | None = None
    ) -> None:
        self.file = {name: array.astype(float) for name, array in load_file(checkpoint / "weights.safetensors").items()}
        image = picture.transpose(2, 0, 1) / 255.0
        rows, columns = image.shape[1:]
        path = "transformer.localisation"
        small = self.convolved(pooled(image, np.mean), f"{path}.1")
        features = np.maximum(self.linear(pooled(np.maximum(small, 0), np.max).ravel(), f"{path}.5"), 0)
        numbers = self.linear(features, "transformer.last")
        if rotation:
            (angle,), ratio = numbers, rows / columns
            numbers = np.array([np.cos(angle), -np.sin(angle) * ratio, 0, np.sin(angle) / ratio, np.cos(angle), 0])
        self.theta = numbers.reshape(2, 3) if theta is None else theta
        self.places = np.array(
            [
                self.theta @ [(2 * column + 1) / columns - 1, (2 * row + 1) / rows - 1, 1]
                for row in range(rows)
                for column in range(columns)
            ]
        )  # (place, x and y)
        across, down = (((self.places + 1) * [columns, rows] - 1) / 2).T  # in pixels
        near_x = np.maximum(0, 1 - abs(across[:, None] - np.arange(columns)))
        near_y = np.maximum(0, 1 - abs(down[:, None] - np.arange(rows)))
        self.sampled = np.einsum("crk,pr,pk->cp", image, near_y, near_x).reshape(image.shape)
        maps = self.sampled
        for layer in ("convolutions.0", "convolutions.3"):
            maps = pooled(np.maximum(self.convolved(maps, layer), 0), np.max)
        hidden = np.maximum(self.linear(maps.ravel(), "hidden"), 0)
        logits = self.linear(hidden, "classifier")
        exponentials = np.exp(logits - logits.max())
        self.probabilities = exponentials / exponentials.sum()

    def linear(self, values: np.ndarray, path: str) -> np.ndarray:
        """Return a linear layer of some values."""
        return self.file[f"{path}.weight"] @ values + self.file[f"{path}.bias"]

    def convolved(self, maps: np.ndarray, path: str) -> np.ndarray:
        """Return a convolution with zeros around the maps."""
        kernel = self.file[f"{path}.weight"]
        around = kernel.shape[2] // 2
        padded = np.pad(maps, ((0, 0), (around, around), (around, around)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape[2:], axis=(1, 2))
        found: np.ndarray = np.einsum("oidr,ihwdr->ohw", kernel, windows) + self.file[f"{path}.bias"][:, None, None]
        return found


def pooled(maps: np.ndarray, kind: object) -> np.ndarray:
    """Return the mean or the maximum of each square of four; a row or column that is left over is dropped."""
    channels, rows, columns = maps.shape
    cut = maps[:, : rows // 2 * 2, : columns // 2 * 2].reshape(channels, rows // 2, 2, columns // 2, 2)
    return cut.mean((2, 4)) if kind is np.mean else cut.max((2, 4))


def moved(picture: np.ndarray, rotate: float, scale: float, across: float, down: float) -> np.ndarray:
    """Return a picture, uint8, rotated counter-clockwise and scaled about its middle, then shifted; bilinear."""
    rows, columns = picture.shape[:2]
    found = np.zeros(picture.shape)
    turned = np.radians(rotate)
    for row in range(rows):
        for column in range(columns):
            x, y = column - (columns - 1) / 2 - across, row - (rows - 1) / 2 - down
            from_x = (np.cos(turned) * x - np.sin(turned) * y) / scale + (columns - 1) / 2
            from_y = (np.sin(turned) * x + np.cos(turned) * y) / scale + (rows - 1) / 2
            near_x = np.maximum(0, 1 - abs(from_x - np.arange(columns)))
            near_y = np.maximum(0, 1 - abs(from_y - np.arange(rows)))
            found[row, column] = np.einsum("rkc,r,k->c", picture.astype(float), near_y, near_x)
    return np.floor(found + 0.5).astype(np.uint8)
