"""The sample pictures that ship with attnviz: attnviz/data/samples."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from attnviz import data
from attnviz.data import samples
from attnviz.data.samples import __main__ as command
from attnviz.errors import DataError

ROOT = Path(__file__).parents[3]
PER_CLASS = {"fashion_mnist": 20, "cifar10": 4}


@pytest.mark.parametrize("name", PER_CLASS)
def test_there_are_as_many_of_each_class_as_promised_each_with_its_number(name):
    spec, found = data.DATASETS[name], samples.read(name)
    assert found.images.dtype == np.uint8
    assert found.images.shape == (10 * PER_CLASS[name], *spec.shape)
    assert np.bincount(found.labels).tolist() == [PER_CLASS[name]] * len(spec.classes)
    assert (np.diff(found.numbers) > 0).all()
    assert 0 <= found.numbers[0] <= found.numbers[-1] < spec.counts["test"]


@pytest.mark.parametrize("name", PER_CLASS)
def test_each_class_has_its_own_numbers_and_the_pictures_are_those_of_the_digest(name):
    about = samples.about()[name]
    images, labels, numbers = samples.read(name)
    for label, its in enumerate(about["numbers"]):
        assert numbers[labels == label].tolist() == its
    order = np.argsort(labels, kind="stable")
    assert data.digest(data.Dataset(images[order], labels[order])) == about["digest"]
    assert len({image.tobytes() for image in images}) == len(images)


def test_origin_and_licence_are_stated():
    about = samples.about()
    assert set(about) == set(PER_CLASS)
    for name, entry in about.items():
        assert entry["origin"] == data.DATASETS[name].source
    assert "MIT" in about["fashion_mnist"]["licence"]
    assert "Zalando" in (samples.FOLDER / "LICENSE-fashion-mnist.txt").read_text()
    assert "no licence" in about["cifar10"]["licence"]


def test_together_they_are_small_and_ship_with_the_package():
    files = [path for path in samples.FOLDER.iterdir() if path.suffix in (".png", ".json", ".txt")]
    assert len(files) == 4
    assert sum(path.stat().st_size for path in files) < 250_000
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["attnviz"]
    assert "data/samples/*" in packaged


def test_they_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        samples.read("cifar10").images[0] = 0


@pytest.mark.parametrize("name", ["mnist", "strokes", "nothing"])
def test_of_other_data_sets_there_are_none(name):
    with pytest.raises(DataError, match=f"no sample pictures of {name!r}; there are some of fashion_mnist, cifar10"):
        samples.read(name)


@pytest.mark.parametrize("shape", [(6, 5, 4, 3), (6, 5, 4, 1)], ids=str)
def test_a_sheet_is_cut_into_what_it_was_made_of(shape):
    images = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    sheet = samples.sheet_of(images, 2)
    assert sheet.shape == (15, 8, shape[3])
    np.testing.assert_array_equal(sheet[5:10, :4], images[2])
    np.testing.assert_array_equal(samples.cut(sheet, 3, 2), images)


def test_the_command_takes_the_first_of_each_class_in_file_order(monkeypatch, tmp_path):
    generator = np.random.default_rng(1)
    labels = generator.permutation(np.arange(100) % 10)
    shapes = {name: data.DATASETS[name].shape for name in PER_CLASS}
    made = {name: generator.integers(0, 256, (100, *shape), np.uint8) for name, shape in shapes.items()}
    monkeypatch.setattr(data, "load", lambda name, split: data.Dataset(made[name], labels))
    command.make(tmp_path)
    monkeypatch.setattr(samples, "FOLDER", tmp_path)
    samples.about.cache_clear()
    try:
        for name, count in {"fashion_mnist": 10, "cifar10": 4}.items():  # of a hundred there are ten of each class
            read = samples.read.__wrapped__(name)
            expected = sorted(i for label in range(10) for i in np.flatnonzero(labels == label)[:count])
            assert read.numbers.tolist() == expected
            np.testing.assert_array_equal(read.images, made[name][expected])
            np.testing.assert_array_equal(read.labels, labels[expected])
    finally:
        samples.about.cache_clear()


def test_a_damaged_file_is_one_sentence(monkeypatch, tmp_path):
    (tmp_path / "cifar10.png").write_bytes((samples.FOLDER / "cifar10.png").read_bytes()[:500])
    samples.about()
    monkeypatch.setattr(samples, "FOLDER", tmp_path)
    with pytest.raises(DataError, match=r"The sample pictures of cifar10 cannot be read .*\. Install attnviz again\."):
        samples.read.__wrapped__("cifar10")
