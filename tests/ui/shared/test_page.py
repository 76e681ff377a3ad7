"""The frame of every page, drawn without a browser."""

from streamlit.testing.v1 import AppTest


def framed() -> None:
    import streamlit as st

    from attnviz.errors import BadInput
    from attnviz.ui.shared import page

    page.start(
        "Heads", "Which head?", tries=[("the third", {"head": "3", "scale": "all"}), ("the mean", {"head": "0"})]
    )
    with page.sentences():
        if int(st.query_params.get("head", 0)) > 3:
            raise BadInput("There are heads 0 to 3.")
        st.write("drawn")
    page.link("10_pixel_attention.py", "A loop", digit=8, data="strokes")
    page.meaning("It looks.", "It does not say why.")


def test_a_page_says_its_question_and_what_its_pictures_mean() -> None:
    at = AppTest.from_function(framed, default_timeout=120).run()
    assert not at.exception
    assert at.title[0].value == "Heads"
    words = [text.value for text in at.markdown]
    assert words[0] == "Which head?"
    assert {"It looks.", "It does not say why."} <= set(words)
    assert [header.value for header in at.header] == ["What it means", "What it does not show"]


def test_a_try_puts_its_words_and_no_others_into_the_url() -> None:
    at = AppTest.from_function(framed, default_timeout=120).run()
    at.button(key="page_try_0").click().run()
    assert at.query_params == {"v": "2", "head": "3", "scale": "all"}
    at.button(key="page_try_1").click().run()
    assert at.query_params == {"v": "2", "head": "0"}


def test_an_error_of_ours_is_a_sentence_where_the_thing_would_be_and_the_page_goes_on() -> None:
    at = AppTest.from_function(framed, default_timeout=120).run()
    assert "drawn" in [text.value for text in at.markdown]
    at.query_params["head"] = "8"
    at.run()
    assert [box.value for box in at.error] == [r"There are heads 0 to 3\."]
    words = [text.value for text in at.markdown]
    assert "drawn" not in words
    assert "It looks." in words


def test_any_other_error_is_not_swallowed() -> None:
    def script() -> None:
        from attnviz.ui.shared import page

        with page.sentences():
            raise KeyError("head")

    at = AppTest.from_function(script, default_timeout=120).run()
    assert (len(at.exception), len(at.error)) == (1, 0)


def test_a_link_of_a_page_run_alone_is_an_ordinary_one() -> None:
    at = AppTest.from_function(framed, default_timeout=120).run()
    assert "[A loop](pixel_attention?digit=8&data=strokes&v=2)" in [text.value for text in at.markdown]


def test_a_try_that_switches_the_model_says_so() -> None:
    def tried() -> None:
        from attnviz.ui.shared import page, url_state

        tries = [("eights", {"model": "pixel_attention.1v8"}), ("the same", {"model": "pixel_attention.digits"})]
        page.start("Heads", "Which head?", tries=tries)
        url_state.state(model="pixel_attention.digits")

    at = AppTest.from_function(tried, default_timeout=120).run()
    at.button(key="page_try_1").click().run()
    assert not at.toast
    at.button(key="page_try_0").click().run()
    assert [one.value for one in at.toast] == ["You now see another model: **One or eight\\, one head**."]
    at.run()
    assert not at.toast, "said once"
