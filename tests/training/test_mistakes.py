"""How the validation part of a run was answered, attnviz/training/mistakes.py."""

import numpy as np
import pytest
import torch

from attnviz.errors import UnknownName
from attnviz.training import mistakes, runs
from attnviz.training.objectives import answers
from attnviz.training.run import Run
from tests.training import small


@pytest.fixture
def run(tmp_path):
    with small.place(tmp_path):
        chosen = small.recipe(epochs=2, learning_rate=1e-4)
        training = small.training(chosen)
        info = small.run_file(chosen)
        list(Run(info).train(training))
        yield info.id, training


def test_what_is_kept_is_what_the_model_answers_after_the_last_epoch(run):
    run_id, training = run
    found = mistakes.read(run_id)
    assert (found.epoch, found.classes) == (2, ("8", "1"))
    held_out = training.validation
    answered = (answers(training.model, held_out)[:, 0] > 0).long()
    pairs = list(zip(held_out.labels.tolist(), answered.tolist(), strict=True))
    assert found.confusion == tuple(tuple(pairs.count((own, told)) for told in (0, 1)) for own in (0, 1))
    wrong = [place for place, (own, told) in enumerate(pairs) if own != told]
    assert wrong
    assert [(one.label, one.answer) for one in found.wrong] == [pairs[place] for place in wrong][: mistakes.SHOWN]
    for one, place in zip(found.wrong, wrong, strict=False):
        assert np.array_equal(one.picture, held_out.images[place].permute(1, 2, 0).numpy())


def test_without_a_validation_part_or_with_very_many_classes_nothing_is_kept(run, monkeypatch):
    _, training = run
    assert mistakes.of(training, tuple(map(str, range(mistakes.CLASSES + 1)))) is None
    training.validation = None
    assert mistakes.of(training, ("8", "1")) is None


def test_few_pictures_are_kept_however_large_they_are(run, monkeypatch):
    _, training = run
    training.answered = 1 - training.validation.labels
    monkeypatch.setattr(mistakes, "_PIXELS", 3 * 784)
    found = mistakes.of(training, ("8", "1"))
    assert len(found.wrong) == 3
    assert sum(map(sum, found.confusion)) == len(training.validation)
    assert torch.equal(training.answered.bincount(), torch.tensor(found.confusion).sum(0))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"epoch": 1, "classes": ["a"]}'])
def test_a_damaged_file_is_as_good_as_none(run, content):
    run_id, _ = run
    (runs.home(run_id) / mistakes.FILE).write_bytes(content)
    assert mistakes.read(run_id) is None
    with pytest.raises(UnknownName):
        mistakes.read("../x.y")
