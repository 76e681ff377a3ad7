"""Maps of places, attnviz/measures/place_maps.py: against hand-computed cases and plain loops in float64."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz import Layer
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.measures.place_maps import attended, by_place, erasure, lies_on_the_picture, place_maps, tiles
from attnviz.readings import Reading
from attnviz.tracing import trace

ROWS, COLUMNS = 6, 9


class Weighed(Layer):
    """Weigh the pixels of a picture by a gate of places, and sum squares up for two classes."""

    taps = ("space_gate",)

    def __init__(self) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(0)
        self.gate = nn.Parameter(torch.rand(ROWS, COLUMNS, generator=random, dtype=torch.float64))
        self.weights = nn.Parameter(torch.randn(3, ROWS, COLUMNS, generator=random, dtype=torch.float64))

    def forward(self, images: Tensor) -> Tensor:
        gate = self.tap("space_gate", self.gate.expand(len(images), -1, -1), axes="batch row column")
        return torch.einsum("bchw,khw->bk", images.square() * gate[:, None], self.weights)


@pytest.fixture
def image() -> Tensor:
    return torch.rand(2, ROWS, COLUMNS, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize(
    ("size", "side", "shape"),
    [((28, 28), 4, (7, 7)), ((32, 32), 4, (8, 8)), ((40, 40), 5, (8, 8)), ((20, 32), 4, (5, 8)), ((7, 5), 1, (7, 5))],
)
def test_places_are_squares_of_whole_pixels_that_cover_the_picture(size, side, shape):
    grid = tiles(*size)
    assert (grid.rows, grid.columns) == shape
    assert grid.field == side
    assert grid.tiles(*size)


def test_each_map_is_what_a_plain_loop_finds(image):
    model = Weighed().eval()
    found = place_maps(model, image, "space_gate")
    assert (found.grid.rows, found.grid.columns, found.grid.field) == (6, 9, 1.0)
    with torch.no_grad():
        logits = model(image[None])[0]
    answer = int(logits.argmax())
    assert (found.answer, found.logit) == (answer, pytest.approx(float(logits[answer])))
    slope = (2 * image * model.gate * model.weights[answer]).detach()
    scale = {}
    scale["attention"] = model.gate.detach().numpy()
    scale["jacobian"] = slope.abs().sum(0).numpy()
    scale["product"] = (slope * image).sum(0).abs().numpy()
    mean = (image.mean((1, 2)) * 255).round() / 255
    moved = ((mean[:, None, None].square() - image.square()) * model.gate * model.weights[answer]).sum(0)
    scale["erasure"] = moved.abs().detach().numpy()
    assert list(found.maps) == list(scale)
    for name, values in scale.items():
        np.testing.assert_allclose(found.maps[name], values, rtol=1e-9, atol=1e-12, err_msg=name)


def test_a_square_of_several_pixels_has_the_mean_of_its_pixels_and_is_erased_whole(image):
    model, grid = Weighed().eval(), Grid(2, 3, stride=3.0, field=3.0)
    values = np.arange(54.0).reshape(6, 9)
    assert by_place(values, grid)[1, 2] == values[3:, 6:].mean()
    without = image.clone()
    without[:, 3:, 6:] = ((image.mean((1, 2)) * 255).round() / 255)[:, None, None]
    with torch.no_grad():
        change = float((model(without[None]) - model(image[None]))[0, 1])
    assert erasure(model, image, grid, 1)[1, 2] == pytest.approx(abs(change))


def test_another_class_can_be_looked_at(image):
    model = Weighed().eval()
    found = place_maps(model, image, answer=2)
    np.testing.assert_allclose(
        found.maps["jacobian"], (2 * image * model.gate * model.weights[2]).abs().sum(0).detach(), rtol=1e-9
    )
    assert "attention" not in found.maps


def test_two_classes_of_one_column_are_looked_at_towards_the_answer(image):
    line = nn.Sequential(nn.Flatten(), nn.Linear(2 * ROWS * COLUMNS, 1)).double().eval()
    with torch.no_grad():
        line[1].bias.fill_(-9.0)
    found = place_maps(line, image)
    assert found.answer == 0
    assert found.logit > 0


def test_an_answer_for_each_step_is_refused(image):
    steps = nn.Sequential(nn.Flatten(), nn.Linear(2 * ROWS * COLUMNS, 12), nn.Unflatten(1, (3, 4))).double()
    with pytest.raises(BadInput, match="answers step by step"):
        place_maps(steps.eval(), image)


def test_cells_larger_than_a_place_and_beside_the_picture_by_hand():
    # Two boxes of 4 pixels, 3 apart, on a row of 6 pixels in places of 2: overlaps 2 0, 2 1, 0 2.
    found = by_place(
        np.array([[8.0, 2.0]]), Grid(1, 3, stride=2.0, field=2.0), Grid(1, 2, stride=3.0, field=4.0), (1, 6)
    )
    np.testing.assert_allclose(found, [[8, (2 * 8 + 1 * 2) / 3, 2]])
    outside = Grid(1, 1, offset=(0.0, 4.0), stride=2.0, field=2.0)
    assert by_place(np.array([[5.0]]), Grid(1, 3, stride=2.0, field=2.0), outside, (1, 6)).tolist() == [[0, 0, 5]]


def test_weights_are_what_a_place_receives_and_a_token_that_lies_nowhere_is_left_out():
    weights = torch.rand(1, 2, 5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    reading = Reading(
        "layer.weights", weights, ("batch", "head", "query", "key"), Grid(2, 2, prefix=1, stride=2, field=2)
    )
    expected = weights[0].mean((0, 1))[1:].reshape(2, 2)
    np.testing.assert_allclose(attended(reading, Grid(2, 2, stride=2.0, field=2.0), 4, 4), expected)
    assert not lies_on_the_picture("weights", reading.axes, (1, 2, 5, 4), reading.grid)
    assert not lies_on_the_picture("weights", reading.axes, (1, 2, 5, 5), None)
    with pytest.raises(BadInput, match="does not hold the attention at each place"):
        attended(Reading("layer.scores", weights, reading.axes, reading.grid), tiles(4, 4), 4, 4)


def test_a_coarse_map_is_spread_over_the_picture():
    gate = torch.tensor([[[1.0, 3.0]]], dtype=torch.float64)
    reading = Reading("space_gate", gate, ("batch", "row", "column"))
    found = attended(reading, Grid(1, 3, stride=2.0, field=2.0), 2, 6)
    np.testing.assert_allclose(found, [[1, 2, 3]])


def test_a_sampling_grid_counts_where_pixels_come_from():
    points = torch.tensor([[-0.9, -0.9], [-0.8, -0.9], [0.9, 0.2], [4.0, 0.0]], dtype=torch.float64)  # (x, y)
    reading = Reading("sampling_grid", points.view(1, 2, 2, 2), ("batch", "row", "column", "feature"))
    assert attended(reading, Grid(2, 2, stride=2.0, field=2.0), 4, 4).tolist() == [[2, 0], [0, 1]]


def test_every_tap_of_attention_in_a_real_network_lies_on_the_picture():
    from attnviz.layers.cbam import Cbam

    layer = Cbam(channels=4).eval()
    maps = torch.rand(1, 4, 6, 6)
    with torch.no_grad(), trace(layer) as seen:
        layer(maps)
    allowed = [
        path for path, one in seen.items() if lies_on_the_picture(path, one.axes, tuple(one.tensor.shape), one.grid)
    ]
    assert allowed == ["space_gate"]
