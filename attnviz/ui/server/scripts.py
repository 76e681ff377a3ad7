"""Limits the number of page scripts that run at the same time; the others wait for their turn.

Streamlit runs each visitor's script at once, in its own thread. Thirty of them share one interpreter, so each takes as
long as all of them together, and a live answer, which releases the interpreter at each step of a model, waits for all
of them each time. Run one after the other, they finish sooner, on average in half the time, and a visitor who draws
waits for only one of them. They run in the order in which they were requested, but later ones may overtake those of
visitors with a high recent load for a while (attnviz/ui/server/asked.py). Scripts of visitors who request more than a
person can look at run alone, one at a time, with a pause after each.

A waiting script runs its page's latest request, with all earlier clicks. Streamlit would start a thread for each
message, and ever more of them would wait.

A script that takes long lets the next one in before it has finished: it computes in a turn of the queue
(attnviz/work/queue.py), waits there, or fetches a data set. Whenever a script draws something while a live answer is
being computed, it steps aside for at most as long as it has run since the last time, so both make progress.

This can be removed when Streamlit limits the number of running scripts.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from threading import Event, Lock, local
from typing import Any

import streamlit as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from attnviz.ui.server.asked import ASKED, Asked, Visitor
from attnviz.ui.server.sockets import THIS_MACHINE, known_as, network
from attnviz.ui.shared import visitor
from attnviz.work.queue import QUEUE, Queue

AT_ONCE = 2
"""The number of simultaneous scripts, on any machine: one continues while the other is in an operation of a model."""

PATIENCE = 0.25
"""Seconds after which a running script no longer blocks others: several times the duration of a page. If more than
`AT_ONCE` run, each is slower and this time grows in proportion; otherwise more and more of them would run at once."""


RESTS = 9
"""The pause after a script of visitors who request too much, as a multiple of its duration: they get a tenth of a
core."""


class Place:
    """A place in the line: Streamlit's runner, whose script waits, the script's request, and its rank: the lowest goes
    first.
    """

    def __init__(self, who: Visitor, runner: object, asked: Any, rank: float) -> None:
        self.who, self.runner, self.asked, self.rank = who, runner, asked, rank
        self.look = Event()
        self.gone = False


class Scripts:
    """The running scripts, and the line of waiting ones.

    Args:
        count: The number of scripts that run at the same time, not counting slow ones.
        patience: The seconds after which a script counts as slow.
        clock: Returns the time in seconds.
        queue: The queue in which live answers are computed.
        asked: The visitors' recent load, which determines the order of their scripts.
    """

    def __init__(
        self,
        count: int,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
        queue: Queue = QUEUE,
        asked: Asked = ASKED,
    ) -> None:
        self.count, self.patience, self.clock, self.queue, self.asked = count, patience, clock, queue, asked
        self._own = local()  # "since": when this thread's script began, or last stepped aside
        self._line: dict[Visitor, deque[Place]] = {}
        self._places: dict[object, Place] = {}  # waiting scripts by their runners
        self._began: dict[Place, float] = {}
        self._rest = 0.0  # until this time, no script of a visitor who requests too much begins
        self._lock = Lock()

    @contextmanager
    def turn(self, who: Visitor = ("", ""), runner: object = None, asked: Any = "") -> Iterator[Any]:
        """Wait for a script's turn and hold it during the block. Yield the script's request, which `renew` may have
        changed, or None after `leave`.
        """
        with self._lock:
            place = Place(who, runner or object(), asked, self.asked.rank(who))
            self._line.setdefault(who, deque()).append(place)
            self._places[place.runner] = place
        while not self._begin(place):
            pass
        if place.gone:
            yield None
            return
        self._own.since = self.clock()
        try:
            yield place.asked
        finally:
            del self._own.since
            with self._lock:
                now, began = self.clock(), self._began.pop(place)
                if self.asked.is_too_much(who):
                    self._rest = now + RESTS * (now - began)
                self._wake()

    def renew(self, runner: object, change: Callable[[Any], Any]) -> bool:
        """Change the request of a waiting script; return False if the script has begun."""
        with self._lock:
            if place := self._places.get(runner):
                place.asked = change(place.asked)
            return place is not None

    def leave(self, runner: object) -> None:
        """Remove a script from the line, if it is there."""
        with self._lock:
            if place := self._places.get(runner):
                self._take(place)
                place.gone = True
                place.look.set()
                self._wake()

    def step_aside(self) -> None:
        """Let a live answer go first, for at most as long as this thread's script has run since the last time."""
        since = getattr(self._own, "since", None)
        if since is None or self.queue.has_turn():
            return
        self.queue.after_live(self.clock() - since)
        self._own.since = self.clock()

    @property
    def waiting(self) -> int:
        """The number of waiting scripts."""
        return len(self._places)

    def _begin(self, own: Place) -> bool:
        """Leave the line and return True if it is this script's turn, or else wait until it may be and return False."""
        with self._lock:
            own.look.clear()
            if own.gone:
                return True
            now = self.clock()
            share = max(1.0, len(self._began) / self.count)  # each running script gets a smaller share of a core
            patience = self.patience * share
            quick = sum(now - began < patience for began in self._began.values())
            first = self._first()
            wait = None
            if first is own:
                wait = self.patience
                if not self.asked.is_busy(own.who):
                    begins = quick < self.count
                else:
                    rest = self._rest - now if self.asked.is_too_much(own.who) else 0.0
                    begins = not quick and rest <= 0
                    wait = min(wait, rest) if rest > 0 else wait
                if begins:
                    self._take(own)
                    self._began[own] = now
                    self._wake()
                    return True
            elif first:
                first.look.set()  # it may not have been first when it last checked
        # Nothing signals that a running script has become slow, so the first in line checks; it wakes the next.
        own.look.wait(wait)
        return False

    def _first(self) -> Place | None:
        """Return the place whose turn is next; visitors who flood the server come last."""
        # A visitor's own places are in the order of their ranks: a rank never decreases.
        firsts = [waiting[0] for waiting in self._line.values()]
        return min(firsts, key=lambda place: (self.asked.is_busy(place.who), place.rank), default=None)

    def _take(self, place: Place) -> None:
        """Remove a place from the line."""
        waiting = self._line[place.who]
        waiting.remove(place)
        if not waiting:
            del self._line[place.who]
        del self._places[place.runner]

    def _wake(self) -> None:
        if first := self._first():
            first.look.set()


