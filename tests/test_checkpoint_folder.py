"""Where checkpoints lie, attnviz/checkpoint_folder.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from attnviz import checkpoint_folder


def test_the_environment_comes_first_then_what_is_installed_then_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS", raising=False)
    repository = Path(__file__).parents[1] / "checkpoints"
    assert checkpoint_folder.folder() == repository
    installed = tmp_path / "_checkpoints"
    monkeypatch.setattr(checkpoint_folder, "_INSTALLED", installed)
    assert checkpoint_folder.folder() == repository, "nothing is installed there"
    installed.mkdir()
    assert checkpoint_folder.folder() == installed
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "mine"))
    assert checkpoint_folder.folder() == tmp_path / "mine", "even if it is not there yet"
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", "")
    assert checkpoint_folder.folder() == installed


def test_it_costs_no_numpy() -> None:
    code = "import attnviz.checkpoint_folder, sys; assert not {'numpy', 'pydantic', 'torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("platform", "variable", "parts"),
    [
        ("linux", "XDG_DATA_HOME", (".local", "share")),
        ("win32", "LOCALAPPDATA", ("AppData", "Local")),
        ("darwin", "NONE", ("Library", "Application Support")),
    ],
)
def test_kept_models_lie_where_the_environment_says_else_among_the_users_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, parts: tuple[str, ...]
) -> None:
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "mine"))
    assert checkpoint_folder.kept() == tmp_path / "mine"
    monkeypatch.setenv("ATTNVIZ_KEPT", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv(variable, raising=False)
    assert checkpoint_folder.kept() == tmp_path.joinpath(*parts, "attnviz", "checkpoints")
    monkeypatch.setenv(variable, str(tmp_path / "data"))
    if platform != "darwin":
        assert checkpoint_folder.kept() == tmp_path / "data" / "attnviz" / "checkpoints"
    assert list(tmp_path.iterdir()) == []
