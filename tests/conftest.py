"""What all tests share: no test reads a data set that happens to lie on this machine."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_data_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point ATTNVIZ_DATA at an empty folder, for the tests and for every process they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_DATA", str(tmp_path_factory.mktemp("no-data-sets")))
        yield
