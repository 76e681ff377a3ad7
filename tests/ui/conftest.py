"""Small models with drawn weights: `here` makes them the only ones there are."""

from pathlib import Path

import pytest

from attnviz.models import MODELS
from tests.ui.mechanisms.pixel_attention.experiments.placed import place

from . import colour_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the checkpoints of `folder` be all there are, and return it."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    return folder


@pytest.fixture(scope="session")
def in_colour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return colour_model.lay(tmp_path_factory.mktemp("colour"))


@pytest.fixture
def colour(in_colour: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a third party's colour model the only one there is, and return the name of its checkpoint."""
    monkeypatch.setitem(MODELS, "colour_blocks", colour_model.ROW)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(in_colour))
    return colour_model.NAME
