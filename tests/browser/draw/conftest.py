"""The draw page, with the models that its panels are tested on."""

from pathlib import Path

import pytest

from ..cards import link_checkpoints
from ..conftest import Serve
from ..models import IN_COLOUR, ON_CARDS


@pytest.fixture(scope="session")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return link_checkpoints(tmp_path_factory.mktemp("checkpoints"), (*ON_CARDS, IN_COLOUR))


@pytest.fixture
def address(serve: Serve, shelved: Path) -> str:
    return serve(env={"ATTNVIZ_CHECKPOINTS": str(shelved)}) + "/draw"
