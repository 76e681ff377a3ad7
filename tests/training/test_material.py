"""From a recipe to what it trains on and chooses by, attnviz/training/examples.py."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from attnviz import data
from attnviz.data.loading import digest_of_batches
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Augmentation
from attnviz.training.examples import material, split
from tests.training import small


def test_the_pictures_that_weights_are_chosen_by_are_never_trained_on():
    held_out, trained = split(50, small.recipe(validation=0.3))
    assert len(held_out) == 15
    assert sorted([*held_out.tolist(), *trained.tolist()]) == list(range(50))
    assert [part.tolist() for part in split(5, small.recipe(validation=None, keep="last", patience=None))] == [
        [],
        [0, 1, 2, 3, 4],
    ]
    assert held_out.tolist() != list(range(15)), "the order of a data set may be no chance order"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"validation": 0.25}, "a share of them as validation part"),
        ({"augmentation": Augmentation(rotation=10)}, "variants of them"),
        ({"classes": (1, 0)}, "some of its classes only"),
    ],
)
def test_data_that_come_in_batches_are_taken_as_they_are(monkeypatch, changes, words):
    def batches(part: str, size: int, seed: int) -> Iterator[data.Dataset]:
        yield data.Dataset(np.full((2, 28, 28, 1), seed, np.uint8), np.array([0, 1]))

    row = replace(data.DATASETS["strokes"], name="made", classes=("a", "b"), counts={"train": 2}, batches=batches)
    monkeypatch.setitem(data.DATASETS, "made", row)
    plain = small.recipe(data="made", classes=(0, 1), validation=None, keep="last", patience=None)
    assert material(plain, "cpu").digest == digest_of_batches("made", "train", plain.batch)
    assert material(plain, "cpu").parts()[1] is None
    with pytest.raises(BadInput, match=f"so pixel_attention.small cannot ask for {words}"):
        material(plain.model_copy(update=changes), "cpu")
