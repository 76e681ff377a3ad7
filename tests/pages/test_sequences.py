"""The page of strips, run without a browser."""

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.subjects import Loaded, Strip, Subject, net
from attnviz.ui.mechanisms.sequences import many, reading
from attnviz.ui.mechanisms.sequences.measured import Of, SteeredPart
from attnviz.ui.shared import cache, jobs
from attnviz.ui.shared.experiments import key_of
from tests.ui.mechanisms.sequences.placed import NETS, place

from .reading import headers, run, text
from .tried import tried

PAGE = "70_sequences.py"
STILL = {
    "at": 0, "told": "own", "layer": "", "head": "mean", "column": 0, "mask": True, "moved": [], "measure": "digits",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("checkpoints"))


def shown(page: AppTest) -> dict:
    """Return the header of the strip with its weights."""
    [found] = headers(page, "layers")
    return found


def measure(page: AppTest, name: str, **words: str) -> AppTest:
    """Open an experiment and let it measure to its end."""
    run(page, experiment=name, **words)
    for job in [one for key, one in list(jobs._jobs.items()) if key[0] == name]:
        assert job.wait(job.count, 120)
    return run(page)


@pytest.mark.parametrize("key", NETS)
def test_every_net_that_reads_strips_is_shown(page: AppTest, key: str) -> None:
    run(page, model=key, strip="strokes.3.5")
    assert not page.error
    assert shown(page)["state"]["view"]["value"] == STILL
    assert shown(page)["digits"] == 3
    said = text(page)
    assert {
        "additive": "times an even share",
        "none": "the rows differ by 0",
        "uniform": "the same for all steps",
        "transformer": "In cross-attention, layer 2, at step 1",
    }[shown(page)["kind"]] in said


def test_a_net_that_reads_backwards_is_compared_with_the_reversed_text(page: AppTest) -> None:
    run(page, model="encoder_decoder.strips-15-reversed", strip="strokes.3.5")
    digits = [int(digit) for digit in Strip.test("strokes", 3, 5).target or ""]
    assert shown(page)["right"] == [*reversed(digits), 10]
    assert shown(page)["reads"] == [2, 1, 0]
    assert [curve["key"] for curve in shown(page)["curves"]] == ["encoder_decoder.strips-15-reversed"]


def test_a_net_that_sorts_is_compared_with_the_sorted_text_and_with_guessing(page: AppTest) -> None:
    run(page, model="transformer.strips-15-sorted", strip="strokes.8.3")
    digits = [int(digit) for digit in Strip.test("strokes", 8, 3).target or ""]
    assert shown(page)["right"] == [*sorted(digits), 10]
    assert [digits[place] for place in shown(page)["reads"]] == sorted(digits)
    *_, guess = shown(page)["curves"]
    assert guess["title"] == "Guessing without looking"
    by_length = dict(zip(guess["lengths"], guess["digits"], strict=True))
    assert by_length[15] == pytest.approx(0.414, abs=5e-4)
    assert shown(page)["curves"][0]["distance"][0] == pytest.approx(0.03)


def test_the_url_names_strip_and_view(page: AppTest) -> None:
    run(page, strip="strokes.5.7", at="3", told="right", moved="3.4,1.-2")
    asked = shown(page)["state"]["view"]["value"]
    assert asked == {**STILL, "at": 2, "told": "right", "moved": [[2, 4], [0, -2]]}
    assert "at step 3" in text(page).lower()
    assert page.number_input(key="strip_length").value == 5


def test_what_was_moved_by_hand_is_said_to_be_in_no_number_of_the_text(page: AppTest) -> None:
    run(page, model="transformer.strips-15", strip="strokes.5.7", at="3")
    assert "as computed with" not in text(page)
    run(page, moved="3.4", mask="no")
    assert "at step 3, as computed with nothing moved and the mask on, the mean" in text(page)
    run(page, model="encoder_decoder.strips-15")
    assert "At step 3, as computed with nothing moved, the largest weight" in text(page)


