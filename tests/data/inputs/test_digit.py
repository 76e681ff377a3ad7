import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.data import strokes
from attnviz.data.inputs.digit import BOX, CANVAS, SIZE, prepare
from attnviz.errors import BadInput


def enlarged(picture: np.ndarray, times: int = 10) -> np.ndarray:
    return picture.repeat(times, 0).repeat(times, 1)


def drawn(points: list[tuple[float, float]], width: float, size: int = CANVAS) -> np.ndarray:
    """A line through (row, column) points with a soft edge, by the distance of each pixel to each piece."""
    row, column = np.mgrid[:size, :size].astype(float)
    nearest = np.full((size, size), np.inf)
    for (a, b), (c, d) in zip(points, points[1:], strict=False):
        length = max((c - a) ** 2 + (d - b) ** 2, 1e-9)
        along = np.clip(((row - a) * (c - a) + (column - b) * (d - b)) / length, 0, 1)
        nearest = np.minimum(nearest, np.hypot(row - a - along * (c - a), column - b - along * (d - b)))
    return np.rint(255 * np.clip(width / 2 + 0.5 - nearest, 0, 1)).astype(np.uint8)


SEVEN = [(0.0, 0.0), (0.0, 0.6), (1.0, 0.25)]


def seven(top: float, left: float, high: float) -> np.ndarray:
    return drawn([(top + high * row, left + high * column) for row, column in SEVEN], 0.12 * high)


def test_what_was_already_made_so_comes_back_as_it_was():
    images = strokes.draw(np.arange(200) % 10, seed=77)[..., 0]
    for image in images:
        seen = prepare(enlarged(image))
        assert (seen.picture == image).all()
        assert seen.scale == pytest.approx(0.1) and max(seen.fitted) == BOX and not seen.empty


@pytest.mark.parametrize("size", [28, 56, 140, 280, 532])
def test_the_size_of_the_canvas_does_not_matter(size):
    image = strokes.draw([4], seed=5)[0, :, :, 0]
    seen = prepare(enlarged(image, size // SIZE))
    assert (seen.picture == image).all() and seen.scale == pytest.approx(SIZE / size)


def test_a_case_by_hand():
    # 40 high, 20 wide, the lower half full and the upper half at 100: two canvas pixels become one of the picture.
    canvas = np.zeros((280, 280), np.uint8)
    canvas[30:50, 200:220] = 100
    canvas[50:70, 200:220] = 200
    seen = prepare(canvas)
    assert seen.box == (30, 200, 70, 220) and seen.scale == 0.5 and seen.fitted == (20, 10)
    # Centre of mass: rows (4.5 * 100 + 14.5 * 200) / 300 = 11.17, so row 11; columns 4.5, rounded up to 5.
    # In the middle the box would begin at row 4 and column 9; it begins at 14 - 11 = 3 and 14 - 5 = 9.
    assert seen.shift == (-1, 0)
    expected = np.zeros((28, 28), np.uint8)
    expected[3:13, 9:19] = 100
    expected[13:23, 9:19] = 200
    assert (seen.picture == expected).all()
    moved = "moved 1 up so that its centre of mass lies in the middle of 28 × 28."
    assert seen.words == f"Cut out 20 × 40 pixels, scaled to 10 × 20, {moved}"


def test_a_side_that_does_not_divide_has_a_grey_edge():
    # 100 high, so five canvas pixels make one; 37 wide make 7.4, so 8, the last of them inked to two fifths.
    canvas = np.zeros((280, 280), np.uint8)
    canvas[100:200, 60:97] = 255
    seen = prepare(canvas)
    assert seen.fitted == (20, 8)
    inked = seen.picture[14][seen.picture[14] > 0]
    assert (inked == [255] * 7 + [102]).all()


@settings(max_examples=40, deadline=None)
@given(
    points=st.lists(st.tuples(st.floats(20, 260), st.floats(20, 260)), min_size=2, max_size=6),
    width=st.floats(6, 40),
)
def test_the_centre_of_mass_lies_on_pixel_14_and_the_ink_in_20(points, width):
    canvas = drawn(points, width)
    seen = prepare(canvas)
    ink = seen.picture.astype(float)
    assert max(seen.fitted) == BOX
    clear = ink > 8  # of full ink: what is fainter may lie one pixel outside
    rows, columns = np.flatnonzero(clear.any(1)), np.flatnonzero(clear.any(0))
    assert max(np.ptp(rows), np.ptp(columns)) + 1 <= BOX
    reaches = [0 in (*rows, *columns), SIZE - 1 in (*rows, *columns)]
    if not any(reaches):  # else part of it may have been lost over the edge, and the rest weighs otherwise
        mass = ink.sum()
        assert ink.sum(1) @ np.arange(28) / mass == pytest.approx(14, abs=0.501)
        assert ink.sum(0) @ np.arange(28) / mass == pytest.approx(14, abs=0.501)


@pytest.mark.parametrize("top, left, high", [(4, 4, 70), (190, 205, 70), (20, 130, 100), (100, 8, 60), (30, 50, 150)])
def test_it_does_not_matter_where_and_how_large_it_was_drawn(top, left, high):
    large, small = prepare(seven(30, 60, 210)), prepare(seven(top, left, high))
    # The centre of mass may round to the neighbouring pixel.
    places = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)]
    apart = [np.abs(np.roll(small.picture, place, (0, 1)).astype(int) - large.picture) for place in places]
    assert min(each.max() for each in apart) < 80 and min(each.mean() for each in apart) < 2
    assert small.box[0] == pytest.approx(top - 0.06 * high, abs=2)
    assert small.scale > large.scale


