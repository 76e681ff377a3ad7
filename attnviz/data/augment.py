"""Augmentation: one random transform a picture, as batch operations on whatever device the pictures lie on.

Source: the transforms of Keras' `ImageDataGenerator`, which "Multi-Head Attention For Binary Classification", Schwarz,
2021, uses: rotation, shift, and zoom of height and of width each for itself. Background noise is that paper's proposal.

Differs: what comes from outside of a picture is background (0), and the result is rounded to 8 bit again.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # importing the data sets costs no torch
    import torch
    from torch import Tensor

Sampling = Literal["bilinear", "nearest"]


def augment(
    images: "Tensor",
    generator: "torch.Generator",
    *,
    rotation: float = 0.0,
    shift: float = 0.0,
    stretch: tuple[float, float] = (1.0, 1.0),
    noise: float = 0.0,
    sampling: Sequence[Sampling] = ("bilinear",),
) -> "Tensor":
    """Return one variant of every picture; each number is drawn uniformly, for each picture anew.

    Args:
        images: uint8 (count, channel, row, column), 0 is background.
        generator: decides all of it; on the CPU, so that it is the same for every device.
        rotation: degrees to either side.
        shift: share of height and of width, to either side.
        stretch: (lowest, highest) factor of height and of width, above 0.
        noise: standard deviation of Gaussian noise, as a share of full ink; it shows where it is brighter than the
            picture, so the ink keeps its intensities.
        sampling: one of these is drawn for each picture. Bilinear mixes four pixels, so that grey levels tell of the
            transform; nearest keeps the intensities.

    Returns:
        uint8 of the same shape, on the same device.
    """
    import torch

    def between(low: float, high: float) -> "Tensor":
        return low + (high - low) * torch.rand(len(images), generator=generator)

    turn = between(-rotation, rotation).deg2rad()
    high, wide = between(*stretch), between(*stretch)
    down, right = between(-shift, shift), between(-shift, shift)
    drawn = torch.randint(len(sampling), (len(images),), generator=generator).to(images.device)
    matrix = _inverse(turn, high, wide, down, right, images.shape[-2] / images.shape[-1]).to(images.device)
    moved = torch.empty(images.shape, device=images.device)
    for number, mode in enumerate(sampling):
        moved[drawn == number] = _sampled(images[drawn == number].float(), matrix[drawn == number], mode)
    if noise:
        grain = torch.randn(images.shape, generator=generator).to(images.device) * (255 * noise)
        moved = torch.maximum(moved, grain)
    return moved.round().clamp(0, 255).to(torch.uint8)


def _inverse(turn: "Tensor", high: "Tensor", wide: "Tensor", down: "Tensor", right: "Tensor", ratio: float) -> "Tensor":
    """Say where each place of the result comes from, in coordinates from -1 to 1: (count, 2, 3).

    So stretching divides, and a turn needs the ratio of height to width, or it would shear.
    """
    import torch

    down, right = 2 * down, 2 * right
    across = torch.stack([turn.cos(), turn.sin() * ratio], dim=1) / wide[:, None]
    along = torch.stack([-turn.sin() / ratio, turn.cos()], dim=1) / high[:, None]
    linear = torch.stack([across, along], dim=1)  # (count, 2, 2)
    moved = -(linear @ torch.stack([right, down], dim=1)[..., None])  # the result is turned, stretched, then shifted
    return torch.cat([linear, moved], dim=2)


def _sampled(images: "Tensor", matrix: "Tensor", mode: Sampling) -> "Tensor":
    from torch.nn.functional import affine_grid, grid_sample

    if not len(images):
        return images
    places = affine_grid(matrix, list(images.shape), align_corners=False)  # (count, row, column, 2)
    return grid_sample(images, places, mode=mode, align_corners=False)
