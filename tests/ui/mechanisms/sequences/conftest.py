"""Small checkpoints of nets that read strips, for the tests of this folder."""

from pathlib import Path

import pytest

from .placed import place


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the checkpoints of placed.py."""
    return place(tmp_path_factory.mktemp("sequences"))
