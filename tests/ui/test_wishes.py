"""When a component is asked to follow the address, and that a grid of maps keeps to it."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.map_grid import Names, map_grid
from attnviz.ui.payload import unpack


def ask(asked: int | None, shown: int | None) -> None:
    import streamlit as st

    from attnviz.ui.wishes import wish

    st.session_state["said"] = wish("grid", asked, shown)


def said(*runs: tuple[Any, Any]) -> list[tuple[Any, int]]:
    """Return the wish after each run of a page: what the address asks for, what the component shows."""
    test = AppTest.from_function(ask, args=(None, None))
    found = []
    for run in runs:
        test.args = run
        test.run()
        assert not test.exception
        found.append(test.session_state["said"])
    return found


@pytest.mark.parametrize(
    ("runs", "wishes"),
    [
        ([(None, None), (None, 4)], [(None, 0), (None, 0)]),  # nobody asks: the visitor's own choice
        ([(5, None), (5, None), (5, 5)], [(5, 1), (5, 1), (5, 1)]),  # a link
        ([(None, None), (7, 7), (7, 7)], [(None, 0), (None, 0), (None, 0)]),  # a click, which comes back
        ([(5, None), (7, 7), (5, 7)], [(5, 1), (5, 1), (5, 2)]),  # a link, a click, Back
        ([(None, None), (7, 7), (None, 7)], [(None, 0), (None, 0), (None, 1)]),  # a click, Back to nothing
        ([(5, None), (7, 7), (5, None)], [(5, 1), (5, 1), (5, 2)]),  # the visitor has been on another page meanwhile
        ([(5, None), (5, 5), (5, None)], [(5, 1), (5, 1), (5, 2)]),
        ([(7, 6), (7, 6)], [(7, 1), (7, 1)]),  # the browser has not caught up: it is asked once
    ],
)
def test_a_wish_is_new_only_where_the_address_says_something_new(runs: list, wishes: list) -> None:
    assert said(*runs) == wishes


def draw(chosen: int | None) -> None:
    import numpy as np

    from attnviz.ui.map_grid import Names, map_grid

    names = Names("head", ["2", "1"], "other head", ["3", "4", "5"])
    map_grid(np.zeros((1, 2, 3)), ["distance"], key="grid", names=names, chosen=chosen)


def test_a_choice_that_comes_back_does_not_carry_the_maps_again() -> None:
    test = AppTest.from_function(draw, args=(None,)).run()
    before = test.get("bidi_component")[0].proto.bytes
    test.session_state["grid"] = {"chosen": 0, "cell": None}
    test.args = (0,)
    assert test.run().get("bidi_component")[0].proto.bytes == before


def test_names_of_cells_arrive() -> None:
    test = AppTest.from_function(draw, args=(None,)).run()
    header, _ = unpack(test.get("bidi_component")[0].proto.bytes)
    assert header["names"] == {
        "row": "head", "rows": ["2", "1"], "column": "other head", "columns": ["3", "4", "5"],
    }  # fmt: skip


def test_names_that_do_not_fit_are_named() -> None:
    with pytest.raises(BadInput, match=r"names: 1 x 1 do not fit one map of \(1, 2, 2\)"):
        map_grid(np.zeros((1, 2, 2)), ["one"], key="grid", names=Names("a", ["1"], "b", ["1"]))
