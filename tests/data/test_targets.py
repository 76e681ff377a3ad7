"""What a target is, attnviz/data/targets.py."""

import numpy as np
import pytest
import torch

from attnviz import data
from attnviz.data import DATASETS, DataSpec, OneClass, Text
from attnviz.errors import BadInput

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
        (np.arange(5), None, "must be indices of its 4 classes, from 0 to 3, but range from 0 to 4"),
        (TEXTS - 1, TEXT, "must be indices of its 4 classes, from 0 to 3, but range from -1 to 2"),
    ],
    ids=["texts", "classes", "fractions", "beyond", "below"],
)
def test_labels_that_are_not_what_the_data_set_says_are_one_sentence(monkeypatch, labels, target, message):
    """Labels of two axes ended in a bare IndexError before."""
    monkeypatch.setitem(DATASETS, "words", _row(_made(labels), target))
    with pytest.raises(BadInput, match=message):
        data.load("words", "test", (0, 1))
