"""Models that somebody keeps, attnviz/work/jobs/keeping.py."""

import io
import json
import tempfile
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors.torch import save

from attnviz import cards, checkpoints, files
from attnviz.errors import AttnvizError, BadInput, CheckpointError, RunError, UnknownName
from attnviz.training import runs
from attnviz.training.run import Run
from attnviz.work.jobs import keeping
from tests.training import small

CHOSEN = small.recipe(epochs=3)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of three epochs, and an empty folder of kept models."""
    with small.place(tmp_path):
        monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "kept"))
        info = small.run_file(CHOSEN)
        list(Run(info).train(small.training(CHOSEN)))
        yield info.id


def _zip(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, member in members.items():
            archive.writestr(name.replace("__", ".").replace("_SLASH_", "/"), member)
    return content.getvalue()


def test_an_epoch_is_kept_under_a_word_and_is_the_model_that_the_run_was(run):
    name = keeping.keep(run, 2, "mine")
    assert name == "pixel_attention.mine"
    model, card = checkpoints.load(name)
    assert cards.is_kept(name)
    expected = runs.weights(run, 2)
    assert all(torch.equal(tensor, expected[key]) for key, tensor in model.state_dict().items())
    assert (card.seed, card.runs[0].epoch, card.figures) == (0, 2, ())
    assert "yours: mine" in card.recipe.title
    with pytest.raises(BadInput, match="already kept"):
        keeping.keep(run, 3, "mine")


@pytest.mark.parametrize("lines", [[], [{"train_loss": 0.5}], [{}, {}, {}]], ids=["none", "one", "bare"])
def test_an_epoch_that_the_curve_lacks_is_not_kept(run, lines):
    told = [json.dumps({"epoch": epoch, **line}) + "\n" for epoch, line in enumerate(lines, 1)]
    (runs.home(run) / "curve.jsonl").write_text("".join(told))
    with pytest.raises(RunError, match=f"The curve of the run {run} ends before epoch 2, so its model cannot be kept"):
        keeping.keep(run, 2, "mine")


def test_packed_and_brought_elsewhere_it_is_the_same(run, tmp_path, monkeypatch):
    content = keeping.packed(keeping.keep(run, 1, "mine"))
    assert content == keeping.packed("pixel_attention.mine")
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "elsewhere"))
    name = keeping.bring(content, "theirs")
    assert name == "pixel_attention.theirs"
    kept, expected = checkpoints.load(name).model.state_dict(), runs.weights(run, 1)
    assert all(torch.equal(kept[key], tensor) for key, tensor in expected.items())


@pytest.mark.parametrize("word", ["", "..", "../x", "a/b", "a b", "\0", "x" * 300, "é", "a.", "/etc", "small"])
def test_a_word_that_is_no_name_is_refused_and_nothing_is_written(run, word, tmp_path):
    content = keeping.packed(keeping.keep(run, 1, "mine"))
    before = sorted(tmp_path.rglob("*"))
    for ask in (lambda: keeping.keep(run, 1, word), lambda: keeping.bring(content, word)):
        with pytest.raises(BadInput):
            ask()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_or_an_epoch_that_is_not_there_is_refused(run):
    for run_id, epoch in (("../x.y", 1), (run, 9), (run, 0)):
        with pytest.raises(UnknownName):
            keeping.keep(run_id, epoch, "mine")


def test_what_is_no_packed_model_is_one_sentence_and_nothing_is_written(run, tmp_path):
    content = keeping.packed(keeping.keep(run, 1, "mine"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        card, weights = archive.read("card.json"), archive.read("weights.safetensors")
    other = save({"a": torch.zeros(3)})
    bad = [
        b"", b"no zip", content[: len(content) // 2], content[:-30] + bytes(30),
        _zip(card__json=card),
        _zip(card__json=card, weights__safetensors=weights, evil__pkl=b"x"),
        _zip(card__json=card, ___SLASH_weights__safetensors=weights),
        _zip(card__json=card[:-9], weights__safetensors=weights),
        _zip(card__json=card.replace(b'"seed": 0', b'"seed": 1'), weights__safetensors=weights),
        _zip(card__json=card, weights__safetensors=other),
        _zip(card__json=card, weights__safetensors=weights[:-1]),
        _zip(card__json=card, weights__safetensors=b"\x80\x04cos\nsystem\n"),
    ]  # fmt: skip
    before = sorted(tmp_path.rglob("*"))
    for one in bad:
        with pytest.raises(AttnvizError) as refused:
            keeping.bring(one, "theirs")
        assert "\n" not in str(refused.value)
        assert str(Path("/tmp")) not in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_zip_bomb_is_refused_by_the_sizes_it_states(run, monkeypatch):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", b"{}")
        archive.writestr("weights.safetensors", bytes(keeping.LARGEST + 1))
    assert len(content.getvalue()) < 2**20
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was read"))
    with pytest.raises(BadInput, match="more than"):
        keeping.bring(content.getvalue(), "theirs")


def test_a_full_disk_is_one_sentence_and_leaves_nothing(run, tmp_path, monkeypatch):
    content = keeping.packed(keeping.keep(run, 1, "mine"))
    before = sorted(tmp_path.rglob("*"))

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    write = files.write
    for broken in ("card.json", "weights.safetensors"):
        monkeypatch.setattr(
            checkpoints, "write", lambda path, text, broken=broken: full() if path.name == broken else write(path, text)
        )
        for ask in (lambda: keeping.keep(run, 1, "other"), lambda: keeping.bring(content, "theirs")):
            with pytest.raises(CheckpointError, match="no space left on device") as refused:
                ask()
            assert "\n" not in str(refused.value)
            assert sorted(tmp_path.rglob("*")) == before
    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    with pytest.raises(CheckpointError, match="cannot be unpacked: no space left on device"):
        keeping.bring(content, "theirs")


def test_only_what_is_kept_can_be_removed(run, tmp_path):
    name = keeping.keep(run, 1, "mine")
    before = sorted(tmp_path.rglob("*"))
    for other in ("pixel_attention.small", "pixel_attention.1v8", "../runs", "", ".", "mine", name + "/", "/etc/x.y"):
        with pytest.raises(UnknownName):
            keeping.remove(other)
    assert sorted(tmp_path.rglob("*")) == before
    keeping.remove(name)
    assert name not in cards.names()
