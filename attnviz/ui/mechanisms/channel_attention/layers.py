"""The gates in a network: the layers that have gates, and the numbers behind each gate. Loads torch."""

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
    """A kind of layer with gates.

    Args:
        tap: The tap of the channel gates, which may also vary over positions.
        space: The tap of the gates or scores of positions, or "" if there are none.
        space_is: "gate" for a factor of its own, "score" if it is added to the score of the channel, "" for neither.
        shift_is: The name, for readers, of the term added to the products of a score.
        form: "gate" if the factor of a channel is its gate, "one plus" if it is 1 + its gate.
        taps: All taps from which a gate is computed.
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
    """Return the kind of a layer with gates."""
    return SE if isinstance(layer, SqueezeExcite) else CBAM if isinstance(layer, Cbam) else BAM


def layers_of(model: nn.Module) -> dict[str, GateLayer]:
    """Return the layers with gates by path, in the order of the forward pass."""
    return {path: part for path, part in model.named_modules() if isinstance(part, GateLayer)}


def of_channels(gate: Tensor) -> Tensor:
    """Return one gate for each channel, (batch, channel): the mean over positions if gates vary over them."""
    return gate.mean((2, 3)) if gate.ndim == 4 else gate


@dataclass(frozen=True, eq=False)
class Weights:
    """The scores of gates are excite @ units + shift, (channel, unit) and (channel,), from the narrow layer's units.

    Both include whatever follows the last linear layer before the sigmoid."""

    excite: np.ndarray
    shift: np.ndarray


def weights_of(layer: GateLayer) -> Weights:
    """Return the weights by which a layer computes its gates.

    CBAM passes means and maxima through the same two layers and adds the results, so its last bias counts twice. BAM
    normalises its scores with learnt statistics, which amounts to a factor and a shift for each channel.
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
