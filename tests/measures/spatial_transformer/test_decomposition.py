"""Transforms taken apart, attnviz/measures/spatial_transformer/decomposition.py, by hand-made matrices."""

import numpy as np
import pytest
from numpy.typing import NDArray

from attnviz.errors import BadInput
from attnviz.measures.spatial_transformer.decomposition import TOGETHER, decomposed, mean_rotation, undone

ROWS, COLUMNS = 20, 30


def theta_of(linear: NDArray[np.float64], shift: tuple[float, float] = (0.0, 0.0)) -> NDArray[np.float64]:
    """Return theta, (1, 2, 3), of a linear map in pixels and a shift in pixels."""
    side = np.diag([COLUMNS / 2, ROWS / 2])
    whole = np.linalg.inv(side) @ np.column_stack([linear @ side, shift])
    return whole[None]


def rotation(degrees: float) -> NDArray[np.float64]:
    turned = np.radians(degrees)
    return np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])


@pytest.mark.parametrize("degrees", [-170.0, -90.0, -30.0, 0.0, 45.0, 100.0])
@pytest.mark.parametrize("scales", [(1.0, 1.0), (1.5, 0.5), (0.7, 0.7)])
def test_a_matrix_made_of_a_rotation_and_scales_is_taken_apart_again(degrees, scales):
    stretch = rotation(20) @ np.diag(scales) @ rotation(-20)
    found = decomposed(theta_of(rotation(degrees) @ stretch, (3.0, -2.0)), rows=ROWS, columns=COLUMNS)
    assert found.angle[0] == pytest.approx(degrees)
    np.testing.assert_allclose(found.scales[0], sorted(scales, reverse=True))
    np.testing.assert_allclose(found.shift[0], [3.0, -2.0])
    assert not found.mirrored[0]
    if scales[0] == scales[1]:
        assert found.shear[0] == pytest.approx(0.0, abs=1e-9)


def test_the_identity_does_nothing():
    found = decomposed(np.eye(2, 3)[None], rows=ROWS, columns=COLUMNS)
    assert (found.angle[0], found.shear[0], found.mirrored[0]) == (0.0, 0.0, False)
    np.testing.assert_allclose(found.scales[0], [1.0, 1.0])
    assert not found.shift.any()


def test_rotation_times_stretch_gives_the_matrix_back():
    linear = np.random.default_rng(0).normal(size=(50, 2, 2))
    linear = linear[np.linalg.det(linear) > 0]
    theta = np.concatenate([linear, np.zeros((len(linear), 2, 1))], 2)
    found = decomposed(theta, rows=8, columns=8)
    for matrix, degrees, scales in zip(linear, found.angle, found.scales, strict=True):
        stretch = rotation(-degrees) @ matrix
        np.testing.assert_allclose(stretch, stretch.T, atol=1e-12)  # symmetric, and so a polar decomposition
        np.testing.assert_allclose(np.sort(np.linalg.eigvalsh(stretch))[::-1], scales, atol=1e-12)
        assert np.linalg.eigvalsh(stretch).min() > 0


def test_a_mirror_is_said_and_its_rotation_is_that_after_the_mirror():
    found = decomposed(theta_of(rotation(25) @ np.diag([-1.0, 1.0])), rows=ROWS, columns=COLUMNS)
    assert found.mirrored[0]
    assert found.angle[0] == pytest.approx(25.0)


def test_the_shear_is_how_far_the_axes_are_from_a_right_angle():
    found = decomposed(theta_of(np.array([[1.0, np.tan(np.radians(15))], [0.0, 1.0]])), rows=ROWS, columns=COLUMNS)
    assert found.shear[0] == pytest.approx(15.0)
    assert found.angle[0] == pytest.approx(-np.degrees(np.arctan(np.tan(np.radians(15)) / 2)))


def test_a_grid_that_undoes_has_the_pictures_angle_with_the_other_sign():
    picture = np.linspace(-90, 90, 19)
    found = undone(-picture, picture)
    assert (found.slope, found.offset, found.spread) == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    assert found.before == pytest.approx(picture.std(ddof=1))


def test_a_grid_that_stays_undoes_nothing_and_half_a_turn_undoes_half():
    picture = np.linspace(-90, 90, 19)
    still = undone(np.zeros(19), picture)
    assert still.slope == pytest.approx(0.0, abs=1e-9)
    assert still.spread == pytest.approx(still.before)
    half = undone(-picture / 2 - 10, picture)
    assert (half.slope, half.offset, half.spread) == pytest.approx((0.5, 10.0, still.before / 2))


def test_angles_that_pass_half_a_circle_are_near_one_another():
    picture = np.array([-80.0, 0.0, 80.0])
    found = undone(-picture - 180, picture)  # every picture ends upside down
    assert found.slope == pytest.approx(1.0)
    assert found.spread == pytest.approx(0.0, abs=1e-9)


def test_pictures_that_all_end_upside_down_but_for_some_noise_are_undone():
    """Their angles lie on both sides of half a turn, where degrees jump from 180 to -180."""
    rng = np.random.default_rng(0)
    picture = rng.uniform(-90, 90, 1000)
    grid = (-picture + 180 + rng.normal(0, 5, 1000) + 180) % 360 - 180
    found = undone(grid, picture)
    assert found.slope == pytest.approx(1.0, abs=0.02)
    assert abs(found.offset) == pytest.approx(180, abs=1)
    assert found.spread == pytest.approx(5, abs=0.5)
    assert found.together > 0.99


def test_angles_that_have_nothing_to_do_with_those_of_the_pictures_undo_nothing():
    rng = np.random.default_rng(0)
    found = undone(rng.uniform(-180, 180, 1000), rng.uniform(-90, 90, 1000))
    assert (found.slope, found.offset) == (None, None)
    assert found.together < 0.1
    assert found.spread > found.before


def test_what_is_left_is_measured_from_its_own_direction():
    picture = np.array([-90.0, -60, -30, 0, 30, 60, 90])
    found = undone(np.full(7, 120.0), picture)  # without a jump, left would end at 210
    assert found.slope == pytest.approx(0.0, abs=1e-9)
    assert found.offset == pytest.approx(-120.0)
    assert found.spread == pytest.approx(found.before)
    turned = np.radians(picture)
    assert found.together == pytest.approx(np.hypot(np.cos(turned).mean(), np.sin(turned).mean()))
    assert found.together > TOGETHER


def test_the_mean_of_rotations_is_a_rotation_though_that_of_their_numbers_is_not():
    thetas = np.concatenate([theta_of(rotation(degrees)) for degrees in (-50.0, 10.0, 70.0)])
    assert decomposed(thetas.mean(0)[None], rows=ROWS, columns=COLUMNS).scales.max() < 0.7
    np.testing.assert_allclose(mean_rotation(thetas, rows=ROWS, columns=COLUMNS), theta_of(rotation(10.0))[0])
    over = np.concatenate([theta_of(rotation(degrees)) for degrees in (170.0, -170.0)])
    np.testing.assert_allclose(
        mean_rotation(over, rows=ROWS, columns=COLUMNS), theta_of(rotation(180.0))[0], atol=1e-12
    )


def test_what_is_no_transform_is_refused():
    with pytest.raises(BadInput, match=r"\(batch, 2, 3\), not of the shape \(2, 3\)"):
        decomposed(np.eye(2, 3), rows=4, columns=4)
    with pytest.raises(BadInput, match="at least three pictures"):
        undone(np.zeros(5), np.zeros(5))
