"""Additive attention: a small network scores each annotation against the state of a decoder.

Source: "Neural Machine Translation by Jointly Learning to Align and Translate", Bahdanau, Cho, Bengio, 2015,
https://arxiv.org/abs/1409.0473, section 3.1 and appendix A.1.2.

Differences: the sums of W and U have one bias, in U. With `uniform` all weights are equal, as a control.

    our name        the paper's symbol
    state           s_{i-1}
    annotation      h_j
    energies        e_ij = v tanh(W s_{i-1} + U h_j)
    weights         alpha_ij, the softmax of e_ij over j
    context         c_i, the sum of alpha_ij h_j
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.tracing import Layer

_KEYS = "batch head key"


class AdditiveAttention(Layer):
    """The mean of the annotations, weighted by how well each matches the decoder's state at one step.

    Args:
        state_features, annotation_features: number of features of the decoder's state and of an annotation.
        units: number of hidden units of the scoring network.
        uniform: whether every annotation gets the same weight and nothing is learnt.

    Call Args:
        state: float (batch, state_features).
        annotations: float (batch, key, annotation_features).
        projected: float (batch, key, units), from `project`, the same at every step; None if all weights are equal.

    Returns:
        float (batch, annotation_features).

    Raises:
        BadInput: features or units below 1.
    """

    taps: ClassVar[tuple[str, ...]] = ("energies", "weights", "context")

    def __init__(self, *, state_features: int, annotation_features: int, units: int, uniform: bool = False) -> None:
        super().__init__()
        if min(state_features, annotation_features, units) < 1:
            raise BadInput(
                "Additive attention needs features and units above 0, not "
                f"{(state_features, annotation_features, units)}."
            )
        self.uniform = uniform
        if not uniform:
            self.state = nn.Linear(state_features, units, bias=False)
            self.annotation = nn.Linear(annotation_features, units)
            self.score = nn.Linear(units, 1, bias=False)

    def project(self, annotations: Tensor) -> Tensor | None:
        """Return U h_j for float annotations (batch, key, annotation_features): float (batch, key, units), the same at
        every step, or None if all weights are equal.
        """
        return None if self.uniform else self.annotation(annotations)

    def forward(self, state: Tensor, annotations: Tensor, projected: Tensor | None) -> Tensor:
        if projected is None:
            energies = annotations.new_zeros(annotations.shape[:2])
        else:
            energies = self.score((self.state(state)[:, None] + projected).tanh())[..., 0]  # (batch, key)
        energies = self.tap("energies", energies[:, None], axes=_KEYS, per="step")
        weights = self.tap("weights", energies.softmax(-1), axes=_KEYS, per="step")
        context: Tensor = (weights @ annotations)[:, 0]
        return self.tap("context", context, axes="batch feature", per="step")

    def begin_uniform(self) -> None:
        """Set v to 0, so that all weights are equal before the first training step, as in the paper."""
        if not self.uniform:
            torch.nn.init.zeros_(self.score.weight)
