"""A folder of checkpoints for the tests of one file, instead of the committed ones."""

from collections.abc import Callable
from pathlib import Path

import pytest


def make_folder_fixture(place: Callable[[Path], Path]) -> Callable[[pytest.TempPathFactory], Path]:
    """Return the fixture `folder` of a file of tests, which stands in for the one in conftest.py.

    Args:
        place: writes small checkpoints into an empty folder, which are then all there are, and returns it.
    """

    @pytest.fixture(scope="module")
    def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
        return place(tmp_path_factory.mktemp("checkpoints"))

    return folder
