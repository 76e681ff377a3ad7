"""What there is of runs, and a model at an epoch of one, attnviz/training/runs.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_tensors
from safetensors.torch import load_file, save
from torch import Tensor

from attnviz import checkpoints
from attnviz.errors import AttnvizError, CheckpointError, RunError, UnknownName
from attnviz.training import run, runs
from attnviz.training.progress import Epoch
from attnviz.training.run import Run, kept_epochs
from tests.training import small

CHOSEN = small.recipe("pixel_line", epochs=4)
INFO = small.run_file(CHOSEN)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Tensor]], list[Epoch]]:
    """Train one run: the folder of all runs, the weights after each epoch, and the events."""
    root = tmp_path_factory.mktemp("runs")
    training, weights, epochs = small.training(CHOSEN), [], []
    for event in Run(INFO, root).train(training):
        if isinstance(event, Epoch):
            epochs.append(event)
            weights.append({name: tensor.clone() for name, tensor in training.model.state_dict().items()})
    return root, weights, epochs


@pytest.fixture
def root(trained, tmp_path, monkeypatch) -> Path:
    """Return a copy of that folder, in which the runs of this test lie."""
    source = trained[0] / INFO.id
    (tmp_path / INFO.id).mkdir()
    for path in source.iterdir():
        (tmp_path / INFO.id / path.name).write_bytes(path.read_bytes())
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path))
    return tmp_path


def _weights_file(root: Path, epoch: int = 2) -> Path:
    return root / INFO.id / f"weights-{epoch}.safetensors"


def test_a_run_is_listed_with_its_settings_its_curve_and_its_epochs(root, trained):
    assert runs.folder() == root
    assert runs.ids() == [INFO.id]
    assert runs.read(INFO.id) == INFO
    assert runs.curve(INFO.id) == trained[2]
    assert runs.epochs(INFO.id) == [1, 2, 3, 4]


def test_the_weights_at_every_epoch_are_exactly_those_of_the_training(root, trained):
    for epoch, expected in enumerate(trained[1], 1):
        for found in (runs.weights(INFO.id, epoch), runs.load(INFO.id, epoch).state_dict()):
            assert found.keys() == expected.keys()
            assert all(torch.equal(found[name], tensor) for name, tensor in expected.items())
    assert not torch.equal(*(trained[1][epoch]["classifier.weight"] for epoch in (0, 1)))


def test_a_model_at_an_epoch_is_in_evaluation_mode_and_has_no_gradients(root):
    model = runs.load(INFO.id, 2)
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())


def test_the_digest_of_an_epoch_is_that_of_a_checkpoint_with_its_weights(root, trained):
    for epoch, weights in enumerate(trained[1], 1):
        assert runs.digest(INFO.id, epoch) == checkpoints.digest(checkpoints.encode(weights))
    assert len({runs.digest(INFO.id, epoch) for epoch in (1, 2, 3, 4)}) == 4


def test_a_file_of_weights_holds_the_weights_and_little_else(root, trained):
    tensors = sum(tensor.nbytes for tensor in trained[1][0].values())
    assert tensors < _weights_file(root).stat().st_size < tensors + 500


def test_listing_and_reading_settings_costs_no_torch(root):
    code = (
        "import sys; from attnviz.training import runs; (one,) = runs.ids(); runs.read(one); runs.curve(one); "
        "assert runs.digest(one, runs.epochs(one)[0]); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_where_nothing_was_trained_there_are_no_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "none"))
    assert runs.ids() == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "name", [".hidden.0", "<script>.a.0", "a b.c.0", "one", "a..0", "a.b.", "é.b.0", "x" * 220 + ".0"]
)
def test_a_folder_whose_name_is_no_id_is_not_listed(root, name):
    (root / name).mkdir()
    (root / name / "run.json").write_bytes((root / INFO.id / "run.json").read_bytes())
    assert runs.ids() == [INFO.id]
    with pytest.raises(UnknownName):
        runs.read(name)


def test_a_file_or_a_folder_without_settings_is_not_listed(root):
    (root / "a.b.0").mkdir()
    (root / "a.c.0").write_text("")
    (root / "a.d.0" / "run.json").mkdir(parents=True)
    assert runs.ids() == [INFO.id]
    with pytest.raises(UnknownName, match=rf"There is no run 'a.b.0'. .*{INFO.id}"):
        runs.epochs("a.b.0")


def test_a_folder_that_may_not_be_looked_into_is_left_out_alone(root, monkeypatch):
    (root / "of.another").mkdir()
    look = os.stat

    def stat(path, *more, **words):
        if "of.another" in os.fsdecode(path):
            raise PermissionError(13, "Permission denied", path)
        return look(path, *more, **words)

    monkeypatch.setattr(os, "stat", stat)
    assert runs.ids() == [INFO.id]
    with pytest.raises(UnknownName):
        runs.read("of.another")


@pytest.mark.parametrize("word", ["..", "../other", "/etc", "a/../b.0", "a.b\0.0", "", ".", "a.b.0\n", "a\\b.0"])
@pytest.mark.parametrize("ask", [runs.read, runs.curve, runs.epochs, lambda one: runs.load(one, 1)])
def test_an_id_that_is_a_path_is_refused(root, monkeypatch, word, ask):
    inside = root / "inside"
    monkeypatch.setenv("ATTNVIZ_RUNS", str(inside))
    inside.mkdir()
    (root / "run.json").write_bytes((root / INFO.id / "run.json").read_bytes())
    with pytest.raises(UnknownName, match="There is no run"):
        ask(word)


@pytest.mark.parametrize("epoch", [0, -1, 5, 10**30])
def test_an_epoch_that_is_not_kept_is_one_sentence_with_those_that_are(root, epoch):
    for ask in (runs.weights, runs.load, runs.digest):
        with pytest.raises(UnknownName, match=rf"There is no kept epoch of the run {INFO.id} '{epoch}'. .*1, 2, 3, 4"):
            ask(INFO.id, epoch)


def test_settings_in_a_folder_of_another_name_are_refused(root):
    (root / INFO.id).rename(root / "pixel_line.small.7")
    with pytest.raises(RunError, match=f"belongs to the run {INFO.id}. Rename its folder, or remove it"):
        runs.load("pixel_line.small.7", 1)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"seed": 0}', b"[" * 100_000])
def test_settings_that_cannot_be_read_are_one_sentence(root, content):
    (root / INFO.id / "run.json").write_bytes(content)
    with pytest.raises(RunError, match="run.json cannot be read. Remove the folder to train from the start"):
        runs.read(INFO.id)


@pytest.mark.parametrize("line", [b"nonsense\n", b"[]\n", b"3\n", b"{}\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
def test_a_damaged_curve_is_one_sentence(root, line):
    path = root / INFO.id / "curve.jsonl"
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(RunError, match="curve.jsonl cannot be read"):
        runs.curve(INFO.id)


@pytest.mark.parametrize("epoch", ['"x"', "null", "0", "true", "[]", "1.5"])
def test_an_epoch_that_is_no_number_is_one_sentence(root, epoch):
    (root / INFO.id / "curve.jsonl").write_text(f'{{"epoch": {epoch}, "train_loss": 0.5}}\n')
    with pytest.raises(RunError, match="curve.jsonl cannot be read"):
        runs.curve(INFO.id)


@pytest.mark.parametrize("value", ['"0.5"', "[0.5]", "{}", "true", "NaN", "Infinity", "-1e999", "9" * 400, None])
def test_a_value_that_is_no_finite_number_is_left_out_alone_and_not_trained_on(root, value):
    path = root / INFO.id / "curve.jsonl"
    lines = path.read_text().splitlines()
    before, whole = runs.curve(INFO.id), json.loads(lines[1])
    second = {name: one for name, one in whole.items() if name != "train_loss"}
    lines[1] = json.dumps(second)[:-1] + ("}" if value is None else f', "train_loss": {value}}}')
    path.write_text("\n".join([*lines, ""]))
    curve = runs.curve(INFO.id)
    assert curve[1].values == {**before[1].values, "train_loss": None}
    assert (curve[0], *curve[2:]) == (before[0], *before[2:])
    content = path.read_bytes()
    with pytest.raises(RunError, match="curve.jsonl holds values that are not numbers. Remove the folder"):
        list(Run(INFO, root).train(small.training(CHOSEN)))
    assert path.read_bytes() == content


# Weights that are not what they should be.


def _refused(message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        runs.load(INFO.id, 2)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


@pytest.mark.parametrize("kept", [0, 7, 100, 0.5, -1])
def test_weights_that_are_cut_are_refused(root, kept):
    content = _weights_file(root).read_bytes()
    _weights_file(root).write_bytes(content[: int(kept * len(content)) if isinstance(kept, float) else kept])
    _refused("is not a complete safetensors file. Remove it: this epoch is then no longer shown")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_link_to_an_endless_file_is_refused_at_once(root, device):
    _weights_file(root).unlink()
    _weights_file(root).symlink_to(device)
    _refused("cannot be read: it is not a regular file")
    with pytest.raises(CheckpointError, match="it is not a regular file"):
        runs.digest(INFO.id, 2)


def test_a_pipe_is_refused_and_not_waited_for(root):
    _weights_file(root).unlink()
    os.mkfifo(_weights_file(root))
    _refused("cannot be read: it is not a regular file")


def test_a_file_larger_than_the_model_is_refused_unread(root):
    with _weights_file(root).open("r+b") as file:
        file.truncate(2**40)
    _refused("it has 1,099,511,627,776 bytes, and at most")


def test_weights_of_another_epoch_are_refused(root):
    _weights_file(root).write_bytes(_weights_file(root, 3).read_bytes())
    _refused("does not hold the weights that it declares")


def test_weights_that_were_changed_are_refused(root):
    content = _weights_file(root).read_bytes()
    _weights_file(root).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    _refused("does not hold the weights that it declares")


def _written(root: Path, **changes: Tensor) -> None:
    tensors = load_file(_weights_file(root)) | changes
    _weights_file(root).write_bytes(runs.encode(tensors, 2, checkpoints.digest(checkpoints.encode(tensors))))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"classifier.weight": torch.zeros(1, 3)}, r"'classifier.weight' must have shape \(1, 784\), but has \(1, 3\)"),
        (
            {"classifier.bias": torch.tensor([float("nan")])},
            "'classifier.bias' holds values that are not finite numbers",
        ),
        (
            {"classifier.bias": torch.zeros(1).double()},
            "'classifier.bias' must hold torch.float32, but holds torch.float64",
        ),
        ({"other": torch.zeros(1)}, "holds 'other', which the model does not have"),
    ],
    ids=["shape", "finite", "type", "extra"],
)
def test_weights_that_the_settings_do_not_describe_are_refused(root, changes, message):
    _written(root, **changes)
    _refused(message)


@pytest.mark.parametrize("notes", [None, '{"epoch": Infinity, "digest": ""}', "[" * 1500 + "]" * 1500],
                         ids=["none", "infinite", "deep"])  # fmt: skip
def test_weights_without_notes_are_refused(root, notes):
    tensors = load_tensors(_weights_file(root).read_bytes())
    _weights_file(root).write_bytes(save(tensors, notes and {"attnviz": notes}))
    _refused("is not a complete file of weights of a run")
    with pytest.raises(CheckpointError, match="is not a complete file of weights of a run"):
        runs.digest(INFO.id, 2)


@given(place=st.floats(0, 1), byte=st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_whatever_byte_is_changed_there_is_one_sentence_or_the_weights_are_the_same(trained, place, byte):
    source, weights, _ = trained
    original = _weights_file(source).read_bytes()
    at = int(place * (len(original) - 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_RUNS", str(source))
        _weights_file(source).write_bytes(original[:at] + bytes([byte]) + original[at + 1 :])
        try:
            found = runs.weights(INFO.id, 2)
            assert all(torch.equal(found[name], tensor) for name, tensor in weights[1].items())
        except AttnvizError as error:
            assert str(error).endswith(".")
        finally:
            _weights_file(source).write_bytes(original)


# Which epochs are kept, where there is no space for all.


@pytest.mark.parametrize(
    ("done", "best", "most", "expected"),
    [
        (4, 3, 100, {1, 2, 3, 4}),
        (10, 10, 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
        (10, 6, 10, {1, 3, 5, 6, 7, 9, 10}),
        (20, 6, 10, {1, 5, 6, 9, 13, 17, 20}),
        (20, 5, 3, {1, 5, 20}),
        (20, 5, 2, {5, 20}),
        (20, 20, 2, {1, 20}),
        (20, 5, 1, {5}),
        (20, 5, 0, set()),
    ],
)
def test_the_kept_epochs_by_hand(done, best, most, expected):
    assert kept_epochs(done, best, most) == expected


@given(most=st.integers(0, 40), bests=st.lists(st.booleans(), min_size=1, max_size=120))
def test_a_run_that_goes_on_needs_no_epoch_that_it_has_dropped(most, bests):
    there, best = set[int](), 1
    for done, better in enumerate(bests, 1):
        best = done if better else best
        kept = kept_epochs(done, best, most)
        assert len(kept) <= most
        assert most < 3 or {1, best, done} <= kept
        assert most < 3 or kept <= there | {done}
        there = (there | {done}) & kept


def test_a_run_keeps_no_more_than_the_limit_and_says_which_epochs(tmp_path, monkeypatch, trained):
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path))
    size = _weights_file(trained[0]).stat().st_size
    monkeypatch.setattr(run, "LIMIT", 7 * size + 10)
    chosen = small.recipe("pixel_line", epochs=12, patience=12)
    info = small.run_file(chosen)
    training = small.training(chosen)
    for event in Run(info, tmp_path).train(training):
        if isinstance(event, Epoch):
            found = list((tmp_path / info.id).glob("weights-*"))
            assert sum(path.stat().st_size for path in found) <= run.LIMIT
    assert set(runs.epochs(info.id)) == {1, 5, 9, 12, training.kept_epoch}
    assert all(torch.equal(one, runs.weights(info.id, training.kept_epoch)[n]) for n, one in training.kept.items())


def test_weights_of_an_epoch_whose_state_was_never_written_are_removed_and_made_again(root, trained):
    home = root / INFO.id
    (home / "state-4.safetensors").unlink()
    _weights_file(root, 4).write_bytes(b"nonsense")
    (home / "status.json").write_text('{"state": "running"}')
    events = Run(INFO, root).train(small.training(CHOSEN))
    next(events)
    assert runs.epochs(INFO.id) == [1, 2, 3]
    list(events)
    assert json.loads((home / "status.json").read_text())["state"] == "finished"
    for epoch in (1, 2, 3, 4):
        assert _weights_file(root, epoch).read_bytes() == _weights_file(trained[0], epoch).read_bytes()
