"""Rotated and moved digits, attnviz/data/moved.py."""

import hashlib

import numpy as np
import pytest

from attnviz import data
from attnviz.data import strokes
from attnviz.data.moved import MOVED, Moves, moved
from attnviz.errors import BadInput, UnknownName

COUNT = 2000


def still(count: int = 1, *, angle: float = 0.0, scale: float = 1.0, shift: tuple[float, float] = (0.0, 0.0)) -> Moves:
    return Moves(np.full(count, angle), np.full(count, scale), np.tile(shift, (count, 1)).astype(float))


def dot(row: int, column: int) -> np.ndarray:
    picture = np.zeros((1, 28, 28, 1), np.uint8)
    picture[0, row : row + 2, column : column + 2] = 255
    return picture


def middle(picture: np.ndarray) -> tuple[float, float]:
    """Return the centre of mass, (row, column), from the middle of the picture."""
    weights = picture[..., 0].astype(float)
    places = np.arange(len(weights)) - (len(weights) - 1) / 2
    return float(weights.sum(1) @ places / weights.sum()), float(weights.sum(0) @ places / weights.sum())


def test_what_is_not_moved_lies_in_the_middle_pixel_by_pixel():
    pictures = strokes.draw([3, 8], seed=4)
    found = moved(pictures, 42, still(2))
    assert (found[:, 7:35, 7:35] == pictures).all()
    assert found.sum() == pictures.sum()


@pytest.mark.parametrize(
    ("angle", "row", "column"),
    [(90.0, -8.0, 0.0), (-90.0, 8.0, 0.0), (180.0, 0.0, -8.0), (30.0, -4.0, 8 * 0.75**0.5)],
)
def test_a_positive_angle_turns_counter_clockwise_as_seen(angle, row, column):
    found = middle(moved(dot(13, 21), 32, still(angle=angle))[0])  # the dot lies 8 to the right of the middle
    assert found == pytest.approx((row, column), abs=0.02)


def test_a_shift_goes_to_the_right_and_down_and_comes_after_the_rotation_and_the_scale():
    assert middle(moved(dot(13, 21), 42, still(shift=(5.0, -3.0)))[0]) == pytest.approx((-3.0, 13.0))
    found = middle(moved(dot(13, 21), 42, still(angle=90, scale=1.25, shift=(5.0, -3.0)))[0])
    assert found == pytest.approx((-13.0, 5.0), abs=0.02)


def test_places_between_pixels_are_weighed_by_their_distance():
    picture = dot(10, 10)
    found = moved(picture, 28, still(shift=(0.25, 0.0)))[0, 10, :, 0]
    assert found[9:14].tolist() == [0, 191, 255, 64, 0]


def test_every_pixel_is_the_bilinear_mean_in_floating_point():
    pictures, moves = strokes.draw([2, 5, 7], seed=1), Moves(np.array([33.0, -71, 12]), np.array([1.2, 0.8, 1]),
                                                             np.array([[3.3, -2.2], [0, 5.5], [-7, 1]]))  # fmt: skip
    found = moved(pictures, 42, moves)
    for number in range(3):
        turned = np.radians(moves.angles[number])
        for row, column in np.random.default_rng(number).integers(0, 42, (300, 2)):
            across, down = column - 20.5 - moves.shifts[number, 0], row - 20.5 - moves.shifts[number, 1]
            x = (np.cos(turned) * across - np.sin(turned) * down) / moves.scales[number] + 13.5
            y = (np.sin(turned) * across + np.cos(turned) * down) / moves.scales[number] + 13.5
            near_x = np.maximum(0, 1 - abs(x - np.arange(28)))
            near_y = np.maximum(0, 1 - abs(y - np.arange(28)))
            assert abs(found[number, row, column, 0] - near_y @ pictures[number, ..., 0] @ near_x) < 4


def test_no_rotated_digit_loses_ink():
    images = data.load("rotated_strokes", "test", count=COUNT).images
    plain = data.load("strokes", "test", count=COUNT).images
    ratio = images.sum((1, 2, 3), dtype=float) / plain.sum((1, 2, 3), dtype=float)
    assert abs(ratio - 1).max() < 0.02


@pytest.mark.parametrize("name", ["rotated_strokes", "moved_strokes"])
def test_some_pictures_are_the_same_as_in_the_whole_split(name):
    whole, numbers = data.load(name, "test", count=300), np.array([299, 0, 17])
    some = data.pick(name, "test", numbers)
    assert (some.images == whole.images[numbers]).all()
    assert (some.labels == whole.labels[numbers]).all()
    assert (data.labels(name, "test")[:300] == whole.labels).all()
    assert not whole.images.flags.writeable


@pytest.mark.parametrize("name", MOVED)
def test_moves_are_drawn_evenly_from_all_that_may_be(name):
    how = MOVED[name]
    moves = how.moves("test")
    assert len(moves.angles) == how.counts["test"]
    drawn = [(moves.angles, -how.rotation, how.rotation), (moves.scales, *how.scale)]
    drawn += [(moves.shifts[:, axis], -how.shift, how.shift) for axis in (0, 1)]
    for values, low, high in drawn:
        assert low <= values.min() <= values.max() <= high
        assert abs(values.mean() - (low + high) / 2) <= 4 * (high - low) / 12**0.5 / 100
        assert abs(values.std() - (high - low) / 12**0.5) <= 0.02 * (high - low)


def test_splits_share_no_digit_and_no_draw():
    how = MOVED["moved_mnist"]
    parts = {split: how._part(split) for split in how.counts}
    assert parts["train"][2] <= parts["validation"][1]
    assert parts["test"][0] == "test" != parts["validation"][0]
    angles = [how.moves(split).angles[:100] for split in how.counts]
    assert not (angles[0] == angles[1]).any() and not (angles[1] == angles[2]).any()


def test_each_training_digit_is_moved_three_times_each_time_otherwise():
    how = MOVED["rotated_mnist"]
    angles = how.moves("train").angles.reshape(3, 50_000)
    assert not (angles[0] == angles[1]).any()
    assert how.counts["train"] == 150_000


def test_the_same_bytes_come_on_any_machine():
    """The digests change only with VERSION: without one, a checkpoint's card would speak of other pictures."""
    digests = {
        name: hashlib.sha256(data.pick(name, "test", range(20)).images.tobytes()).hexdigest()[:16]
        for name in ("rotated_strokes", "moved_strokes")
    }
    assert digests == {"rotated_strokes": "80993ab92163199b", "moved_strokes": "95c2e332de4d3749"}


def test_pictures_and_moves_that_do_not_fit_are_refused():
    with pytest.raises(BadInput, match="As many moves"):
        moved(dot(3, 3), 32, still(2))
    with pytest.raises(BadInput, match="square pictures"):
        moved(np.zeros((1, 28, 20, 1), np.uint8), 32, still())
    with pytest.raises(BadInput, match="at most 64 pixels"):
        moved(dot(3, 3), 32, still(shift=(100.0, 0.0)))
    with pytest.raises(UnknownName, match="no split of moved strokes 'tset'. Did you mean 'test'"):
        MOVED["moved_strokes"].load("tset")
