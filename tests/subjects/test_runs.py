"""An epoch of a run as a net: it is looked at as a checkpoint with the same weights would be."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import cards, checkpoints, subjects
from attnviz.errors import RunError, UnknownName
from attnviz.subjects import Picture, Subject
from attnviz.subjects.history import key_of_run
from attnviz.training import runs
from attnviz.training.run import Run
from attnviz.ui.dot_product.attention_view import ATTENTION_VIEW
from attnviz.ui.shared import findings
from attnviz.views.payload import unpack
from tests.training import small

CHOSEN = small.recipe(epochs=3)
INFO = small.run_file(CHOSEN)
EIGHT = Picture("strokes", 23)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    for _ in Run(INFO, root).train(small.training(CHOSEN)):
        pass
    return root


@pytest.fixture
def here(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let that run be the only one, and a checkpoint with the weights of its second epoch the only one."""
    monkeypatch.setenv("ATTNVIZ_RUNS", str(trained))
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    weights = runs.weights(INFO.id, 2)
    card, *_ = small.checkpoint()
    digest = checkpoints.digest(checkpoints.encode(weights))
    checkpoints.save(weights, card.model_copy(update={"weights_digest": digest, "seed": INFO.seed}))


def net(epoch: int) -> subjects.Net:
    return subjects.net(key_of_run(INFO.id, epoch))


@pytest.mark.usefixtures("here")
def test_it_has_the_weights_of_that_epoch_and_what_its_recipe_says() -> None:
    (name,) = cards.names()
    checkpoint = subjects.net(name)
    found = net(2)
    assert found.digest == checkpoint.digest
    assert found.card is None
    for field in ("architecture", "classes", "labels", "input", "grid", "data", "recipe", "seed", "takes"):
        assert getattr(found, field) == getattr(checkpoint, field), field
    assert found.config == checkpoint.config
    assert found.title == "Small, epoch 2"
    for double in (False, True):
        ours, theirs = (one.load(double=double).model.state_dict() for one in (found, checkpoint))
        assert all(torch.equal(ours[part], theirs[part]) for part in theirs)
    assert net(1).digest != found.digest


def without_key_and_digest(payload: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    header, arrays = unpack(payload)
    del header["origin"]["digest"], header["request"]["checkpoint"]
    header["origin"].pop("epoch", None)
    return header, arrays


@pytest.mark.usefixtures("here")
def test_its_views_are_those_of_a_checkpoint_with_these_weights() -> None:
    (name,) = cards.names()
    ours, theirs = (
        without_key_and_digest(ATTENTION_VIEW.of(Subject(one, EIGHT))) for one in (net(2), subjects.net(name))
    )
    assert ours[0] == theirs[0]
    for part, values in theirs[1].items():
        np.testing.assert_array_equal(ours[1][part], values)
    first = without_key_and_digest(ATTENTION_VIEW.of(Subject(net(1), EIGHT)))
    assert not np.array_equal(first[1]["query"], theirs[1]["query"])
    assert findings.answer(Subject(net(2), EIGHT)) == findings.answer(Subject(subjects.net(name), EIGHT))


@pytest.mark.usefixtures("here")
def test_what_is_not_there_is_one_sentence() -> None:
    with pytest.raises(UnknownName, match="epoch"):
        net(7)
    with pytest.raises(UnknownName, match="run"):
        subjects.net("run:nobody@1")
    with pytest.raises(UnknownName, match=f"run:{INFO.id}@3"):
        subjects.net(f"run:{INFO.id}")


@pytest.mark.usefixtures("here")
def test_settings_that_cannot_be_read_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path))
    (tmp_path / INFO.id).mkdir()
    (tmp_path / INFO.id / "run.json").write_text("{")
    with pytest.raises(RunError, match=r"run\.json cannot be read"):
        net(1)
