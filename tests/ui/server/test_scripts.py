"""Few scripts of pages run at the same time; the others wait for their turn."""

from collections import OrderedDict
from collections.abc import Callable
from inspect import unwrap
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from attnviz.ui.server import scripts, sockets
from attnviz.ui.server.asked import BUSY, CLASS, SECONDS, Asked
from attnviz.ui.server.scripts import RESTS, Scripts
from attnviz.ui.shared import visitor

SOON = 20.0  # seconds


class Script(Thread):
    """One that runs until it is told to end."""

    def __init__(self, among: Scripts, ran: list[str], name: str, who: tuple[str, str] = ("", "")) -> None:
        super().__init__(daemon=True)
        self.among, self.ran, self.script, self.who = among, ran, name, who
        self.runs, self.end = Event(), Event()

    def run(self) -> None:
        with self.among.turn(self.who):
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


def order_of(requests: list[tuple[str, str, float]], *, between_looks: float = 0.0) -> str:
    """Return the order in which scripts run one at a time: the names of their visitors.

    Args:
        requests: Each with its visitor, the visitor's address, and the time at which it is made.
        between_looks: The seconds that pass whenever somebody looks at the clock.
    """
    ran: list[str] = []
    clock = Clock()

    def look() -> float:
        clock.now += between_looks
        return clock.now

    asked = Asked(look)
    among = Scripts(1, patience=1000.0, clock=look, asked=asked)
    threads: list[Script] = []
    with among.turn(("10.0.0.9", "somebody else")):
        for name, address, when in requests:
            clock.now = max(clock.now, when)
            asked.note((address, name))
            threads.append(Script(among, ran, name, (address, name)))
            threads[-1].end.set()
            threads[-1].start()
            until(lambda: among.waiting == len(threads))
    for thread in threads:
        thread.join(SOON)
    return "".join(ran)


def test_whoever_has_come_first_goes_first_while_time_passes() -> None:
    names = "".join(chr(ord("A") + number) for number in range(CLASS + 10))  # so many that the address's load counts
    assert order_of([(name, "10.0.0.1", 0.0) for name in names], between_looks=1e-4) == names


def test_who_has_asked_for_much_lately_is_overtaken_for_a_while() -> None:
    often = [("a", "10.0.0.1", 0.0)] * 4
    others = [(name, "10.0.0.2", when) for name, when in zip("bcd", (0.0, SECONDS, 1.4 * SECONDS), strict=True)]
    assert order_of([*often, *others]) == "abacaad", "its fourth counts as one of 13.9 seconds later"


def test_scripts_of_who_asks_for_too_much_run_alone_and_rest() -> None:
    ran: list[str] = []
    clock = Clock()
    asked = Asked(clock)
    among = Scripts(2, patience=0.01, clock=clock, asked=asked)
    flood, other = ("10.0.0.1", "flood"), ("10.0.0.2", "other")
    for who in (*[flood] * int(BUSY + 9), other):
        asked.note(who)
    threads = {name: Script(among, ran, name, flood) for name in ("f1", "f2")}
    threads |= {name: Script(among, ran, name, other) for name in ("o1", "o2")}
    for thread in threads.values():
        thread.start()
        until(lambda: among.waiting + len(ran) == sum(one.ident is not None for one in threads.values()))
    until(lambda: (set(ran), among.waiting) == ({"f1", "o1"}, 2))
    threads["o1"].end.set()
    assert threads["o2"].runs.wait(SOON), "not the one that was there first"
    clock.now = 0.005
    for name in ("f1", "o2"):
        threads[name].end.set()
        threads[name].join(SOON)
    clock.now = 0.005 * RESTS
    assert not threads["f2"].runs.wait(0.1)
    clock.now = 0.005 * (RESTS + 1)
    assert threads["f2"].runs.wait(SOON)
    threads["f2"].end.set()
    threads["f2"].join(SOON)


