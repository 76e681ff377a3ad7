import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import data
from attnviz.data import strokes
from attnviz.errors import BadInput, UnknownName

# The first 600 pictures of the test split; another digest means that VERSION must go up.
PINNED = {1: "4c447ca17f82fd5d0940530c0fe1020b97e2276cc17727613193338a1a04f225"}


@pytest.fixture(scope="module")
def some() -> tuple[np.ndarray, np.ndarray]:
    return strokes.load("test", 2000)


def test_the_format_is_mnists(some):
    images, labels = some
    assert images.shape == (2000, 28, 28, 1) and images.dtype == np.uint8
    assert labels.shape == (2000,) and labels.dtype == np.int64
    assert set(labels) == set(range(10))
    assert (images.max((1, 2, 3)) > 150).all()


def test_the_centre_of_mass_is_in_the_middle(some):
    ink = some[0][..., 0].astype(float)
    mass = ink.sum((1, 2))
    rows = (ink.sum(2) @ np.arange(28)) / mass
    columns = (ink.sum(1) @ np.arange(28)) / mass
    # MNIST's is pixel 14, which is half a pixel from the middle of 28.
    assert np.abs(rows - 14).max() <= 0.51 and np.abs(columns - 14).max() <= 0.51


def test_the_ink_fills_a_box_of_20_pixels(some):
    ink = some[0][..., 0] > 0
    high, wide = ink.any(2), ink.any(1)
    height = 28 - high[:, ::-1].argmax(1) - high.argmax(1)
    width = 28 - wide[:, ::-1].argmax(1) - wide.argmax(1)
    longer = np.maximum(height, width)
    assert longer.max() <= 20
    assert longer.min() >= 19


def test_edges_are_grey_and_no_two_pictures_are_equal(some):
    images = some[0]
    assert 0.04 < ((images > 25) & (images < 230)).mean() < 0.12
    assert 0.10 < images.mean() / 255 < 0.16  # MNIST's is 0.131
    assert len({image.tobytes() for image in images}) == len(images)


def test_classes_are_balanced_and_splits_differ():
    images, labels = strokes.load("test")
    assert (np.bincount(labels) == 1000).all()
    assert (np.diff(labels[:1000]) != 0).mean() > 0.8  # mixed, not sorted
    first = strokes.draw(np.arange(10), seed=strokes.SEEDS["train"])
    assert not (first == strokes.draw(np.arange(10), seed=strokes.SEEDS["test"])).all((1, 2, 3)).any()
    assert strokes.SEEDS["train"] != strokes.SEEDS["test"] and images.flags.writeable is False


def test_the_version_is_pinned_by_a_digest():
    images, labels = strokes.load("test", 600)
    assert hashlib.sha256(images.tobytes() + labels.tobytes()).hexdigest() == PINNED[strokes.VERSION]


@settings(max_examples=15, deadline=None)
@given(count=st.integers(1, 2 * strokes.BLOCK + 3), seed=st.integers(0, 2**40))
def test_a_picture_does_not_depend_on_the_others(count, seed):
    digits = np.arange(count) % 10
    other = digits.copy()
    other[:-1] = (other[:-1] + 3) % 10
    whole = strokes.draw(np.concatenate([digits, [5, 5, 5]]), seed=seed)
    assert (strokes.draw(digits, seed=seed) == whole[:count]).all()
    assert (strokes.draw(other, seed=seed)[-1] == whole[count - 1]).all()


def test_a_part_of_a_split_is_its_beginning():
    images, labels = strokes.load("test", 300)
    more, more_labels = strokes.load("test", 700)
    assert (more[:300] == images).all() and (more_labels[:300] == labels).all()
    assert strokes.load("test", 0)[0].shape == (0, 28, 28, 1)


def test_picked_pictures_are_those_of_the_split():
    numbers = np.array([300, 5, 255, 256, 5, 299])
    images, labels = strokes.pick("test", numbers)
    whole, digits = strokes.load("test", 301)
    assert (images == whole[numbers]).all() and (labels == digits[numbers]).all()
    assert strokes.pick("test", numbers[:0])[0].shape == (0, 28, 28, 1)


def test_some_classes_of_a_split_are_the_whole_ones_and_no_others_are_drawn(monkeypatch):
    whole = data.load("strokes", "test", count=900)
    drawn = []
    pick = strokes._pick
    monkeypatch.setattr(strokes, "_pick", lambda *given: drawn.append(len(given[1])) or pick(*given))
    for classes in ((8, 1), (3,), (0, 1, 2, 4, 5, 6, 7, 8, 9)):
        drawn.clear()
        few, expected = data.load("strokes", "test", classes, count=900), data.subset(whole, classes)
        assert np.array_equal(few.images, expected.images) and np.array_equal(few.labels, expected.labels)
        assert sum(drawn) == len(few.labels)


def test_seeds_draw_differently():
    digits = np.arange(10)
    pictures = [strokes.draw(digits, seed=seed).tobytes() for seed in range(20)]
    assert len(set(pictures)) == 20


def test_no_pictures_are_no_error():
    assert strokes.draw([], seed=0).shape == (0, 28, 28, 1)


@pytest.mark.parametrize("digits", [[10], [-1], [0.5], ["8"], [[1, 2]], 3, [True]])
def test_only_digits_can_be_drawn(digits):
    with pytest.raises(BadInput, match="0 to 9"):
        strokes.draw(digits, seed=0)


def test_bad_seeds_splits_and_counts():
    with pytest.raises(BadInput, match="seed"):
        strokes.draw([1], seed=-1)
    with pytest.raises(UnknownName, match="Did you mean 'test'"):
        strokes.load("tset")
    for count in (-1, 10_001):
        with pytest.raises(BadInput, match="10,000"):
            strokes.load("test", count)


def test_drawing_needs_no_torch():
    code = (
        "import sys; from attnviz import data; data.load('strokes', 'test', count=3); "
        "assert not {'torch', 'torchvision'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
