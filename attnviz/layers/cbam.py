"""The convolutional block attention module (CBAM): a gate for channels, followed by a gate for positions.

Source: "CBAM: Convolutional Block Attention Module", Woo, Park, Lee, Kweon, 2018, https://arxiv.org/abs/1807.06521.

Differences: the convolution of the space gate is not followed by batch normalisation. This agrees with the paper's
equation 3, but not with the authors' code.

    our name              the paper's symbol or word
    features              F
    squeezed              F_avg^c, the average-pooled features
    squeezed_max          F_max^c, the max-pooled features
    reduced, reduced_max  W0 F_avg^c and W0 F_max^c, after ReLU
    gate                  M_c(F), the channel attention map
    scaled                F'
    space_summary         [F_avg^s; F_max^s]
    space_gate            M_s(F'), the spatial attention map
    scaled_twice          F''
    reduction             r, the reduction ratio
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_max_pool2d

from attnviz.errors import BadInput
from attnviz.layers import CHANNELS, MAPS, PLACES, VECTOR
from attnviz.layers.squeeze_excite import narrowed
from attnviz.tracing import Layer


class Cbam(Layer):
    """Scale channels by a gate from their means and maxima, then positions by one from means and maxima over channels.

    Args:
        channels: number of channels of the maps.
        reduction: the narrow layer has `reduction` times fewer units than there are channels.
        kernel: rows and columns of the space gate's kernel, an odd number.

    Call Args:
        maps: float (batch, channel, row, column).

    Returns:
        float (batch, channel, row, column), each value times the gates of its channel and of its position, both in
        0..1.

    Raises:
        BadInput: there is no channel, the reduction is below 1, or the kernel is not odd.
    """

    taps = (
        "features", "squeezed", "squeezed_max", "reduced", "reduced_max", "gate", "scaled", "space_summary",
        "space_gate", "scaled_twice",
    )  # fmt: skip

    def __init__(self, *, channels: int, reduction: int = 4, kernel: int = 7) -> None:
        super().__init__()
        if kernel < 1 or kernel % 2 == 0:
            raise BadInput(f"The space gate needs a kernel of an odd number of rows and columns, not {kernel}.")
        narrow = narrowed(channels, reduction)
        self.reduce = nn.Linear(channels, narrow)
        self.excite = nn.Linear(narrow, channels)
        self.space = nn.Conv2d(2, 1, kernel, padding=kernel // 2, bias=False)

    def forward(self, maps: Tensor) -> Tensor:
        maps = self.tap("features", maps, axes=MAPS)
        squeezed = self.tap("squeezed", maps.mean((2, 3)), axes=CHANNELS)
        squeezed_max = self.tap("squeezed_max", adaptive_max_pool2d(maps, 1).flatten(1), axes=CHANNELS)
        reduced = self.tap("reduced", self.reduce(squeezed).relu(), axes=VECTOR)
        reduced_max = self.tap("reduced_max", self.reduce(squeezed_max).relu(), axes=VECTOR)
        gate = self.tap("gate", torch.sigmoid(self.excite(reduced) + self.excite(reduced_max)), axes=CHANNELS)
        scaled = self.tap("scaled", maps * gate[:, :, None, None], axes=MAPS)
        # (batch, 2, row, column) with the two adjacent in memory, which makes the convolution three times as fast
        summary = torch.stack([scaled.mean(1), scaled.max(1).values], -1).permute(0, 3, 1, 2)
        summary = self.tap("space_summary", summary, axes=MAPS)
        space_gate = self.tap("space_gate", torch.sigmoid(self.space(summary)[:, 0]), axes=PLACES)
        return self.tap("scaled_twice", scaled * space_gate[:, None], axes=MAPS)
