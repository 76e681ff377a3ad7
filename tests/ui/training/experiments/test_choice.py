"""Which trainings the experiments can look at: attnviz/ui/training/experiments/choice.py."""

from types import SimpleNamespace

import pytest

from attnviz import subjects
from attnviz.errors import BadInput, UnknownName
from attnviz.measures.switched import HeadLayer
from attnviz.subjects.history import Point
from attnviz.ui.live import trainings
from attnviz.ui.training import yours
from attnviz.ui.training.experiments import choice


def test_runs_come_first_then_shipped_histories_with_heads_and_one_answer(files, there, monkeypatch):
    found = choice.trainings(there)
    assert set(found) == {f"run:{info.id}" for info in files}
    assert all(title.startswith("Small") for title in found.values())
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS")
    with_shipped = list(choice.trainings(there))
    assert with_shipped[:2] == list(found)
    assert with_shipped[2:] == ["pixel_attention.1v8", "element_wise.fashion-a", "cnn_attention.cluttered-blocks"]
    monkeypatch.setattr(yours, "hidden", lambda one: True)
    assert list(choice.trainings(there)) == with_shipped[2:], "somebody else's own pictures"


def test_a_run_is_looked_at_from_before_its_training_on(files):
    its = trainings.history_of(f"run:{files[0].id}")
    assert [point.epoch for point in its.points] == [0, 1, 2]
    with pytest.raises(UnknownName):
        trainings.history_of("run:nobody")
    with pytest.raises(UnknownName):
        trainings.history_of("../etc")


def test_a_model_without_a_history_is_a_sentence(monkeypatch):
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS", raising=False)
    with pytest.raises(BadInput, match=r"No epochs of ink\.1v8 are kept"):
        trainings.history_of("ink.1v8")


@pytest.mark.parametrize(("count", "most"), [(3, 12), (12, 12), (13, 12), (52, 12), (201, 12), (9, 4)])
def test_of_many_epochs_first_and_last_are_looked_at_and_more_early_than_late(count, most):
    points = [Point(epoch, str(epoch)) for epoch in range(count)]
    epochs = [point.epoch for point in choice.some(points, most)]
    assert (epochs[0], epochs[-1], len(epochs)) == (0, count - 1, min(count, most))
    steps = [after - before for before, after in zip(epochs, epochs[1:], strict=False)]
    assert min(steps) == 1
    assert count <= most + 1 or steps[-1] == max(steps) > 1


def test_heads_are_counted_from_one_over_all_layers(files):
    net = subjects.net(trainings.history_of(f"run:{files[0].id}").points[-1].key)
    layers = choice.layers(net)
    assert layers == [HeadLayer("attention", 2, "attention.mixed", "attention.weights")]
    assert choice.names(layers) == ["head 1", "head 2"]
    assert choice.names(layers * 2)[2] == "layer 2, head 1"


def test_asking_the_models_shows_its_progress_the_first_time(there, monkeypatch):
    said: list[tuple[float, str]] = []
    place = SimpleNamespace(progress=lambda done, words: said.append((done, words)), empty=lambda: None)
    monkeypatch.setattr(choice, "st", SimpleNamespace(empty=lambda: place))
    monkeypatch.setattr(choice, "_heads", {})
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS")
    found = choice.trainings(there)
    shares = [done for done, _ in said]
    assert len(said) == len(choice._heads) > 1 and shares[0] == 0 and shares == sorted(shares) and shares[-1] < 1
    assert said[1][1] == f"1 of {len(said)} models were asked whether they have heads"
    said.clear()
    assert choice.trainings(there) == found and said == []
