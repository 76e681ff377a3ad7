"""benchmarks/, each started once, as little as it can measure (`BENCHMARKS_SMALL`, see conftest.py)."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz.data import strokes
from attnviz.ui.draw import panels
from benchmarks import draw, estimate
from benchmarks.pairs import interval
from tests.browser import harness
from tests.sweeps import sweep
from tests.ui.brought import bring

ROOT = Path(__file__).parents[1]
APPS = sorted((ROOT / "benchmarks" / "apps").glob("*.py"))
TEXTS = {file.stem: file.read_text() for file in sorted((ROOT / "benchmarks").glob("*.py"))}
MAINS = [name for name, text in TEXTS.items() if "def main()" in text]
SLOW = ("run_app", "sync_playwright", "subprocess", "torchvision")  # a server, a browser, processes, a large model
APART = ("hundred", "watched", "own_model", "layers")  # they want servers or trainings of their own
GIVEN = {
    "costs": ["channel_attention.digits"],
    "page_runs": ["--pages", "element_wise", "sequences"],
    "pairs": [str(ROOT), sys.executable],
}

Run = Callable[..., AbstractContextManager[harness.Server]]


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of data sets: drawn digits as MNIST's and Fashion-MNIST's, black pictures as CIFAR-10's."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("mnist", "fashion_mnist", "cifar10"):
        bring(folder, name)
    digits = strokes.draw(np.arange(100) % 10, seed=3)
    for file in (*(folder / "mnist").glob("*-images.npy"), *(folder / "fashion_mnist").glob("*-images.npy")):
        images = np.load(file, mmap_mode="r+")
        for at in range(0, len(images), 100):
            images[at : at + 100] = digits
        images.flush()
    return folder


@pytest.fixture(scope="module")
def shared() -> Iterator[Run]:
    """Yield what runs an app as `harness.run_app` does, but for all benchmarks together."""
    started: dict[tuple[str, ...], harness.Server] = {}
    with ExitStack() as stack:

        @contextmanager
        def run(path: str = "app.py", env: dict[str, str] | None = None, **more: Any) -> Iterator[harness.Server]:
            given = {**os.environ, **(env or {})}
            key = (path, *(str(given.get(f"ATTNVIZ_{name}")) for name in ("CHECKPOINTS", "DATA")))
            if key not in started:
                started[key] = stack.enter_context(harness.run_app(path, env, **more))
            yield started[key]

        yield run


@pytest.mark.parametrize("name", sweep(MAINS, lambda name: not any(word in TEXTS[name] for word in SLOW)))
def test_a_benchmark_runs(
    name: str, brought: Path, shared: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATTNVIZ_DATA", str(brought))
    words = GIVEN.get(name, [])
    if name in APART:
        done = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}", *words], capture_output=True, check=False, text=True, cwd=ROOT
        )
        assert done.returncode == 0, done.stderr
        said = done.stdout
    else:
        monkeypatch.setattr(sys, "argv", [name, *words])
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)  # one of them sets it
        module = import_module(f"benchmarks.{name}")
        monkeypatch.setattr(module, "run_app", shared, raising=False)
        with mock.patch.dict(os.environ):  # another sets variables
            module.main()
        said = capsys.readouterr().out
    assert " | " in said or name == "dying", said


def test_the_bare_pass_of_every_panel_takes_what_the_model_takes() -> None:
    """A model of 42 x 42 was given 28 x 28, and the benchmark of the draw page failed."""
    for name in panels.chosen():
        assert torch.isfinite(draw.bare(name)()).all(), name


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