def test_a_script_that_waits_runs_what_was_asked_last_or_leaves() -> None:
    among = Scripts(1, patience=0.01, clock=Clock())
    ran: list[Any] = []

    def run(runner: str) -> None:
        with among.turn(runner=runner, asked=f"{runner} first") as newest:
            ran.append(newest)

    with among.turn(runner="now"):
        assert not among.renew("now", lambda before: "too late")
        threads = [Thread(target=run, args=(name,), daemon=True) for name in ("kept", "left")]
        for count, thread in enumerate(threads, 1):
            thread.start()
            until(lambda count=count: among.waiting == count)  # type: ignore[misc]
        assert among.renew("kept", lambda before: f"{before}, then second")
        among.leave("left")
        threads[1].join(SOON)
        assert (ran, among.waiting) == ([None], 1)
    threads[0].join(SOON)
    assert ran == [None, "kept first, then second"]


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


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch) -> Scripts:
    """Return scripts that Streamlit takes turns in, for the length of a test."""
    for owner, name in (
        (ScriptRunner, "_run_script"),
        (ScriptRunner, "_maybe_handle_execution_control_request"),
        (ScriptRunner, "request_stop"),
        (AppSession, "request_rerun"),
        (AppSession, "_create_scriptrunner"),
    ):
        monkeypatch.setattr(owner, name, unwrap(getattr(owner, name)))  # another test may have run app.py
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda runner, asked: None)
    among = Scripts(1, clock=Clock())
    monkeypatch.setattr(scripts, "SCRIPTS", among)
    return among


def test_streamlit_runs_its_scripts_in_turns(monkeypatch: pytest.MonkeyPatch, patched: Scripts) -> None:
    ran: list[Any] = []

    def run(runner: Any, asked: Any) -> None:
        ran.append((asked, len(patched._began)))
        runner._maybe_handle_execution_control_request()

    def look(runner: Any) -> None:
        ran.append("looks")

    monkeypatch.setattr(ScriptRunner, "_run_script", run)
    monkeypatch.setattr(ScriptRunner, "_maybe_handle_execution_control_request", look)
    monkeypatch.setattr(patched, "step_aside", lambda: ran.append("steps aside"))
    monkeypatch.setattr(visitor, "holder", lambda: "a browser")
    scripts.take_turns()
    scripts.take_turns()
    ScriptRunner.__new__(ScriptRunner)._run_script("a rerun")
    assert ran == [("a rerun", 1), "steps aside", "looks"]
    assert not patched._began

    turns: list[tuple[str, str]] = []
    turn = patched.turn
    monkeypatch.setattr(patched, "turn", lambda who, *what: turns.append(who) or turn(who, *what))
    ScriptRunner.__new__(ScriptRunner)._run_script("of one that has loaded no page")
    monkeypatch.setattr(sockets, "_seen", OrderedDict())
    sockets.note_seen("127.0.0.1", "a browser")
    ScriptRunner.__new__(ScriptRunner)._run_script("of one that has")
    assert turns == [("127.0.0.1", ""), ("127.0.0.1", "a browser")]


def test_a_page_whose_script_waits_gets_no_second_one_and_loses_no_click(
    monkeypatch: pytest.MonkeyPatch, patched: Scripts
) -> None:
    class Runner:
        stopped = False

        def request_stop(self) -> None:
            self.stopped = True

    def create(session: Any, asked: RerunData) -> None:
        created.append(asked)
        session._scriptrunner = Runner()

    def says(number: str, *clicked: str) -> ClientState:
        widgets = [WidgetState(id="number", string_value=number)]
        widgets += [WidgetState(id=name, trigger_value=True) for name in clicked]
        return ClientState(query_string=f"number={number}", widget_states=WidgetStates(widgets=widgets))

    def wait(runner: object, asked: RerunData) -> None:
        with patched.turn(runner=runner, asked=asked) as newest:
            ran.append(newest)

    created: list[RerunData] = []
    ran: list[RerunData] = []
    monkeypatch.setattr(AppSession, "_create_scriptrunner", create)
    scripts.take_turns()
    session = AppSession.__new__(AppSession)
    session._state, session._client_state, session._scriptrunner = (
        AppSessionState.APP_NOT_RUNNING, ClientState(), None
    )  # fmt: skip
    try:
        with patched.turn():
            session.request_rerun(says("1", "next", "again"))
            runner: Any = session._scriptrunner
            thread = Thread(target=wait, args=(runner, created[0]), daemon=True)
            thread.start()
            until(lambda: patched.waiting == 1)
            for number in range(2, 500):
                session.request_rerun(says(str(number), *(["again"] if number == 3 else [])))
            assert (len(created), session._scriptrunner, runner.stopped) == (1, runner, False)
        thread.join(SOON)
        assert ran[0].query_string == "number=499"
        values = {one.id: one.string_value or one.trigger_value for one in ran[0].widget_states.widgets}
        assert values == {"number": "499", "next": True, "again": True}
        session.request_rerun(says("500"))
        assert (len(created), runner.stopped) == (2, True), "one that runs is stopped, as ever"
    finally:
        session._state = AppSessionState.SHUTDOWN_REQUESTED


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
