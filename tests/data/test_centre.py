"""The centre of mass, attnviz/data/strokes.py."""

import numpy as np

from attnviz.data.strokes import centre_of_mass


def test_it_is_the_pixel_next_to_the_weighted_mean_and_a_half_goes_up():
    ink = np.zeros((3, 5, 7), np.uint8)
    ink[0, 2, 6] = 9
    ink[1, 1, 0], ink[1, 2, 3] = 100, 100  # 1.5, 1.5
    ink[2, 4, 1], ink[2, 1, 5] = 255, 85  # 3.25, 2
    row, column = centre_of_mass(ink)
    assert row.tolist() == [2, 2, 3] and column.tolist() == [6, 2, 2]


def test_one_picture_has_one_centre_and_no_ink_is_at_the_first_pixel():
    assert tuple(map(int, centre_of_mass(np.full((4, 4), 255, np.uint8)))) == (2, 2)
    assert tuple(map(int, centre_of_mass(np.zeros((4, 4), np.uint8)))) == (0, 0)
