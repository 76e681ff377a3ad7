"""What the experiments look at."""

from pathlib import Path

import numpy as np
import pytest

from attnviz import data
from tests.training.several import lay_several


@pytest.fixture(scope="module")
def eight() -> int:
    """Return the number of a drawn 8."""
    return int(np.flatnonzero(data.load("strokes", "test", count=256).labels == 8)[0])


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder of all checkpoints: one of several heads, and nothing else."""
    lay_several(tmp_path)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    return tmp_path
