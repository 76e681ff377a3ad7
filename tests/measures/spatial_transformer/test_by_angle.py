"""Right answers by the angle of the picture, attnviz/measures/spatial_transformer/by_angle.py, by hand."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.measures.spatial_transformer.by_angle import by_angle


def test_each_picture_counts_in_the_band_of_its_angle_to_either_side() -> None:
    angles = np.array([0.0, -10, 29.9, 30, -45, 90, -90])
    one = np.array([True, True, True, True, True, True, True])
    other = np.array([True, False, True, False, False, True, False])
    found = by_angle(one, other, angles, [0, 30, 60, 90])
    assert [(band.first, band.last, band.count) for band in found] == [(0, 30, 3), (30, 60, 2), (60, 90, 2)]
    assert [band.errors for band in found] == [(0, pytest.approx(1 / 3)), (0, 1), (0, 0.5)]
    assert [band.gain for band in found] == pytest.approx([1 / 3, 1, 0.5])


def test_the_interval_is_that_of_paired_differences() -> None:
    one, other = np.array([True, True, False, True]), np.array([False, True, True, False])
    [band] = by_angle(one, other, np.zeros(4), [0, 10])
    half = 3.182446 * np.std([1, 0, -1, 1], ddof=1) / 2
    assert band.interval == pytest.approx((0.25 - half, 0.25 + half))


def test_a_band_without_pictures_is_left_out_and_other_pictures_are_refused() -> None:
    both = np.ones(3, bool)
    assert [band.first for band in by_angle(both, both, np.array([1.0, 2, 80]), [0, 30, 60])] == [0]
    with pytest.raises(BadInput, match="of the same pictures"):
        by_angle(both, both, np.zeros(2), [0, 1])
