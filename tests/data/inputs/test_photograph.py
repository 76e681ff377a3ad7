"""Digits in photographs: where they are found, what is said where they are not, and what a box changes."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from attnviz.data import strokes
from attnviz.data.inputs import digit as mnist
from attnviz.data.inputs.photograph import CUT, EDGE, NOTHING, SEVERAL, THICKENED, find
from tests.data.inputs import photographs
from tests.data.inputs.test_paper import DIGITS, photographed
from tests.sweeps import sweep

WRITTEN = strokes.draw(np.arange(30) % 10, seed=5)[..., 0]
WITH_A_DIGIT = [kind for kind in photographs.KINDS if kind not in photographs.SAID]


def alike(canvas: np.ndarray, digit: np.ndarray) -> float:
    """Return how well a canvas shows a digit: the correlation of what the models see, moved by a pixel at most."""
    seen = mnist.prepare(canvas).picture.astype(float)
    wanted = mnist.prepare(digit.repeat(10, 0).repeat(10, 1)).picture.ravel()
    moves = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)]
    if not seen.any():
        return 0.0
    return max(float(np.corrcoef(np.roll(seen, move, (0, 1)).ravel(), wanted)[0, 1]) for move in moves)


@pytest.mark.parametrize("kind", WITH_A_DIGIT)
def test_the_digit_of_a_photograph_is_found(kind):
    number = 2 + WITH_A_DIGIT.index(kind)
    found = find(photographs.photograph(kind, WRITTEN[number], number))
    assert found.dark and found.searched and SEVERAL not in found.notes
    assert alike(found.canvas, WRITTEN[number]) > 0.75


@pytest.mark.parametrize("kind", photographs.SAID)
def test_what_cannot_be_found_says_so(kind):
    found = find(photographs.photograph(kind, WRITTEN[3], 3, WRITTEN[4]))
    assert any(photographs.SAID[kind] in note for note in found.notes), found.notes
    assert (kind in ("two digits", "cropped")) == bool(found.canvas.any())


def test_the_box_is_around_the_digit():
    taken = photographs.photograph("table", WRITTEN[3], 3)
    top, left, bottom, right = find(taken).box
    assert 0 < top < bottom < taken.shape[0] and 0 < left < right < taken.shape[1]
    assert bottom - top < 0.6 * taken.shape[0] and right - left < 0.6 * taken.shape[1]
    outside = taken.astype(int).copy()
    outside[top:bottom, left:right] = 255
    # The sheet lies in the middle: within it, all that is dark is inside of the box.
    assert outside[280:520, 220:420].min() > 90


@pytest.mark.parametrize("tight", [False, True])
def test_a_box_chooses_among_two_digits(tight):
    first, second = WRITTEN[3], WRITTEN[7]
    taken = photographs.photograph("two digits", first, 3, second)
    half = taken.shape[1] // 2
    for digit, box in ((first, (0, 0, taken.shape[0], half)), (second, (0, half, taken.shape[0], taken.shape[1]))):
        found = find(taken, box=box)
        if tight:
            top, left, bottom, right = found.box
            room = (bottom - top) // 8
            found = find(taken, box=(top + room, left + room, bottom - room, right - room))
        assert alike(found.canvas, digit) > 0.75 and SEVERAL not in found.notes
        assert box[1] <= found.box[1] + 40 and found.box[3] - 40 <= box[3]


def test_a_box_on_bare_paper_holds_nothing():
    taken = photographs.photograph("blank", WRITTEN[3], 3)
    found = find(taken, box=(0, 0, 120, 200))
    assert not found.canvas.any() and found.notes == (NOTHING,) and found.box == (0, 0, 120, 200)


@pytest.mark.parametrize("width, thin", [(2, True), (24, False)])
def test_thin_strokes_are_thickened_and_it_is_said(width, thin):
    sheet = Image.new("L", (300, 400), 190)
    ImageDraw.Draw(sheet).line([(90, 110), (200, 110), (130, 290)], fill=60, width=width)
    found = find(np.asarray(sheet))
    assert (THICKENED in found.notes) is thin and CUT not in found.notes
    stroke = mnist.prepare(found.canvas).picture[18] > 127  # the slanted stroke of a 7
    assert 1 <= stroke.sum() <= 4


@pytest.mark.parametrize(
    "dark, shadow", sweep([(True, 0.0), (True, 0.6), (False, 0.0), (False, 0.6)], lambda one: one[1] > 0)
)
def test_light_ink_on_a_board_is_found_like_dark_ink_on_paper(dark, shadow):
    for number, digit in enumerate(DIGITS[5:7]):
        found = find(photographed(digit, dark=dark, shadow=shadow, seed=number))
        assert found.dark is dark and alike(found.canvas, digit) > 0.75


@pytest.mark.parametrize("level", [8, 128])
def test_a_picture_of_one_level_holds_nothing(level):
    found = find(np.full((40, 60), level, np.uint8))
    assert not found.canvas.any() and found.notes == (NOTHING,)


def test_a_scan_is_taken_as_it_is():
    scan = np.asarray(Image.fromarray(255 - DIGITS[5].repeat(10, 0).repeat(10, 1)).convert("RGB"))
    found = find(scan)
    assert (found.canvas == DIGITS[5].repeat(10, 0).repeat(10, 1)).all()
    assert not found.searched and found.notes == () and found.box == (0, 0, 280, 280)


@pytest.mark.parametrize("shape", [(1, 1), (1, 1000), (1000, 1), (2, 3), (30, 9)])
def test_shapes_at_the_edge(shape):
    grey = np.random.default_rng(0).integers(60, 180, shape, np.uint8)
    assert find(grey).canvas.shape == (280, 280)


def test_what_lies_along_an_edge_is_a_digit_only_where_somebody_says_so():
    """A digit that the edge cuts along a stroke looks like a table beside the sheet, and the other way round."""
    sheet = np.full((400, 300), 190, np.uint8)
    sheet[150:230, :12] = 50
    found = find(sheet)
    assert not found.canvas.any() and found.notes == (EDGE,)
    found = find(sheet, box=(140, 0, 240, 30))
    assert found.canvas.any() and CUT in found.notes


def test_a_long_line_is_no_digit_and_neither_is_what_is_much_fainter():
    sheet = Image.new("L", (300, 400), 190)
    pen = ImageDraw.Draw(sheet)
    pen.rectangle((150, 145, 280, 165), fill=158)  # a smear that begins in the digit
    pen.line([(150, 150), (220, 150), (180, 250)], fill=50, width=10)
    pen.line([(40, 40), (40, 360)], fill=50, width=8)  # such as a pencil that lies there
    top, left, bottom, right = find(np.asarray(sheet)).box
    assert 120 < left < 155 and 215 < right < 250 and top > 120 and bottom < 280


def test_a_highlighted_place_under_black_ink_is_no_ink():
    sheet = Image.new("RGB", (300, 400), (200, 198, 192))
    pen = ImageDraw.Draw(sheet)
    pen.rectangle((80, 100, 210, 160), fill=(200, 195, 90))
    pen.line([(100, 120), (190, 120), (140, 260)], fill=(90, 90, 92), width=10)
    top, left, bottom, right = find(np.asarray(sheet)).box
    assert top > 85 and left > 68 and right < 230 and 270 < bottom < 300


@pytest.mark.parametrize("seed", [1, 10, 13])
def test_a_table_is_no_light_ink(seed):
    found = find(photographs.photograph("nothing, table", WRITTEN[3], seed))
    assert not found.canvas.any(), found
