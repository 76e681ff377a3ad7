"""What the tests of the pages share."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[2] / "pages"


@pytest.fixture
def page(request: pytest.FixtureRequest, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Return the module's PAGE, not run yet, with the small checkpoints of its `folder` and no downloaded data."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    return AppTest.from_file(PAGES / request.module.PAGE, default_timeout=120)
