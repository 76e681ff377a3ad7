"""Let a click's callback finish, whatever else arrives meanwhile.

Streamlit interrupts a run of the page as soon as the browser sends something new, wherever the run touches the session
or the page. It does so inside callbacks too: a callback whose click is followed within a few milliseconds by a
component's report ends at its first line, without a word, and the click is lost. (1.67; a run that has only begun to
call its callbacks has nothing on the screen that could be out of date, so nothing is gained by interrupting it.)

This can go when Streamlit calls callbacks without interrupting them.
"""

from collections.abc import Callable
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state.safe_session_state import SafeSessionState

_calling: set[int] = set()  # threads' runners, by identity, that are calling callbacks now


def finish() -> None:
    """Make Streamlit call callbacks to their end: once per process, before the first page runs."""
    if getattr(ScriptRunner._maybe_handle_execution_control_request, "waits", False):
        return
    interrupt: Callable[[Any], None] = ScriptRunner._maybe_handle_execution_control_request
    call: Callable[..., None] = SafeSessionState.on_script_will_rerun

    def interrupt_later(runner: Any) -> None:
        if id(runner) not in _calling:
            interrupt(runner)

    def call_all(state: Any, *values: Any, **named: Any) -> None:
        runner = getattr(state._yield_callback, "__self__", None)
        _calling.add(id(runner))
        try:
            call(state, *values, **named)
        finally:
            _calling.discard(id(runner))

    interrupt_later.waits = True  # type: ignore[attr-defined]
    setattr(ScriptRunner, "_maybe_handle_execution_control_request", interrupt_later)  # noqa: B010
    setattr(SafeSessionState, "on_script_will_rerun", call_all)  # noqa: B010
