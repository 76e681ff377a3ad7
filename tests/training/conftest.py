"""A folder of runs and checkpoints, with one small recipe."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.training import small


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    with small.place(tmp_path):
        yield tmp_path