SCRIPTS = Scripts(AT_ONCE)
"""The scripts of this process."""


def take_turns() -> None:
    """Make Streamlit run few scripts at the same time; call this once per process, before the first page runs."""
    if getattr(ScriptRunner._run_script, "takes_turns", False):
        return
    run: Callable[[Any, Any], None] = ScriptRunner._run_script
    look: Callable[[Any], None] = ScriptRunner._maybe_handle_execution_control_request
    stop: Callable[[Any], None] = ScriptRunner.request_stop
    rerun: Callable[[Any, ClientState | None], None] = AppSession.request_rerun
    create: Callable[[Any, RerunData], None] = AppSession._create_scriptrunner

    @wraps(run)
    def run_in_turn(runner: Any, asked: Any) -> None:
        who = known_as(network(st.context.ip_address or THIS_MACHINE), visitor.holder())
        with SCRIPTS.turn(who, runner, asked) as newest:
            if newest is not None:
                run(runner, newest)

    @wraps(look)
    def look_in_turn(runner: Any) -> None:  # called at every element the script draws, to check whether it should go on
        SCRIPTS.step_aside()
        look(runner)

    @wraps(stop)
    def stop_waiting(runner: Any) -> None:
        stop(runner)
        SCRIPTS.leave(runner)

    # Streamlit would stop the waiting script and start another: here it finds none to stop, and gets the same one back.
    @wraps(rerun)
    def rerun_waiting(session: Any, message: ClientState | None) -> None:
        if message is not None and not message.fragment_id and SCRIPTS.renew(session._scriptrunner, lambda same: same):
            session._attnviz_waits, session._scriptrunner = session._scriptrunner, None
        rerun(session, message)

    @wraps(create)
    def create_or_renew(session: Any, asked: RerunData) -> None:
        if waits := session.__dict__.pop("_attnviz_waits", None):
            if SCRIPTS.renew(waits, lambda before: with_clicks(asked, before)):
                session._scriptrunner = waits
                return
            waits.request_stop()
        create(session, asked)

    run_in_turn.takes_turns = True  # type: ignore[attr-defined]
    setattr(ScriptRunner, "_run_script", run_in_turn)  # noqa: B010
    setattr(ScriptRunner, "_maybe_handle_execution_control_request", look_in_turn)  # noqa: B010
    setattr(ScriptRunner, "request_stop", stop_waiting)  # noqa: B010
    setattr(AppSession, "request_rerun", rerun_waiting)  # noqa: B010
    setattr(AppSession, "_create_scriptrunner", create_or_renew)  # noqa: B010


def with_clicks(asked: RerunData, before: RerunData) -> RerunData:
    """Return a page's request, including its earlier clicks, since a browser reports each click only once."""
    states = asked.widget_states or WidgetStates()
    now = {one.id for one in states.widgets}
    earlier = before.widget_states.widgets if before.widget_states else ()
    clicks = [one for one in earlier if "trigger" in (one.WhichOneof("value") or "") and one.id not in now]
    return replace(asked, widget_states=WidgetStates(widgets=[*states.widgets, *clicks]))
