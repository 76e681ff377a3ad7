"""Runs that a kill does not harm, attnviz/training/run.py."""

import errno
import json
import os
import random
import signal
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from safetensors import safe_open
from safetensors.torch import save_file

from attnviz import files
from attnviz.errors import RunError
from attnviz.training import mistakes, runs
from attnviz.training.loop import Diverged, Training
from attnviz.training.progress import Epoch, Resumed, Step
from attnviz.training.run import Run
from attnviz.work import processes
from tests.forks import FORKS
from tests.training import killable, kinds, small

CHOSEN = small.recipe("pixel_line", epochs=4)
ID = small.run_file(CHOSEN).id
WEIGHTS_1_2 = {"weights-1.safetensors", "weights-2.safetensors"}


def _in_a_process(root: Path, moment: int | None = None, kind: str | None = None) -> int:
    process = FORKS.Process(target=killable.train, args=(root, moment, kind))
    process.start()
    process.join(timeout=120)
    assert process.exitcode is not None
    return process.exitcode


def _train(root: Path, stop: int | None = None, chosen=CHOSEN) -> Run:
    """Train until finished, or until so many epochs were seen."""
    run = Run(small.run_file(chosen), root)
    events: Any = run.train(small.training(chosen))
    for event in events:
        if isinstance(event, Epoch) and event.epoch == stop:
            events.close()
            break
    return run


def test_a_finished_run_without_a_state_is_left_as_it_is(tmp_path):
    run = _train(tmp_path)
    assert not run.is_closed
    for state in run.folder.glob("state-*"):
        state.unlink()
    before = {path.name: path.read_bytes() for path in run.folder.iterdir()}
    assert run.is_closed
    for _ in range(2):  # the lock is free again
        with pytest.raises(RunError, match="is finished, and its last state, from which it would resume, is not there"):
            next(iter(Run(small.run_file(CHOSEN), tmp_path).train(small.training(CHOSEN))))
    assert {path.name: path.read_bytes() for path in run.folder.iterdir()} == before


