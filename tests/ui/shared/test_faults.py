"""Where a mechanism is faulty, the page says so in its place, and goes on below."""

import logging

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.mechanisms import MECHANISMS, guard

ROW = MECHANISMS["element_wise"]


def run(wrong: BaseException | None) -> AppTest:
    def app(row: object, wrong: BaseException | None) -> None:
        import streamlit as st

        from attnviz.ui.shared import faults

        with faults.drawing(row, "live picture"):
            st.write("before")
            if wrong is not None:
                raise wrong
            st.write("after")
        st.write("below")

    guard._written.clear()
    return AppTest.from_function(app, args=(ROW, wrong)).run()


@pytest.mark.parametrize("wrong", [ValueError("1 * 2"), SystemExit(3), MemoryError()])
def test_a_fault_is_a_sentence_and_the_page_goes_on(wrong: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        test = run(wrong)
    assert not test.exception
    assert [one.value for one in test.markdown] == ["before", "below"]
    assert [one.value.replace("\\", "") for one in test.error] == [
        f"\u201c{ROW.title}\u201d could not give its live picture. The server's log says why."
    ]
    assert type(wrong).__name__ in caplog.text


def test_what_works_is_drawn() -> None:
    test = run(None)
    assert [one.value for one in test.markdown] == ["before", "after", "below"]
    assert not test.error
