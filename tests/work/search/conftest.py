"""A folder of its own for the searches of each test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.work.search import searching


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    """Return the folder that searches lie in."""
    with searching.place(tmp_path):
        yield tmp_path
