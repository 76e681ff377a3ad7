"""Position codes, which tell the model where a token lies by appending numbers to it.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762, section 3.5, for the
sinusoids. In two dimensions half of the numbers encode the row and half the column, as in "Image Transformer", Parmar
et al., 2018, https://arxiv.org/abs/1802.05751, section 3.1.

Differences: the code is concatenated to the token, not added, because a token of one number leaves no room for a sum.

    our name       the paper's symbol
    code           PE
    features       d_model, here the size of the code alone
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
    """Concatenate a position code to each token.

    Args:
        kind: "learned" (one vector per position, drawn from N(0, 1)), "sinusoidal_1d" (encodes the token's index) or
            "sinusoidal_2d" (encodes its row and column).
        features: size of the code, a multiple of 2, or of 4 in two dimensions.
        grid: where the tokens lie. Tokens without a position cannot be encoded, so a grid with a prefix is refused.
        longest: the longest wavelength of the sinusoids, in positions, divided by 2 pi. A wave longer than the grid is
            nearly constant and carries little information, so a small grid needs less than the paper's 10,000.
        generator: draws the learned vectors.

    Call Args:
        tokens: float (batch, token, f).

    Returns:
        float (batch, token, f + features): [token, code].

    Raises:
        BadInput: the kind is unknown, or the features do not divide evenly.
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
            raise BadInput(f"A position code needs tokens with positions; {grid.prefix} tokens of this grid have none.")
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
    """Return sines and cosines with wavelengths from 2 pi to `longest` x 2 pi, alternating: (position, features).

    Args:
        places: int (position,), counted from 0.
        features: size of the code, a multiple of 2.
        longest: upper limit of the wavelengths (never reached), divided by 2 pi; at least 1.
        dtype: the dtype of the computation.

    Returns:
        dtype (position, features) in -1..1.

    Raises:
        BadInput: the number of features is odd, or the wavelengths are below 2 pi.
    """
    if longest < 1:
        raise BadInput(f"The longest wavelength must be at least 2 pi: longest=1 or more, not {longest}.")
    if features % 2 or features < 1:
        raise BadInput(f"Sinusoids come in pairs of sine and cosine: a multiple of 2 was expected, not {features}.")
    rates = longest ** (-torch.arange(0, features, 2, dtype=dtype, device=places.device) / features)
    angles = places[:, None] * rates  # (position, features / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
