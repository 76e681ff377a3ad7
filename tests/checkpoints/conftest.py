"""A folder of checkpoints that holds a small one."""

from pathlib import Path

import pytest

from tests.training import small


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a checkpoint that is right."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    return small.lay(tmp_path, *small.checkpoint()[1:])
