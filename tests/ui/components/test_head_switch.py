"""The states of heads: in the URL, as edits, and what the browser is handed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.components.head_switch import STATES, edits_of, states_from_url, states_to_url
from attnviz.ui.live.request import Ask
from attnviz.views.payload import unpack


def draw(states: list[str]) -> None:
    import numpy as np

    from attnviz.ui.components.head_switch import Answer, SwitchView, head_switch, packed

    nothing = Answer(np.zeros(1, np.float32), np.full(2, 0.5, np.float32))
    view = SwitchView(
        received=np.full((2, 3, 4), 1 / 12), entropy=np.zeros(2), tokens=12, picture=np.zeros((3, 4)),
        classes=("8", "1"), label="8", path="attention.mixed", checkpoint="some.model",
        asked={"data": "strokes", "number": 7},
        before=nothing, now=nothing,
    )  # fmt: skip
    head_switch(packed(view, states), key="switch", on_change=lambda: None)


@given(st.lists(st.sampled_from(STATES), min_size=1, max_size=30))
def test_the_url_brings_the_states_back(states: list[str]) -> None:
    words = {name: word for name, word in states_to_url(states).items() if word is not None}
    assert states_from_url(words, len(states)) == (states, [])


@pytest.mark.parametrize(
    ("states", "off", "uniform"),
    [
        (["on", "on"], None, None),
        (["off", "uniform", "off"], "1,3", "2"),
        (["off"] * 24, "1-24", None),
        (["off", "off", "on", "uniform", "uniform", "uniform"], "1,2", "4-6"),
    ],
)
def test_they_stand_there_counted_from_one(states: list[str], off: str | None, uniform: str | None) -> None:
    assert states_to_url(states) == {"off": off, "uniform": uniform}


@given(st.text(alphabet="0123456789,-x² ", max_size=12), st.integers(1, 30))
def test_whatever_stands_there_gives_states_and_sentences(word: str, heads: int) -> None:
    states, sentences = states_from_url({"off": word}, heads)
    assert len(states) == heads
    assert set(states) <= {"on", "off"}
    assert all("The URL sets head" in sentence for sentence in sentences)


@pytest.mark.parametrize("word", ["0", "5", "3-2", "1-5", "x", "-1", "1--2", "²", "99999"])
def test_a_head_that_is_not_there_is_a_sentence(word: str) -> None:
    states, (sentence,) = states_from_url({"off": f"2,{word}"}, 4)
    assert states == ["on", "off", "on", "on"]
    assert repr(word) in sentence
    assert "heads 1 to 4" in sentence


def test_states_become_edits_that_the_live_channel_takes() -> None:
    edits = edits_of(["on", "off", "uniform", "off"], "attention.mixed")
    assert edits == [
        {"edit": "off", "address": "attention.mixed", "index": {"head": [1, 3]}},
        {"edit": "uniform", "address": "attention.mixed", "index": {"head": [2]}},
    ]
    assert [edit.edit for edit in Ask.model_validate({"checkpoint": "a.b", "edits": edits}).edits] == ["off", "uniform"]


def handed_over(test: AppTest) -> dict[str, Any]:
    header, _ = unpack(test.get("bidi_component")[0].proto.bytes)
    said = {name: header[name] for name in ("states", "picture", "labels")}
    return {**said, "revision": header["state"]["switched"]["revision"]}


def test_what_the_browser_reported_is_not_asked_for_and_another_url_is() -> None:
    test = AppTest.from_function(draw, args=(["on", "off"],), default_timeout=120).run()
    assert not test.exception
    begun = handed_over(test)
    assert (begun["states"], begun["labels"]) == (["on", "off"], ["head 1", "head 2"])
    assert begun["picture"] == {"data": "strokes", "number": 7}
    test.session_state["switch"] = {"switched": {"value": ["off", "off"], "revision": 1}}
    test.args = (["off", "off"],)
    followed = handed_over(test.run())
    assert (followed["states"], followed["revision"]) == (["off", "off"], begun["revision"])
    test.session_state["switch"] = {"switched": {"value": ["off", "off"], "revision": 1}}
    test.args = (["on", "off"],)
    back = handed_over(test.run())
    assert (back["states"], back["revision"]) == (["on", "off"], begun["revision"] + 1)


@pytest.mark.parametrize("states", [["on"], ["on", "of"], []])
def test_states_that_do_not_fit_are_named(states: list[str]) -> None:
    with pytest.raises(BadInput, match="states: expected 2 of on, off, uniform"):
        draw(states)
