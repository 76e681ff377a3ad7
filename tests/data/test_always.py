"""Pictures that are always here, attnviz/data/always.py."""

import numpy as np
import pytest

from attnviz import data
from attnviz.data import always
from attnviz.errors import UnknownName


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("strokes", "strokes"),
        ("mnist", "strokes"),
        ("fashion_mnist", "fashion_mnist"),
        ("cifar10", "cifar10"),
        ("cluttered_mnist", "cluttered_strokes"),
        ("cluttered_mnist_60", "cluttered_strokes_60"),
        ("cluttered_mnist_centred", "cluttered_strokes_centred"),
    ],
)
def test_pictures_of_the_kind_come_from_a_data_set_that_is_always_here(name, source):
    assert always.source(name) == source


def test_where_none_of_the_shape_is_here_they_are_of_the_same_classes_at_least(monkeypatch):
    others = {name: row for name, row in data.DATASETS.items() if name != "cluttered_strokes_centred"}
    monkeypatch.setattr(always, "DATASETS", others)
    assert always.source("cluttered_mnist_centred") == "strokes"


def test_of_a_data_set_of_its_own_kind_there_are_none(monkeypatch):
    monkeypatch.setitem(data.DATASETS, "theirs", data.DATASETS["cifar10"])
    assert always.source("theirs") is None
    with pytest.raises(UnknownName, match="no data set 'mnits'"):
        always.source("mnits")


@pytest.mark.parametrize("name", ["fashion_mnist", "cifar10", "cluttered_strokes"])
def test_the_first_pictures_of_some_classes_have_their_labels(name):
    labels = always.first_labels(name, (9, 3), 6)
    pictures = always.pictures(name, labels, None)
    assert set(labels) == {3, 9}
    images, known = data.load(name, "samples") if name != "cluttered_strokes" else data.load(name, "test", count=200)
    places = np.flatnonzero(np.isin(known, (3, 9)))[:6]
    assert known[places].tolist() == list(labels)
    np.testing.assert_array_equal(pictures, images[places])


def test_strokes_are_drawn_with_a_seed_each_class_in_turn():
    assert always.first_labels("strokes", (8, 1), 5) == (8, 1, 8, 1, 8)
    one, other = (always.pictures("strokes", (8, 1), seed) for seed in (20, 21))
    assert one.shape == (2, 28, 28, 1)
    assert (one != other).any()


@pytest.mark.parametrize("name", ["strokes", "fashion_mnist", "cifar10"])
def test_of_each_class_there_is_the_first(name):
    images, known = data.load(name, "samples") if name != "strokes" else data.load(name, "test", count=200)
    found = always.one_of_each(name, (9, 3))
    assert [known[(images == image).all((1, 2, 3))][0] for image in found] == [9, 3]
    assert (found[0] == images[np.flatnonzero(known == 9)[0]]).all()
