"""Which picture a name and a number mean, on a server with the data set and on one without: ui/shared/cache.py."""

import numpy as np
import pytest
import streamlit as st

from attnviz import cards, data
from attnviz.data import Dataset, strokes
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput, DataError
from attnviz.ui.shared import cache

SAMPLES = data.load("fashion_mnist", "samples")
NUMBERS = data.shown("fashion_mnist").numbers


def test_a_sample_is_the_picture_of_that_number() -> None:
    picture, name = cache.picture("fashion_mnist", int(NUMBERS[7]))
    np.testing.assert_array_equal(picture, SAMPLES.images[7])
    assert name == data.DATASETS["fashion_mnist"].classes[SAMPLES.labels[7]]


def test_the_same_number_is_the_same_picture_where_the_data_set_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    images = np.zeros((10_000, 28, 28, 1), np.uint8)
    labels = np.zeros(10_000, np.int64)
    images[NUMBERS], labels[NUMBERS] = SAMPLES
    before = [cache.picture("fashion_mnist", int(number)) for number in NUMBERS[:5]]
    monkeypatch.setattr(data, "read", lambda name, split: Dataset(images, labels))
    for number, (picture, name) in zip(NUMBERS[:5], before, strict=True):
        found, said = cache.picture("fashion_mnist", int(number))
        np.testing.assert_array_equal(found, picture)
        assert said == name
    other = next(number for number in range(200) if number not in NUMBERS)
    assert not cache.picture("fashion_mnist", other)[0].any()


def test_a_number_that_is_not_among_the_samples_is_one_sentence() -> None:
    missing = next(number for number in range(10_000) if number not in NUMBERS)
    with pytest.raises(BadInput, match=rf"Picture {missing:,} of Fashion-MNIST .*: there are only 200 sample pict"):
        cache.picture("fashion_mnist", missing)
    for source in ("fashion_mnist", "strokes"):
        with pytest.raises(BadInput, match="has test pictures 0 to 9,999; there is no number 10,000"):
            cache.picture(source, 10_000)
    with pytest.raises(DataError, match="python -m attnviz data mnist"):
        cache.picture("mnist", 0)


def test_a_model_sees_a_picture_and_a_drawing_in_its_own_shape(colour: str) -> None:
    card = cards.read(colour)
    number = int(data.shown("cifar10").numbers[3])
    np.testing.assert_array_equal(cache.seen(card, "cifar10", number), data.load("cifar10", "samples").images[3])
    digit = strokes.draw([3], seed=2)[0]
    seen = cache.seen(card, drawing.name(digit[..., 0]), 0)
    assert seen.shape == (32, 32, 3)
    assert (seen[..., :1] == seen).all()
    assert abs(float(seen.mean()) - float(digit.mean())) < 1


def test_a_picture_that_has_the_shape_already_is_the_very_same(monkeypatch: pytest.MonkeyPatch) -> None:
    card = cards.read("pixel_attention.1v8")
    np.testing.assert_array_equal(cache.seen(card, "strokes", 5), cache.picture("strokes", 5)[0])


def test_ink_is_on_digits_and_drawings_only() -> None:
    drawn = drawing.name(np.zeros((28, 28), np.uint8))
    assert [cache.ink(source) for source in ("strokes", "mnist", drawn)] == [True] * 3
    assert [cache.ink(source) for source in ("fashion_mnist", "cifar10")] == [False] * 2


def test_wrong_answers_are_numbers_of_the_test_split_also_among_samples(colour: str) -> None:
    card, shown = cards.read(colour), data.shown("cifar10")
    found = cache.answers(card, "cifar10")
    assert found.shape == (40,)
    wrong = cache.wrong_answers(card, "cifar10")
    assert set(wrong) <= set(shown.numbers)
    assert len(wrong) == int((found != shown.labels).sum()) > 0


def test_asking_about_many_pictures_shows_how_far_it_has_come(colour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Bar:
        def progress(self, done: float, words: str) -> None:
            said.append(f"{done:.0%} {words}")

        def empty(self) -> None:
            said.append("gone")

    monkeypatch.setattr(cache, "PATIENCE", -1.0)
    monkeypatch.setattr(cache, "ANSWERS", 20)
    monkeypatch.setattr(st, "progress", lambda done: Bar())
    cache.answers(cards.read(colour), "cifar10")
    asked = "Asking the model about 40 test pictures, once"
    assert said == [f"0% {asked}: 0 are done", f"50% {asked}: 20 are done", "gone"]
