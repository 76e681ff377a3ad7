"""Which picture a name and a number mean, with a data set or without, and which models are kept: ui/shared/cache.py."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import streamlit as st
import torch

from attnviz import cards, checkpoints, data
from attnviz.data import Dataset, strokes
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput, DataError
from attnviz.ui.shared import cache

SAMPLES = data.load("fashion_mnist", "samples")
NAME = "pixel_attention.1v8"


@pytest.fixture
def numbers() -> npt.NDArray[np.integer]:
    """Return the numbers of the sample pictures, which are all there is of Fashion-MNIST in the tests."""
    return data.shown("fashion_mnist").numbers


def test_a_sample_is_the_picture_of_that_number(numbers: npt.NDArray[np.integer]) -> None:
    picture, name = cache.picture("fashion_mnist", int(numbers[7]))
    np.testing.assert_array_equal(picture, SAMPLES.images[7])
    assert name == data.DATASETS["fashion_mnist"].classes[SAMPLES.labels[7]]


def test_the_same_number_is_the_same_picture_where_the_data_set_is_here(
    numbers: npt.NDArray[np.integer], monkeypatch: pytest.MonkeyPatch
) -> None:
    images = np.zeros((10_000, 28, 28, 1), np.uint8)
    labels = np.zeros(10_000, np.int64)
    images[numbers], labels[numbers] = SAMPLES
    before = [cache.picture("fashion_mnist", int(number)) for number in numbers[:5]]
    monkeypatch.setattr(data, "read", lambda name, split: Dataset(images, labels))
    for number, (picture, name) in zip(numbers[:5], before, strict=True):
        found, said = cache.picture("fashion_mnist", int(number))
        np.testing.assert_array_equal(found, picture)
        assert said == name
    other = next(number for number in range(200) if number not in numbers)
    assert not cache.picture("fashion_mnist", other)[0].any()


def test_a_number_that_is_not_among_the_samples_is_one_sentence(numbers: npt.NDArray[np.integer]) -> None:
    missing = next(number for number in range(10_000) if number not in numbers)
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


# The models that are kept


def test_a_model_is_kept_in_single_precision_apart_from_the_pages() -> None:
    model, card = cache.single(NAME)
    assert cache.single(NAME).model is model
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    exact = cache._checkpoint(NAME, card.weights_digest).model
    assert {parameter.dtype for parameter in exact.parameters()} == {torch.float64}


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that trains the model again: its weights are then so many times the shipped ones."""
    model, card = checkpoints.load(NAME)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))

    def save(by: float) -> None:
        state = {name: value * by for name, value in model.state_dict().items()}
        digest = checkpoints.digest(checkpoints.encode(state))
        checkpoints.save(state, card.model_copy(update={"weights_digest": digest}))

    return save


def test_a_model_that_is_trained_again_is_another_one(train: Callable[[float], None]) -> None:
    train(2)
    first = cache.single(NAME)
    train(3)
    second = cache.single(NAME)
    assert first.card.weights_digest != second.card.weights_digest
    for name, value in second.model.state_dict().items():
        torch.testing.assert_close(value, first.model.state_dict()[name] * 1.5)


def test_no_more_models_are_kept_than_the_bound(train: Callable[[float], None]) -> None:
    kept = []
    for by in range(2, 19):  # one more than are kept
        train(by)
        kept.append(cache.single(NAME).model)
    assert cache.single(NAME).model is kept[-1]
    train(2)
    assert cache.single(NAME).model is not kept[0]
