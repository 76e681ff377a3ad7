"""What a target is, attnviz/data/targets.py."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnviz import data
from attnviz.data import DATASETS, DataSpec, OneClass, Text
from attnviz.errors import AttnvizError, BadInput

LETTERS = ("a", "b", "c", ".")
TEXT = Text(stop=3)


def test_a_class_is_shown_by_its_name_and_compared_as_it_is():
    assert OneClass().words(1, LETTERS) == OneClass().words(torch.tensor(1), LETTERS) == "b"
    assert OneClass().correct(torch.tensor([0, 1, 2]), torch.tensor([0, 2, 2])).tolist() == [True, False, True]


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_a_text_is_shown_and_compared_up_to_its_stop_symbol(array):
    labels = array([[0, 1, 3, 0], [2, 2, 2, 3], [0, 3, 3, 3], [1, 0, 2, 1]])
    assert [TEXT.words(one, LETTERS) for one in labels] == ["ab", "ccc", "a", "bacb"]
    assert TEXT.counted(labels).tolist() == [
        [True, True, True, False], [True] * 4, [True, True, False, False], [True] * 4,
    ]  # fmt: skip
    answers = array([[0, 1, 3, 2], [2, 2, 2, 2], [0, 1, 3, 3], [1, 0, 2, 1]])
    assert TEXT.correct(labels, answers).tolist() == [True, False, False, True]
    assert Text().correct(labels, answers).tolist() == [False, False, False, True]
    assert Text().words(labels[0], LETTERS) == "ab.a"


def _row(make, target=None) -> DataSpec:
    return DataSpec(
        name="words", title="Words", about="Words.", shape=(4, 9, 1), classes=LETTERS, counts={"train": 5, "test": 5},
        megabytes=0, source="made here", make=make, target=target or OneClass(),
    )  # fmt: skip


def _made(labels):
    return lambda split, count: (np.zeros((5, 4, 9, 1), np.uint8), labels)


TEXTS = np.array([[0, 1, 3], [1, 1, 3], [2, 0, 3], [0, 3, 3], [3, 3, 3]])


def test_a_data_set_of_texts_is_loaded_whole(monkeypatch):
    monkeypatch.setitem(DATASETS, "words", _row(_made(TEXTS), TEXT))
    for classes in (None, (0, 1, 2, 3)):
        assert data.load("words", "test", classes).labels.tolist() == TEXTS.tolist()
    with pytest.raises(BadInput, match=r"chosen by their class, but these labels are texts, \(5, 3\): take all"):
        data.load("words", "test", (0, 1))


@pytest.mark.parametrize(
    ("labels", "target", "message"),
    [
        (TEXTS, None, r"A target of words is a class, so its labels must be integers \(count,\), not int64 \(5, 3\)"),
        (np.arange(5) % 4, TEXT, r"A target of words is a text, so its labels must be integers \(count, step\), not"),
        (np.arange(5) / 4, None, "must be integers"),
        (np.arange(5), None, "must be places of its 4 classes, from 0 on, but run from 0 to 4"),
        (TEXTS - 1, TEXT, "must be places of its 4 classes, from 0 on, but run from -1 to 2"),
    ],
    ids=["texts", "classes", "fractions", "beyond", "below"],
)
def test_labels_that_are_not_what_the_data_set_says_are_one_sentence(monkeypatch, labels, target, message):
    """Labels of two axes ended in a bare IndexError before."""
    monkeypatch.setitem(DATASETS, "words", _row(_made(labels), target))
    with pytest.raises(BadInput, match=message):
        data.load("words", "test", (0, 1))


# Batches that a data set hands out itself.


def _batches(split: str, size: int, seed: int):
    rng = np.random.default_rng(seed)
    for first in range(0, 5, size):
        count, columns = min(size, 5 - first), int(rng.integers(4, 10))
        images = rng.integers(0, 256, (count, 4, columns, 1), dtype=np.uint8)
        yield data.Dataset(images, rng.integers(0, 4, (count, columns)))


WORDS = replace(_row(None, TEXT), columns=(4, 9), batches=_batches)


def test_batches_differ_in_width_and_are_the_same_for_the_same_seed(monkeypatch):
    monkeypatch.setitem(DATASETS, "words", WORDS)
    first, again, other = ([*data.batches("words", "train", size=2, seed=seed)] for seed in (1, 1, 2))
    assert [len(batch.images) for batch in first] == [2, 2, 1]
    assert len({batch.images.shape[2] for batch in [*first, *other]}) > 1
    assert all(
        np.array_equal(*both) for one, same in zip(first, again, strict=True) for both in zip(one, same, strict=True)
    )
    assert not np.array_equal(first[0].images, other[0].images)
    assert WORDS.widths == (4, 9) and DATASETS["strokes"].widths == (28, 28)


@pytest.mark.parametrize("ask", [data.load, data.labels, data.shown, lambda name: data.pick(name, "test", [0])])
def test_what_is_handed_out_in_batches_is_not_loaded_as_a_whole(monkeypatch, ask):
    monkeypatch.setitem(DATASETS, "words", WORDS)
    with pytest.raises(AttnvizError, match="words hands out its pictures in batches: use attnviz.data.batches"):
        ask("words")
    assert not data.available("words")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": (4, 5)}, "Pictures of words must be 4 to 5 pixels wide, not"),
        ({"shape": (5, 9, 1)}, r"A batch of words must be uint8 \(batch, 5, column, 1\), not uint8 \(2, 4"),
        ({"counts": {"train": 6}}, "A batch of words must have 2 pictures and as many labels here, not 1 and 1"),
        ({"counts": {"train": 8}}, "must have 2 pictures"),
        ({"counts": {"train": 4}}, "A batch of words must have 0 pictures"),
        ({"target": OneClass()}, r"A target of words is a class, so its labels must be integers \(count,\)"),
        ({"classes": ("a",)}, "must be places of its 1 classes"),
        ({"batches": lambda *_: iter(())}, "words/train must hand out 5 pictures an epoch; 5 are missing"),
        ({"batches": None}, "words hands out no batches: load its pictures with attnviz.data.load"),
    ],
)
def test_batches_that_are_not_as_the_data_set_says_are_one_sentence(monkeypatch, change, message):
    monkeypatch.setitem(DATASETS, "words", replace(WORDS, **change))
    with pytest.raises(BadInput, match=message):
        list(data.batches("words", "train", size=2))
