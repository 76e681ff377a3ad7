import numpy as np
import pytest

from attnviz.data import strokes
from attnviz.data.inputs.paper import clean, fitted, ink

DIGITS = strokes.draw(np.arange(40) % 10, seed=11)[..., 0]


def photographed(digit: np.ndarray, *, dark: bool, shadow: float, seed: int = 0, times: int = 14) -> np.ndarray:
    """A digit on a larger sheet, lit from one side, with a soft shadow and grain; uint8 (row, column)."""
    high, wide = 28 * times + 60, 28 * times + 200
    drawn = np.zeros((high, wide))
    drawn[30:-30, 120:-80] = digit.repeat(times, 0).repeat(times, 1) / 255
    row, column = np.mgrid[:high, :wide] / wide
    light = 0.9 * (1 - shadow / (1 + np.exp(-(row + column - 0.9) / 0.12)))
    reflected = 0.9 - 0.7 * drawn if dark else 0.2 + 0.6 * drawn
    grain = np.random.default_rng(seed).normal(0, 5, (high, wide))
    return np.clip(255 * light * reflected + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("digit", DIGITS[:20], ids=[str(number % 10) for number in range(20)])
def test_ink_is_found_on_clean_paper(digit):
    inked, dark = ink(digit)
    assert not dark and (inked == digit).all()
    inked, dark = ink(255 - digit)
    assert dark and (inked == digit).all()


def test_ink_that_touches_the_edges_is_found_mostly():
    found = 0
    for digit in DIGITS:
        rows, columns = np.flatnonzero((digit > 40).any(1)), np.flatnonzero((digit > 40).any(0))
        tight = digit[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        found += (not ink(tight)[1]) + ink(255 - tight)[1]
    assert found >= 0.95 * 2 * len(DIGITS)


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("shadow", [0.0, 0.3, 0.6])
def test_ink_is_found_on_a_photograph(dark, shadow):
    assert all(ink(photographed(digit, dark=dark, shadow=shadow))[1] is dark for digit in DIGITS[:20])


@pytest.mark.parametrize("dark", [True, False])
def test_a_filled_shape_on_clean_paper_is_ink(dark):
    row, column = np.mgrid[:100, :100]
    disc = np.where((row - 50) ** 2 + (column - 50) ** 2 < 44**2, 255, 0).astype(np.uint8)  # most of the picture
    inked, found = ink(255 - disc if dark else disc)
    assert found is dark and (inked == disc).all()


def test_what_is_ink_can_be_said():
    grey = DIGITS[3]
    assert (ink(grey, True)[0] == 255 - grey).all() and ink(grey, True)[1]
    assert (ink(255 - grey, False)[0] == 255 - grey).all() and not ink(255 - grey, False)[1]


@pytest.mark.parametrize("times", [1, 2, 5, 10, 20, 30])
def test_a_clean_picture_is_fitted_and_not_touched(times):
    canvas = fitted(DIGITS[5].repeat(times, 0).repeat(times, 1))
    assert (canvas == DIGITS[5].repeat(10, 0).repeat(10, 1)).all()


def test_ink_that_was_chosen_to_be_paper_stays_as_chosen():
    picture = 255 - DIGITS[5]
    assert (fitted(ink(picture, False)[0]) == picture.repeat(10, 0).repeat(10, 1)).all()


@pytest.mark.parametrize("digit", DIGITS[:20], ids=[str(number % 10) for number in range(20)])
def test_a_screenshot_is_no_photograph_however_tightly_it_is_cut(digit):
    large = digit.repeat(10, 0).repeat(10, 1)
    rows, columns = np.flatnonzero((large > 40).any(1)), np.flatnonzero((large > 40).any(0))
    tight = large[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    assert all(clean(one) for one in (large, 255 - large, tight, 255 - tight))
    assert not clean(photographed(digit, dark=True, shadow=0.3))


def test_proportions_are_kept_and_the_picture_lies_in_the_middle():
    picture = np.zeros((100, 50), np.uint8)
    picture[40:60, 20:30] = 200
    canvas = fitted(picture)  # 2.8 canvas pixels for one, 70 of paper at the left
    rows, columns = np.flatnonzero((canvas > 100).any(1)), np.flatnonzero((canvas > 100).any(0))
    assert (rows[0], rows[-1] + 1) == (112, 168) and (columns[0], columns[-1] + 1) == (70 + 56, 70 + 84)
    assert (canvas[113:167, 127:153] == 200).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 1000), (1000, 1), (2, 3), (3, 2)])
def test_shapes_at_the_edge(shape):
    for level in (0, 100, 255):
        assert fitted(np.full(shape, level, np.uint8)).shape == (280, 280)
