"""The experiments of a page: the URL opens one, a click opens another, and the words of the last one leave the URL."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from attnviz.ui.shared.experiments import Experiment, choose

    def show(name: str) -> object:
        return lambda one, other: st.write(f"{name} of {one} and {other}")

    choose(
        {"a": Experiment("A?", "One.", show("a"), ("size",)), "b": Experiment("B?", "Two.", show("b"), ("seed",))}, 1, 2
    )


def run(**words: str) -> AppTest:
    test = AppTest.from_function(page, default_timeout=120)
    test.query_params.update(words)
    return test.run()


def opened(test: AppTest) -> list[str]:
    assert not test.exception
    return [one.value for one in test.markdown if " of 1 and 2" in one.value]


def test_all_are_closed_unless_the_url_opens_one() -> None:
    assert (opened(run()), opened(run(experiment="a")), opened(run(experiment="b"))) == (
        [],
        ["a of 1 and 2"],
        ["b of 1 and 2"],
    )


def test_each_is_a_row_with_its_question_and_what_it_measures() -> None:
    assert [one.label for one in run().expander] == ["**A?** One.", "**B?** Two."]


def test_nonsense_is_a_sentence_and_none_is_open() -> None:
    test = run(experiment="c")
    (warning,) = test.warning
    assert "None is chosen" in warning.value and opened(test) == []


def test_a_click_opens_one_and_takes_the_words_of_all_out_of_the_url() -> None:
    from attnviz.ui.shared import experiments

    def clicked() -> None:
        import streamlit as st

        from attnviz.ui.shared.experiments import _open

        st.session_state["experiment_row_b"] = st.query_params.get("way") == "open"
        st.button("Go", on_click=_open, args=("b", {"size": None, "seed": None}))

    assert experiments.key_of("b") == "experiment_row_b"
    for way, left in (("open", {"experiment": "b"}), ("close", {})):
        test = AppTest.from_function(clicked, default_timeout=120)
        test.query_params.update({"way": way, "size": "3", "seed": "4", "model": "m", "experiment": "a"})
        test.run().button[0].click().run()
        assert dict(test.query_params) == {"way": way, "model": "m", **left}


def test_a_finding_stands_first_though_it_is_known_last() -> None:
    def page() -> None:
        import streamlit as st

        from attnviz.ui.shared.experiments import Experiment, choose, finding

        def show() -> None:
            say = finding()
            st.write("maps")
            say("**3 of 4**: so many.")

        choose({"a": Experiment("How many?", "Counts them.", show)})

    test = AppTest.from_function(page, default_timeout=120)
    assert [one.value for one in test.run().markdown] == []
    test.query_params["experiment"] = "a"
    assert [one.value for one in test.run().markdown] == ["**3 of 4**: so many.", "maps"]
