"""The page about heads over many pictures, run without a browser."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import pytest
import torch
from PIL import Image
from streamlit.testing.v1 import AppTest

import attnviz
from attnviz.head_table.work import PLACES, Work
from attnviz.subjects import own, photos
from attnviz.ui.heads.own import together
from attnviz.ui.shared import jobs
from attnviz.views.payload import unpack

from .reading import headers, run, text
from .test_own_model import CODE

PAGE = "46_heads.py"
MODEL = "pixel_attention.digits"
jobs_parts = jobs.Job.parts


@pytest.fixture
def folder() -> Path:
    return Path(__file__).parents[2] / "checkpoints"


@pytest.fixture
def own_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> own.Own:
    """Start with a model that attnviz has never seen."""
    (tmp_path / "mine.py").write_text(CODE)
    monkeypatch.setenv(own.MODEL, f"{tmp_path / 'mine.py'}:vit")
    return own.own()


@pytest.fixture(autouse=True)
def few(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the work be short, keep nothing, and let it end before the next test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    defaults = tuple(2 if one == PLACES else one for one in Work.__init__.__defaults__ or ())
    monkeypatch.setattr(Work.__init__, "__defaults__", defaults)
    yield
    for job in list(jobs._jobs.values()):
        job.stop()
        job.wait(job.count, 60)


def finish(page: AppTest) -> None:
    """Let all jobs end, those too that begin once others have ended, and run the page again."""
    for _ in range(2):
        for job in list(jobs._jobs.values()):
            job.wait(job.count, 240)
        page.run()
    assert not page.error and not page.exception


def test_heads_are_measured_and_statements_tested_over_the_chosen_pictures(page: AppTest) -> None:
    run(page, model=MODEL, data="strokes", count="10", head="2", of="3", claims="yes")
    finish(page)
    header = headers(page, "heads")[0]
    assert [one["name"] for one in header["heads"]] == [f"1.{head}" for head in range(1, 9)]
    moved = header["moved"]
    assert moved["head"] == 1 and all(caption.startswith("3") for caption in moved["captions"])
    assert not header["measuring"]
    buttons = page.get("download_button")
    assert [one.proto.label for one in buttons] == ["Every picture (npz)", "One page (HTML)"]
    assert not any(one.proto.disabled for one in buttons)
    assert moved["links"][0].startswith(f"pixel_attention?v=2&model={MODEL}&data=strokes&number=")
    chosen = f"For head 1.2, over {header['pictures']} of the 10 measured pictures, "
    assert header["pictures"] < 10 and any(chosen in one.value for one in page.caption)


def test_what_is_not_measured_yet_is_not_saved(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.Job, "parts", lambda job: jobs_parts(job)[:1])
    run(page, model=MODEL, data="strokes", count="100")
    for job in list(jobs._jobs.values()):
        job.wait(1, 240)
    page.run()
    (header,) = headers(page, "heads")
    assert header["measuring"] and header["pictures"] < 100
    assert all(one.proto.disabled for one in page.get("download_button"))


def test_nonsense_in_the_url_gives_a_sentence_and_the_default(page: AppTest) -> None:
    run(page, model=MODEL, count="7", of="cat", measured="no")
    assert len(page.warning) == 2 and not page.exception


def test_a_model_of_ones_own_is_measured_over_photographs(
    page: AppTest, own_model: own.Own, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "photos").mkdir()
    words = [f"{number} & more.png" for number in range(3)]
    for number, word in enumerate(words):
        noise = np.random.default_rng(number).integers(0, 256, (60, 90, 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / "photos" / word)
    monkeypatch.setenv(photos.VARIABLE, str(tmp_path / "photos"))
    key = own_model.net.key
    run(page, model=key, head="2", across="entropy", claims="yes")
    assert not headers(page, "heads"), "it takes long, and is begun by hand"
    page.button(key="measured_start").click().run()
    finish(page)
    assert not page.warning
    header = headers(page, "heads")[0]
    taken = torch.stack([own_model.prepare(Image.fromarray(photos.Photo(word).picture)) for word in words])
    expected = attnviz.heads(own_model.model, taken, places=2)
    assert [one["name"] for one in header["heads"]] == [one.name for one in expected.heads] == ["1.1", "1.2"]
    means = np.stack([expected.mean(one["name"]).value for one in header["measures"]])
    found = [unpack(one.proto.bytes) for one in page.get("bidi_component")]
    [shown] = [arrays for header, arrays in found if "heads" in header]
    np.testing.assert_allclose(shown["means"], means, atol=1e-5)
    assert expected.random is not None
    np.testing.assert_allclose(shown["random_means"][3], expected.random.mean("entropy").value, atol=1e-5)
    most = words[int(np.argmax(expected["effect"][1]))]
    assert header["moved"]["links"][0] == f"explorer?v=2&model={key}&photo={quote_plus(most)}&head=2&address=attention"
    assert header["moved"]["captions"][0].split(" ")[0] in ("cat", "dog", "owl")
    assert any("over 3 of the 3 measured pictures" in one.value for one in page.caption)
    Image.new("RGB", (90, 60), "red").save(tmp_path / "photos" / words[0])
    page.run()
    assert not headers(page, "heads"), "another file is another picture, and nothing is measured of it yet"
    (tmp_path / "photos" / words[0]).write_text("no picture")
    page.run()
    assert "cannot be used" in text(page) and not page.exception


def test_photographs_are_asked_for_where_there_is_no_folder(page: AppTest, own_model: own.Own) -> None:
    run(page, model=own_model.net.key)
    assert "at least two photographs" in page.info[0].value and not page.warning
    one, other = (photos.keep(content) for content in (png("red"), png("blue")))
    run(page, chosen=together((one.word, other.word)))
    assert (
        not page.info
        and not page.warning
        and page.button(key="measured_start").label == "Measure all heads on 2 pictures"
    )
    assert "not on this server" in run(page, chosen="0").warning[0].value


def png(colour: str) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (20, 10), colour).save(content, "PNG")
    return content.getvalue()
