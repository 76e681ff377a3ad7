"""What a small placed model computes, by hand from its file of weights: for tests that read the screen."""

from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from tests.ui.mechanisms.pixel_attention.experiments.placed import STANDARD

from .models import SMALL

SIDE, HEADS, SIZE = 28, 3, 2


class Without:
    """The placed model without positions: every pixel a token.

    Args:
        folder: of the placed checkpoints.
        weights: its file of weights, in the folder of the checkpoint.
        name: of the checkpoint.
        size: of its heads.
    """

    def __init__(self, folder: Path, weights: str = "weights.safetensors", name: str = SMALL, size: int = SIZE) -> None:
        self.size = size
        file = load_file(folder / name / weights)
        self.file = {name: array.astype(float) for name, array in file.items()}

    def part(self, name: str, picture: np.ndarray) -> np.ndarray:
        """Return (token, head, size) of query, key or value for a picture (row, column) in 0..1."""
        tokens = (picture.reshape(-1, 1) - STANDARD["mean"]) / STANDARD["std"]
        found = tokens @ self.file[f"attention.{name}.weight"].T + self.file[f"attention.{name}.bias"]
        return found.reshape(-1, HEADS, self.size)

    def weights(self, picture: np.ndarray, queries: Any = slice(None)) -> np.ndarray:
        """Return (head, query, key), of some queries or of all."""
        scores = np.einsum("qhs,khs->hqk", self.part("query", picture)[queries], self.part("key", picture))
        scores /= np.sqrt(self.size)
        exponentials = np.exp(scores - scores.max(-1, keepdims=True))
        return exponentials / exponentials.sum(-1, keepdims=True)

    def output(self, picture: np.ndarray) -> np.ndarray:
        """Return what comes out of the attention, (token,)."""
        mixed = np.einsum("hqk,khs->qhs", self.weights(picture), self.part("value", picture)).reshape(
            -1, HEADS * self.size
        )
        return (mixed @ self.file["attention.output.weight"].T + self.file["attention.output.bias"])[:, 0]

    def logit(self, picture: np.ndarray) -> float:
        """Return the log-odds of the second class, the 1."""
        found = self.output(picture) @ self.file["classifier.weight"][0] + self.file["classifier.bias"][0]
        return float(found)
