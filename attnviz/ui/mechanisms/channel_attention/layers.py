"""The gates in a network: which layers have some, and from which numbers each gate is computed. Loads torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.layers.bam import Bam
from attnviz.layers.cbam import Cbam
from attnviz.layers.squeeze_excite import SqueezeExcite

GateLayer = SqueezeExcite | Cbam | Bam


@dataclass(frozen=True)
class Kind:
    """What the layers of one kind have.

    Args:
        tap: of the gates of channels, which may vary over places too.
        space: of gates, or scores, of places; "" where there are none.
        space_is: "gate": a factor of its own; "score": it is added to the score of the channel; "" for neither.
        shift_is: what is added to the products of a score, for people.
        form: "gate": the factor of a channel is its gate; "one plus": it is 1 + its gate.
        taps: all that the arithmetic of a gate needs.
    """

    tap: str
    space: str
    space_is: str
    shift_is: str
    form: Literal["gate", "one plus"]
    taps: tuple[str, ...]


SE = Kind("gate", "", "", "the bias", "gate", ("squeezed", "reduced", "gate"))
CBAM = Kind(
    "gate",
    "space_gate",
    "gate",
    "twice the bias",
    "gate",
    ("squeezed", "squeezed_max", "reduced", "reduced_max", "gate", "space_gate"),
)
BAM = Kind(
    "full_gate",
    "space_score",
    "score",
    "the shift of the normalisation",
    "one plus",
    ("squeezed", "reduced", "space_score", "full_gate"),
)


def kind_of(layer: nn.Module) -> Kind:
    """Return what a layer with gates has."""
    return SE if isinstance(layer, SqueezeExcite) else CBAM if isinstance(layer, Cbam) else BAM


def layers_of(model: nn.Module) -> dict[str, GateLayer]:
    """Return the layers with gates by their paths, in the order of the forward pass."""
    return {path: part for path, part in model.named_modules() if isinstance(part, GateLayer)}


def of_channels(gate: Tensor) -> Tensor:
    """Return one gate for each channel, (batch, channel): of gates that vary over places, the mean over these."""
    return gate.mean((2, 3)) if gate.ndim == 4 else gate


@dataclass(frozen=True, eq=False)
class Weights:
    """From the units of the narrow layer to the score of each gate: score = excite @ units + shift, (channel, unit) and
    (channel,); what follows the last linear layer before the sigmoid is in them.
    """

    excite: np.ndarray
    shift: np.ndarray


def weights_of(layer: GateLayer) -> Weights:
    """Return the weights by which a layer computes its gates.

    CBAM passes means and maxima through the same two layers and adds the two, so its last bias counts twice. BAM
    normalises its scores with what it learnt, which is a factor and a shift for each channel.
    """
    with torch.no_grad():
        excite: Tensor = layer.excite.weight
        shift: Tensor = layer.excite.bias
        if isinstance(layer, Bam):
            norm = layer.channel_norm
            assert norm.running_mean is not None
            assert norm.running_var is not None
            factor = norm.weight / (norm.running_var + norm.eps).sqrt()
            excite, shift = factor[:, None] * excite, norm.bias - factor * norm.running_mean
        elif isinstance(layer, Cbam):
            shift = 2 * shift
        return Weights(excite.numpy().copy(), shift.numpy().copy())
