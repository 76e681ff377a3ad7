"""The public functions of attnviz.data."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from attnviz import data
from attnviz.data import DATASETS, Dataset, DataSpec, loading
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


def test_strokes_through_the_public_function():
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


def test_some_pictures_are_picked_in_the_order_of_their_numbers():
    images, labels = data.pick("fashion_mnist", "samples", [7, 2])
    whole = data.load("fashion_mnist", "samples")
    assert (images == whole.images[[7, 2]]).all() and (labels == whole.labels[[7, 2]]).all()
    for name, split, number in (("strokes", "test", 10_000), ("strokes", "test", -1), ("cifar10", "samples", 10_000)):
        with pytest.raises(BadInput, match="has the pictures 0 to"):
            data.pick(name, split, [0, number])
    with pytest.raises(UnknownName):
        data.pick("strokes", "tests", [0])


def test_what_is_not_here_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"python -m attnviz data mnist` \(11 MB\)"):
        data.load("mnist")
    assert not data.available("mnist")


def test_without_the_download_the_samples_are_shown_under_their_numbers_in_the_test_split():
    found = data.shown("fashion_mnist")
    images, labels = data.load("fashion_mnist", "samples")
    assert found.split == "samples"
    assert len(found.numbers) == len(images) == 200
    np.testing.assert_array_equal(found.labels, labels)
    for place in (0, 7, 199):
        assert found.place(int(found.numbers[place])) == place
    missing = next(number for number in range(10_000) if number not in found.numbers)
    assert found.place(missing) is None
    assert found.place(9_999_999) is None
    assert len(data.load("cifar10", "samples", classes=(3, 5)).labels) == 8


def test_with_the_download_all_test_pictures_are_shown(monkeypatch):
    labels = np.arange(10_000) % 10
    images = np.broadcast_to(np.uint8(3), (10_000, 28, 28, 1))
    monkeypatch.setattr(loading, "read", lambda name, split: Dataset(images, labels))
    found = data.shown("fashion_mnist")
    assert found.split == "test"
    assert found.place(4321) == 4321
    np.testing.assert_array_equal(found.labels, labels)


def test_what_has_neither_files_nor_samples_cannot_be_shown():
    with pytest.raises(DataError, match="python -m attnviz data mnist"):
        data.shown("mnist")
    assert data.sources(DATASETS["mnist"].classes, (28, 28, 1)) == ["strokes"]
    made = [
        "cluttered_strokes",
        "cluttered_strokes_centred",
        "cluttered_strokes_60",
        "rotated_strokes",
        "moved_strokes",
    ]
    assert data.sources(DATASETS["mnist"].classes) == ["strokes", *made]
    assert data.sources(DATASETS["fashion_mnist"].classes) == ["fashion_mnist"]
    assert data.sources(("a", "b")) == []
    with pytest.raises(DataError, match="no sample pictures of 'mnist'"):
        data.load("mnist", "samples")


def test_a_third_party_adds_a_data_set_that_is_made(monkeypatch):
    def make(split, count):
        some = {"train": 6, "test": 4}[split] if count is None else count
        return np.full((some, 60, 60, 1), 9, np.uint8), np.arange(some) % 2

    row = DataSpec(
        name="stripes", title="Stripes", about="Stripes.", shape=(60, 60, 1), classes=("across", "down"),
        counts={"train": 6, "test": 4}, megabytes=0, source="made here", make=make,
    )  # fmt: skip
    monkeypatch.setitem(DATASETS, "stripes", row)
    assert data.available("stripes")
    assert data.load("stripes", "test").images.shape == (4, 60, 60, 1)
    assert data.load("stripes", "train", count=3).labels.tolist() == [0, 1, 0]
    assert data.labels("stripes", "test").tolist() == [0, 1, 0, 1]
    assert data.shown("stripes").numbers.tolist() == [0, 1, 2, 3]
    assert data.sources(("across", "down")) == ["stripes"]
    data.fetch("stripes")
    monkeypatch.setitem(DATASETS, "stripes", replace(row, make=None))
    with pytest.raises(DataError, match=r"Stripes cannot be downloaded by attnviz: put its files into .*stripes"):
        data.fetch("stripes")


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
