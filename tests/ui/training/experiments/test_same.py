"""Do two seeds learn the same heads: attnviz/ui/training/experiments/same.py."""

import numpy as np
import pytest

from attnviz import subjects
from attnviz.ui.live import trainings
from attnviz.ui.training.experiments import choice, same
from attnviz.ui.training.experiments.matching import Matched, Pair


@pytest.fixture
def nets(files):
    return [subjects.net(f"run:{info.id}@2") for info in files]


def found(trained, before=None):
    pairs = {
        kind: [Pair(0, 0, 0, np.array(values)), Pair(0, 1, 1, np.array(values))]
        for kind, values in (("trained", trained), ("before", before), ("shuffled", [0.0] * len(trained)))
        if values is not None
    }
    return Matched(pairs, np.array(trained), len(trained))


def test_the_verdict_is_that_of_the_difference_to_before_the_training():
    more = same.in_words(found([0.9, 0.8, 0.9], [0.2, 0.1, 0.3]))
    assert more.startswith("**The two have learnt heads that are more alike than those they began with**")
    assert "have a correlation of +0.87 (mean over 3 pictures). Before the training, matched in the same way" in more
    assert "it is +0.20; with the places of one map shuffled, it is 0.00. The training changes it by +0.67" in more
    assert "less alike" in same.in_words(found([0.2, 0.1, 0.3], [0.9, 0.8, 0.9]))
    assert "no more alike, as far as these pictures can show" in same.in_words(found([0.2, 0.9, 0.3], [0.3, 0.8, 0.2]))
    assert "\u2212" in same.in_words(found([-0.2, -0.1]))
    assert same.in_words(found([0.5], [0.1])).startswith("So far")


def test_only_nets_of_one_kind_stand_beside_each_other(files, there, nets, monkeypatch):
    options = choice.trainings(there)
    keys = list(options)
    assert list(same.beside(trainings.net_of(keys[0]), options)) == keys[1:]
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS")
    with_shipped = choice.trainings(there)
    assert set(same.beside(trainings.net_of(keys[0]), with_shipped)) == {keys[1], "pixel_attention.1v8"}
    assert same.beside(trainings.net_of("element_wise.fashion-a"), with_shipped) == {}
