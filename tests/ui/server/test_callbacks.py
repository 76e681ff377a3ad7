"""A callback runs to its end, whatever the browser sends meanwhile."""

from typing import Any

import pytest
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState

from attnviz.ui.server import callbacks


class Interrupted(Exception):
    """What the run is interrupted with."""


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> SafeSessionState:
    """The session of a run for which something new has arrived already."""

    def interrupt(self: Any) -> None:
        raise Interrupted

    monkeypatch.setattr(ScriptRunner, "_maybe_handle_execution_control_request", interrupt)
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    callbacks.finish()
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
