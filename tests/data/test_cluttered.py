"""Cluttered digits, attnviz/data/cluttered.py."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz import data
from attnviz.data import strokes
from attnviz.data.cluttered import CLUTTERED, Clutter, corners, scatter, thrown
from attnviz.errors import BadInput, DataError, UnknownName

COUNT = 4000
GREY = np.full((1, 28, 28, 1), 100, np.uint8)  # a digit that is all ink: where it stands can be read off
NOTHING = np.zeros((1, 28, 28, 1), np.uint8)
FIRST = np.zeros(COUNT, np.int64)


def test_published_digits_stand_on_the_bottom_row_for_seven_in_ten_and_never_at_the_right_edge():
    images, found = scatter(GREY, FIRST, NOTHING, Clutter(), seed=0)
    rows, columns = np.bincount(found[:, 0], minlength=13), np.bincount(found[:, 1], minlength=13)
    assert len(rows) == len(columns) == 13
    assert abs(rows[12] / COUNT - 28 / 40) < 4 * (0.7 * 0.3 / COUNT) ** 0.5
    assert (abs(rows[:12] / COUNT - 1 / 40) < 4 * (0.025 / COUNT) ** 0.5).all()
    assert columns[12] == 0
    assert (abs(columns[:12] / COUNT - 1 / 12) < 4 * (1 / 12 / COUNT) ** 0.5).all()
    for image, (row, column) in zip(images[:50, :, :, 0], found[:50], strict=True):
        assert (image[row : row + 28, column : column + 28] == 100).all()
        assert image.sum(dtype=int) == 28 * 28 * 100


def test_uniform_digits_stand_at_each_place_as_often():
    found = scatter(GREY, FIRST, NOTHING, Clutter(placement="uniform"), seed=0)[1]
    for axis in (0, 1):
        share = np.bincount(found[:, axis], minlength=13) / COUNT
        assert len(share) == 13
        assert (abs(share - 1 / 13) < 4 * (1 / 13 / COUNT) ** 0.5).all()


def test_patches_touch_every_row_and_column_but_the_last():
    images = scatter(NOTHING, FIRST, GREY, Clutter(patches=1), seed=1)[0][..., 0]
    assert ((images == 100).sum((1, 2)) == 25).all()
    inked = (images > 0).any(0)
    assert inked[:-1, :-1].all()
    assert not inked[-1].any() and not inked[:, -1].any()


def test_a_patch_is_a_piece_of_its_source_and_never_reaches_its_last_row_or_column():
    source = np.random.default_rng(0).integers(1, 255, (1, 28, 28, 1)).astype(np.uint8)
    source[0, -1] = source[0, :, -1] = 255  # if this were cut, it would be seen
    images = scatter(NOTHING, FIRST[:300], source, Clutter(patches=1), seed=2)[0][..., 0]
    assert images.max() < 255
    pieces = {
        source[0, row : row + 5, column : column + 5, 0].tobytes(): (row, column)
        for row in range(23)
        for column in range(23)
    }
    cut = set()
    for image in images:
        row, column = np.argwhere(image)[0]
        cut.add(pieces[image[row : row + 5, column : column + 5].tobytes()])
    assert len(cut) > 200


def test_a_later_patch_replaces_an_earlier_one_even_if_it_is_blank():
    half = np.concatenate([GREY, NOTHING])
    many = scatter(NOTHING, FIRST[:200], half, Clutter(patches=400), seed=3)[0]
    share = (many[:, :35, :35] > 0).mean()
    assert abs(share - 0.5) < 0.05  # each place shows the last patch that fell there; if ink won, it would be near 1


def test_the_digit_is_added_and_the_sum_is_clipped():
    bright = np.full((1, 28, 28, 1), 200, np.uint8)
    images, found = scatter(bright, FIRST[:100], GREY, Clutter(patches=60), seed=4)
    for image, (row, column) in zip(images[..., 0], found, strict=True):
        on = np.zeros((40, 40), bool)
        on[row : row + 28, column : column + 28] = True
        assert set(np.unique(image[on])) <= {200, 255}
        assert set(np.unique(image[~on])) <= {0, 100}
    assert (images == 255).any() and (images == 200).any()


def test_patches_of_drawn_digits_are_often_blank():
    digits = strokes.load("test", 256)[0]
    images = scatter(NOTHING, FIRST, digits, Clutter(patches=1), seed=5)[0]
    blank = (images.max((1, 2, 3)) == 0).mean()
    assert 0.3 < blank < 0.45  # of MNIST's digits 38 %


def test_canvas_and_patches_of_another_size():
    how = Clutter(canvas=60, patches=3, patch=8, placement="uniform")
    images, found = scatter(GREY, FIRST[:400], NOTHING, how, seed=0)
    assert images.shape == (400, 60, 60, 1)
    assert found.min() == 0 and found.max() == 32
    assert ((scatter(NOTHING, FIRST[:50], GREY, replace(how, patches=1), seed=0)[0] > 0).sum((1, 2, 3)) == 64).all()


def test_the_same_seed_gives_the_same_pictures_however_many_and_another_seed_gives_others():
    digits = strokes.load("test", 256)[0]
    which = np.arange(20)
    images, found = scatter(digits, which, digits, Clutter(), seed=0)
    fewer, its = scatter(digits, which[:7], digits, Clutter(), seed=0)
    assert (fewer == images[:7]).all() and (its == found[:7]).all()
    assert not (scatter(digits, which, digits, Clutter(), seed=1)[1] == found).all()
    assert not (scatter(digits, which, digits, Clutter(), seed=0, split="test")[1] == found).all()
    assert found[:6].tolist() == [[6, 4], [12, 4], [12, 3], [12, 1], [12, 6], [9, 1]]  # on every machine


@pytest.mark.parametrize(
    ("pictures", "how"),
    [(GREY, Clutter(canvas=28)), (GREY, Clutter(patch=28)), (GREY, Clutter(patch=0)), (GREY[:, 1:], Clutter())],
)
def test_what_does_not_fit_is_refused(pictures, how):
    with pytest.raises(BadInput, match="do not fit on a canvas"):
        scatter(pictures, FIRST[:3], GREY, how, seed=0)


@pytest.mark.parametrize("split", ["validation", "test"])
def test_drawn_digits_stand_at_their_corners_and_are_taken_from_the_splits_own(split):
    dataset = data.load("cluttered_strokes", split)
    made = CLUTTERED["cluttered_strokes"].made(split)
    its, first, last = {"validation": ("train", 10_000, 11_000), "test": ("test", 0, 10_000)}[split]
    pictures, labels = strokes.load(its, last)
    assert (made.labels == labels[first:][made.digits]).all() and (dataset.labels == made.labels).all()
    assert (corners("cluttered_strokes", split) == made.corners).all()
    for number in range(40):
        row, column = made.corners[number]
        under = pictures[first + made.digits[number]]
        assert (dataset.images[number, row : row + 28, column : column + 28] >= under).all()


@pytest.mark.parametrize(("name", "split"), [("cluttered_strokes", "test"), ("cluttered_strokes_60", "validation")])
def test_picked_pictures_are_those_of_the_split(name, split):
    numbers = np.array([999, 3, 500])
    images, labels = data.pick(name, split, numbers)
    whole = data.load(name, split)
    assert (images == whole.images[numbers]).all() and (labels == whole.labels[numbers]).all()
    assert (data.labels(name, split) == whole.labels).all()


def test_a_picture_is_picked_without_making_the_others(monkeypatch):
    monkeypatch.setattr("attnviz.data.cluttered._made", None)
    monkeypatch.setattr(strokes, "load", None)
    assert data.pick("cluttered_strokes", "test", [9999]).images.shape == (1, 40, 40, 1)


def test_a_centred_canvas_holds_the_same_picture_with_the_digit_in_the_middle():
    digits = strokes.load("test", 256)[0]
    which = np.arange(60)
    plain, found = scatter(digits, which, digits, Clutter(), seed=0)
    centred, middle = scatter(digits, which, digits, Clutter(centred=True), seed=0)
    assert centred.shape == (60, 52, 52, 1) and (middle == 12).all()
    for number, (row, column) in enumerate(found):
        part = centred[number, 12 - row : 52 - row, 12 - column : 52 - column]
        assert (part == plain[number]).all()
        assert part.sum(dtype=int) == centred[number].sum(dtype=int)


def test_a_picture_is_thrown_among_clutter_by_its_seed():
    picture = np.full((28, 28), 90, np.uint8)
    first, again, other = (thrown(picture, Clutter(), seed=seed)[:, :, 0] for seed in (1, 1, 2))
    assert first.shape == (40, 40) and (first == again).all() and (first != other).any()
    whole = [
        (row, column) for row in range(13) for column in range(13)
        if (first[row : row + 28, column : column + 28] >= 90).all()
    ]  # fmt: skip
    assert len(whole) == 1, "the picture stands on it as a whole"
    row, column = whole[0]
    first[row : row + 28, column : column + 28] = 0
    assert np.count_nonzero(first) > 0, "there is clutter around it"
    with pytest.raises(BadInput, match="do not fit on a canvas"):
        thrown(np.zeros((40, 40), np.uint8), Clutter(), seed=1)


def test_it_is_available_where_its_source_is(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    assert data.available("cluttered_strokes")
    assert not data.available("cluttered_mnist")
    with pytest.raises(DataError, match="python -m attnviz data mnist"):
        data.load("cluttered_mnist", "test")


def test_fetching_it_fetches_its_source(monkeypatch):
    asked = []
    monkeypatch.setattr(data.store, "_fetch", lambda its, kind, tell: asked.append(its.name))
    data.fetch("cluttered_mnist")
    assert asked == ["mnist"]


def test_unknown_names_are_refused():
    with pytest.raises(UnknownName, match="split of cluttered strokes 'tests'"):
        CLUTTERED["cluttered_strokes"].made("tests")
    with pytest.raises(UnknownName, match="split of cluttered strokes 'tests'"):
        data.labels("cluttered_strokes", "tests")
    with pytest.raises(UnknownName, match="no cluttered data set 'strokes'"):
        corners("strokes", "test")
