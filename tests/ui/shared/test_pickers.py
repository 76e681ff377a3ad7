"""Which test pictures fit what was chosen, in which order they come."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import data, subjects
from attnviz.subjects import Net, Picture
from attnviz.ui.shared import findings, pickers
from attnviz.ui.shared.findings import Wrong
from attnviz.ui.shared.pickers import ANY, Fitting, default_source

LABELS = data.labels("strokes", "test")


@pytest.fixture
def net() -> Net:
    return subjects.net("pixel_attention.1v8")


def test_any_digit_means_those_the_model_knows(net: Net) -> None:
    assert (
        Fitting(net, "strokes", ANY, wrong=False).numbers.tolist() == np.flatnonzero(np.isin(LABELS, (1, 8))).tolist()
    )


def test_next_is_the_next_of_that_digit_and_the_first_follows_the_last(net: Net) -> None:
    ones = np.flatnonzero(LABELS == 1).tolist()
    fitting = Fitting(net, "strokes", "1", wrong=False)
    assert fitting.after(-1) == ones[0]
    assert fitting.after(ones[3]) == fitting.after(ones[4] - 1) == ones[4]
    assert fitting.after(ones[-1]) == ones[0]
    assert fitting.random() in ones


def test_only_wrong_answers_are_those_and_none_of_them_is_none(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    ones, eights = np.flatnonzero(LABELS == 1), np.flatnonzero(LABELS == 8)
    monkeypatch.setattr(findings, "wrong_answers", lambda *_: Wrong(np.array([ones[2], eights[5], ones[9]]), all=True))
    assert Fitting(net, "strokes", "1", wrong=True).numbers.tolist() == [ones[2], ones[9]]
    monkeypatch.setattr(findings, "wrong_answers", lambda *_: Wrong(np.array([], int), all=True))
    nothing = Fitting(net, "strokes", ANY, wrong=True)
    assert nothing.after(0) is None
    assert nothing.random() is None


def test_strokes_stand_in_for_a_data_set_that_is_not_here(net: Net) -> None:
    assert net.data == "mnist"
    assert default_source(net) == "strokes"


def run(**words: str) -> AppTest:
    def script() -> None:
        import streamlit as st

        from attnviz import cards, subjects
        from attnviz.subjects import Subject
        from attnviz.ui.shared import page, pickers

        with page.sentences():
            net = subjects.net(cards.names()[0])
            found = pickers.example(net)
            st.text(" ".join(found.words.values()))
            pickers.more(Subject(net, found))

    test = AppTest.from_function(script, default_timeout=120)
    test.query_params.update(words)
    test.run()
    assert not test.exception
    return test


@pytest.fixture
def numbers(colour: str) -> list[int]:
    return data.shown("cifar10").numbers.tolist()


def test_a_model_without_its_download_is_shown_samples(numbers: list[int]) -> None:
    test = run()
    airplanes = [number for number in numbers if data.shown("cifar10").labels[numbers.index(number)] == 0]
    assert test.text[0].value == f"cifar10 {airplanes[0]}"
    assert "40 sample pictures of CIFAR-10" in test.caption[0].value
    assert test.button(key="get_cifar10").label == "Get CIFAR-10 (163 MB)"
    assert not test.button_group, "there is one data set: nothing to choose"
    next(button for button in test.button if button.label == "Next").click().run()
    assert test.text[0].value == f"cifar10 {numbers[numbers.index(airplanes[0]) + 1]}"
    assert test.selectbox(key="digit").options == ["any", *data.DATASETS["cifar10"].classes]
    test.selectbox(key="digit").set_value("frog").run()
    frogs = [number for place, number in enumerate(numbers) if data.shown("cifar10").labels[place] == 6]
    assert test.text[0].value == f"cifar10 {frogs[0]}"


def test_a_number_that_is_not_here_is_a_sentence_and_the_first_sample(numbers: list[int]) -> None:
    missing = next(number for number in range(10_000) if number not in numbers)
    test = run(number=str(missing), digit="frog")
    assert len(test.warning) == 1
    assert f"Picture {missing} of CIFAR" in test.warning[0].value.replace("\\", "")
    assert test.text[0].value.split()[1] in map(str, numbers)
    assert test.number_input(key="number").value == int(test.text[0].value.split()[1])


def test_stepping_goes_to_the_next_sample_in_that_direction(numbers: list[int]) -> None:
    test = run(number=str(numbers[4]))
    test.number_input(key="number").set_value(numbers[4] + 1).run()
    assert test.text[0].value == f"cifar10 {numbers[5]}"
    test.number_input(key="number").set_value(numbers[5] - 1).run()
    assert test.text[0].value == f"cifar10 {numbers[4]}"


def test_only_wrong_answers_go_over_the_samples(
    colour: str, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "PATIENCE", 60.0)
    wrong = findings.wrong_answers(subjects.net(colour), "cifar10").numbers.tolist()
    test = run(wrong="yes")
    assert test.text[0].value == f"cifar10 {wrong[0]}"
    test.button[0].click().run()
    assert test.text[0].value == f"cifar10 {wrong[1]}"


class Held:
    """Work that has come as far as a test says: the answers of its net, with every third one wrong."""

    def __init__(self, known: int) -> None:
        labels = data.shown("cifar10").labels
        self.found = np.where(np.arange(40) % 3 == 2, 9 - labels, labels)
        self.known = known

    @property
    def finished(self) -> bool:
        return self.known == 40

    def parts(self) -> list[np.ndarray]:
        return [self.found[: self.known]]


def test_while_wrong_answers_are_sought_those_found_are_shown(
    colour: str, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(0)
    monkeypatch.setattr(findings, "asking", lambda *_: held)
    test = run(wrong="yes")
    opens = test.text[0].value
    assert opens.split()[1] in map(str, numbers), "a picture, which waits for nothing"
    assert [button.disabled for button in test.button[:2]] == [True, True]
    assert not any("no such picture" in one.value for one in test.caption)
    assert "0 of 40 asked" in test.get("progress")[0].proto.text
    held.known = 9
    test.run()
    assert test.text[0].value == f"cifar10 {numbers[2]}"
    held.known = 12
    test.button[0].click().run()
    test.button[0].click().run()
    test.button[0].click().run()
    assert test.text[0].value == f"cifar10 {numbers[11]}", "found since the page was drawn"
    assert "12 of 40 asked" in test.get("progress")[0].proto.text
    held.known = 40
    test.run()
    assert not test.get("progress")


def test_a_page_opens_on_its_picture_and_elsewhere_on_the_first_one_like_it() -> None:
    net, eight = subjects.net("channel_attention.digits"), Picture("strokes", 23)
    assert pickers._begins(net, "strokes", eight, 5) == 23
    other = Picture("cluttered_strokes", 0)
    found = pickers._begins(net, "strokes", other, 5)
    labels = data.shown("strokes").labels
    assert found == list(labels).index(int(other.target))
    assert pickers._begins(subjects.net("element_wise.fashion-b"), "fashion_mnist", eight, 5) == 5
    assert pickers._begins(subjects.net("pixel_attention.1v8"), "strokes", Picture("strokes", 10**6), 5) == 5
