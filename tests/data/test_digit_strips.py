"""Strips of digits: attnviz/data/digit_strips.py. The digits are those of `strokes`, which is always here."""

import itertools

import numpy as np
import pytest

from attnviz import data
from attnviz.data import digit_strips, strokes
from attnviz.data.digit_strips import PER_LENGTH, STOP, Strips, drawn, strip, strips
from attnviz.errors import BadInput, UnknownName

OURS = Strips("strokes", longest=5)


def some(split: str, *, size: int = 4, seed: int = 0, count: int = 3):
    return list(itertools.islice(OURS.batches(split, size, seed), count))


def test_digits_lie_side_by_side_each_moved_by_its_pixels():
    one = np.zeros((2, 28, 28), np.uint8)
    one[0, 5, 10], one[1, 6, 20] = 100, 200
    made = strips(np.stack([one, one]), np.array([[0, 0], [3, -2]]))
    assert made.shape == (2, 28, 56, 1)
    assert {tuple(place) for place in np.argwhere(made[0, ..., 0])} == {(5, 10), (6, 48)}
    assert {tuple(place) for place in np.argwhere(made[1, ..., 0])} == {(5, 13), (6, 46)}
    assert made[1, 5, 13, 0] == 100 and made[1, 6, 46, 0] == 200


def test_where_digits_overlap_the_brighter_pixel_counts_and_what_leaves_the_strip_is_cut_off():
    one = np.zeros((2, 28, 28), np.uint8)
    one[0, 5, 27], one[1, 5, 2], one[1, 7, 27] = 100, 50, 60
    made = strips(one[None], np.array([[2, 3]]))[0, ..., 0]
    assert made[5].nonzero()[0].tolist() == [29, 33]
    one[1, 5, 0] = 250
    moved = strips(one[None], np.array([[1, 0]]))[0, ..., 0]
    assert moved[5, 28] == 250
    assert not strips(one[None], np.array([[0, 3]]))[0, 7].any()


def test_moves_of_more_than_3_pixels_are_refused():
    with pytest.raises(BadInput, match="at most 3 pixels, not by 4"):
        strips(np.zeros((1, 1, 28, 28), np.uint8), [[-4]])


def test_the_digits_of_a_batch_are_those_that_its_targets_name():
    for images, targets in some("train"):
        length = targets.shape[1] - 1
        assert images.shape == (4, 28, 28 * length, 1) and images.dtype == np.uint8
        assert (targets[:, -1] == STOP).all() and 0 <= targets[:, :-1].min() <= targets[:, :-1].max() <= 9
    images, targets = some("test", size=2, count=1)[0]
    numbers, shifts = drawn("strokes", "test", seed=0, length=1, first=0, count=2)
    pictures, labels = strokes.pick("test", numbers.ravel())
    np.testing.assert_array_equal(images, strips(pictures[..., 0][:, None], shifts))
    np.testing.assert_array_equal(targets[:, 0], labels)


def test_the_same_seed_gives_the_same_strips_and_another_gives_others():
    for one, same, other in zip(some("train"), some("train"), some("train", seed=1), strict=True):
        np.testing.assert_array_equal(one[0], same[0])
        np.testing.assert_array_equal(one[1], same[1])
        assert one[0].shape != other[0].shape or (one[0] != other[0]).any()


def test_a_strip_does_not_depend_on_the_batch_that_it_stands_in():
    numbers, shifts = drawn("strokes", "test", seed=0, length=7, first=0, count=6)
    later, later_shifts = drawn("strokes", "test", seed=0, length=7, first=4, count=2)
    np.testing.assert_array_equal(numbers[4:], later)
    np.testing.assert_array_equal(shifts[4:], later_shifts)
    assert len({tuple(row) for row in numbers}) == 6


@pytest.mark.parametrize("source", digit_strips.PARTS)
def test_training_validation_and_test_share_no_digits(source: str):
    parts = digit_strips.PARTS[source]
    assert parts["train"][2] == parts["validation"][1] and parts["train"][0] == parts["validation"][0] == "train"
    assert parts["test"][0] == "test"
    for split, (_, start, end) in parts.items():
        numbers = drawn(source, split, seed=0, length=15, first=0, count=2000)[0]
        assert start <= numbers.min() < start + (end - start) / 100
        assert end - (end - start) / 100 < numbers.max() < end


def test_moves_are_drawn_evenly_from_3_to_the_left_to_3_to_the_right():
    shifts = drawn("strokes", "train", seed=0, length=15, first=0, count=2000)[1]
    counts = np.bincount(shifts.ravel() + 3, minlength=7)
    assert len(counts) == 7
    assert abs(counts / shifts.size - 1 / 7).max() < 0.01


def test_lengths_of_training_are_drawn_evenly_and_a_batch_has_one():
    lengths = [targets.shape[1] - 1 for _, targets in OURS.batches("train", 100, 0)]
    assert set(lengths) == {1, 2, 3, 4, 5}


def test_test_strips_come_length_by_length_up_to_the_longest():
    assert OURS.tested == (1, 2, 3, 5)
    assert OURS.counts["test"] == 4 * PER_LENGTH
    lengths = [targets.shape[1] - 1 for _, targets in OURS.batches("test", PER_LENGTH, 0)]
    assert lengths == [1, 2, 3, 5]


def test_batches_that_would_mix_lengths_are_refused():
    with pytest.raises(BadInput, match="must divide 1,024: use a power of 2, not 100"):
        next(OURS.batches("test", 100, 0))


@pytest.mark.parametrize(
    ("order", "said"), [("string", [3, 1, 4, STOP]), ("reversed", [4, 1, 3, STOP]), ("sorted", [1, 3, 4, STOP])]
)
def test_what_is_to_be_said(order, said):
    assert Strips(order=order).targets(np.array([[3, 1, 4]])).tolist() == [said]


def test_one_test_strip_alone_is_that_of_the_batch():
    images, targets = next(itertools.islice(Strips("strokes", longest=3).batches("test", PER_LENGTH, 0), 2, None))
    picture, digits = strip("strokes", 3, 17)
    np.testing.assert_array_equal(picture, images[17])
    assert digits == "".join(map(str, targets[17, :-1]))


@pytest.mark.parametrize(("length", "number"), [(0, 0), (31, 0), (3, -1), (3, 1024)])
def test_strips_that_there_are_not_are_refused(length: int, number: int):
    with pytest.raises(BadInput, match=f"1 to 30 digits and the numbers 0 to 1,023, not {length} and {number}"):
        strip("strokes", length, number)


def test_unknown_sources_and_splits_name_those_there_are():
    with pytest.raises(UnknownName, match="Did you mean 'mnist'"):
        drawn("mnits", "train", seed=0, length=1, first=0, count=1)
    with pytest.raises(UnknownName, match="Did you mean 'test'"):
        next(OURS.batches("tset", 4, 0))


def test_the_data_sets_hand_them_out():
    batch = next(data.batches("strips_strokes_15", "validation", size=4))
    assert batch.images.shape[1:] == (28, 28 * (batch.labels.shape[1] - 1), 1)
    spec = data.spec("strips_strokes_15")
    assert spec.widths == (28, 420)
    assert spec.target.words(batch.labels[0], spec.classes).isdecimal()
    assert len(spec.target.words(batch.labels[0], spec.classes)) == batch.labels.shape[1] - 1
    assert data.spec("strips_mnist_30").counts["test"] == 14 * PER_LENGTH
