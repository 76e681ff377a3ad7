"""The spatial transformer, attnviz/layers/spatial_transformer.py, against the paper's sums over all pixels."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz.data.moved import Moves, moved
from attnviz.edits import set_value
from attnviz.errors import BadInput
from attnviz.layers.spatial_transformer import SpatialTransformer
from attnviz.tracing import trace

from .gates import maps

ROWS, COLUMNS = 5, 8


class Known(nn.Module):
    """A localisation network of two features, mean and maximum."""

    def forward(self, images: Tensor) -> Tensor:
        return torch.stack([images.mean((1, 2, 3)), images.amax((1, 2, 3))], 1)


def layer_of(transform: str = "affine", spread: float = 0.2) -> SpatialTransformer:
    layer = SpatialTransformer(localisation=Known(), features=2, transform=transform).double()
    nn.init.normal_(layer.last.weight, std=spread, generator=torch.Generator().manual_seed(0))
    return layer


def images(count: int = 3) -> Tensor:
    return maps(2, ROWS, COLUMNS, count).sigmoid()


def sampled(given: Tensor, theta: Tensor) -> Tensor:
    """Sum over all pixels, each weighed by its distance from the place: V = sum U max(0, 1 - |x|) max(0, 1 - |y|)."""
    rows, columns = given.shape[2:]
    made = []
    for row in range(rows):
        for column in range(columns):
            target = torch.tensor([(2 * column + 1) / columns - 1, (2 * row + 1) / rows - 1, 1.0], dtype=torch.float64)
            across, down = (theta @ target).unbind(1)  # -1..1
            x, y = ((across + 1) * columns - 1) / 2, ((down + 1) * rows - 1) / 2  # pixels
            near_x = (1 - (x[:, None] - torch.arange(columns)).abs()).clamp_min(0)
            near_y = (1 - (y[:, None] - torch.arange(rows)).abs()).clamp_min(0)
            made.append(torch.einsum("bcij,bi,bj->bc", given, near_y, near_x))
    return torch.stack(made, 2).unflatten(2, (rows, columns))


@pytest.mark.parametrize("transform", ["affine", "rotation", "crop"])
def test_every_tap_is_what_the_equations_give(transform):
    layer, given = layer_of(transform), images()
    with torch.no_grad(), trace(layer) as seen:
        result = layer(given)
    assert tuple(seen) == SpatialTransformer.taps
    numbers = layer.last(Known()(given)).detach()
    theta = seen["theta"].tensor
    assert theta.shape == (3, 2, 3)
    for at, own in enumerate(numbers.tolist()):
        if transform == "affine":
            expected = [own[:3], own[3:]]
        elif transform == "rotation":
            turned = math.cos(own[0]), math.sin(own[0])
            expected = [[turned[0], -turned[1] * ROWS / COLUMNS, 0], [turned[1] * COLUMNS / ROWS, turned[0], 0]]
        else:
            expected = [[own[0], 0, own[1]], [0, own[0], own[2]]]
        torch.testing.assert_close(theta[at], torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=1e-12)
    grid = seen["sampling_grid"].tensor
    assert grid.shape == (3, ROWS, COLUMNS, 2)
    for row, column in ((0, 0), (4, 7), (2, 3)):
        target = torch.tensor([(2 * column + 1) / COLUMNS - 1, (2 * row + 1) / ROWS - 1, 1.0], dtype=torch.float64)
        torch.testing.assert_close(grid[:, row, column], theta @ target, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(result, sampled(given, theta), rtol=1e-10, atol=1e-12)
    assert torch.equal(result, seen["transformed"].tensor)


@pytest.mark.parametrize("transform", ["affine", "rotation", "crop"])
def test_the_gradients_are_those_of_the_equations(transform):
    layer, given, weight = layer_of(transform), images(2), maps(2, ROWS, COLUMNS, 2, seed=3)
    found = []
    for by_hand in (False, True):
        asked = given.clone().requires_grad_()
        if by_hand:
            theta = layer._matrix(layer.last(Known()(asked)), ROWS / COLUMNS)
            result = sampled(asked, theta)
        else:
            result = layer(asked)
        found.append(torch.autograd.grad((result * weight).sum(), [asked, *layer.last.parameters()]))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-10)
        assert one.abs().max() > 0


@pytest.mark.parametrize("transform", ["affine", "rotation", "crop"])
def test_it_begins_as_the_identity(transform):
    layer = SpatialTransformer(localisation=Known(), features=2, transform=transform).double()
    given = images()
    with torch.no_grad(), trace(layer, keep="theta") as seen:
        result = layer(given)
    torch.testing.assert_close(result, given, rtol=1e-12, atol=1e-12)
    assert torch.equal(seen["theta"].tensor, torch.eye(2, 3, dtype=torch.float64).expand(3, 2, 3))


def test_pixels_outside_a_frozen_grid_change_nothing_bit_for_bit():
    layer, given = layer_of(), images()
    theta = torch.tensor([[0.4, 0.1, 0.1], [-0.1, 0.4, -0.1]], dtype=torch.float64)
    with torch.no_grad(), trace(layer, keep="sampling_grid", edits={"theta": set_value(theta)}) as seen:
        before = layer(given)
    grid = seen["sampling_grid"].tensor[0]
    x, y = ((grid[..., 0] + 1) * COLUMNS - 1) / 2, ((grid[..., 1] + 1) * ROWS - 1) / 2
    read = torch.zeros(ROWS, COLUMNS, dtype=torch.bool)
    for across, down in zip(x.flatten().tolist(), y.flatten().tolist(), strict=True):
        for row in (math.floor(down), math.floor(down) + 1):
            for column in (math.floor(across), math.floor(across) + 1):
                if 0 <= row < ROWS and 0 <= column < COLUMNS:
                    read[row, column] = True
    assert 0 < int(read.sum()) < read.numel()
    painted = torch.where(read, given, 1 - given)
    with torch.no_grad():
        with trace(layer, keep=(), edits={"theta": set_value(theta)}):
            assert torch.equal(layer(painted), before)
        assert not torch.equal(layer(painted), layer(given))  # the live grid may move
    with torch.no_grad(), trace(layer, keep=(), edits={"theta": set_value(theta)}):
        assert not torch.equal(layer(torch.where(read, 1 - given, given)), before)


def test_the_angle_of_the_grid_that_undoes_a_rotation_is_the_negative_of_the_pictures():
    picture = np.zeros((1, 28, 28, 1), np.uint8)
    picture[0, 6:22, 12:15] = 200
    picture[0, 6:9, 12:21] = 255  # no symmetry: a mistaken sign would be seen
    turned = moved(picture, 28, Moves(np.array([40.0]), np.ones(1), np.zeros((1, 2))))
    layer = SpatialTransformer(localisation=Known(), features=2, transform="rotation").double()
    found = {}
    for degrees in (-40.0, 40.0):
        nn.init.constant_(layer.last.bias, math.radians(degrees))
        with torch.no_grad():
            undone = layer(torch.tensor(turned[..., 0] / 255.0)[:, None])[0, 0]
        found[degrees] = float((undone - torch.tensor(picture[0, ..., 0] / 255.0)).abs().mean())
    assert found[-40.0] < 0.25 * found[40.0]


def test_a_rotation_of_a_picture_that_is_not_square_moves_places_by_the_same_distances():
    layer = SpatialTransformer(localisation=Known(), features=2, transform="rotation").double()
    nn.init.constant_(layer.last.bias, 0.7)
    with torch.no_grad(), trace(layer, keep="sampling_grid") as seen:
        layer(images())
    places = seen["sampling_grid"].tensor[0] * torch.tensor([COLUMNS / 2, ROWS / 2])  # pixels from the middle
    upright = torch.stack(
        torch.meshgrid(torch.arange(COLUMNS) - (COLUMNS - 1) / 2, torch.arange(ROWS) - (ROWS - 1) / 2, indexing="xy"),
        -1,
    ).double()
    torch.testing.assert_close(places.norm(dim=-1), upright.norm(dim=-1), rtol=1e-6, atol=1e-6)


def test_another_transform_is_refused():
    with pytest.raises(BadInput, match="affine, rotation or crop, not 'spline'"):
        SpatialTransformer(localisation=Known(), features=2, transform="spline")
