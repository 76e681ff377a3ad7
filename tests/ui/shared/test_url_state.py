"""The URL as the home of the view: what stands there is taken, nonsense gives a sentence and the default."""

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.server import callbacks
from attnviz.ui.shared import url_state
from attnviz.views.payload import unpack


@pytest.fixture(autouse=True)
def callbacks_of_the_app() -> None:
    """Call callbacks as the app does: it changes Streamlit for the whole process, and other tests start it here too."""
    callbacks.finish(url_state.is_late)


def script() -> None:
    import streamlit as st

    from attnviz.ui.shared import url_state

    url_state.arrive()
    word = url_state.choice("colour", ["red", "green"], "red")
    st.selectbox("Colour", ["red", "green"], key="colour", on_change=url_state.keep, args=("colour",))
    number = url_state.number("number", 10, 3)
    st.number_input("Number", 0, 9, key="number", on_change=url_state.keep, args=("number",))
    st.markdown(f"{word} {number}")


def run(**words: str) -> AppTest:
    test = AppTest.from_function(script, default_timeout=120)
    for key, word in words.items():
        test.query_params[key] = word
    return test.run()


def test_an_empty_url_gives_the_defaults_and_stays_empty() -> None:
    test = run()
    assert test.markdown[0].value == "red 3"
    assert dict(test.query_params) == {}


def test_what_the_url_says_is_what_the_widgets_show() -> None:
    test = run(colour="green", number="7")
    assert test.markdown[0].value == "green 7"
    assert test.selectbox[0].value == "green"
    assert test.number_input[0].value == 7


def test_what_the_visitor_chooses_stands_in_the_url() -> None:
    test = run()
    test.selectbox[0].select("green").run()
    test.number_input[0].set_value(5).run()
    assert test.markdown[0].value == "green 5"
    assert dict(test.query_params) == {"colour": "green", "number": "5"}


def test_nonsense_gives_a_sentence_with_the_closest_and_the_default() -> None:
    test = run(colour="grean", number="-1")
    assert test.markdown[0].value == "red 3"
    assert "Did you mean" in test.warning[0].value
    assert "0 to 9" in test.warning[1].value


def test_what_is_past_the_end_or_no_number_is_nonsense() -> None:
    for word in ("10", "1e3", "٣", "9" * 40, "", "<script>"):
        test = run(number=word)
        assert test.markdown[0].value == "red 3"
        assert len(test.warning) == 1


# A click whose URL is late


def test_a_click_with_the_url_of_before_undoes_nothing() -> None:
    test = run()
    test.selectbox[0].select("green").run()
    del test.query_params["colour"]  # the browser has not heard of it yet when the next click is made
    test.number_input[0].set_value(5).run()
    assert test.markdown[0].value == "green 5"
    assert dict(test.query_params) == {"colour": "green", "number": "5"}


def setting() -> None:
    import streamlit as st

    from attnviz.ui.shared import url_state

    url_state.arrive()
    st.button("Green", on_click=lambda: url_state.set_value(colour="green"))
    word = url_state.choice("colour", ["red", "green", "blue"], "red")
    st.selectbox("Colour", ["red", "green", "blue"], key="colour", on_change=url_state.keep, args=("colour",))
    number = url_state.number("number", 10, 3)
    st.number_input("Number", 0, 9, key="number", on_change=url_state.keep, args=("number",))
    st.markdown(f"{word} {number}")


def test_a_click_with_the_url_and_the_widgets_of_before_undoes_nothing() -> None:
    test = AppTest.from_function(setting, default_timeout=120)
    test.query_params["colour"] = "red"
    test.run().button[0].click().run()
    assert test.markdown[0].value == "green 3"
    test.query_params["colour"] = "red"
    test.selectbox[0].select("red")  # what the browser shows until it hears of the green
    test.number_input[0].set_value(5).run()
    assert test.markdown[0].value == "green 5"


def test_the_url_and_a_widget_of_before_undo_nothing_where_the_browser_reports_that_widget_for_the_first_time() -> None:
    test = AppTest.from_function(setting, default_timeout=120)
    test.query_params["colour"] = "red"
    test.run().button[0].click().run()
    test.session_state["callbacks.reported"] = {}
    test.query_params["colour"] = "red"
    test.selectbox[0].select("red").run()
    assert test.markdown[0].value == "green 3"


def test_what_is_chosen_while_the_url_is_late_holds() -> None:
    test = AppTest.from_function(setting, default_timeout=120)
    test.query_params["colour"] = "red"
    test.run().button[0].click().run()
    test.query_params["colour"] = "red"
    test.selectbox[0].select("blue").run()
    assert test.markdown[0].value == "blue 3"
    assert dict(test.query_params) == {"colour": "blue"}


def stating() -> None:
    import streamlit as st

    from attnviz.ui.shared import url_state

    url_state.arrive()
    number = url_state.number("number", 10, 3)
    st.number_input("Number", 0, 9, key="number", on_change=url_state.keep, args=("number",))
    st.button("Look", on_click=url_state.catch_up)
    url_state.state(number=number)
    st.markdown(f"{number}")


def test_the_url_of_before_may_have_been_completed_by_the_browser_on_its_way() -> None:
    test = AppTest.from_function(stating, default_timeout=120).run()
    test.number_input[0].set_value(5).run()
    test.query_params.clear()
    test.query_params.update({"v": "2", "number": "3"})  # the browser wrote what was stated, then heard of the 5
    test.button[0].click().run()
    assert test.markdown[0].value == "5"


def test_the_browser_completes_the_url_by_what_it_left_open_alone() -> None:
    test = AppTest.from_function(stating, default_timeout=120)
    for url, left in (({}, {"v": "2", "number": "3"}), ({"number": "5"}, {"v": "1"}), ({"v": "2", "number": "5"}, {})):
        test.query_params.update(url)
        (arrives,) = test.run().get("bidi_component")
        assert unpack(arrives.proto.bytes)[0]["words"] == left


def test_what_back_brings_is_taken_and_is_where_the_next_click_goes_on() -> None:
    test = run()
    test.selectbox[0].select("green").run()
    del test.query_params["colour"]
    test.run()
    assert test.markdown[0].value == "red 3"
    test.number_input[0].set_value(5).run()
    assert dict(test.query_params) == {"number": "5"}


def test_a_url_that_python_never_wrote_is_taken_with_a_click_too() -> None:
    test = run()
    test.selectbox[0].select("green").run()
    test.query_params["colour"] = "red"
    test.number_input[0].set_value(5).run()
    assert dict(test.query_params) == {"colour": "red", "number": "5"}


def test_a_way_there_and_back_leaves_the_last_one_valid() -> None:
    test = run()
    for colour in ("green", "red", "green"):
        test.selectbox[0].select(colour).run()
    test.number_input[0].set_value(5).run()
    assert dict(test.query_params) == {"colour": "green", "number": "5"}