def _result(folder: Path) -> dict[str, bytes]:
    """The newest state, the curve, and the weights of each epoch. A kill may leave an older state behind, and status
    and log tell of the kill.
    """
    newest = max(folder.glob("state-*.safetensors"), key=lambda path: int(path.stem.partition("-")[2]))
    files = (newest, folder / "curve.jsonl", folder / "run.json", *folder.glob("weights-*"))
    return {path.name: path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return _result(_train(tmp_path_factory.mktemp("undisturbed")).folder)


@pytest.fixture(scope="module")
def never_killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("never-killed")
    assert _in_a_process(root) == 0
    return _result(root / small.run_file(killable.CHOSEN).id)


def test_a_run_leaves_its_recipe_its_curve_its_weights_its_last_two_states_and_its_status(tmp_path):
    run = _train(tmp_path)
    assert run.folder == tmp_path / ID
    names = {path.name for path in run.folder.iterdir()} - {"lock"}
    weights = {f"weights-{epoch}.safetensors" for epoch in (1, 2, 3, 4)}
    states = {"state-3.safetensors", "state-4.safetensors"}
    assert names == {"run.json", "curve.jsonl", "log.txt", "status.json", "answers.json", *states, *weights}
    lines = [json.loads(line) for line in (run.folder / "curve.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3, 4]
    assert [{"epoch": epoch.epoch, **epoch.values} for epoch in run.curve()] == lines
    assert set(lines[0]) == {"epoch", "train_loss", "validation_loss", "validation_accuracy"}  # and no clock
    status = json.loads((run.folder / "status.json").read_text())
    best = min(lines, key=lambda line: line["validation_loss"])["epoch"]
    assert status == {"state": "finished", "epoch": 4, "best_epoch": best, "share": 0.0, **processes.own().model_dump()}
    assert len(run.durations()) == 4


def test_the_status_says_running_while_it_runs_and_stopped_when_it_is_left(tmp_path):
    run = Run(small.run_file(CHOSEN), tmp_path)
    events: Any = run.train(small.training(CHOSEN))
    for event in events:
        if isinstance(event, Epoch) and event.epoch == 2:
            break
    assert runs.status_in(run.folder)["state"] == "running"
    events.close()
    assert runs.status_in(run.folder) == {**runs.status_in(run.folder), "state": "stopped", "epoch": 2, "share": 0.0}
    assert [epoch.epoch for epoch in run.curve()] == [1, 2]


def test_a_run_that_fails_no_longer_says_that_it_runs(tmp_path, monkeypatch):
    def diverges(training):
        yield Step(1, 3)
        raise Diverged

    monkeypatch.setattr(Training, "run", diverges)
    run = Run(small.run_file(CHOSEN), tmp_path)
    with pytest.raises(Diverged):
        list(run.train(small.training(CHOSEN)))
    assert runs.status_in(run.folder)["state"] == "stopped"


def test_killed_at_ten_random_moments_and_gone_on_with_it_ends_byte_for_byte_as_undisturbed(tmp_path, never_killed):
    assert "state-10.safetensors" in never_killed
    chance = random.Random(16)
    for _ in range(10):
        assert _in_a_process(tmp_path, chance.randint(1, 30)) == -signal.SIGKILL
    assert _in_a_process(tmp_path) == 0
    assert _result(tmp_path / small.run_file(killable.CHOSEN).id) == never_killed


KILLS = int(os.environ.get("KILLS", "60"))


@pytest.mark.slow
def test_killed_many_times_at_random_moments_nothing_is_unreadable_and_every_run_ends_as_undisturbed(
    tmp_path, never_killed, monkeypatch
):
    chance, kills, turn = random.Random(41), 0, 0
    run_id = small.run_file(killable.CHOSEN).id
    while kills < KILLS:
        root, turn = tmp_path / str(turn), turn + 1
        monkeypatch.setenv("ATTNVIZ_RUNS", str(root))
        while (ended := _in_a_process(root, chance.randint(1, 80))) != 0:
            assert ended == -signal.SIGKILL
            kills += 1
            if run_id in runs.ids():
                runs.read(run_id)
                runs.curve(run_id)
                mistakes.read(run_id)
                for epoch in runs.epochs(run_id):
                    runs.weights(run_id, epoch)
        assert _result(root / run_id) == never_killed


AROUND_AN_END = [pytest.param(moment, marks=[pytest.mark.slow] * (moment not in (9, 18))) for moment in range(9, 30, 3)]


@pytest.mark.parametrize("moment", AROUND_AN_END)
def test_killed_once_around_the_end_of_an_epoch_it_ends_byte_for_byte_as_undisturbed(tmp_path, never_killed, moment):
    assert _in_a_process(tmp_path, moment) == -signal.SIGKILL
    assert _in_a_process(tmp_path) == 0
    assert _result(tmp_path / small.run_file(killable.CHOSEN).id) == never_killed


@pytest.mark.parametrize("kind", kinds.RECIPES)
def test_each_kind_of_training_killed_four_times_ends_byte_for_byte_as_undisturbed(tmp_path, kind):
    chosen = kinds.RECIPES[kind]
    expected = Run(small.run_file(chosen), tmp_path / "undisturbed")
    for _ in expected.train(kinds.training(kind)):
        pass
    moments = (3, 12, 14, 70)  # in the first epoch, around the end of the one that is resumed, and some epochs later
    ended = [_in_a_process(tmp_path, moment, kind) for moment in moments]
    assert ended[:3] == [-signal.SIGKILL] * 3
    assert _in_a_process(tmp_path, kind=kind) == 0
    assert _result(tmp_path / small.run_file(chosen).id) == _result(expected.folder)


@pytest.mark.parametrize("stop", [1, 2, 3, 4])
def test_stopped_after_any_epoch_and_gone_on_with_it_ends_as_undisturbed(tmp_path, undisturbed, stop):
    _train(tmp_path, stop)
    assert _result(_train(tmp_path).folder) == undisturbed


def test_a_finished_run_is_left_as_it_is(tmp_path, undisturbed):
    _train(tmp_path)
    events = list(Run(small.run_file(CHOSEN), tmp_path).train(small.training(CHOSEN)))
    assert events == [Resumed(4, True)]
    assert _result(tmp_path / ID) == undisturbed


def test_going_on_says_so_first_and_starting_does_not(tmp_path):
    _train(tmp_path, stop=2)
    events = list(Run(small.run_file(CHOSEN), tmp_path).train(small.training(CHOSEN)))
    assert events[0] == Resumed(2, False)
    assert Resumed not in map(type, events[1:])
    assert type(next(Run(small.run_file(CHOSEN), tmp_path / "new").train(small.training(CHOSEN)))) is Step


def test_half_a_line_in_the_curve_is_cut_and_written_again(tmp_path, undisturbed):
    run = _train(tmp_path, stop=2)
    curve = run.folder / "curve.jsonl"
    curve.write_text(curve.read_text() + '{"epoch": 3, "train_lo')
    assert [epoch.epoch for epoch in run.curve()] == [1, 2]
    assert _result(_train(tmp_path).folder) == undisturbed


def test_a_line_of_an_epoch_whose_state_was_never_written_is_cut_and_made_again(tmp_path, undisturbed):
    run = _train(tmp_path, stop=3)
    (run.folder / "state-3.safetensors").unlink()
    assert len(run.curve()) == 3
    assert _result(_train(tmp_path).folder) == undisturbed


def _cut(content: bytes) -> bytes:
    return content[:-7]


def _empty(_: bytes) -> bytes:
    return b""


def _foreign(_: bytes) -> bytes:
    return b"\x02\x00\x00\x00\x00\x00\x00\x00{}"  # a whole safetensors file with nothing in it


@pytest.mark.parametrize("damage", [_cut, _empty, _foreign])
def test_a_damaged_newest_state_falls_back_to_the_one_before(tmp_path, undisturbed, damage: Callable[[bytes], bytes]):
    path = _train(tmp_path, stop=3).folder / "state-3.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    training = small.training(CHOSEN)
    first = next(event for event in Run(small.run_file(CHOSEN), tmp_path).train(training) if isinstance(event, Epoch))
    assert first.epoch == 3
    assert _result(_train(tmp_path).folder) == undisturbed


def test_a_state_of_another_version_is_refused(tmp_path):
    folder = _train(tmp_path, stop=1).folder
    path = folder / "state-1.safetensors"
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(tensors, path, {"numbers": '{"epoch": 1, "best_epoch": 1, "best_loss": 0.5}'})
    with pytest.raises(
        RunError, match=r"state-1.safetensors was written by another version of attnviz. Nothing was changed. Remove"
    ):
        _train(tmp_path)


OTHERWISE = pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"recipe": small.recipe("pixel_line", learning_rate=1e-3)}, "recipe"),
        ({"data_digest": "1"}, "data digest"),
        ({"device": "cuda"}, "device"),
    ],
    ids=["recipe", "data", "device"],
)


