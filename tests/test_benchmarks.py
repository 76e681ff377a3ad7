"""The apps and the arithmetic of benchmarks/, which nothing else runs."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks import estimate
from benchmarks.pairs import interval

APPS = sorted((Path(__file__).parents[1] / "benchmarks" / "apps").glob("*.py"))


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.stem)
def test_an_app_opens(app: Path) -> None:
    test = AppTest.from_file(str(app), default_timeout=120).run()
    assert [one.value for one in test.exception] == []
    assert len(test.main) > 0


def test_a_panel_without_a_map_shows_the_picture() -> None:
    """Of the page of reruns: some of its panels draw stages of layers or a path, which are no single map."""
    test = AppTest.from_file(str(next(app for app in APPS if app.stem == "rerun_draw")), default_timeout=120).run()
    titles = [one.value for one in test.subheader]
    assert any("Element-wise" in title for title in titles), titles
    assert any("Glimpses" in title for title in titles), titles
    assert len(test.image) == 1 + len(titles)


def test_the_interval_of_a_median_holds_it_19_times_out_of_20() -> None:
    assert interval([3.0, 1.0, 2.0, 9.0, 8.0, 7.0, 4.0, 5.0, 6.0]) == (2.0, 8.0)  # 1 - 20 / 512 = 0.961
    assert interval([float(one) for one in range(1, 13)]) == (3.0, 10.0)  # 1 - 158 / 4096 = 0.961
    assert interval([2.0]) == (2.0, 2.0)


# One visitor does an action of 10 ms once a second, and one of 90 ms ten times; it gets 1,000 and 100 bytes for them.
MEASURED = estimate.Figures(
    visitors=10, seconds=20.0, cores=2, costs={"page": 0.01, "draw": 0.09}, rates={"page": 1.0, "draw": 10.0},
    times={"page": 200, "draw": 2000}, received={"page": 200_000, "draw": 200_000}, busy=0.5, megabytes=(400.0, 490.0),
)  # fmt: skip


def test_what_many_visitors_need_follows_from_what_few_took() -> None:
    assert not MEASURED.is_full and MEASURED.share == 1
    assert MEASURED.computing == pytest.approx(0.05)  # 0.5 cores for ten
    assert MEASURED.usable == 2
    assert MEASURED.held == pytest.approx(10)  # 90 MB for nine more
    assert MEASURED.megabits == pytest.approx((1000 + 10 * 100) * 8 / 1e6)
    enough = {limit.what: limit.visitors for limit in estimate.limits(MEASURED)}
    assert enough["a server's computing"] == 24  # 0.6 x 2 cores / 0.05
    assert enough["a server's sockets"] == 200  # 600 / 3
    assert enough["a server's memory"] == 164  # (2,048 - 400) / 10
    assert enough["the connections of nginx"] == 341  # 2 x 1,024 / (2 x 3)
    assert next(iter(enough)) == "a server's computing"
    assert estimate.servers(MEASURED, 1000) == 42
    told = estimate.table(MEASURED)
    assert "| servers | 5 | 42 | 417 |" in told
    assert "| breaks first, with these servers | nothing that is shared | the connections of nginx |" in told


def test_visitors_who_waited_for_one_another_would_have_taken_more() -> None:
    full = replace(MEASURED, times={"page": 100, "draw": 1000}, busy=1.4)  # half of what they wanted
    assert full.is_full and full.share == pytest.approx(0.5)
    assert full.computing == pytest.approx(0.28)
    assert full.usable == 1.4
