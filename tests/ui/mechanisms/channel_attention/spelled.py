"""What a network with gates computes, spelled out from its file of weights, in float64 and without torch."""

from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file


class Spelled:
    """Every stage of every block, and every gate with what it is computed from, of one picture.

    Args:
        checkpoint: its folder.
        picture: uint8 (row, column, channel).
        config: of the model.
        put: block -> gates of its channels that stand in the place of those that are computed; NaN keeps one.
    """

    def __init__(
        self, checkpoint: Path, picture: np.ndarray, config: dict[str, Any], put: dict[int, np.ndarray] | None = None
    ) -> None:
        self.file = {name: array.astype(float) for name, array in load_file(checkpoint / "weights.safetensors").items()}
        self.put = put or {}
        self.gates: list[dict[str, np.ndarray]] = []
        self.stages: list[dict[str, np.ndarray]] = []
        maps = np.maximum(self.normed(self.convolved(picture.transpose(2, 0, 1) / 255.0, "stem.conv"), "stem.norm"), 0)
        before = config["widths"][0]
        for number, (width, stride) in enumerate(zip(config["widths"], config["strides"], strict=True)):
            path, found = f"blocks.{number}", {"input": maps}
            found["conv"] = self.convolved(maps, f"{path}.first.conv", stride)
            found["norm"] = self.normed(found["conv"], f"{path}.first.norm")
            found["relu"] = np.maximum(found["norm"], 0)
            branch = self.normed(self.convolved(found["relu"], f"{path}.second.conv"), f"{path}.second.norm")
            found["branch"] = branch
            if config["gate"] in ("se", "cbam"):
                branch = found["gate"] = self.gated(branch, f"{path}.attention", number, config["gate"])
            skip = np.pad(maps[:, ::stride, ::stride], ((0, width - before), (0, 0), (0, 0)))
            maps = found["output"] = np.maximum(branch + skip, 0)
            self.stages.append(found)
            before = width
        means = maps.mean((1, 2))
        self.logits = self.file["classifier.weight"] @ means + self.file["classifier.bias"]
        exponentials = np.exp(self.logits - self.logits.max())
        self.probabilities = exponentials / exponentials.sum()

    def gated(self, maps: np.ndarray, path: str, number: int, kind: str) -> np.ndarray:
        """Return the maps times their gates, and keep what these are computed from."""
        means, largest = maps.mean((1, 2)), maps.max((1, 2))
        reduced = self.linear(means, f"{path}.reduce")
        reduced = np.maximum(reduced, 0)
        score = self.linear(reduced, f"{path}.excite")
        if kind == "cbam":
            other = np.maximum(self.linear(largest, f"{path}.reduce"), 0)
            score = score + self.linear(other, f"{path}.excite")
        computed = 1 / (1 + np.exp(-score))
        given = self.put.get(number, np.full(len(computed), np.nan))
        gate = np.where(np.isnan(given), computed, given)
        found = {"squeezed": means, "reduced": reduced, "score": score, "computed": computed, "gate": gate}
        maps = maps * gate[:, None, None]
        if kind == "cbam":
            summary = np.stack([maps.mean(0), maps.max(0)])
            place = 1 / (1 + np.exp(-self.convolved(summary, f"{path}.space")[0]))
            found["place"] = place
            maps = maps * place
        self.gates.append(found)
        return maps

    def linear(self, values: np.ndarray, path: str) -> np.ndarray:
        """Return a linear layer of some values."""
        return self.file[f"{path}.weight"] @ values + self.file[f"{path}.bias"]

    def normed(self, maps: np.ndarray, path: str) -> np.ndarray:
        """Return batch normalisation with what was counted in training."""
        file = (self.file[f"{path}.{name}"] for name in ("running_mean", "running_var", "weight", "bias"))
        mean, variance, factor, shift = (one[:, None, None] for one in file)
        return (maps - mean) / np.sqrt(variance + 1e-5) * factor + shift

    def convolved(self, maps: np.ndarray, path: str, stride: int = 1) -> np.ndarray:
        """Return a convolution with zeros around the maps and no bias."""
        kernel = self.file[f"{path}.weight"]
        size = kernel.shape[2]
        around = size // 2
        padded = np.pad(maps, ((0, 0), (around, around), (around, around)))
        rows, columns = ((side + 2 * around - size) // stride + 1 for side in maps.shape[1:])
        found = np.zeros((len(kernel), rows, columns))
        for down in range(size):
            for right in range(size):
                window = padded[:, down : down + stride * rows : stride, right : right + stride * columns : stride]
                found += np.einsum("oi,irc->orc", kernel[:, :, down, right], window[:, :rows, :columns])
        return found
