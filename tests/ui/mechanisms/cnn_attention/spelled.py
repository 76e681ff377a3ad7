"""What a network with attention over blocks computes, spelled out from its file of weights, in float64."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file


class Spelled:
    """Every stage of the convolutions and all weights between blocks, of one picture.

    Args:
        checkpoint: its folder.
        picture: uint8 (row, column).
        heads: of the attention.
    """

    def __init__(self, checkpoint: Path, picture: np.ndarray, heads: int) -> None:
        self.file = {name: array.astype(float) for name, array in load_file(checkpoint / "weights.safetensors").items()}
        maps = picture[None] / 255.0
        self.stages: list[dict[str, np.ndarray]] = []
        for number, (same, pool) in enumerate(((True, 2), (False, 2), (False, 1))):
            after_conv = self.convolved(maps, f"conv.{number}.conv", same)
            after_relu = np.maximum(after_conv, 0)
            maps = pooled(after_relu, pool, whole=not same)
            self.stages.append({"after_conv": after_conv, "after_relu": after_relu, "after_pool": maps})
        self.grid = maps.shape[1:]
        blocks = maps.reshape(len(maps), -1).T  # (block, feature)
        self.query, self.key = (self.part(blocks, name, heads) for name in ("query", "key"))
        scores = np.einsum("hqs,hks->hqk", self.query, self.key) / np.sqrt(self.query.shape[-1])
        exponentials = np.exp(scores - scores.max(-1, keepdims=True))
        self.scores, self.weights = scores, exponentials / exponentials.sum(-1, keepdims=True)

    def convolved(self, maps: np.ndarray, path: str, same: bool) -> np.ndarray:
        """Return a convolution of 2 x 2; "same" adds zeros at the bottom and right."""
        kernel, bias = self.file[f"{path}.weight"], self.file[f"{path}.bias"]
        if same:
            maps = np.pad(maps, ((0, 0), (0, 1), (0, 1)))
        rows, columns = maps.shape[1] - 1, maps.shape[2] - 1
        found = np.repeat(bias[:, None], rows * columns, 1).reshape(-1, rows, columns)
        for down in (0, 1):
            for right in (0, 1):
                window = maps[:, down : down + rows, right : right + columns]
                found = found + np.einsum("oi,irc->orc", kernel[:, :, down, right], window)
        return found

    def part(self, blocks: np.ndarray, name: str, heads: int) -> np.ndarray:
        """Return queries or keys, (head, block, size), which pass through ReLU."""
        made = blocks @ self.file[f"attention.{name}.weight"].T + self.file[f"attention.{name}.bias"]
        return np.maximum(made, 0).reshape(len(blocks), heads, -1).transpose(1, 0, 2)


def pooled(maps: np.ndarray, pool: int, whole: bool) -> np.ndarray:
    """Return the maxima of squares; "whole" takes those at the bottom and right too that are cut off."""
    if whole:
        down, right = (-side % pool for side in maps.shape[1:])
        maps = np.pad(maps, ((0, 0), (0, down), (0, right)), constant_values=-np.inf)
    count, rows, columns = len(maps), maps.shape[1] // pool, maps.shape[2] // pool
    cut = maps[:, : rows * pool, : columns * pool]
    return cut.reshape(count, rows, pool, columns, pool).max((2, 4))
