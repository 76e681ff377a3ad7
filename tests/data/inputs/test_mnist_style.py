"""A drawing as MNIST would have made it: attnviz/data/inputs/prepared.py."""

import numpy as np
import pytest

from attnviz.data.inputs import digit
from attnviz.data.inputs.prepared import mnist_style
from attnviz.errors import BadInput

CANVAS = np.zeros((280, 280), np.uint8)
CANVAS[40:180, 100:130] = 255


@pytest.mark.parametrize("centred", [True, False])
def test_of_28_pixels_it_is_the_digit_itself_with_its_steps(centred):
    seen, expected = (
        mnist_style(CANVAS, rows=28, columns=28, channels=1, centred=centred),
        digit.prepare(CANVAS, centred=centred),
    )
    np.testing.assert_array_equal(seen.picture[..., 0], expected.picture)
    assert seen.words == expected.words
    assert seen.steps()["box"] == expected.box


@pytest.mark.parametrize(("rows", "columns"), [(60, 60), (40, 40), (28, 61)])
def test_on_a_larger_picture_the_digit_lies_in_the_middle_of_paper(rows, columns):
    seen = mnist_style(CANVAS, rows=rows, columns=columns, channels=3, centred=True)
    expected = digit.prepare(CANVAS).picture
    top, left = (rows - 28) // 2, (columns - 28) // 2
    for channel in range(3):
        np.testing.assert_array_equal(seen.picture[top : top + 28, left : left + 28, channel], expected)
    assert seen.picture.sum(dtype=int) == 3 * expected.sum(dtype=int)
    assert f"in the middle of {columns} × {rows}" in seen.words


def test_on_a_smaller_picture_the_digit_is_scaled_down():
    seen = mnist_style(CANVAS, rows=14, columns=14, channels=1, centred=True)
    expected = digit.prepare(CANVAS).picture.reshape(14, 2, 14, 2).mean((1, 3))
    np.testing.assert_array_equal(seen.picture[..., 0], np.rint(expected))
    assert "Then scaled to 14 × 14 pixels." in seen.words


def test_the_ink_of_a_canvas_in_colour_is_the_mean_of_its_channels():
    colour = np.stack([CANVAS, np.zeros_like(CANVAS), CANVAS], axis=2)
    seen = mnist_style(colour, rows=28, columns=28, channels=1, centred=True)
    np.testing.assert_array_equal(seen.picture[..., 0], digit.prepare(CANVAS // 255 * 170).picture)


def test_a_canvas_that_is_not_square_is_refused():
    with pytest.raises(BadInput, match="A drawing is a square of bytes"):
        mnist_style(CANVAS[:100], rows=28, columns=28, channels=1, centred=True)
