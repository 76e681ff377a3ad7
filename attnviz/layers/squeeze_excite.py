"""Squeeze-and-excitation: the means of all channels determine how much each channel is scaled.

Source: "Squeeze-and-Excitation Networks", Hu, Shen, Albanie, Sun, Wu, 2018, https://arxiv.org/abs/1709.01507.

Differences: none. Both linear layers have biases, as in the authors' code. The narrow layer has at least one unit.

    our name     the paper's symbol or word
    features     U
    squeezed     z, the squeeze
    reduced      delta(W1 z)
    gate         s, the excitation
    scaled       the output, x tilde
    reduction    r, the reduction ratio
"""

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers import CHANNELS, MAPS, VECTOR
from attnviz.tracing import Layer


class SqueezeExcite(Layer):
    """Scale every channel by a gate computed from the means of all channels.

    Args:
        channels: number of channels of the maps.
        reduction: the narrow layer has `reduction` times fewer units than there are channels.

    Call Args:
        maps: float (batch, channel, row, column).

    Returns:
        float (batch, channel, row, column), each channel times its gate in 0..1.

    Raises:
        BadInput: there is no channel, or the reduction is below 1.
    """

    taps = ("features", "squeezed", "reduced", "gate", "scaled")

    def __init__(self, *, channels: int, reduction: int = 4) -> None:
        super().__init__()
        narrow = narrowed(channels, reduction)
        self.reduce = nn.Linear(channels, narrow)
        self.excite = nn.Linear(narrow, channels)

    def forward(self, maps: Tensor) -> Tensor:
        maps = self.tap("features", maps, axes=MAPS)
        squeezed = self.tap("squeezed", maps.mean((2, 3)), axes=CHANNELS)
        reduced = self.tap("reduced", self.reduce(squeezed).relu(), axes=VECTOR)
        gate = self.tap("gate", torch.sigmoid(self.excite(reduced)), axes=CHANNELS)
        return self.tap("scaled", maps * gate[:, :, None, None], axes=MAPS)


def narrowed(channels: int, reduction: int) -> int:
    """Return the number of units of a narrow layer: channels / reduction, rounded down, but at least one.

    Raises:
        BadInput: there is no channel, or the reduction is below 1.
    """
    if channels < 1 or reduction < 1:
        raise BadInput(
            f"A gate needs at least one channel and a reduction of at least 1, not {channels} and {reduction}."
        )
    return max(1, channels // reduction)
