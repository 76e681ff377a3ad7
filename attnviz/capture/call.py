"""One captured call: what is known of it, what was kept of it, and its weights when they are asked for."""

from dataclasses import dataclass, field
from math import prod

import torch
from torch import Tensor

from attnviz.capture.attend import Attend, softmax
from attnviz.capture.frames import Where
from attnviz.capture.layout import Layout

TAPS = ("query", "key", "value", "scores", "weights", "mixed")
"""The taps of a captured attention, in the order in which they are computed."""


@dataclass
class Call:
    """An attention of a model that attnviz has never seen.

    Args:
        where: which module made the call, and which one it was.
        function: through which function of torch the attention was seen.
        refused: why it cannot be shown; "" where it can.
        layout: what its leading axes mean.
        queries, keys, features: how many there are; features of a query.
        far: how far weights times values were from what the call returned, relative.
        scale: of the products of queries and keys; None where the model computed the scores by itself.
        causal: whether later keys are hidden.
        kept: what was kept, by tap, and "mask"; (batch, window, head, ...), the window only if there are several.
        before: by tap, what an edit found there.
    """

    where: Where
    function: str
    refused: str = ""
    layout: Layout = field(default_factory=lambda: Layout((), ()))
    queries: int = 0
    keys: int = 0
    features: int = 0
    far: Tensor | None = None
    dtype: torch.dtype = torch.float32
    scale: float | None = None
    causal: bool = False
    masked: bool = False
    kept: dict[str, Tensor] = field(default_factory=dict)
    before: dict[str, Tensor] = field(default_factory=dict)

    def axes(self, tap: str) -> tuple[str, ...]:
        """Return the axes of a tap."""
        lead = self.layout.words
        return (*lead, "query", "key") if tap in ("scores", "weights") else (*lead, "token", "feature")

    def scores(self) -> Tensor:
        """Return what the softmax was taken of: the model's own, or computed from query and key in float64."""
        return self.kept["scores"] if "scores" in self.kept else self._again().scores(dtype=torch.float64)

    def weights(self) -> Tensor:
        """Return the weights: the model's own, or computed from query, key and mask in float64."""
        return self.kept["weights"] if "weights" in self.kept else softmax(self.scores())

    def log_normaliser(self) -> Tensor:
        """Return the logarithm of what each query's softmax is divided by, (batch, window, head, query), in float64."""
        return self.scores().double().logsumexp(-1)

    def shape(self, tap: str) -> tuple[int, ...]:
        """Return the shape of a tap."""
        lead = tuple(self.layout.size(word) for word in self.layout.words)
        tokens = {"key": self.keys, "value": self.keys}.get(tap, self.queries)
        return (*lead, tokens, self.keys if tap in ("scores", "weights") else self.features)

    def _again(self) -> Attend:
        query, key = self.kept["query"], self.kept["key"]
        assert self.scale is not None
        return Attend(query, key, key, self.kept.get("mask"), self.scale, self.causal, 0.0)


def narrow(tensor: Tensor) -> Tensor:
    """Return a copy of a tensor in which axes that only repeat have length 1."""
    for axis in range(tensor.ndim):
        if tensor.stride(axis) == 0:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor.clone()


def runs_over_channels(call: Call) -> bool:
    """Return whether what a call sums over to compare a query with a key is the tokens of the module's input."""
    if call.queries != call.keys or call.layout.size("window") > 1:
        return False
    for given in call.where.given:
        if given.ndim == 4 and given.shape[1] == call.layout.size("head") and given.shape[2] == call.queries:
            continue  # a query that has been split into heads already
        tokens = [prod(given.shape[1:-1])] if given.ndim > 2 else []
        if given.ndim > 3:
            tokens.append(prod(given.shape[2:]))
        if call.queries not in tokens and call.features in tokens:
            return True
    return False
