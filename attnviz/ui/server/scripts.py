"""Few scripts of pages run at the same time; the others wait for their turn.

Streamlit runs each visitor's script at once, in a thread of its own. Thirty of them share one interpreter, so each
takes as long as all of them together, and a live answer, which lets the interpreter go at each step of a model, waits
for all of them each time. One after the other they are complete sooner, on average after half as long, and who draws
waits for one of them. IP addresses take turns, and at each address its browsers, those that have loaded no page as one:
whoever asks for many pages at once waits for them, and others do not.

A script that takes long lets the next one in before it has finished: it computes in a turn of the queue
(attnviz/work/queue.py), waits there, or fetches a data set. And whenever a script draws something while a live answer
is being computed, it steps aside for it, no longer than it has run since the last time: so both go on.

This can go when Streamlit bounds how many scripts run.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Event, Lock, local
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from attnviz.ui.server.sockets import network, was_seen
from attnviz.ui.shared import visitor
from attnviz.work.queue import QUEUE, Queue

AT_ONCE = 2
"""Scripts at the same time, on any machine: one goes on while the other is in an operation of a model."""

PATIENCE = 0.25
"""Seconds after which a script that still runs keeps nobody waiting: several times what a page takes. Where more than
`AT_ONCE` run, each is slower, and has as many times longer; else they would become ever more, and ever slower."""


class Line:
    """Those who wait: addresses take turns, at each address its browsers; of a browser, who came first is first."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, deque[Event]]] = {}  # address -> browser; whose turn is next comes first

    def __len__(self) -> int:
        return sum(len(waiting) for browsers in self._places.values() for waiting in browsers.values())

    def add(self, own: Event, address: str, browser: str) -> None:
        """Let somebody wait."""
        self._places.setdefault(address, {}).setdefault(browser, deque()).append(own)

    @property
    def first(self) -> Event | None:
        """Whose turn is next."""
        return next((waiting[0] for some in self._places.values() for waiting in some.values()), None)

    def leave(self) -> None:
        """Take the first one out of the line; its browser and its address have the last turn now."""
        address, browsers = next(iter(self._places.items()))
        browser, waiting = next(iter(browsers.items()))
        waiting.popleft()
        del browsers[browser], self._places[address]
        if waiting:
            browsers[browser] = waiting
        if browsers:
            self._places[address] = browsers


class Scripts:
    """Those that run, and the line before them.

    Args:
        count: how many run at the same time, not counting those that take long.
        patience: seconds after which one counts as taking long.
        clock: seconds.
        queue: in which live answers are computed.
    """

    def __init__(
        self,
        count: int,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
        queue: Queue = QUEUE,
    ) -> None:
        self.count, self.patience, self.clock, self.queue = count, patience, clock, queue
        self._own = local()  # "since": when the script of this thread began, or stepped aside last
        self._line = Line()
        self._began: dict[Event, float] = {}
        self._lock = Lock()

    @contextmanager
    def turn(self, address: str = "", browser: str = "") -> Iterator[None]:
        """Run a script for the length of the block; wait for it before.

        Args:
            address: of the network that it is for.
            browser: there.

        Yields:
            None.
        """
        own = Event()
        with self._lock:
            self._line.add(own, address, browser)
        while not self._begin(own):
            pass
        self._own.since = self.clock()
        try:
            yield
        finally:
            del self._own.since
            with self._lock:
                del self._began[own]
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
        return len(self._line)

    def _begin(self, own: Event) -> bool:
        """Leave the line if it is one's turn, and say whether it is; else return when it may have come."""
        with self._lock:
            own.clear()
            now = self.clock()
            share = max(1.0, len(self._began) / self.count)  # each that runs has so much less of a core
            patience = self.patience * share
            quick = sum(now - began < patience for began in self._began.values())
            first = self._line.first is own
            if first and quick < self.count:
                self._line.leave()
                self._began[own] = now
                self._wake()
                return True
        # Nobody says when one that runs has come to take long, so the first one looks; it wakes the next.
        own.wait(self.patience if first else None)
        return False

    def _wake(self) -> None:
        if first := self._line.first:
            first.set()


SCRIPTS = Scripts(AT_ONCE)
"""The scripts of this process."""


def take_turns() -> None:
    """Make Streamlit run few scripts at the same time: once per process, before the first page runs."""
    if getattr(ScriptRunner._run_script, "takes_turns", False):
        return
    run: Callable[[Any, Any], None] = ScriptRunner._run_script
    look: Callable[[Any], None] = ScriptRunner._maybe_handle_execution_control_request

    def run_in_turn(runner: Any, asked: Any) -> None:
        browser = visitor.holder()
        if not was_seen(browser):  # a cookie may be made up, a new one for each socket
            browser = ""
        with SCRIPTS.turn(network(st.context.ip_address or ""), browser):
            run(runner, asked)

    @wraps(look)
    def look_in_turn(runner: Any) -> None:  # whether the script goes on: at everything that it draws
        SCRIPTS.step_aside()
        look(runner)

    run_in_turn.takes_turns = True  # type: ignore[attr-defined]
    setattr(ScriptRunner, "_run_script", run_in_turn)  # noqa: B010
    setattr(ScriptRunner, "_maybe_handle_execution_control_request", look_in_turn)  # noqa: B010
