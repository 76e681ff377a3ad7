"""Position codes: they tell a token where it is, by joining numbers to its own.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.5, for the
sinusoids; in two dimensions half of the numbers code the row and half the column, as in "Image Transformer", Parmar et
al., 2018, https://arxiv.org/abs/1802.05751, section 3.1.

Differs: the code is joined (concatenated) to the token, not added, because a token of one number allows no sum.

    our name       the paper's symbol
    code           PE
    features       d_model, here of the code alone
    longest        10000
"""

from typing import Literal

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.tracing import Grid, Layer

LONGEST = 10000.0

Kind = Literal["learned", "sinusoidal_1d", "sinusoidal_2d"]


class PositionCode(Layer):
    """Join a code of its place to each token.

    Args:
        kind: "learned" (one vector a place, drawn from N(0, 1)), "sinusoidal_1d" (of the token's number) or
            "sinusoidal_2d" (of its row and its column).
        features: numbers of the code; a multiple of 2, in two dimensions of 4.
        grid: where the tokens lie. Tokens that lie nowhere are not coded: a grid with a prefix is refused.
        longest: the longest wavelength of sinusoids, in places, over 2 pi. Beyond the size of the grid a wave is all
            but constant and carries little information: a small grid wants less than the paper's 10,000.
        generator: of the learned vectors.

    Call Args:
        tokens: float (batch, token, f).

    Returns:
        float (batch, token, f + features): [token, code].

    Raises:
        BadInput: an unknown kind, or features that do not divide.
    """

    taps = ("code",)

    def __init__(
        self,
        *,
        kind: Kind,
        features: int,
        grid: Grid,
        longest: float = LONGEST,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if grid.prefix:
            raise BadInput(f"A position code needs tokens that lie somewhere; this grid has {grid.prefix} that do not.")
        if features < 1:
            raise BadInput(f"A position code has at least one number, not {features}.")
        self.grid = grid
        if kind == "learned":
            self.code = nn.Parameter(torch.randn(grid.tokens, features, generator=generator))
        elif kind == "sinusoidal_1d":
            self.register_buffer("code", sinusoids(torch.arange(grid.tokens), features, longest), persistent=False)
        elif kind == "sinusoidal_2d":
            if features % 4:
                raise BadInput(f"A sinusoidal code in two dimensions has a multiple of 4 numbers, not {features}.")
            rows, columns = (
                sinusoids(torch.arange(size), features // 2, longest) for size in (grid.rows, grid.columns)
            )
            code = torch.cat([rows.repeat_interleave(grid.columns, 0), columns.repeat(grid.rows, 1)], dim=1)
            self.register_buffer("code", code, persistent=False)
        else:
            raise BadInput(f"There is no position code {kind!r}. Use learned, sinusoidal_1d or sinusoidal_2d.")

    def forward(self, tokens: Tensor) -> Tensor:
        code = self.tap("code", self.code, axes="token feature")
        return torch.cat([tokens, code.expand(len(tokens), -1, -1)], dim=-1)


def sinusoids(places: Tensor, features: int, longest: float = LONGEST, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return sines and cosines of wavelengths from 2 pi to `longest` x 2 pi, alternating: (place, features).

    Args:
        places: int (place,), counted from 0.
        features: how many numbers, a multiple of 2.
        longest: of the wavelengths, over 2 pi; at least 1. It is approached, not reached.
        dtype: in which they are computed.

    Returns:
        dtype (place, features) in -1..1.

    Raises:
        BadInput: an odd number of features, or wavelengths below 2 pi.
    """
    if longest < 1:
        raise BadInput(f"The longest wavelength must be at least 2 pi: longest=1 or more, not {longest}.")
    if features % 2 or features < 1:
        raise BadInput(f"Sinusoids come in pairs of sine and cosine: a multiple of 2 was expected, not {features}.")
    rates = longest ** (-torch.arange(0, features, 2, dtype=dtype, device=places.device) / features)
    angles = places[:, None] * rates  # (place, features / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