def test_without_centring_the_whole_canvas_is_averaged():
    canvas = np.random.default_rng(3).integers(0, 256, (280, 280)).astype(np.uint8)
    seen = prepare(canvas, centred=False)
    means = canvas.reshape(28, 10, 28, 10).mean((1, 3))
    assert np.abs(seen.picture - means).max() <= 1
    assert seen.box == (0, 0, 280, 280) and seen.shift == (0, 0) and seen.scale == 0.1 and not seen.centred
    assert "without cutting out or centring" in seen.words


def test_without_centring_a_digit_in_a_corner_stays_there():
    seen = prepare(seven(4, 4, 70), centred=False)
    assert seen.picture[:9, :9].any() and not seen.picture[12:].any() and not seen.picture[:, 12:].any()


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("ink", [0, 3])
def test_an_empty_canvas_says_so(ink, centred):
    seen = prepare(np.full((280, 280), ink, np.uint8), centred=centred)
    assert seen.empty and not seen.picture.any() and seen.words == "Nothing is drawn."
    assert seen.picture.shape == (28, 28) and seen.picture.dtype == np.uint8


def test_what_an_eraser_left_behind_moves_nothing():
    canvas = seven(100, 100, 90)
    clean = prepare(canvas)
    canvas[2:5, 270:275] = 5
    assert (prepare(canvas).picture == clean.picture).all()


@pytest.mark.parametrize("place", [(0, 0), (0, 279), (279, 140), (140, 140)])
def test_a_single_dot_is_no_error(place):
    canvas = np.zeros((280, 280), np.uint8)
    canvas[place] = 255
    seen = prepare(canvas)
    assert not seen.empty and seen.picture.max() == 255 and seen.box == (*place, place[0] + 1, place[1] + 1)


def test_full_and_random_canvases_are_no_error():
    assert (prepare(np.full((280, 280), 255, np.uint8)).picture == 255).sum() == BOX * BOX
    noise = np.random.default_rng(0).integers(0, 256, (280, 280)).astype(np.uint8)
    assert prepare(noise).picture.shape == (28, 28)


def test_the_canvas_is_not_changed():
    canvas = seven(30, 60, 210)
    canvas.flags.writeable = False
    before = canvas.copy()
    prepare(canvas)
    assert (canvas == before).all()


@pytest.mark.parametrize(
    "canvas",
    [
        np.zeros((280, 280)),
        np.zeros((280, 279), np.uint8),
        np.zeros((27, 27), np.uint8),
        np.zeros((28, 28, 1), np.uint8),
    ],
)
def test_what_is_no_canvas_is_refused(canvas):
    with pytest.raises(BadInput, match="square of bytes"):
        prepare(canvas)


def test_it_needs_no_torch():
    code = "import sys; import attnviz.data.inputs.digit; assert not {'torch', 'torchvision'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
