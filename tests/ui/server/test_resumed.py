"""A page that another server has drawn: the whole page runs first, and what was clicked follows."""

from inspect import unwrap
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from attnviz.ui.server.resumed import MOST, resume_pages

ENDED = ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS


class Session:
    """A session that notes what it runs, as far as `resume_pages` knows Streamlit's."""

    def __init__(self) -> None:
        self._scriptrunner: Any = None
        self.run: list[ClientState | None] = []

    def request_rerun(self, message: ClientState | None) -> None:
        self.run.append(message)
        self._scriptrunner = object()

    def _handle_scriptrunner_event_on_event_loop(self, sender: Any, event: ScriptRunnerEvent) -> None:
        if event == ScriptRunnerEvent.SHUTDOWN and sender is self._scriptrunner:
            self._scriptrunner = None  # as Streamlit does after each run

    def tell(self, event: ScriptRunnerEvent, sender: Any = None) -> None:
        """Receive an event of the current run, or of another sender."""
        self._handle_scriptrunner_event_on_event_loop(sender or self._scriptrunner, event)


@pytest.fixture
def session() -> Session:
    """Return an empty session of a class of its own that resumes pages."""
    own = type("Session", (Session,), dict(Session.__dict__))
    resume_pages(own)
    return own()


def click(fragment: str = "of another server", url: str = "number=23") -> ClientState:
    """Return what a browser sends for a click beside two other widgets."""
    widgets = [
        WidgetState(id="head", string_value="3"),
        WidgetState(id="next", trigger_value=True),
        WidgetState(id="pad", json_trigger_value="{}"),
    ]
    return ClientState(query_string=url, fragment_id=fragment, widget_states=WidgetStates(widgets=widgets))


def test_the_whole_page_runs_first_without_what_was_clicked(session: Session) -> None:
    session.request_rerun(click())
    (first,) = session.run
    assert (first.fragment_id, first.query_string) == ("", "number=23")
    assert [one.id for one in first.widget_states.widgets] == ["head"]


def test_the_click_follows_once_the_page_is_complete(session: Session) -> None:
    session.request_rerun(click())
    session.tell(ScriptRunnerEvent.SCRIPT_STARTED)
    session.tell(ENDED, sender="an older run")
    session.tell(ScriptRunnerEvent.SCRIPT_STOPPED_FOR_RERUN)
    assert len(session.run) == 1
    session.tell(ENDED)
    assert session.run[1:] == [click()]
    session.tell(ScriptRunnerEvent.SHUTDOWN)
    session.request_rerun(click("known"))
    assert session.run[2:] == [click("known")], "from now on it is a session like any other"


def test_what_is_clicked_meanwhile_follows_in_order_and_is_bounded(session: Session) -> None:
    for number in range(MOST + 5):
        session.request_rerun(click(url=f"number={number}"))
    session.tell(ENDED)
    expected = [f"number={number}" for number in (*range(MOST - 1), MOST + 4)]
    assert [one.query_string for one in session.run[1:]] == expected


@pytest.mark.parametrize("first", [ClientState(query_string="number=23"), None])
def test_a_page_that_opens_runs_as_it_is(session: Session, first: ClientState | None) -> None:
    session.request_rerun(first)
    assert session.run == [first]
    session.request_rerun(click())
    assert session.run[1:] == [click()]


def test_streamlits_sessions_resume_pages_and_are_changed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("request_rerun", "_handle_scriptrunner_event_on_event_loop"):
        monkeypatch.setattr(AppSession, name, unwrap(getattr(AppSession, name)))  # another test may have run app.py
    resume_pages()
    changed = AppSession.request_rerun
    assert changed is not unwrap(changed)
    resume_pages()
    assert AppSession.request_rerun is changed
