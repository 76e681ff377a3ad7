"""Lets an open page continue on a server that has not drawn it: after a restart, or on another replica behind a proxy.

Streamlit's browser side reconnects and keeps the page unchanged. The new server starts an empty session without that
page's fragments or its buttons' callbacks: it ignores the first click, and drops every later one that belongs to a
fragment, so that the page looks alive but is dead (1.67). Here, if the first message of a session already carries
widget values, it runs the whole page from its URL, with those values; the click is replayed once the page has its
widgets.

This can be removed when Streamlit runs the script for a browser that reconnects to an empty session.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

MOST = 16
"""The maximum number of a session's messages that wait for its page; the newest replaces the last one."""

ENDED = (
    ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS,
    ScriptRunnerEvent.SCRIPT_STOPPED_WITH_COMPILE_ERROR,
)
"""The events after which a run is over; a run ended by `st.rerun` starts again."""

_WAITING = "_attnviz_waiting"  # session attribute: messages for after the first run; absent before the first message


def resume_pages(sessions: type[Any] = AppSession) -> None:
    """Make sessions run the whole page first; call this once per process, before the first page runs."""
    if getattr(sessions.request_rerun, "resumes", False):
        return
    rerun: Callable[..., None] = sessions.request_rerun
    handle: Callable[..., None] = sessions._handle_scriptrunner_event_on_event_loop

    @wraps(rerun)
    def request_rerun(session: Any, message: ClientState | None) -> None:
        waiting = getattr(session, _WAITING, None)
        if waiting is None:  # the first message
            setattr(session, _WAITING, [])
            if message is not None and message.widget_states.widgets:
                setattr(session, _WAITING, [message])
                message = whole_page(message)
        elif waiting:
            waiting[MOST - 1 :] = [message]
            return
        rerun(session, message)

    @wraps(handle)
    def handle_event(session: Any, sender: Any, event: ScriptRunnerEvent, *more: Any, **named: Any) -> None:
        current = sender is session._scriptrunner
        handle(session, sender, event, *more, **named)
        if current and event in ENDED and (waiting := getattr(session, _WAITING, None)):
            setattr(session, _WAITING, [])
            for message in waiting:
                rerun(session, message)

    request_rerun.resumes = True  # type: ignore[attr-defined]
    sessions.request_rerun = request_rerun
    sessions._handle_scriptrunner_event_on_event_loop = handle_event


def whole_page(message: ClientState) -> ClientState:
    """Return a message that runs the whole page, with the values of its widgets but without clicks."""
    first = ClientState()
    first.CopyFrom(message)
    first.fragment_id = ""
    kept = [one for one in message.widget_states.widgets if "trigger" not in (one.WhichOneof("value") or "")]
    first.widget_states.CopyFrom(WidgetStates(widgets=kept))
    return first
