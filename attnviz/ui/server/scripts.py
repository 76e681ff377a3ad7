"""Few scripts of pages run at the same time; the others wait for their turn.

Streamlit runs each visitor's script at once, in a thread of its own. Thirty of them share one interpreter, so each
takes as long as all of them together, and a live answer, which lets the interpreter go at each step of a model, waits
for all of them each time. One after the other they are complete sooner, on average after half as long, and who draws
waits for one of them. The visitor who has asked for least lately goes first (attnviz/ui/server/asked.py). Scripts of
those who ask for more than anybody can look at run while no other does, one at a time, with a rest after each.

A script that waits will run what its page asked for last, with all that was clicked before. Streamlit starts a thread
for each message, and those that wait would become ever more.

A script that takes long lets the next one in before it has finished: it computes in a turn of the queue
(attnviz/work/queue.py), waits there, or fetches a data set. And whenever a script draws something while a live answer
is being computed, it steps aside for it, no longer than it has run since the last time: so both go on.

This can go when Streamlit bounds how many scripts run.
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
"""Scripts at the same time, on any machine: one goes on while the other is in an operation of a model."""

PATIENCE = 0.25
"""Seconds after which a script that still runs keeps nobody waiting: several times what a page takes. Where more than
`AT_ONCE` run, each is slower, and has as many times longer; else they would become ever more, and ever slower."""


RESTS = 9
"""For so many times as long as it took, no other script of those who ask for too much begins: a tenth of a core is
theirs."""


class Place:
    """A place in the line: Streamlit's runner, whose script waits, and what it runs."""

    def __init__(self, who: Visitor, runner: object, asked: Any) -> None:
        self.who, self.runner, self.asked = who, runner, asked
        self.look = Event()
        self.gone = False


class Scripts:
    """Those that run, and the line before them.

    Args:
        count: how many run at the same time, not counting those that take long.
        patience: seconds after which one counts as taking long.
        clock: seconds.
        queue: in which live answers are computed.
        asked: by which visitors come in their order.
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
        self._own = local()  # "since": when the script of this thread began, or stepped aside last
        self._line: dict[Visitor, deque[Place]] = {}
        self._places: dict[object, Place] = {}  # of those that wait, by their runners
        self._began: dict[Place, float] = {}
        self._rest = 0.0  # until when no script of a visitor who asks for too much begins
        self._lock = Lock()

    @contextmanager
    def turn(self, who: Visitor = ("", ""), runner: object = None, asked: Any = "") -> Iterator[Any]:
        """Run the script that a visitor asked for, for the length of the block, and yield it, as `renew` may have
        changed it, or None after `leave`; wait for it before.
        """
        place = Place(who, runner or object(), asked)
        with self._lock:
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
        """Change what a script in the line will run; return False where it has begun."""
        with self._lock:
            if place := self._places.get(runner):
                place.asked = change(place.asked)
            return place is not None

    def leave(self, runner: object) -> None:
        """Take a script out of the line, if it is there."""
        with self._lock:
            if place := self._places.get(runner):
                self._take(place)
                place.gone = True
                place.look.set()
                self._wake()

    def step_aside(self) -> None:
        """Let a live answer go first, no longer than the script of this thread has run since the last time."""
        since = getattr(self._own, "since", None)
        if since is None or self.queue.has_turn():
            return
        self.queue.after_live(self.clock() - since)
        self._own.since = self.clock()

    @property
    def waiting(self) -> int:
        """How many are in the line."""
        return len(self._places)

    def _begin(self, own: Place) -> bool:
        """Leave the line if it is one's turn, and say whether one has left it; else return when it may have come."""
        with self._lock:
            own.look.clear()
            if own.gone:
                return True
            now = self.clock()
            share = max(1.0, len(self._began) / self.count)  # each that runs has so much less of a core
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
                first.look.set()  # it was not the first one when somebody looked last
        # Nobody says when one that runs has come to take long, so the first one looks; it wakes the next.
        own.look.wait(wait)
        return False

    def _first(self) -> Place | None:
        """Return whose turn is next."""
        return self._line[min(self._line, key=self.asked.lately)][0] if self._line else None

    def _take(self, place: Place) -> None:
        """Take a place out of the line; its visitor comes after others who have asked for as much."""
        waiting = self._line.pop(place.who)
        waiting.remove(place)
        if waiting:
            self._line[place.who] = waiting
        del self._places[place.runner]

    def _wake(self) -> None:
        if first := self._first():
            first.look.set()


SCRIPTS = Scripts(AT_ONCE)
"""The scripts of this process."""


def take_turns() -> None:
    """Make Streamlit run few scripts at the same time: once per process, before the first page runs."""
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
    def look_in_turn(runner: Any) -> None:  # whether the script goes on: at everything that it draws
        SCRIPTS.step_aside()
        look(runner)

    @wraps(stop)
    def stop_waiting(runner: Any) -> None:
        stop(runner)
        SCRIPTS.leave(runner)

    # Streamlit would stop the script that waits and start another: here it finds none to stop, and gets that one back.
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
    """Return what a page asks for, with what was clicked on it before: a browser tells of each click once."""
    states = asked.widget_states or WidgetStates()
    now = {one.id for one in states.widgets}
    earlier = before.widget_states.widgets if before.widget_states else ()
    clicks = [one for one in earlier if "trigger" in (one.WhichOneof("value") or "") and one.id not in now]
    return replace(asked, widget_states=WidgetStates(widgets=[*states.widgets, *clicks]))