@OTHERWISE
def test_a_run_with_another_setting_has_a_folder_of_its_own_beside_the_first(tmp_path, undisturbed, change, word):
    _train(tmp_path, stop=1)
    other = Run(small.run_file(CHOSEN, **change), tmp_path)
    assert (other.folder.parent, other.info.id, other.curve()) == (tmp_path, other.folder.name, [])
    assert other.folder.name.rpartition(".")[0] == ID.rpartition(".")[0] and other.folder.name != ID
    assert _result(_train(tmp_path).folder) == undisturbed


@OTHERWISE
def test_a_folder_whose_settings_were_changed_is_refused(tmp_path, change, word):
    run = _train(tmp_path, stop=1)
    (run.folder / "run.json").write_text(small.run_file(CHOSEN, **change).model_dump_json())
    before = _result(run.folder)
    with pytest.raises(
        RunError, match=f"holds a run with another {word}. Resume it as it was started, or remove the folder"
    ):
        Run(small.run_file(CHOSEN), tmp_path)
    assert _result(run.folder) == before


def test_words_and_new_defaults_do_not_rename_a_run():
    """Otherwise a new version of attnviz would train what is trained already."""
    described = small.recipe("pixel_line", epochs=4, title="Other", why="Other.", cost="1 minute")
    assert small.run_file(described).id == ID == "pixel_line.small.0.f9d38823c0"
    assert small.run_file(CHOSEN, threads=3, command="other").id == ID


def test_a_run_of_an_earlier_version_is_found_under_its_name_and_resumed(tmp_path, undisturbed):
    earlier = _train(tmp_path, stop=2).folder.rename(tmp_path / "pixel_line.small.0")
    for path in earlier.glob("weights-*"):
        path.unlink()
    run = _train(tmp_path)
    assert run.folder == earlier and list(tmp_path.iterdir()) == [earlier]
    assert _result(earlier) == {name: one for name, one in undisturbed.items() if name not in WEIGHTS_1_2}
    assert Run(small.run_file(CHOSEN, data_digest="1"), tmp_path).folder.name != earlier.name


def test_a_run_of_an_earlier_version_that_cannot_be_read_is_left_alone(tmp_path):
    earlier = tmp_path / "pixel_line.small.0"
    earlier.mkdir()
    (earlier / "run.json").write_text("{")
    assert Run(small.run_file(CHOSEN), tmp_path).folder == tmp_path / ID
    assert (earlier / "run.json").read_text() == "{"


def test_a_run_keeps_the_threads_and_the_command_that_it_was_started_with(tmp_path):
    Run(small.run_file(CHOSEN), tmp_path)
    run = Run(small.run_file(CHOSEN, threads=7, command="other"), tmp_path)
    assert (run.info.threads, run.info.command) == (1, "attnviz train")