def test_told_the_right_text_the_numbers_are_of_that(page: AppTest) -> None:
    subject = Subject(net("transformer.strips-15"), Strip.test("strokes", 5, 7))
    view = cache.of_subject(reading.view, subject)
    run(page, model="transformer.strips-15", strip="strokes.5.7", at="3", told="right")
    weights = view.layers[0].right
    assert weights is not None and not np.allclose(weights[:, 2], view.layers[0].own[:, 2])
    assert f"{weights.mean(0)[2].max():.3f}, " in text(page)


def test_another_length_is_another_strip(page: AppTest) -> None:
    run(page, strip="strokes.5.7")
    page.number_input(key="strip_length").set_value(12).run()
    assert page.query_params["strip"] in ("strokes.12.7", ["strokes.12.7"])
    assert shown(page)["digits"] == 12


@pytest.mark.parametrize("word", ["strokes.99.0", "mnist.3.0", "drawn.!!", "nothing"])
def test_a_strip_that_is_not_here_gives_a_sentence_and_the_first_one(page: AppTest, word: str) -> None:
    run(page, strip=word)
    assert not page.error
    assert "instead" in text(page)
    assert shown(page)["digits"] == 8


@pytest.mark.parametrize(
    ("name", "model", "said"),
    [
        ("bottleneck", "encoder_decoder.strips-15", "At 15 digits attention gets 99.0 % of the digits right"),
        ("steering", "encoder_decoder.strips-15", "Given the weights of another step"),
        ("positions", "transformer.strips-15", "are in the right place with positions"),
        ("positions", "transformer.strips-15", "guessing without looking gets 52.0 %"),
        ("bottleneck", "transformer.strips-15", "86.0 (86.0)"),
        ("beyond", "transformer.strips-15", "The trained length is a cliff for"),
        ("agreement", "encoder_decoder.strips-15", "The yardstick: gradient and erased pixels"),
    ],
)
def test_an_experiment_reports_what_it_found(page: AppTest, name: str, model: str, said: str) -> None:
    measure(page, name, model=model, strip="strokes.4.2")
    assert page.session_state[key_of(name)]
    assert not page.error
    assert said in text(page)
    assert "<table" in text(page)


def test_a_measurement_is_stopped_and_goes_on_where_it_was(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    second, counted = Event(), list[int]()
    steer = many.steer

    def held(loaded: Loaded, of: Of) -> SteeredPart:
        counted.append(of.first)
        if of.first and not second.wait(60):
            raise TimeoutError
        return steer(loaded, of)

    monkeypatch.setattr(many, "steer", held)
    run(page, experiment="steering", strip="strokes.3.1")
    [job] = [one for key, one in jobs._jobs.items() if key[0] == "steering" and key[3] == 3]
    assert job.wait(1, 60)
    run(page)
    assert page.get("progress")[0].proto.value == 25
    assert "Measured on 8 test strips of 3 digits" in text(page)
    page.button(key="measured_stop").click().run()
    second.set()
    assert page.query_params["measured"] in ("no", ["no"])
    assert "Measured on" not in text(page)
    page.button(key="measured_start").click().run()
    assert job.wait(4, 60)
    run(page)
    assert "Measured on 32 test strips of 3 digits" in text(page)
    assert counted == [0, 8, 16, 24], "it went on where it was"


@pytest.mark.parametrize(
    ("name", "model", "strip", "said"),
    [
        ("steering", "encoder_decoder.strips-15-one-vector", "strokes.4.2", "Choose a model with attention"),
        ("agreement", "encoder_decoder.strips-15-uniform", "strokes.4.2", "Choose a model with attention"),
        ("steering", "encoder_decoder.strips-15", "strokes.1.0", "two digits or more"),
        ("agreement", "encoder_decoder.strips-15", "strokes.2.0", "from three digits on"),
    ],
)
def test_what_cannot_be_measured_says_why(page: AppTest, name: str, model: str, strip: str, said: str) -> None:
    run(page, experiment=name, model=model, strip=strip)
    assert said in "\n".join(one.value for one in page.info)
    assert not page.get("progress")


def test_every_try_shows_a_view_of_its_own(page: AppTest) -> None:
    run(page)
    for _, words in tried(page):
        assert {"model", "strip"} <= set(words)
        assert shown(page)["origin"]["recipe"] in words["model"]
