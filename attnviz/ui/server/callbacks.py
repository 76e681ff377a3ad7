"""Lets a click's callback finish whatever arrives meanwhile, and keeps repeated stale values from undoing it.

Streamlit interrupts a page run as soon as the browser sends a new message, wherever the run accesses the session or the
page. It does so inside callbacks too: if a component's report follows a click within a few milliseconds, the click's
callback silently ends at its first line, and the click is lost. (1.67; a run that has only begun to call its callbacks
has nothing outdated on the screen, so interrupting it has no benefit.)

A browser sends the values of all widgets with every message. Until it has received the values set by the last run, it
sends the old ones, which Streamlit treats as choices of the visitor by calling their callbacks. Such a late browser
also sends the old URL; values that it merely repeats from its last message are then ignored.

This can be removed when Streamlit calls callbacks without interruption, and tracks what a browser has received.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state.safe_session_state import SafeSessionState

_REPORTED = "callbacks.reported"  # session state key: widget ID -> its value in the browser's last message
_calling: set[int] = set()  # IDs of the script runners that are running callbacks now


def finish(is_late: Callable[[], bool]) -> None:
    """Make Streamlit run callbacks to their end; call this once per process, before the first page runs. `is_late`
    returns whether the URL sent with the message has been replaced since.
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
    """Return a message's values, without repeated ones if it is late; clicks are not values, and all count."""
    known = _REPORTED in state  # the state has no `get`
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
