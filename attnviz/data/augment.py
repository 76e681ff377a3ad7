"""Augmentation: a random transform for each picture, as batch operations on the pictures' device.

Source: the transforms of Keras' `ImageDataGenerator`, which "Multi-Head Attention For Binary Classification", Schwarz,
2021, uses: rotation, shift, and separate zooms of height and width. Background noise is that paper's proposal.
Mirroring and cropping come from "Deep Residual Learning for Image Recognition", He et al., 2015, for CIFAR-10.

The pen is ours: lines grow by a dilation and shrink by an erosion of 3 x 3 pixels, the two operations of mathematical
morphology (Serra, 1982), each blended with the picture to any degree between none and full.

Differs: pixels outside the picture are background (0), and the result is rounded to 8 bits.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # importing the data sets does not import torch
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
    mirror: bool = False,
    crop: int = 0,
    pen: tuple[float, float] = (0.0, 0.0),
) -> "Tensor":
    """Return a random variant of every picture; all numbers are drawn uniformly, separately for each picture.

    Args:
        images: uint8 (count, channel, row, column), 0 is background.
        generator: the random generator, on the CPU, so that its numbers are the same for every device.
        rotation: maximum rotation in degrees, to either side.
        shift: maximum shift as a share of height and of width, to either side.
        stretch: (lowest, highest) factor of height and of width, each above 0.
        noise: standard deviation of Gaussian noise, as a share of full ink; it replaces darker pixels only, so that the
            ink keeps its intensities.
        sampling: the modes, one of which is drawn for each picture. Bilinear mixes four pixels, so that grey levels
            reveal the transform; nearest keeps the intensities.
        mirror: whether to swap left and right of every second picture, on average.
        crop: number of background pixels to pad on every side before the old size is cut out at a random position: a
            shift by whole pixels, which changes no intensity.
        pen: (lowest, highest) change of line width, from -1 (each edge loses a pixel) to 1 (each gains one); it is
            applied last.

    Returns:
        uint8 of the same shape, on the same device.
    """
    import torch

    if rotation or shift or noise or tuple(stretch) != (1.0, 1.0) or not (mirror or crop or any(pen)):
        images = _transformed(images, generator, rotation, shift, stretch, noise, sampling)
    if mirror:
        swapped = (torch.rand(len(images), generator=generator) < 0.5).to(images.device)
        images = torch.where(swapped[:, None, None, None], images.flip(-1), images)
    if crop:
        rows, columns = images.shape[-2:]
        top, left = torch.randint(2 * crop + 1, (2, len(images)), generator=generator).to(images.device)
        padded = torch.nn.functional.pad(images, (crop, crop, crop, crop))
        row = (top[:, None] + torch.arange(rows, device=images.device))[:, None, :, None]
        column = (left[:, None] + torch.arange(columns, device=images.device))[:, None, None, :]
        picture = torch.arange(len(images), device=images.device)[:, None, None, None]
        channel = torch.arange(images.shape[1], device=images.device)[:, None, None]
        images = padded[picture, channel, row, column]
    if any(pen):
        change = pen[0] + (pen[1] - pen[0]) * torch.rand(len(images), generator=generator)
        images = _with_pen(images, change.to(images.device))
    return images


def _with_pen(images: "Tensor", change: "Tensor") -> "Tensor":
    import torch
    from torch.nn.functional import max_pool2d, pad

    ink, change = images.float(), change[:, None, None, None]
    wider = max_pool2d(ink, 3, stride=1, padding=1)
    thinner = -max_pool2d(pad(-ink, (1, 1, 1, 1)), 3, stride=1)  # outside the picture is background
    return ink.lerp(torch.where(change > 0, wider, thinner), change.abs()).round().to(torch.uint8)


def _transformed(
    images: "Tensor",
    generator: "torch.Generator",
    rotation: float,
    shift: float,
    stretch: tuple[float, float],
    noise: float,
    sampling: Sequence[Sampling],
) -> "Tensor":
    import torch

    def between(low: float, high: float) -> "Tensor":
        return low + (high - low) * torch.rand(len(images), generator=generator)

    turn = between(-rotation, rotation).deg2rad()
    high, wide = between(*stretch), between(*stretch)
    down, right = between(-shift, shift), between(-shift, shift)
    drawn = torch.randint(len(sampling), (len(images),), generator=generator).to(images.device)
    matrix = _inverse(turn, high, wide, down, right, images.shape[-2] / images.shape[-1]).to(images.device)
    if len(sampling) == 1:  # indexing by a mask would make the host wait for the device
        moved = _sampled(images.float(), matrix, sampling[0])
    else:
        moved = torch.empty(images.shape, device=images.device)
        for number, mode in enumerate(sampling):
            moved[drawn == number] = _sampled(images[drawn == number].float(), matrix[drawn == number], mode)
    if noise:
        grain = torch.randn(images.shape, generator=generator).to(images.device) * (255 * noise)
        moved = torch.maximum(moved, grain)
    return moved.round().clamp(0, 255).to(torch.uint8)


def _inverse(turn: "Tensor", high: "Tensor", wide: "Tensor", down: "Tensor", right: "Tensor", ratio: float) -> "Tensor":
    """Return the transform from the result to the picture, in coordinates from -1 to 1: (count, 2, 3).

    So stretching divides, and a rotation needs the ratio of height to width, or it would shear.
    """
    import torch

    down, right = 2 * down, 2 * right
    across = torch.stack([turn.cos(), turn.sin() * ratio], dim=1) / wide[:, None]
    along = torch.stack([-turn.sin() / ratio, turn.cos()], dim=1) / high[:, None]
    linear = torch.stack([across, along], dim=1)  # (count, 2, 2)
    moved = -(linear @ torch.stack([right, down], dim=1)[..., None])  # the result is rotated, stretched, then shifted
    return torch.cat([linear, moved], dim=2)


def _sampled(images: "Tensor", matrix: "Tensor", mode: Sampling) -> "Tensor":
    from torch.nn.functional import affine_grid, grid_sample

    if not len(images):
        return images
    places = affine_grid(matrix, list(images.shape), align_corners=False)  # (count, row, column, 2)
    return grid_sample(images, places, mode=mode, align_corners=False)
