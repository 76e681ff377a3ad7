"""The apps and the arithmetic of benchmarks/, which nothing else runs."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.pairs import interval

APPS = sorted((Path(__file__).parents[1] / "benchmarks" / "apps").glob("*.py"))


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.stem)
def test_an_app_opens(app: Path) -> None:
    test = AppTest.from_file(str(app), default_timeout=120).run()
    assert not test.exception
    assert len(test.main) > 0


def test_the_interval_of_a_median_holds_it_19_times_out_of_20() -> None:
    assert interval([3.0, 1.0, 2.0, 9.0, 8.0, 7.0, 4.0, 5.0, 6.0]) == (2.0, 8.0)  # 1 - 20 / 512 = 0.961
    assert interval([float(one) for one in range(1, 13)]) == (3.0, 10.0)  # 1 - 158 / 4096 = 0.961
    assert interval([2.0]) == (2.0, 2.0)
