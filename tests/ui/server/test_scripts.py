"""Few scripts of pages run at the same time; the others wait for their turn."""

from collections.abc import Callable
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from attnviz.ui.server import scripts, sockets
from attnviz.ui.server.scripts import Scripts
from attnviz.ui.shared import visitor

SOON = 20.0  # seconds


class Script(Thread):
    """One that runs until it is told to end."""

    def __init__(self, among: Scripts, ran: list[str], name: str, address: str = "", browser: str = "") -> None:
        super().__init__(daemon=True)
        self.among, self.ran, self.script, self.visitor = among, ran, name, (address, browser)
        self.runs, self.end = Event(), Event()

    def run(self) -> None:
        with self.among.turn(*self.visitor):
            self.ran.append(self.script)
            self.runs.set()
            assert self.end.wait(SOON)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def in_line(among: Scripts, ran: list[str], names: str) -> list[Script]:
    """Start scripts, each when the one before it runs or is in the line."""
    found = []
    for name in names:
        found.append(Script(among, ran, name))
        found[-1].start()
        until(lambda: among.waiting + len(ran) == len(found))
    return found


def until(true: Callable[[], bool]) -> None:
    """Look again and again, for a while."""
    tick = Event()
    for _ in range(2000):
        if true():
            return
        tick.wait(0.01)
    raise AssertionError("it never came true")


def test_one_after_the_other_in_their_order() -> None:
    ran: list[str] = []
    among = Scripts(1, patience=0.01, clock=Clock())
    threads = in_line(among, ran, "abcd")
    until(lambda: (ran, among.waiting) == (["a"], 3))
    for place, thread in enumerate(threads):
        assert thread.runs.wait(SOON)
        assert ran == [*"abcd"[: place + 1]]
        thread.end.set()
        thread.join(SOON)
    assert among.waiting == 0


def test_whoever_asks_for_many_pages_waits_for_them_and_others_do_not() -> None:
    ran: list[str] = []
    among = Scripts(1, patience=0.01, clock=Clock())
    visitors = {"a": ("10.0.0.1", "one"), "b": ("10.0.0.2", "two"), "c": ("10.0.0.2", "three"), "d": ("10.0.0.3", "")}
    threads: dict[str, Script] = {}
    for name in ("a1", "a2", "a3", "a4", "b1", "b2", "b3", "c1", "d1"):
        threads[name] = Script(among, ran, name, *visitors[name[0]])
        threads[name].start()
        until(lambda: among.waiting + len(ran) == len(threads))
    for place in range(len(threads)):
        until(lambda place=place: len(ran) == place + 1)  # type: ignore[misc]
        threads[ran[-1]].end.set()
        threads[ran[-1]].join(SOON)
    assert ran == ["a1", "a2", "b1", "d1", "a3", "c1", "a4", "b2", "b3"]


def test_only_the_first_in_the_line_looks_whether_its_turn_has_come() -> None:
    ran: list[str] = []
    looked: list[int | None] = []
    among = Scripts(1, patience=0.01, clock=lambda: looked.append(current_thread().ident) or 0.0)
    threads = in_line(among, ran, "abc")
    first, last = threads[1].ident, threads[2].ident
    until(lambda: last in looked)
    before = len(looked)
    until(lambda: looked[before:].count(first) >= 10)
    assert looked.count(last) == 1
    for thread in threads:
        assert thread.runs.wait(SOON)
        thread.end.set()
        thread.join(SOON)


def test_as_many_at_once_as_there_are_turns() -> None:
    ran: list[str] = []
    among = Scripts(2, patience=0.01, clock=Clock())
    first, second, third = in_line(among, ran, "abc")
    until(lambda: (ran, among.waiting) == (["a", "b"], 1))
    second.end.set()
    assert third.runs.wait(SOON)
    for thread in (first, third):
        thread.end.set()
        thread.join(SOON)


def test_one_that_takes_long_lets_the_next_in() -> None:
    ran: list[str] = []
    clock = Clock()
    among = Scripts(1, patience=0.01, clock=clock)
    long, second, third = in_line(among, ran, "abc")
    until(lambda: (ran, among.waiting) == (["a"], 2))
    clock.now = 1.0
    assert second.runs.wait(SOON)
    assert (ran, among.waiting) == (["a", "b"], 1), "the next one only"
    long.end.set()
    long.join(SOON)
    assert among.waiting == 1, "who had let others in gives no turn back"
    second.end.set()
    assert third.runs.wait(SOON)
    third.end.set()
    third.join(SOON)


def test_the_more_run_the_later_the_next_is_let_in() -> None:
    ran: list[str] = []
    clock = Clock()
    among = Scripts(1, patience=0.01, clock=clock)
    first, second, third = in_line(among, ran, "abc")
    until(lambda: (ran, among.waiting) == (["a"], 2))
    clock.now = 1.0
    assert second.runs.wait(SOON)
    clock.now = 1.015
    assert not third.runs.wait(0.1), "two run: the second has twice as long"
    clock.now = 1.03
    assert third.runs.wait(SOON)
    for thread in (first, second, third):
        thread.end.set()
        thread.join(SOON)


def test_one_that_fails_gives_its_turn_back() -> None:
    among = Scripts(1, clock=Clock())
    with pytest.raises(ZeroDivisionError), among.turn():
        _ = 1 / 0
    with among.turn():
        assert among.waiting == 0


def test_streamlit_runs_its_scripts_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Any] = []
    among = Scripts(1, clock=Clock())

    def run(runner: Any, asked: Any) -> None:
        ran.append((asked, len(among._began)))
        runner._maybe_handle_execution_control_request()

    def look(runner: Any) -> None:
        ran.append("looks")

    monkeypatch.setattr(ScriptRunner, "_run_script", run)
    monkeypatch.setattr(ScriptRunner, "_maybe_handle_execution_control_request", look)
    monkeypatch.setattr(among, "step_aside", lambda: ran.append("steps aside"))
    monkeypatch.setattr(scripts, "SCRIPTS", among)
    monkeypatch.setattr(visitor, "holder", lambda: "a browser")
    scripts.take_turns()
    scripts.take_turns()
    ScriptRunner.__new__(ScriptRunner)._run_script("a rerun")
    assert ran == [("a rerun", 1), "steps aside", "looks"]
    assert not among._began

    turns: list[tuple[str, ...]] = []
    turn = among.turn
    monkeypatch.setattr(among, "turn", lambda *who: turns.append(who) or turn(*who))
    ScriptRunner.__new__(ScriptRunner)._run_script("of one that has loaded no page")
    monkeypatch.setitem(sockets._seen, "a browser", None)
    ScriptRunner.__new__(ScriptRunner)._run_script("of one that has")
    assert [browser for _, browser in turns] == ["", "a browser"]


class Live:
    """A queue in which a live answer takes as long as a test says."""

    takes, turn = 0.0, False

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.waited: list[float] = []

    def has_turn(self) -> bool:
        return self.turn

    def after_live(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.clock.now += min(seconds, self.takes)


def test_a_script_steps_aside_no_longer_than_it_has_run() -> None:
    clock = Clock()
    live: Any = Live(clock)
    among = Scripts(1, clock=clock, queue=live)
    among.step_aside()
    assert live.waited == [], "nobody's script"
    with among.turn():
        clock.now += 3.0
        live.takes = 2.0
        among.step_aside()
        among.step_aside()
        clock.now += 1.0
        among.step_aside()
        live.turn = True
        clock.now += 1.0
        among.step_aside()
    assert live.waited == [3.0, 0.0, 1.0], "and not in a turn, which others wait for"
