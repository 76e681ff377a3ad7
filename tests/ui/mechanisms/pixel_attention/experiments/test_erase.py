"""*Does it matter?* on its page: it follows the URL, says nonsense, and its curve comes in chunks."""

import re
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import data, models
from attnviz.answers import as_batch
from attnviz.measures.erasure import Curve
from attnviz.measures.token_boxes import Fill
from attnviz.subjects import Loaded, Net, Picture
from attnviz.subjects import net as net_of
from attnviz.tracing import trace
from attnviz.ui.mechanisms.pixel_attention.experiments import erase
from attnviz.ui.shared import cache, jobs
from attnviz.views.payload import unpack

from .opened import opened

ROOT = Path(__file__).parents[5]
NAME = "pixel_attention.without"
WAIT = 60.0
VERDICT = "Without the most attended pixels this model is"


pytestmark = pytest.mark.usefixtures("here")


def run(**words: str) -> AppTest:
    return opened({"model": NAME, "experiment": "erase", **words})


def grid(test: AppTest) -> tuple[dict, np.ndarray]:
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("map_grid")]
    header, arrays = unpack(found.proto.bytes)
    return header, arrays["maps"]


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erase, "PICTURES", 6)
    monkeypatch.setattr(jobs, "_jobs", type(jobs._jobs)())  # none is left of another test


def net() -> Net:
    return net_of(NAME)


def test_the_url_says_how_many_are_removed_and_what_they_get() -> None:
    header, maps = grid(run(removed="50", fill="background"))
    assert maps.shape == (8, 28, 28)
    assert header["origin"]["removed"] == 50
    seen, holes = maps[:4], maps[4:]
    assert holes.sum((1, 2)).tolist() == [0, 50, 50, 50]
    np.testing.assert_array_equal(seen[1:], np.where(holes[1:] > 0, 0, seen[0]))
    ink = seen[0] > 0
    assert (holes[1] * ink).sum() == (holes[3] * ink).sum(), "a random choice has as much ink"
    number = int(header["origin"]["image"].rpartition("/")[2])
    image = as_batch(data.load("strokes", "test", count=256).images[number], double=True)
    model = net().load(double=True).model
    with torch.no_grad(), trace(model, ["attention.weights"]) as heard:
        model(image)
    received = heard["attention.weights"].at(batch=0).mean((0, 1)).numpy().reshape(28, 28)
    assert received[holes[1] > 0].min() >= received[holes[1] == 0].max() * (1 - 1e-6)


def test_nothing_removed_is_a_sentence_and_nonsense_the_default() -> None:
    assert "Nothing is removed" in run(removed="0").info[0].value
    test = run(removed="9000", fill="grey", curve="perhaps")
    complaints = "\n".join(warning.value.replace("\\", "") for warning in test.warning)
    for part in ("removed '9000'", "fill 'grey'", "curve 'perhaps'"):
        assert part in complaints
    assert grid(test)[0]["origin"]["removed"] == 39
    assert "| 39 pixels |" in prose(test)


def test_the_curve_waits_for_a_button_and_then_says_what_came_out(few: None) -> None:
    test = run()
    assert VERDICT not in prose(test)
    assert test.button(key="erase_start").label == "Remove from 6 pictures"
    test.button(key="erase_start").click().run()
    assert not test.exception
    assert test.query_params["curve"] in ("yes", ["yes"])
    assert job().wait(2, WAIT)
    test.run()
    assert "6 pictures)" in prose(test)
    assert VERDICT in prose(test)
    assert [button.label for button in test.button if button.key and button.key.startswith("erase")] == []


def test_a_curve_can_be_stopped_and_goes_on_where_it_was(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erase, "CHUNK", 3)
    computed: list[int] = []
    second, chunk = Event(), erase.chunk

    def counted(loaded: Loaded, source: str, fill: Fill, first: int) -> Curve:
        computed.append(first)
        if first and not second.wait(WAIT):
            raise TimeoutError
        return chunk(loaded, source, fill, first)

    monkeypatch.setattr(erase, "chunk", counted)
    test = run(curve="yes", fill="background")
    assert job("background").wait(1, WAIT)
    test.run()
    assert "3 pictures)" in prose(test)
    assert test.get("progress")[0].proto.value == 50
    test.button(key="erase_stop").click().run()
    second.set()
    assert "curve" not in test.query_params
    assert VERDICT not in prose(test)
    test.button(key="erase_start").click().run()
    assert job("background").wait(2, WAIT)
    test.run()
    assert "6 pictures)" in prose(test)
    assert computed == [0, 3], "it went on where it was"


def job(fill: Fill = "mean") -> jobs.Job[Curve]:
    return erase.job_of(net(), "strokes", fill)


def piece_of(words: tuple) -> Any:
    return erase.chunk(cache.single(net()), *words)


def test_a_piece_is_the_curve_of_its_own_pictures(few: None) -> None:
    from attnviz.measures import erasure

    numbers = erase.fitting(net(), "strokes")
    assert numbers.tolist() == np.flatnonzero(np.isin(data.labels("strokes", "test"), (1, 8)))[:6].tolist()
    found = piece_of(("strokes", "mean", 4))
    assert found.counts.tolist() == [8, 16, 39, 78, 157]
    assert found.random.shape == (2, 5, 20)
    assert erase.DRAWS == erasure.DRAWS == 20
    exact = net().load(double=True).model
    for at, number in enumerate(numbers[4:6]):
        image = as_batch(data.load("strokes", "test", count=256).images[number], double=True)[0]
        seen = erasure.look(exact, image)
        assert found.logits[at] == pytest.approx(seen.logit, abs=1e-3)
        assert found.answers[at] == seen.answer


@pytest.mark.parametrize(
    ("config", "places", "unit"),
    [({"heads": 1}, 784, "pixels"), ({"pool": 2}, 196, "boxes of 2 × 2 pixels"), ({"patch": 28}, 1, None)],
)
def test_tokens_are_counted_from_the_config_and_one_token_is_refused(
    config: dict, places: int, unit: str | None
) -> None:
    changed = replace(net(), grid=models.spec(net().architecture).grid(config))
    assert erase.places_of(changed) == places
    refused = erase.refusal(changed)
    if unit is None:
        assert refused and "one token" in refused
    else:
        assert refused is None
        assert erase.unit_of(changed) == unit


def test_the_sentence_says_what_the_table_says() -> None:
    text = prose(run(removed="30"))
    logit = float(re.search(r"with a logit of ([−\d.]+)\.", text)[1].replace("−", "-"))
    after = float(re.search(r"most attended pixels the logit is ([−\d.]+),", text)[1].replace("−", "-"))
    change = float(re.search(r"most attended \| \d+ \| \w+ \| ([+−\d.]+) \|", text)[1].replace("−", "-"))
    assert after - logit == pytest.approx(change, abs=0.02 * max(1, abs(logit), abs(after)))


def test_the_table_says_what_the_model_answers_without_them() -> None:
    exact = net().load(double=True)
    for count in (40, 200, 390):
        found = erase.removal(exact, Picture("strokes", 0), count, "background")
        again = exact.model(torch.from_numpy(found.pictures[1:, None]))[:, 0]
        assert found.answers[:3].tolist() == (again > 0).long().tolist()
        toward = again * (2 * found.answer - 1)
        np.testing.assert_allclose(found.logit + found.changes[:3], toward, atol=1e-9)
        assert ((found.answers == found.answer) == (found.logit + found.changes > 0)).all()
