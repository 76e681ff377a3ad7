"""Where checkpoints lie, attnviz/checkpoint_folder.py."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from attnviz import checkpoint_folder, paths
from attnviz.__main__ import main
from attnviz.looks import one_look


def test_the_environment_comes_first_then_what_is_installed_then_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS", raising=False)
    repository = Path(__file__).parents[1] / "checkpoints"
    assert checkpoint_folder.folder() == repository
    monkeypatch.setattr(paths, "_SHIPPED", tmp_path / "_shipped")
    assert checkpoint_folder.folder() == repository, "nothing is installed there"
    installed = tmp_path / "_shipped" / "checkpoints"
    installed.mkdir(parents=True)
    assert checkpoint_folder.folder() == installed
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "mine"))
    assert checkpoint_folder.folder() == tmp_path / "mine", "even if it is not there yet"
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", "")
    assert checkpoint_folder.folder() == installed


def test_it_costs_no_numpy() -> None:
    code = "import attnviz.checkpoint_folder, sys; assert not {'numpy', 'pydantic', 'torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kept_models_lie_where_the_environment_says_else_among_the_users_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "mine"))
    assert checkpoint_folder.kept() == tmp_path / "mine"
    monkeypatch.setenv("ATTNVIZ_KEPT", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert checkpoint_folder.kept() == platformdirs.user_data_path("attnviz", appauthor=False) / "checkpoints"
    if sys.platform == "linux":
        assert checkpoint_folder.kept() == tmp_path / "data" / "attnviz" / "checkpoints"
    assert list(tmp_path.iterdir()) == []


def test_the_checkpoints_of_an_installed_attnviz_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS", raising=False)
    checkpoint_folder.require_own()
    (tmp_path / "_shipped" / "checkpoints").mkdir(parents=True)
    monkeypatch.setattr(paths, "_SHIPPED", tmp_path / "_shipped")
    assert main(["train", "pixel_attention", "--recipe", "1v8"]) == 2
    assert "ATTNVIZ_CHECKPOINTS" in capsys.readouterr().err
    assert not list((tmp_path / "_shipped" / "checkpoints").iterdir())
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "mine"))
    checkpoint_folder.require_own()


def test_the_command_says_where_everything_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in ("CHECKPOINTS", "KEPT", "RUNS", "DATA"):
        monkeypatch.setenv(f"ATTNVIZ_{word}", str(tmp_path / word.lower()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert main(["paths", "--json"]) == 0
    assert {row["name"]: row["path"] for row in json.loads(capsys.readouterr().out)} == {
        "checkpoints": str(tmp_path / "checkpoints"),
        "kept models": str(tmp_path / "kept"),
        "runs": str(tmp_path / "runs"),
        "data sets": str(tmp_path / "data"),
        "places of tokens": str(tmp_path / "caches" / "attnviz" / "places"),
        "tables of heads": str(tmp_path / "caches" / "attnviz" / "heads"),
    }
    assert main(["paths"]) == 0
    assert "runs (not there yet); ATTNVIZ_RUNS changes it" in capsys.readouterr().out


def lay(folder: Path, name: str, text: str = "{}", *, settled: bool = True) -> Path:
    """Write a card that says nothing, as if a minute ago, and return its path."""
    path = folder / name / "card.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    if settled:
        for one in (path, path.parent, folder):
            settle(one)
    return path


def settle(path: Path) -> None:
    then = path.stat().st_mtime_ns - 60 * 10**9
    os.utime(path, ns=(then, then))


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    return tmp_path


def generation(age: float = 0.0) -> int:
    with one_look(age):
        return checkpoint_folder.snapshot().generation


def test_a_snapshot_says_what_each_folder_holds_ours_before_those_that_somebody_keeps(
    ours: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path_factory.mktemp("kept")
    monkeypatch.setenv("ATTNVIZ_KEPT", str(kept))
    for folder, name in ((kept, "a.mine"), (kept, "b.both"), (ours, "b.both"), (ours, "c.ours"), (ours, "no name")):
        lay(folder, name)
    (ours / "c.ours" / "weights.safetensors").touch()
    (ours / "b.both" / "history").mkdir()
    (ours / "b.both" / "history" / "history.json").touch()
    found = checkpoint_folder.snapshot().found
    assert list(found) == ["b.both", "c.ours", "a.mine"]
    told = {name: (one.home.parent, one.kept, one.has_weights, one.has_history) for name, one in found.items()}
    assert told["b.both"] == (ours, False, False, True)
    assert told["c.ours"] == (ours, False, True, False)
    assert told["a.mine"] == (kept, True, False, False)
    assert {name: checkpoint_folder.found(name) for name in found} == dict(found)
    assert checkpoint_folder.found("no.such") is checkpoint_folder.found("../b.both") is None


def test_within_one_look_all_see_the_same_and_afterwards_what_has_changed(ours: Path) -> None:
    lay(ours, "a.one")
    with one_look():
        before = checkpoint_folder.snapshot()
        lay(ours, "b.two")
        with one_look():
            assert checkpoint_folder.snapshot() is before
        assert list(before.found) == ["a.one"] and checkpoint_folder.found("b.two") is None
    assert list(checkpoint_folder.snapshot().found) == ["a.one", "b.two"]


def test_a_generation_lasts_until_a_checkpoint_is_added_removed_or_rewritten(ours: Path) -> None:
    card = lay(ours, "a.one")
    first = generation()
    assert generation() == first
    code = "import sys; from pathlib import Path; Path(sys.argv[1]).write_text('[]')"
    subprocess.run([sys.executable, "-c", code, str(card)], check=True)  # by another process, in place
    settle(card)
    second = generation()
    assert second != first and generation() == second
    (ours / "a.one" / "weights.safetensors").touch()
    third = generation()
    assert third != second
    (ours / "a.one" / "weights.safetensors").unlink()  # perhaps within the same tick of the clock
    assert not checkpoint_folder.snapshot().found["a.one"].has_weights
    (ours / "a.one" / "history").mkdir()
    assert not checkpoint_folder.snapshot().found["a.one"].has_history
    settle(ours / "a.one")
    assert not checkpoint_folder.snapshot().found["a.one"].has_history
    (ours / "a.one" / "history" / "history.json").touch()  # which does not change the folder above
    assert checkpoint_folder.snapshot().found["a.one"].has_history
    third = generation()
    lay(ours, "b.two")
    fourth = generation()
    assert fourth != third
    shutil.rmtree(ours / "b.two")
    assert generation() not in (third, fourth)


def test_a_card_that_could_be_written_again_within_the_tick_is_no_reason_to_keep_a_generation(ours: Path) -> None:
    lay(ours, "a.one", settled=False)
    assert generation() != generation()


def test_files_inside_checkpoints_are_looked_at_again_once_the_last_look_is_old(
    ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("attnviz.checkpoint_folder.time.monotonic", lambda: now)
    card = lay(ours, "a.one")
    first = generation(0.5)
    card.write_text("[]")
    settle(card)
    now += 0.4
    assert generation(0.5) == first
    now += 0.2
    second = generation(0.5)
    assert second != first
    lay(ours, "b.two", settled=False)  # changes the folder itself
    assert generation(0.5) != second


def test_what_this_process_has_written_is_seen_at_once_also_within_one_look(ours: Path) -> None:
    card = lay(ours, "a.one")
    with one_look(60.0):
        before = checkpoint_folder.snapshot()
        card.write_text("[]")
        settle(card)
        checkpoint_folder.changed()
        assert checkpoint_folder.snapshot().generation != before.generation
    assert generation(60.0) != before.generation
