"""Data sets that make batches themselves, attnviz/data/loading.py."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from attnviz import data
from attnviz.data import DATASETS, DataSpec, OneClass, Text, loading
from attnviz.errors import AttnvizError, BadInput, UnknownName


def _batches(split: str, size: int, seed: int):
    rng = np.random.default_rng(seed)
    for first in range(0, 5, size):
        count, columns = min(size, 5 - first), int(rng.integers(4, 10))
        images = rng.integers(0, 256, (count, 4, columns, 1), dtype=np.uint8)
        yield data.Dataset(images, rng.integers(0, 4, (count, columns)))


WORDS = DataSpec(
    name="words", title="Words", about="Words.", shape=(4, 9, 1), classes=("a", "b", "c", "."), megabytes=0,
    counts={"train": 5, "test": 5}, source="made here", make=None, target=Text(stop=3), columns=(4, 9),
    batches=_batches,
)  # fmt: skip


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
    with pytest.raises(AttnvizError, match="words makes its examples anew in each batch, so none can be chosen"):
        ask("words")
    assert data.available("words")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": (4, 5)}, "Pictures of words must be 4 to 5 pixels wide, not"),
        ({"shape": (5, 9, 1)}, r"A batch of words must be uint8 \(batch, 5, column, 1\), not uint8 \(2, 4"),
        ({"counts": {"train": 6}}, "A batch of words must have 2 pictures and as many labels here, not 1 and 1"),
        ({"counts": {"train": 8}}, "must have 2 pictures"),
        ({"counts": {"train": 4}}, "A batch of words must have 0 pictures"),
        ({"target": OneClass()}, r"A target of words is a class, so its labels must be integers \(count,\)"),
        ({"classes": ("a",)}, "must be indices of its 1 classes"),
        ({"batches": lambda *_: iter(())}, "words/train must yield 5 pictures per epoch; 5 are missing"),
        ({"batches": None}, "words has no batches: load its pictures with attnviz.data.load"),
    ],
)
def test_batches_that_are_not_as_the_data_set_says_are_one_sentence(monkeypatch, change, message):
    monkeypatch.setitem(DATASETS, "words", replace(WORDS, **change))
    with pytest.raises(BadInput, match=message):
        list(data.batches("words", "train", size=2))


def test_the_digest_is_of_every_batch_of_the_seed_0(monkeypatch):
    monkeypatch.setitem(DATASETS, "words", WORDS)
    hashed = hashlib.sha256()
    for images, labels in _batches("train", 2, 0):
        hashed.update(repr((images.shape, labels.shape)).encode() + images.tobytes() + labels.astype("<i8").tobytes())
    assert loading.digest_of_batches("words", "train", 2) == hashed.hexdigest()
    assert loading.digest_of_batches("words", "train", 5) != hashed.hexdigest()


def test_a_part_that_it_does_not_have_is_named(monkeypatch):
    monkeypatch.setitem(DATASETS, "words", WORDS)
    with pytest.raises(UnknownName, match="split of words"):
        list(data.batches("words", "validation", size=2))