def test_another_seed_has_a_folder_of_its_own(tmp_path):
    folder = Run(small.run_file(CHOSEN, seed=3), tmp_path).folder
    assert folder == tmp_path / ID.replace(".0.", ".3.")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"seed": 0}', "\x00\x01"])
def test_a_run_file_that_cannot_be_read_is_one_sentence(tmp_path, content):
    run = Run(small.run_file(CHOSEN), tmp_path)
    (run.folder / "run.json").write_text(content)
    with pytest.raises(RunError, match="run.json cannot be read. Remove the folder to train from the start"):
        Run(small.run_file(CHOSEN), tmp_path)


def _hold(path: Path, held: Event, finish: Event) -> None:
    with FileLock(path):
        held.set()
        finish.wait(timeout=120)


def test_a_second_process_on_the_same_run_is_refused_until_the_first_has_ended(tmp_path, undisturbed):
    run = Run(small.run_file(CHOSEN), tmp_path)
    held, finish = FORKS.Event(), FORKS.Event()
    first = FORKS.Process(target=_hold, args=(run.folder / "lock", held, finish))
    first.start()
    assert held.wait(timeout=120)
    with pytest.raises(RunError, match=rf"Another process is training .*{ID}\. Wait for it, or stop it"):
        next(run.train(small.training(CHOSEN)))
    assert {path.name for path in run.folder.iterdir()} == {"run.json", "lock"}
    finish.set()
    first.join(timeout=120)
    assert _result(_train(tmp_path).folder) == undisturbed


def test_the_lock_is_free_again_after_an_error_in_the_training(tmp_path):
    training = small.training(CHOSEN)
    training.recipe = None  # type: ignore[assignment]
    with pytest.raises(AttributeError) as caught:
        list(Run(small.run_file(CHOSEN), tmp_path).train(training))
    assert len(_train(tmp_path).curve()) == 4
    assert caught.tb  # whoever keeps the error keeps the lock's last reference: it was not freed by chance


# A disk that is full, a folder that may not be written to. Root may write anywhere, so the system's answer is played.


@pytest.mark.parametrize("call", range(1, 17))
def test_a_full_disk_at_any_sync_is_one_sentence_and_costs_nothing(tmp_path, monkeypatch, undisturbed, call):
    _train(tmp_path, stop=2)
    left, fsync = call, os.fsync

    def full(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(RunError, match=r"cannot be written: no space left on device\. Fix that and start the same"):
            _train(tmp_path)
    assert left <= 0, "as many syncs there are"
    assert not list((tmp_path / ID).glob(".*"))
    assert _result(_train(tmp_path).folder) == undisturbed


def test_a_disk_that_fills_in_the_middle_of_a_line_costs_nothing(tmp_path, monkeypatch, undisturbed):
    run = _train(tmp_path, stop=2)
    opened = files.opened

    def half(path: Path, mode: str = "rb") -> object:
        file = opened(path, mode)
        if path.name == "curve.jsonl" and mode == "ab":
            file.write(b'{"epoch": 3, "tra')
            file.close()
            raise OSError(errno.ENOSPC, "No space left on device")
        return file

    with monkeypatch.context() as patch:
        patch.setattr(files, "opened", half)
        with pytest.raises(RunError, match="no space left on device"):
            _train(tmp_path)
    assert (run.folder / "curve.jsonl").read_text().endswith('{"epoch": 3, "tra')
    assert _result(_train(tmp_path).folder) == undisturbed


def _read_only(*_: object, **__: object) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


@pytest.mark.parametrize(
    "step", [(Path, "mkdir"), (files, "write"), (FileLock, "acquire")], ids=["folder", "file", "lock"]
)
def test_a_read_only_folder_is_one_sentence_and_costs_nothing(tmp_path, monkeypatch, undisturbed, step):
    if step[0] is FileLock:
        _train(tmp_path, stop=2)
    with monkeypatch.context() as patch:
        patch.setattr(*step, _read_only)
        with pytest.raises(RunError, match=rf"{ID} cannot be written: read-only file system\. Fix that"):
            _train(tmp_path)
    assert _result(_train(tmp_path).folder) == undisturbed


def test_runs_lie_where_the_environment_says_else_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "elsewhere"))
    assert Run(small.run_file(CHOSEN)).folder == tmp_path / "elsewhere" / ID
    monkeypatch.delenv("ATTNVIZ_RUNS")
    monkeypatch.chdir(tmp_path)
    assert Run(small.run_file(CHOSEN)).folder == Path("runs", ID)
    assert (tmp_path / "runs" / ID / "run.json").exists()
