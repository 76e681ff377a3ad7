"""What all tests share: one thread of torch, and no data set that happens to lie on this machine."""

import os
from collections.abc import Iterator

import pytest

# Before torch is imported, here or in a server that a test starts. Threads that wait for one another on a busy machine
# are many times slower than one; and small models gain nothing by them.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def no_data_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point ATTNVIZ_DATA at an empty folder, for the tests and for every process they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_DATA", str(tmp_path_factory.mktemp("no-data-sets")))
        yield
