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
