"""The bottleneck attention module: one gate for channels and positions together.

Source: "BAM: Bottleneck Attention Module", Park, Woo, Lee, Kweon, 2018, https://arxiv.org/abs/1807.06514.

Differences: batch normalisation ends both branches, as in the paper's equations 3 and 4. In the space branch it also
precedes every ReLU, as in the authors' code. The layers before it have no bias, since it would be subtracted again.

    our name         the paper's symbol or word
    features         F
    channel_score    M_c(F), the channel attention
    space_score      M_s(F), the spatial attention
    full_gate        M(F), the 3D attention map
    scaled           F', the refined feature map: F + F * M(F)
    reduction        r, the reduction ratio
    dilation         d, the dilation value
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from attnviz.errors import BadInput
from attnviz.layers import CHANNELS, MAPS, PLACES, VECTOR
from attnviz.layers.squeeze_excite import narrowed
from attnviz.tracing import Layer


class Bam(Layer):
    """Scale every value by 1 + gate, where the gate's logit is a score of the channel plus a score of the position.

    The factor lies in 1..2: a closed gate passes the value unchanged and never silences it.

    Args:
        channels: number of channels of the maps.
        reduction: the narrow layers have `reduction` times fewer units or channels than there are channels.
        dilation: dilation of the two 3 x 3 convolutions.

    Call Args:
        maps: float (batch, channel, row, column).

    Returns:
        float (batch, channel, row, column).

    Raises:
        BadInput: no channel, a reduction or a dilation below 1.
    """

    taps = ("features", "squeezed", "reduced", "channel_score", "space_score", "full_gate", "scaled")

    def __init__(self, *, channels: int, reduction: int = 4, dilation: int = 4) -> None:
        super().__init__()
        if dilation < 1:
            raise BadInput(f"The dilation must be 1 or more, not {dilation}.")
        narrow = narrowed(channels, reduction)
        self.reduce = nn.Linear(channels, narrow)
        self.excite = nn.Linear(narrow, channels, bias=False)
        self.channel_norm = nn.BatchNorm1d(channels)
        self.space = nn.Sequential(
            nn.Conv2d(channels, narrow, 1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(),
            _wide(narrow, dilation), nn.BatchNorm2d(narrow), nn.ReLU(),
            _wide(narrow, dilation), nn.BatchNorm2d(narrow), nn.ReLU(),
            nn.Conv2d(narrow, 1, 1, bias=False), nn.BatchNorm2d(1),
        )  # fmt: skip

    def forward(self, maps: Tensor) -> Tensor:
        maps = self.tap("features", maps, axes=MAPS)
        squeezed = self.tap("squeezed", maps.mean((2, 3)), axes=CHANNELS)
        reduced = self.tap("reduced", self.reduce(squeezed).relu(), axes=VECTOR)
        channel_score = self.tap("channel_score", self._normalised(self.excite(reduced)), axes=CHANNELS)
        space_score = self.tap("space_score", self.space(maps)[:, 0], axes=PLACES)
        full = torch.sigmoid(channel_score[:, :, None, None] + space_score[:, None])
        full = self.tap("full_gate", full, axes=MAPS)
        return self.tap("scaled", maps + maps * full, axes=MAPS)

    def _normalised(self, scores: Tensor) -> Tensor:
        """Normalise over pictures; a batch of one has no variance and uses the running mean and variance instead."""
        norm = self.channel_norm
        if len(scores) > 1:
            normalised: Tensor = norm(scores)
            return normalised
        return batch_norm(scores, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps)


def _wide(channels: int, dilation: int) -> nn.Conv2d:
    """Return a 3 x 3 convolution with this dilation that keeps the number of rows and columns."""
    return nn.Conv2d(channels, channels, 3, padding=dilation, dilation=dilation, bias=False)
