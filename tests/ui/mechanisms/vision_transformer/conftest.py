"""Small checkpoints of vision transformers for the tests of this folder."""

from pathlib import Path

import pytest

from .placed import place


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the checkpoints of placed.py."""
    return place(tmp_path_factory.mktemp("vision_transformer"))
