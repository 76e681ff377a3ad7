"""Small checkpoints of recurrent attention for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .placed import place


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the checkpoints of placed.py."""
    return place(tmp_path_factory.mktemp("recurrent_attention"))


@pytest.fixture
def placed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let these checkpoints be all there are, and no data set be downloaded."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    yield folder
