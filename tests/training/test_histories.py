"""Histories, as they are made from runs and read: attnviz/training/histories.py."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from attnviz import __main__ as command
from attnviz import checkpoints, files
from attnviz.errors import AttnvizError, BadInput, CheckpointError, UnknownName
from attnviz.recipes import RECIPES
from attnviz.training import histories, runs, seeds
from attnviz.training.run import Run
from tests.training import small

CHOSEN = small.recipe(epochs=3)
INFO = small.run_file(CHOSEN)
NAME = CHOSEN.key


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Train a run, and make its history; yield the folder of the checkpoint."""
    root = tmp_path_factory.mktemp("histories")
    with small.place(root, CHOSEN):
        for _ in Run(INFO).train(small.training(CHOSEN)):
            pass
        assert command.main(["history", INFO.id, "0,2-3"]) == 0
        yield root / "checkpoints" / NAME


@pytest.fixture
def copied(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a copy of that history, which a test may damage."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    home = tmp_path / NAME / "history"
    home.mkdir(parents=True)
    for path in (made / "history").iterdir():
        (home / path.name).write_bytes(path.read_bytes())
    return home


@pytest.mark.usefixtures("made")
def test_it_says_of_the_run_what_is_to_be_known() -> None:
    found = histories.read(NAME)
    assert (found.recipe, found.seed, found.trained, found.finished) == (CHOSEN, 0, 3, True)
    assert [kept.epoch for kept in found.epochs] == [0, 2, 3]
    assert found.curve["validation_accuracy"] == tuple(
        epoch.values["validation_accuracy"] for epoch in runs.curve(INFO.id)
    )


@pytest.mark.usefixtures("made")
def test_its_weights_are_those_of_the_run_in_half_precision() -> None:
    for epoch in (2, 3):
        ours, theirs = histories.load(NAME, epoch).state_dict(), runs.weights(INFO.id, epoch)
        assert ours.keys() == theirs.keys()
        for name, tensor in theirs.items():
            assert torch.equal(ours[name], tensor.half().float()), name


@pytest.mark.usefixtures("made")
def test_epoch_0_is_the_model_before_its_training() -> None:
    first = seeds.build(CHOSEN, torch.Generator().manual_seed(INFO.seed)).state_dict()
    for name, tensor in histories.load(NAME, 0).state_dict().items():
        assert torch.equal(tensor, first[name].half().float()), name


@pytest.mark.usefixtures("copied")
def test_what_is_not_kept_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match=r"no kept epoch .* '1'.*There are: 0, 2, 3"):
        histories.load(NAME, 1)
    with pytest.raises(UnknownName, match="history"):
        histories.read("pixel_attention.nothing")
    with pytest.raises(UnknownName):
        histories.read("../elsewhere")
    assert not histories.there("pixel_attention.nothing")


def ruin(home: Path, what: str) -> None:
    """Damage a history."""
    file, weights = home / "history.json", home / "epoch-2.safetensors"
    fields = json.loads(file.read_text())
    if what == "cut":
        file.write_text(file.read_text()[:100])
    elif what == "other":
        fields["recipe"]["name"] = "another"
        file.write_text(json.dumps(fields))
    elif what == "order":
        fields["epochs"].reverse()
        file.write_text(json.dumps(fields))
    elif what == "curve":
        fields["trained"] = 4
        file.write_text(json.dumps(fields))
    elif what == "pipe":
        file.unlink()
        os.mkfifo(file)
    elif what == "missing":
        weights.unlink()
    elif what == "half":
        weights.write_bytes(weights.read_bytes()[:-3])
    elif what == "swapped":
        weights.write_bytes((home / "epoch-3.safetensors").read_bytes())
    elif what == "large":
        with weights.open("ab") as added:
            added.truncate(1 << 30)
    elif what == "foreign":
        weights.write_bytes(checkpoints.encode({"a": torch.zeros(2)}))


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("cut", "damaged"), ("other", "the history of pixel_attention.another"), ("order", "damaged"),
        ("curve", "damaged"), ("pipe", "cannot be read: it is not a regular file"), ("missing", "cannot be read"),
        ("half", "not a complete safetensors file"), ("swapped", "not hold the weights of its history"),
        ("large", "bytes"), ("foreign", "belongs to another model"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_one_sentence(copied: Path, what: str, sentence: str) -> None:
    histories.load(NAME, 2)
    ruin(copied, what)
    with pytest.raises(CheckpointError, match=sentence):
        histories.load(NAME, 2)


@pytest.mark.usefixtures("made")
def test_it_is_made_of_our_recipes_and_of_epochs_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="but not 7"):
        histories.write(INFO.id, [1, 7])
    with pytest.raises(UnknownName):
        histories.write("pixel_attention.small.9.0000000000", [1])
    monkeypatch.setitem(RECIPES, NAME, small.recipe(epochs=9))
    with pytest.raises(BadInput, match="unchanged"):
        histories.write(INFO.id, [1])


def test_made_again_it_holds_nothing_of_the_one_before(made: Path) -> None:
    try:
        histories.write(INFO.id, [1])
        assert sorted(path.name for path in (made / "history").iterdir()) == ["epoch-1.safetensors", "history.json"]
    finally:
        histories.write(INFO.id, [0, 2, 3])


def test_a_folder_that_cannot_be_written_is_one_sentence(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes | str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write", full)
    with pytest.raises(AttnvizError, match="no space left"):
        histories.write(INFO.id, [1])
