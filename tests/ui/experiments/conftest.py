"""Small models with drawn weights for the experiments to open: `here` makes them the only ones there are."""

from pathlib import Path

import numpy as np
import pytest

from attnviz import data

from .placed import place


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def here(placed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(placed))


@pytest.fixture(scope="module")
def eight() -> int:
    """Return the number of a drawn 8."""
    return int(np.flatnonzero(data.load("strokes", "test", count=256).labels == 8)[0])
