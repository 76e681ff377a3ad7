"""The apps that the benchmarks compare this one with: each opens without an error, and draws something."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

APPS = sorted((Path(__file__).parents[1] / "benchmarks" / "apps").glob("*.py"))


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.stem)
def test_an_app_of_the_benchmarks_opens(app: Path) -> None:
    test = AppTest.from_file(app, default_timeout=60).run()
    assert [one.value for one in test.exception] == []
    assert len(test.main) > 0


def test_a_panel_without_a_map_shows_the_picture() -> None:
    """Of the page of reruns: some of its panels draw stages of layers or a path, which are no single map."""
    test = AppTest.from_file(next(app for app in APPS if app.stem == "rerun_draw"), default_timeout=60).run()
    titles = [one.value for one in test.subheader]
    assert any("Element-wise" in title for title in titles), titles
    assert any("Glimpses" in title for title in titles), titles
    assert len(test.image) == 1 + len(titles)
