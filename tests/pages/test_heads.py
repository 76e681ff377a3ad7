"""The page about heads over many pictures, run without a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.head_table.work import Work
from attnviz.ui.shared import jobs

from .reading import headers, run

PAGE = "46_heads.py"
MODEL = "pixel_attention.digits"


@pytest.fixture
def folder() -> Path:
    return Path(__file__).parents[2] / "checkpoints"


@pytest.fixture(autouse=True)
def few(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the work be short, keep nothing, and let it end before the next test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(Work.__init__, "__defaults__", (None, 2))  # places that are erased
    yield
    for job in list(jobs._jobs.values()):
        job.stop()
        job.wait(job.count, 60)


def test_heads_are_measured_and_the_pictures_of_one_are_shown(page: AppTest) -> None:
    run(page, model=MODEL, data="strokes", count="100", head="2", of="3")
    for job in list(jobs._jobs.values()):
        job.wait(job.count, 240)
    page.run()
    found = headers(page, "heads")
    assert not page.error and not page.exception
    header = found[0]
    assert [one["name"] for one in header["heads"]] == [f"1.{head}" for head in range(1, 9)]
    moved = header["moved"]
    assert moved["head"] == 1 and all(caption.startswith("3") for caption in moved["captions"])
    assert [one.proto.label for one in page.get("download_button")] == ["Every picture (npz)", "One page (HTML)"]
    assert moved["links"][0].startswith(f"pixel_attention?v=2&model={MODEL}&data=strokes&number=")


def test_nonsense_in_the_url_gives_a_sentence_and_the_default(page: AppTest) -> None:
    run(page, model=MODEL, count="7", of="cat", measured="no")
    assert len(page.warning) == 2 and not page.exception
