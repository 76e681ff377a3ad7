"""The epochs of a training as nets: attnviz/subjects/history.py."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz import cards, checkpoints, subjects
from attnviz.card import SeedRun
from attnviz.errors import UnknownName
from attnviz.subjects.history import history, key_of
from attnviz.subjects.history import key_of_run as key_of_run
from attnviz.subjects.subject import origin_of
from attnviz.training import histories, runs
from attnviz.training.run import Run
from tests.training import small

CHOSEN = small.recipe(epochs=3)
INFO = small.run_file(CHOSEN)
NAME = CHOSEN.key


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run, a history of its first two epochs, and the checkpoint that it gives with the third."""
    root = tmp_path_factory.mktemp("history")
    with small.place(root, CHOSEN):
        for _ in Run(INFO).train(small.training(CHOSEN)):
            pass
        save(own_curve())
        histories.write(INFO.id, [0, 1, 3])
        yield root


def own_curve() -> dict[str, tuple[float | None, ...]]:
    epochs = runs.curve(INFO.id)
    return {name: tuple(epoch.values[name] for epoch in epochs) for name in epochs[0].values}


def save(curve: dict[str, tuple[float | None, ...]], **changes: Any) -> None:
    """Write the checkpoint, whose card says that it was trained so."""
    weights = runs.weights(INFO.id, 3)
    card, *_ = small.checkpoint()
    values = {
        "weights_digest": checkpoints.digest(checkpoints.encode(weights)), "recipe": CHOSEN,
        "runs": (SeedRun(seed=0, epoch=3, curve=curve),), "seed": 0, "figures": (), **changes,
    }  # fmt: skip
    checkpoints.save(weights, card.model_copy(update=values))


@pytest.mark.usefixtures("here")
def test_an_epoch_of_a_history_is_a_net_with_its_weights() -> None:
    found = subjects.net(key_of(NAME, 1))
    assert (found.key, found.title, found.epoch, found.history) == (f"history:{NAME}@1", "Small, epoch 1", 1, NAME)
    assert found.card is None
    assert subjects.net(key_of(NAME, 0)).title == "Small, before its training"
    state = found.load().model.state_dict()
    for name, tensor in runs.weights(INFO.id, 1).items():
        assert torch.equal(state[name], tensor.half().float())
    assert origin_of(found)["epoch"] == 1
    assert "epoch" not in origin_of(subjects.net(NAME))


@pytest.mark.usefixtures("here")
def test_the_last_epoch_of_a_history_is_the_checkpoint_itself() -> None:
    ours = [history(subjects.net(key)) for key in (NAME, key_of(NAME, 0))]
    assert ours[0] == ours[1]
    assert ours[0] is not None
    assert [tuple(point) for point in ours[0].points] == [(0, key_of(NAME, 0)), (1, key_of(NAME, 1)), (3, NAME)]
    assert (ours[0].figure, ours[0].unit, ours[0].note) == ("validation accuracy", "share", "")
    assert ours[0].curve == dict(enumerate(own_curve()["validation_accuracy"], 1))


@pytest.mark.usefixtures("here")
def test_a_checkpoint_of_another_training_is_said_to_be_one() -> None:
    curve = own_curve()
    try:
        save({**curve, "validation_accuracy": (0.1, 0.2, 0.3)})
        found = history(subjects.net(NAME))
        assert found is not None
        assert found.points[-1].key == NAME
        assert "trained again with the same seed" in found.note
        assert found.curve[3] == 0.3
        assert found.curve[1] == curve["validation_accuracy"][0]
    finally:
        save(curve)


@pytest.mark.usefixtures("here")
def test_a_run_has_a_history_and_a_checkpoint_without_one_has_none(tmp_path: Path) -> None:
    found = history(subjects.net(key_of_run(INFO.id, 2)))
    assert found is not None
    assert [point.epoch for point in found.points] == [0, 1, 2, 3]
    assert found.points[2].key == key_of_run(INFO.id, 2)
    assert found.curve.keys() == {1, 2, 3}


@pytest.mark.usefixtures("here")
def test_before_its_training_a_run_is_what_its_seed_draws() -> None:
    ours, theirs = subjects.net(key_of_run(INFO.id, 0)), subjects.net(key_of(NAME, 0))
    assert ours.title == theirs.title == "Small, before its training"
    state, kept = (one.load().model.state_dict() for one in (ours, theirs))
    for name, tensor in state.items():
        assert torch.equal(kept[name], tensor.half().float())
    assert ours.digest != subjects.net(key_of_run(INFO.id, 1)).digest


def test_a_checkpoint_without_a_history_has_none(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    small.lay(tmp_path, *small.checkpoint()[1:])
    (name,) = cards.names()
    assert history(subjects.net(name)) is None


@pytest.mark.usefixtures("here")
def test_a_key_that_names_nothing_is_one_sentence() -> None:
    for key in (f"history:{NAME}", "history:nothing", f"history:{NAME}@x", f"history:{NAME}@01"):
        with pytest.raises(UnknownName, match=f"history:{NAME}@0"):
            subjects.net(key)
    with pytest.raises(UnknownName, match="'2'.*There are: 0, 1, 3"):
        subjects.net(key_of(NAME, 2))
    with pytest.raises(UnknownName):
        subjects.net("history:../../etc@1")
