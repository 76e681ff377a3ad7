"""A callback runs to its end, whatever the browser sends meanwhile, and is not undone by what it only repeats."""

from inspect import unwrap
from typing import Any

import pytest
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import AppTest

from attnviz.ui.server import callbacks
from attnviz.ui.shared import url_state


class Interrupted(Exception):
    """What the run is interrupted with."""


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> SafeSessionState:
    """The session of a run for which something new has arrived already."""

    def interrupt(self: Any) -> None:
        raise Interrupted

    monkeypatch.setattr(ScriptRunner, "_maybe_handle_execution_control_request", interrupt)
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", unwrap(SafeSessionState.on_script_will_rerun))
    callbacks.finish(lambda: False)
    runner = ScriptRunner.__new__(ScriptRunner)
    return SafeSessionState(SessionState(), yield_callback=runner._maybe_handle_execution_control_request)


def test_what_a_callback_writes_is_written(state: SafeSessionState, monkeypatch: pytest.MonkeyPatch) -> None:
    def call_all(self: SessionState, *values: Any, **named: Any) -> None:
        state["first"] = 1
        state["second"] = 2

    monkeypatch.setattr(SessionState, "on_script_will_rerun", call_all)
    state.on_script_will_rerun(None)
    assert (state._state["first"], state._state["second"]) == (1, 2)


def test_the_run_itself_is_interrupted_as_before(state: SafeSessionState) -> None:
    with pytest.raises(Interrupted):
        state["first"] = 1
    state.on_script_will_rerun(None)
    with pytest.raises(Interrupted):
        state["first"] = 1


def test_a_callback_that_fails_leaves_the_run_interruptible(
    state: SafeSessionState, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: SessionState, *values: Any, **named: Any) -> None:
        raise ValueError("a mistake in a callback")

    monkeypatch.setattr(SessionState, "on_script_will_rerun", fail)
    with pytest.raises(ValueError, match="a mistake"):
        state.on_script_will_rerun(None)
    with pytest.raises(Interrupted):
        state["first"] = 1


# A message of a browser that has not heard of the last run


def colours() -> None:
    import streamlit as st

    from attnviz.ui.shared import url_state

    url_state.arrive()
    word = url_state.choice("colour", ["red", "green", "blue"], "red")
    st.button("Try", on_click=url_state.become, args=({"colour": "green"},))
    st.selectbox("Colour", ["red", "green", "blue"], key="colour", on_change=url_state.keep, args=("colour",))
    number = url_state.number("number", 10, 3)
    st.number_input("Number", 0, 9, key="number", on_change=url_state.keep, args=("number",))
    st.markdown(f"{word} {number}")


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A page whose *try* has been clicked, and whose browser has heard nothing of what it did."""
    for owner, name in (
        (ScriptRunner, "_maybe_handle_execution_control_request"),
        (SafeSessionState, "on_script_will_rerun"),
    ):
        monkeypatch.setattr(owner, name, unwrap(getattr(owner, name)))  # another test may have run app.py
    callbacks.finish(url_state.is_late)
    test = AppTest.from_function(colours, default_timeout=120).run()
    test.button[0].click().run()
    assert test.markdown[0].value == "green 3"
    test.query_params.clear()
    test.selectbox[0].set_value("red")
    return test


def test_what_a_late_browser_repeats_undoes_nothing(tried: AppTest) -> None:
    tried.number_input[0].set_value(5).run()
    assert tried.markdown[0].value == "green 5"
    assert dict(tried.query_params) == {"colour": "green", "number": "5"}


def test_what_is_chosen_in_a_late_browser_is_taken(tried: AppTest) -> None:
    tried.selectbox[0].set_value("blue").run()
    assert tried.markdown[0].value == "blue 3"


def test_a_second_click_in_a_late_browser_counts(tried: AppTest) -> None:
    tried.button[0].click().run()
    assert tried.markdown[0].value == "green 3"
    tried.selectbox[0].set_value("red").run()  # it has heard of the green one now
    assert tried.markdown[0].value == "red 3"
