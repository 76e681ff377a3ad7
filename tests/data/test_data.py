"""The door, attnviz/data/__init__.py."""

import hashlib

import numpy as np
import pytest

from attnviz import data
from attnviz.data import Dataset
from attnviz.errors import BadInput, DataError, UnknownName


@pytest.fixture
def small() -> Dataset:
    labels = np.array([8, 0, 1, 8, 3, 1, 1], np.int64)
    images = np.arange(7, dtype=np.uint8).reshape(7, 1, 1, 1) * np.ones((7, 2, 2, 1), np.uint8)
    return Dataset(images, labels)


def test_a_subset_keeps_the_order_and_relabels_by_place(small):
    images, labels = data.subset(small, (8, 1))
    assert images[:, 0, 0, 0].tolist() == [0, 2, 3, 5, 6]
    assert labels.tolist() == [0, 1, 0, 1, 1]
    assert labels.dtype == np.int64
    assert data.subset(small, (1, 8)).labels.tolist() == [1, 0, 1, 0, 0]
    assert data.subset(small, [3]).labels.tolist() == [0]


def test_a_subset_may_be_empty_and_is_a_copy(small):
    assert data.subset(small, (9,)).images.shape == (0, 2, 2, 1)
    data.subset(small, (8, 0, 1, 3)).images[:] = 99
    assert small.images.max() == 6
    nothing = Dataset(small.images[:0], small.labels[:0])
    assert len(data.subset(nothing, (1, 2)).labels) == 0


@pytest.mark.parametrize("classes", [(), (8, 8), (-1,), (1.5,), ("8",)])
def test_classes_that_cannot_be_used(small, classes):
    with pytest.raises(BadInput):
        data.subset(small, classes)
    with pytest.raises(BadInput):
        data.load("strokes", "test", classes, count=3)


def test_strokes_through_the_door():
    dataset = data.load("strokes", "test", classes=(8, 1), count=400)
    whole = data.load("strokes", "test", count=400)
    assert len(whole.labels) == 400
    assert set(dataset.labels) == {0, 1}
    assert (dataset.images == whole.images[np.isin(whole.labels, (1, 8))]).all()
    assert data.available("strokes")


def test_unknown_names_say_the_closest():
    with pytest.raises(UnknownName, match="no data set 'mnits'. Did you mean 'mnist'"):
        data.load("mnits")
    with pytest.raises(UnknownName, match="no split of strokes 'tests'. Did you mean 'test'"):
        data.load("strokes", "tests")
    with pytest.raises(UnknownName, match="no class of strokes '11'"):
        data.load("strokes", "test", classes=(1, 11))
    for ask in (data.available, data.fetch):
        with pytest.raises(UnknownName, match="cifar10"):
            ask("cifar")


@pytest.mark.parametrize("name", ["strokes", "mnist"])
@pytest.mark.parametrize("count", [-1, 10_001])
def test_a_count_that_the_split_has_not(name, count):
    with pytest.raises(BadInput, match="10,000"):
        data.load(name, "test", count=count)


def test_what_is_not_here_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"python -m attnviz data mnist` \(11 MB\)"):
        data.load("mnist")
    assert not data.available("mnist")


def test_a_digest_names_the_content(small):
    first = data.digest(small)
    assert first == data.digest(Dataset(small.images.copy(order="F"), small.labels.astype(np.int64)))
    assert (
        first
        == hashlib.sha256(b"(7, 2, 2, 1)" + small.images.tobytes() + small.labels.astype("<i8").tobytes()).hexdigest()
    )
    images, labels = small.images.copy(), small.labels.copy()
    images[3, 1, 1, 0] += 1
    labels[2] = 2
    others = [
        Dataset(images, small.labels),
        Dataset(small.images, labels),
        Dataset(small.images.reshape(7, 4, 1, 1), small.labels),
    ]
    assert len({first, *map(data.digest, others)}) == 4


def test_all_is_public():
    assert all(hasattr(data, name) for name in data.__all__)
