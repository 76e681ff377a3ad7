"""The spatial transformer: resamples a picture at positions computed from the picture.

Source: "Spatial Transformer Networks", Jaderberg, Simonyan, Zisserman, Kavukcuoglu, 2015,
https://arxiv.org/abs/1506.02025.

Differences: a rotation turns by the same angle in pictures that are not square, where the paper's normalised
coordinates would shear. Coordinates of -1 and 1 are the outer edges of the picture, not the centres of its outer
pixels. Samples outside the picture are 0.

    our name        the paper's symbol or word
    localisation    f_loc, the localisation network, all but its last layer
    theta           theta, or A_theta as a matrix
    sampling_grid   T_theta(G): (x^s, y^s) for every position of the result
    transformed     V
"""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import grid_sample

from attnviz.errors import BadInput
from attnviz.tracing import Layer

Transform = Literal["affine", "rotation", "crop"]
_START: dict[str, Sequence[float]] = {"affine": (1, 0, 0, 0, 1, 0), "rotation": (0,), "crop": (1, 0, 0)}


class SpatialTransformer(Layer):
    """Compute a transform from a picture, and sample the picture at the transformed positions.

    It starts as the identity: the weights of the last layer are 0.

    Args:
        localisation: a network from pictures to (batch, features).
        features: number of features that the localisation network returns.
        transform: "affine", any 2 x 3 matrix; "rotation", by any angle about the centre of the picture; or "crop", one
            scale for both directions and a shift.

    Call Args:
        images: float (batch, channel, row, column); 0 is background.

    Returns:
        float (batch, channel, row, column), sampled bilinearly.

    Raises:
        BadInput: the transform is unknown.
    """

    taps = ("theta", "sampling_grid", "transformed")

    def __init__(self, *, localisation: nn.Module, features: int, transform: Transform = "affine") -> None:
        super().__init__()
        if transform not in get_args(Transform):
            raise BadInput(f"The transform must be affine, rotation or crop, not {transform!r}.")
        self.transform = transform
        self.localisation = localisation
        self.last = nn.Linear(features, len(_START[transform]))
        self.begin_as_identity()

    def begin_as_identity(self) -> None:
        """Set the last layer so that every picture is sampled unchanged. Call it after random weights were drawn."""
        with torch.no_grad():
            self.last.weight.zero_()
            self.last.bias.copy_(torch.tensor(_START[self.transform], dtype=self.last.bias.dtype))

    def forward(self, images: Tensor) -> Tensor:
        numbers = self.last(self.localisation(images))
        theta = self.tap("theta", self._matrix(numbers, images.shape[2] / images.shape[3]), axes="batch row column")
        grid = _places(*images.shape[2:]).to(theta) @ theta[:, None].mT  # (batch, row, column, 2)
        grid = self.tap("sampling_grid", grid, axes="batch row column feature")
        transformed = grid_sample(images, grid, align_corners=False)
        return self.tap("transformed", transformed, axes="batch channel row column")

    def _matrix(self, numbers: Tensor, ratio: float) -> Tensor:
        """Return theta, (batch, 2, 3), from the output of the last layer.

        Args:
            numbers: (batch, 6), (batch, 1) or (batch, 3).
            ratio: height divided by width of the picture.
        """
        if self.transform == "affine":
            return numbers.reshape(-1, 2, 3)
        if self.transform == "rotation":
            cosine, sine, zero = numbers[:, 0].cos(), numbers[:, 0].sin(), torch.zeros_like(numbers[:, 0])
            return torch.stack([cosine, -sine * ratio, zero, sine / ratio, cosine, zero], 1).reshape(-1, 2, 3)
        scale, across, down = numbers.unbind(1)
        zero = torch.zeros_like(scale)
        return torch.stack([scale, zero, across, zero, scale, down], 1).reshape(-1, 2, 3)


def _places(rows: int, columns: int) -> Tensor:
    """Return the positions of a picture as (x, y, 1), (row, column, 3).

    PyTorch's `affine_grid` computes the same, but does not support `vmap`, which the Jacobian needs.
    """
    down, across = (2 * torch.arange(count, dtype=torch.float64) + 1 - count for count in (rows, columns))
    y, x = torch.meshgrid(down / rows, across / columns, indexing="ij")
    return torch.stack([x, y, torch.ones_like(x)], 2)
