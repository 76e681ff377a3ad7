"""Small models with drawn weights: `here` makes them the only ones there are."""

from pathlib import Path

import pytest

from .experiments.placed import place


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def here(placed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(placed))
