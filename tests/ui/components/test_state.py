"""When a component is asked to follow the URL, what a late report means, and that a grid of maps keeps to it."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.components.map_grid import Names, map_grid
from attnviz.ui.components.state import UNKNOWN, ControlledState
from attnviz.views.payload import unpack

NEVER = object()
"""No report: Streamlit knows the component, and the visitor has chosen nothing."""


class Session(dict):
    """A session's state, and what a component of the key "grid" has reported into it."""

    def report(self, value: Any, revision: int = 99) -> None:
        self["grid"] = {} if value is NEVER else {"chosen": {"value": value, "revision": revision}}

    def forget(self) -> None:
        del self["grid"]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    found = Session()
    monkeypatch.setattr("attnviz.ui.components.state.st.session_state", found)
    return found


@pytest.fixture
def state() -> ControlledState:
    return ControlledState("grid", "chosen")


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [
        ([(None, NEVER), (None, 4)], [(None, 1), (None, 1)]),  # nobody asks: the visitor's own choice
        ([(5, NEVER), (5, NEVER), (5, 5)], [(5, 1), (5, 1), (5, 1)]),  # a link
        ([(None, NEVER), (7, 7), (7, 7)], [(None, 1), (None, 1), (None, 1)]),  # a click, which comes back
        ([(5, NEVER), (7, 7), (5, 7)], [(5, 1), (5, 1), (5, 2)]),  # a link, a click, Back
        ([(None, NEVER), (7, 7), (None, 7)], [(None, 1), (None, 1), (None, 2)]),  # a click, Back to nothing
        ([(7, 6), (7, 6)], [(7, 1), (7, 1)]),  # the browser has not caught up: it is asked once
    ],
)
def test_a_revision_is_new_only_where_the_url_says_something_new(
    session: Session, state: ControlledState, runs: list, wanted: list
) -> None:
    found = []
    for asked, shown in runs:
        session.report(shown)
        told = state.ask(asked)
        found.append((told["value"], told["revision"]))
    assert found == wanted


def test_who_comes_back_from_another_page_is_asked_anew(session: Session, state: ControlledState) -> None:
    assert state.ask(5)["revision"] == 1
    session.report(7, 1)
    assert state.ask(7)["revision"] == 1
    session.forget()
    assert state.ask(7) == {"value": 7, "revision": 2, "key": "grid.chosen"}


def test_a_late_report_is_of_before_and_neither_heard_nor_taken_for_what_is_shown(
    session: Session, state: ControlledState
) -> None:
    heard: list[Any] = []
    hear = state.callback(lambda: heard.append(state.reported()))
    session.report(NEVER)
    assert state.ask(5)["revision"] == 1
    assert state.ask(6)["revision"] == 2  # a link
    session.report(4, 1)  # chosen before the link arrived
    hear()
    assert (state.reported(), state.shown(), heard) == (UNKNOWN, 6, [])
    assert state.ask(6)["revision"] == 2
    assert state.ask(4)["revision"] == 3, "Back leads to what was reported late: it is not shown, and must be asked for"
    session.report(4, 3)
    hear()
    assert heard == [4]


@pytest.mark.parametrize("report", [None, "nonsense", 7, {}, {"value": "bad"}, {"revision": 1}])
def test_nonsense_from_a_browser_is_no_choice(session: Session, report: Any) -> None:
    state = ControlledState("grid", "chosen", lambda value: value if isinstance(value, int) else UNKNOWN)
    session["grid"] = {"chosen": report}
    assert state.shown() is None


def test_two_things_of_one_component_have_revisions_of_their_own(session: Session, state: ControlledState) -> None:
    session.report(NEVER)
    other = ControlledState("grid", "map")
    assert [state.ask(1)["revision"], state.ask(2)["revision"], other.ask("a")["revision"]] == [1, 2, 1]


def draw(chosen: int | None) -> None:
    import numpy as np

    from attnviz.ui.components.map_grid import Names, map_grid

    names = Names("head", ["2", "1"], "other head", ["3", "4", "5"])
    map_grid(np.zeros((1, 2, 3)), ["distance"], key="grid", names=names, chosen=chosen)


def test_a_choice_that_comes_back_does_not_carry_the_maps_again() -> None:
    test = AppTest.from_function(draw, args=(None,), default_timeout=120).run()
    before = test.get("bidi_component")[0].proto.bytes
    test.session_state["grid"] = {"chosen": {"value": 0, "revision": 1}, "cell": {"value": None, "revision": 0}}
    test.args = (0,)
    assert test.run().get("bidi_component")[0].proto.bytes == before


def test_names_of_cells_arrive() -> None:
    test = AppTest.from_function(draw, args=(None,), default_timeout=120).run()
    header, _ = unpack(test.get("bidi_component")[0].proto.bytes)
    assert header["names"] == {
        "row": "head", "rows": ["2", "1"], "column": "other head", "columns": ["3", "4", "5"],
    }  # fmt: skip


def test_names_that_do_not_fit_are_named() -> None:
    with pytest.raises(BadInput, match=r"names: 1 x 1 do not fit one map of \(1, 2, 2\)"):
        map_grid(np.zeros((1, 2, 2)), ["one"], key="grid", names=Names("a", ["1"], "b", ["1"]))
