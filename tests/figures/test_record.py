"""The attention of a picture while a model is trained: a history that a figure shows, and that changes no training."""

import json
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

import attnviz
from attnviz.errors import BadInput
from attnviz.figures import callbacks
from attnviz.figures.history import History
from tests.figures import seen as small


def trained(steps: int, *, watched: bool, **options: int):
    model = small.model(layers=1).train()
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    record = attnviz.record(model, small.batch(small.photo()), **options)
    if watched:
        record.follow(optimizer).__enter__()
    for _ in range(steps):
        optimizer.zero_grad()
        batch = torch.rand(4, 3, 16, 24, dtype=torch.float64)
        nn.functional.cross_entropy(model(batch), torch.tensor([0, 1, 2, 0])).backward()
        optimizer.step()
    if watched:
        record.__exit__(None, None, None)
    return model, record


def test_it_changes_nothing_of_the_training() -> None:
    (one, _), (two, record) = trained(5, watched=False), trained(5, watched=True, every=2)
    for name, tensor in one.state_dict().items():
        torch.testing.assert_close(two.state_dict()[name], tensor, rtol=0, atol=0)
    assert two.training
    assert [*record.moments] == [0, 2, 4, 5]


def test_the_last_moment_is_what_the_trained_model_shows(tmp_path: Path) -> None:
    model, record = trained(3, watched=True, every=3)
    figure = record.figure(query=(2, 3), over=small.photo())
    assert figure.save(tmp_path / "history.png").stat().st_size > 1000
    found = np.load(figure.save(tmp_path / "history.npz"))
    assert [*found["names"]] == ["0", "3"]
    seen = attnviz.watch(model.eval())(small.batch(small.photo()))
    expected = np.load(attnviz.figure(seen, query=(2, 3)).save(tmp_path / "now.npz"))["values_0"]
    np.testing.assert_allclose(found["values_1"], expected, rtol=1e-12)
    assert np.abs(found["values_0"] - expected).max() > 1e-3
    assert "step 3" in figure.html()


def test_what_was_recorded_is_saved_and_read_again(tmp_path: Path) -> None:
    _, record = trained(3, watched=True, every=2)
    history = History(record.save(tmp_path / "training.zip"))
    assert history.steps == [0, 2, 3] and history.layers == [*record.moments[0]]
    for step, views in record.moments.items():
        found, expected = history.view(step, history.layers[0]), views[history.layers[0]]
        np.testing.assert_array_equal(found.weights(9), expected.weights(9))
        np.testing.assert_array_equal(found.background, expected.background)
    with pytest.raises(BadInput, match="training.zip: the attention at step 1 cannot be read"):
        history.view(1, history.layers[0])
    with zipfile.ZipFile(tmp_path / "huge.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("index.json", json.dumps({"steps": [0], "layers": ["a"]}) + " " * 2**24)
    with pytest.raises(BadInput, match="huge.zip is not a recorded training"):
        History(tmp_path / "huge.zip")
    whole = (tmp_path / "training.zip").read_bytes()
    for at in range(0, len(whole), 41):  # a bit of a zip can end in an error of any of its modules
        (tmp_path / "damaged.zip").write_bytes(whole[:at] + bytes([whole[at] ^ 32]) + whole[at + 1 :])
        with suppress(BadInput):
            History(tmp_path / "damaged.zip").view(2, history.layers[0])
    (tmp_path / "photo.png").write_bytes(b"no zip")
    with pytest.raises(BadInput, match="photo.png is not a recorded training"):
        History(tmp_path / "photo.png")
    with pytest.raises(BadInput, match="Nothing was recorded"):
        attnviz.record(small.model(layers=1), small.batch(small.photo())).save(tmp_path / "none.zip")


def test_memory_is_bounded() -> None:
    _, record = trained(40, watched=True, every=1, most=4)
    assert len(record.moments) <= 4 and record.every > 1 and 0 in record.moments


def test_mistakes_are_said() -> None:
    model = small.model(layers=1)
    with pytest.raises(BadInput, match="every >= 1"):
        attnviz.record(model, small.batch(small.photo()), every=0)
    record = attnviz.record(model, small.batch(small.photo()))
    record.take()
    with pytest.raises(BadInput, match="Step 7 was not recorded; there are 0"):
        record.figure(steps=[7])


@pytest.mark.parametrize("kind", ["lightning", "transformers"])
def test_a_callback_records_at_the_steps_of_a_trainer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = ModuleType("pytorch_lightning" if kind == "lightning" else "transformers")
    setattr(fake, "Callback" if kind == "lightning" else "TrainerCallback", object)
    monkeypatch.setitem(sys.modules, "lightning", None)
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    record = attnviz.record(small.model(layers=1), small.batch(small.photo()), every=2)
    callback = getattr(callbacks, kind)(record)
    if kind == "lightning":
        callback.on_train_start(None, None)
    else:
        callback.on_train_begin(None, None, None)
    for step in (1, 2, 3):
        now = SimpleNamespace(global_step=step)
        if kind == "lightning":
            callback.on_train_batch_end(now, None, None, None, step)
        else:
            callback.on_step_end(None, now, None)
    if kind == "lightning":
        callback.on_train_end(None, None)
    else:
        callback.on_train_end(None, None, None)
    assert [*record.moments] == [0, 2, 3]
