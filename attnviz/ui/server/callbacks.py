"""Let a click's callback finish, whatever else arrives meanwhile; and let nothing undo it that only repeats itself.

Streamlit interrupts a run of the page as soon as the browser sends something new, wherever the run touches the session
or the page. It does so inside callbacks too: a callback whose click is followed within a few milliseconds by a
component's report ends at its first line, without a word, and the click is lost. (1.67; a run that has only begun to
call its callbacks has nothing on the screen that could be out of date, so nothing is gained by interrupting it.)

A browser sends the values of all widgets with everything. One that has not yet heard what the last run has set sends
the values of before, which Streamlit takes for choices of the visitor, and calls their callbacks. A browser that is
late sends the URL of before, too: what it merely repeats of its last message is left out then.

This can go when Streamlit calls callbacks without interrupting them, and knows what a browser has heard of.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state.safe_session_state import SafeSessionState

_REPORTED = "callbacks.reported"  # in the session: widget -> its value in the browser's last message
_calling: set[int] = set()  # threads' runners, by identity, that are calling callbacks now


def finish(is_late: Callable[[], bool]) -> None:
    """Make Streamlit call callbacks to their end, once per process and before the first page runs; `is_late` says
    whether the URL that came with the message has been replaced since.
    """
    if getattr(ScriptRunner._maybe_handle_execution_control_request, "waits", False):
        return
    interrupt: Callable[[Any], None] = ScriptRunner._maybe_handle_execution_control_request
    call: Callable[..., None] = SafeSessionState.on_script_will_rerun

    @wraps(interrupt)
    def interrupt_later(runner: Any) -> None:
        if id(runner) not in _calling:
            interrupt(runner)

    @wraps(call)
    def call_all(state: Any, fresh: WidgetStates | None, **named: Any) -> None:
        runner = getattr(state._yield_callback, "__self__", None)
        _calling.add(id(runner))
        try:
            call(state, fresh and _heard(state, fresh, is_late()), **named)
        finally:
            _calling.discard(id(runner))

    interrupt_later.waits = True  # type: ignore[attr-defined]
    setattr(ScriptRunner, "_maybe_handle_execution_control_request", interrupt_later)  # noqa: B010
    setattr(SafeSessionState, "on_script_will_rerun", call_all)  # noqa: B010


def _heard(state: Any, fresh: WidgetStates, late: bool) -> WidgetStates:
    """Return what a message says, without what it repeats where it is late; clicks are no values, and all count."""
    known = _REPORTED in state  # it has no `get`
    before = state[_REPORTED] if known else {}
    state[_REPORTED] = {one.id: one.SerializeToString() for one in fresh.widgets}
    if not late:
        return fresh
    return WidgetStates(
        widgets=[
            one
            for one in fresh.widgets
            if "trigger" in (one.WhichOneof("value") or "") or one.SerializeToString() != before.get(one.id)
        ]
    )
