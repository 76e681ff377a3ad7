"""A position that the page scrolls to, attnviz/ui/components/arrive.py."""

from streamlit.testing.v1 import AppTest

from attnviz.views.payload import unpack


def page() -> None:
    import streamlit as st

    from attnviz.ui.components import arrive

    st.button("Open", on_click=arrive.ask)
    arrive.here("here")


def number(test: AppTest) -> int:
    (found,) = test.get("bidi_component")
    sent: int = unpack(found.proto.bytes)[0]["number"]
    return sent


def test_the_position_gets_a_new_number_with_each_click_and_keeps_it_in_other_runs() -> None:
    test = AppTest.from_function(page).run()
    assert number(test) == 0
    assert number(test.run()) == 0
    assert number(test.button[0].click().run()) == 1
    assert number(test.run()) == 1
    assert number(test.button[0].click().run()) == 2
