"""The boxes of tokens on a picture, their ink, and the picture without them, attnviz/measures/token_boxes.py."""

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.token_boxes import boxes, erased, ink
from attnviz.tracing import Grid
from tests.measures.test_erasure import marks, model_of, pictures_of, seeded

GRIDS = [
    Grid(4, 6),
    Grid(2, 3, stride=2, field=2),
    Grid(2, 2, prefix=1, offset=(1, 0), stride=1, field=3),
    Grid(1, 2, offset=(-1, -1), stride=3, field=3),
    Grid(2, 2, offset=(0.4, 0.6), stride=1.5, field=1.25),
]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_a_place_covers_the_pixels_whose_centre_is_in_its_box(grid):
    covered = boxes(grid, 4, 6)
    assert covered.shape == (grid.rows * grid.columns, 4, 6)
    for place in range(grid.rows * grid.columns):
        top, left, bottom, right = grid.box(grid.prefix + place)
        for row in range(4):
            for column in range(6):
                assert covered[place, row, column] == (top <= row + 0.5 < bottom and left <= column + 0.5 < right)


def test_a_place_has_ink_where_any_pixel_of_any_channel_is_above_the_background():
    image = torch.zeros(1, 3, 4, 6)
    image[0, 1, 1, 3] = 1 / 255
    assert ink(image, Grid(2, 3, stride=2, field=2)).tolist() == [[False, True, False, False, False, False]]
    assert ink(image, Grid(4, 6))[0].nonzero().tolist() == [[9]]
    assert not ink(torch.zeros(2, 1, 4, 6), Grid(4, 6)).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("fill", ["mean", "background"])
def test_removed_tokens_get_the_fill_and_all_other_pixels_stay(fill, dtype):
    images, grid = pictures_of(3, channels=2).to(dtype), Grid(2, 3, stride=2, field=2)
    removed = torch.stack([marks(6, 1), marks(6, 0, 5), marks(6)])
    found = erased(images, removed, grid, fill)
    assert found.dtype == dtype
    boxes_of = {0: {1}, 1: {0, 5}, 2: set()}
    for picture in range(3):
        for channel in range(2):
            mean = float(images[picture, channel].double().mean())
            value = round(255 * mean) / 255 if fill == "mean" else 0
            for row in range(4):
                for column in range(6):
                    gone = (row // 2) * 3 + column // 2 in boxes_of[picture]
                    before = images[picture, channel, row, column]
                    expected = torch.tensor(value, dtype=dtype) if gone else before
                    assert found[picture, channel, row, column] == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_what_is_left_is_still_of_eight_bits_exactly(dtype):
    images = (pictures_of(20) * 255).round().to(dtype) / 255
    found = erased(images, torch.rand(20, 24, generator=seeded()) < 0.5, Grid(4, 6))
    assert torch.equal((found * 255).round() / 255, found)
    model = model_of().to(dtype)
    assert model.levels(found) is not None


def test_removing_nothing_changes_nothing_and_removing_all_leaves_a_constant():
    images = torch.rand(2, 1, 4, 6, generator=seeded())  # not of eight bits
    assert torch.equal(erased(images, torch.zeros(2, 24, dtype=torch.bool), Grid(4, 6)), images)
    found = erased(images, torch.ones(2, 24, dtype=torch.bool), Grid(4, 6))
    assert (found.flatten(1) == found[:, :, 0, 0]).all()
    assert ((found[:, 0, 0, 0] - images.mean((1, 2, 3))).abs() <= 0.5 / 255 + 1e-6).all()


def test_marks_of_another_shape_and_another_fill_are_refused():
    with pytest.raises(BadInput, match=r"one mark per position, \(2, 24\), not \(2, 6\)"):
        erased(pictures_of(), torch.zeros(2, 6, dtype=torch.bool), Grid(4, 6))
    with pytest.raises(BadInput, match="not with 'noise'"):
        erased(pictures_of(), torch.zeros(2, 24, dtype=torch.bool), Grid(4, 6), "noise")
