"""A test picture of a data set, with the data set or without."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from attnviz import data, subjects
from attnviz.data import Dataset, loading
from attnviz.errors import BadInput, DataError, UnknownName
from attnviz.models import Input
from attnviz.subjects import Picture

SAMPLES = data.load("fashion_mnist", "samples")


@pytest.fixture
def numbers() -> npt.NDArray[np.integer]:
    """Return the numbers of the sample pictures, which are all there is of Fashion-MNIST in the tests."""
    return data.shown("fashion_mnist").numbers


def test_a_sample_is_the_picture_of_that_number(numbers: npt.NDArray[np.integer]) -> None:
    picture = Picture("fashion_mnist", int(numbers[7]))
    np.testing.assert_array_equal(picture.picture, SAMPLES.images[7])
    assert picture.target == data.DATASETS["fashion_mnist"].classes[SAMPLES.labels[7]]


def test_the_same_number_is_the_same_picture_where_the_data_set_is_here(
    numbers: npt.NDArray[np.integer], monkeypatch: pytest.MonkeyPatch
) -> None:
    images = np.zeros((10_000, 28, 28, 1), np.uint8)
    labels = np.zeros(10_000, np.int64)
    images[numbers], labels[numbers] = SAMPLES
    before = [(one.picture, one.target) for one in (Picture("fashion_mnist", int(number)) for number in numbers[:5])]
    monkeypatch.setattr(loading, "read", lambda name, split: Dataset(images, labels))
    for number, (picture, name) in zip(numbers[:5], before, strict=True):
        found = Picture("fashion_mnist", int(number))
        np.testing.assert_array_equal(found.picture, picture)
        assert found.target == name
    other = next(number for number in range(200) if number not in numbers)
    assert not Picture("fashion_mnist", other).picture.any()


def test_a_number_that_is_not_among_the_samples_is_one_sentence(numbers: npt.NDArray[np.integer]) -> None:
    missing = next(number for number in range(10_000) if number not in numbers)
    with pytest.raises(BadInput, match=rf"Picture {missing:,} of Fashion-MNIST .*: there are only 200 sample pict"):
        _ = Picture("fashion_mnist", missing).picture
    for source in ("fashion_mnist", "strokes"):
        with pytest.raises(BadInput, match="has test pictures 0 to 9,999; there is no number 10,000"):
            _ = Picture(source, 10_000).picture
    with pytest.raises(DataError, match="python -m attnviz data mnist"):
        _ = Picture("mnist", 0).picture


def test_a_net_takes_a_picture_in_its_own_shape() -> None:
    net = subjects.net("pixel_attention.1v8")
    number = int(data.shown("cifar10").numbers[3])
    taken = Picture("cifar10", number).taken_by(replace(net, input=Input(3, 32, 32, "resized")))
    np.testing.assert_array_equal(taken, data.load("cifar10", "samples").images[3])
    assert Picture("cifar10", number).taken_by(net).shape == (28, 28, 1)


def test_a_picture_that_has_the_shape_already_is_the_very_same() -> None:
    picture = Picture("strokes", 5)
    np.testing.assert_array_equal(picture.taken_by(subjects.net("pixel_attention.1v8")), picture.picture)


def test_ink_is_on_digits_only() -> None:
    inked = [name for name in data.DATASETS if Picture(name, 0).ink]
    assert {"strokes", "mnist"} <= {*inked}
    assert not {"fashion_mnist", "cifar10"} & {*inked}


def test_it_is_named_in_links_requests_and_exports() -> None:
    picture = Picture("strokes", 23)
    assert picture.key == "strokes/test/23"
    assert picture.words == {"data": "strokes", "number": "23"}
    assert subjects.example(**picture.asked) == picture
    assert subjects.example_in_url(picture.words) is None, "a picture of a data set is chosen, not named by one word"


def test_the_next_picture_of_another_class_comes_after_it_and_the_first_after_the_last() -> None:
    labels = data.labels("strokes", "test")
    ones, eights = np.flatnonzero(labels == 1), np.flatnonzero(labels == 8)
    picture = Picture("strokes", int(ones[3]))
    assert picture.of_another_class(("1", "8")) == Picture("strokes", int(eights[eights > ones[3]][0]))
    last = Picture("strokes", int(max(ones[-1], eights[-1])))
    others = eights if ones[-1] > eights[-1] else ones
    assert last.of_another_class(("1", "8")) == Picture("strokes", int(others[0]))
    assert picture.of_another_class(("1",)) is None


def test_a_number_beyond_the_test_split_is_one_sentence() -> None:
    assert Picture("mnist", 9_999).checked() == Picture("mnist", 9_999)
    with pytest.raises(BadInput, match="mnist has 10,000 test pictures, counted from 0; there is no number 10,000"):
        Picture("mnist", 10_000).checked()
    with pytest.raises(UnknownName, match="no data set 'stroke'. Did you mean 'strokes'"):
        Picture("stroke", 0).checked()
