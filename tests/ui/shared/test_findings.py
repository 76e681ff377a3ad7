"""Which answers are wrong: read from the card, or else found by work that a page watches."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import data, subjects
from attnviz.card import packed
from attnviz.ui.shared import findings, inference

NAME = "pixel_attention.1v8"


def ask(*_: object) -> None:
    raise AssertionError("nobody needs to be asked")


def test_the_card_says_which_answers_are_wrong_and_no_net_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    net, strokes = subjects.net(NAME), data.shown("strokes")
    monkeypatch.setattr(findings, "asking", ask)
    wrong = findings.wrong_answers(net, "strokes")
    assert wrong.all
    (figure,) = [one for one in net.card.figures if one.data == "strokes"]
    assert 1 - len(wrong.numbers) / 2000 == pytest.approx(figure.value)
    loaded, some = net.load(), [*wrong.numbers[:4], *np.flatnonzero(np.isin(strokes.labels, (1, 8)))[:12]]
    for number in some:
        (answered,) = inference.answers(loaded, "strokes", "test", int(number), 1)
        assert (answered != strokes.labels[number]) == (number in wrong.numbers)


def test_what_the_card_does_not_tell_is_asked(colour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card of 30 test pictures, in two of which it was wrong; of the samples, some are among these 30."""
    monkeypatch.setattr(findings, "PATIENCE", 60.0)
    net, shown = subjects.net(colour), data.shown("cifar10")
    assert (findings.told_by_card(net, "cifar10") == findings.UNKNOWN).all()
    found = findings.answers(findings.asking(net, "cifar10"))
    assert found.shape == (40,)
    every = shown.numbers[found != shown.labels]
    asked = findings.wrong_answers(net, "cifar10")
    assert asked.all
    assert asked.numbers.tolist() == every.tolist() != []

    count = int(shown.numbers[19]) + 1
    right = np.ones(count, bool)
    right[shown.numbers[[3, 7]]] = False
    accuracy = replace_figure(right)
    told = replace(net, card=net.card.model_copy(update={"figures": (accuracy,)}))
    expected = np.full(40, findings.UNKNOWN)
    expected[:20] = findings.RIGHT
    expected[[3, 7]] = findings.WRONG
    assert findings.told_by_card(told, "cifar10").tolist() == expected.tolist()
    mixed = findings.wrong_answers(told, "cifar10").numbers
    assert mixed.tolist() == [*shown.numbers[[3, 7]], *(number for number in every if number >= count)]


def replace_figure(right: np.ndarray) -> object:
    from attnviz.card import Figure

    value = float(right.mean())
    return Figure(
        name="accuracy", unit="share", data="cifar10", split="test", count=len(right), value=value, mean=value,
        lowest=value, highest=value, seeds=1, right=packed(right),
    )  # fmt: skip


def test_a_page_shows_how_far_the_asking_has_come_and_goes_on_when_it_has_finished(
    colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held()
    monkeypatch.setattr(findings, "asking", lambda *_: held)

    def page() -> None:
        import streamlit as st

        from attnviz import cards, subjects
        from attnviz.ui.shared import findings

        net = subjects.net(cards.names()[0])
        if findings.asking(net, "cifar10").finished:
            st.text("finished")
        else:
            findings.progress(net, "cifar10")

    test = AppTest.from_function(page, default_timeout=120).run()
    (bar,) = test.get("progress")
    assert bar.proto.value == 50
    assert bar.proto.text == "Asking the model about the test pictures, once: 20 of 40 are done"
    held.finished_after = 1  # looks: the page's own, and the bar finds it finished
    test.run()
    assert [one.value for one in test.text] == ["finished"]


class Held:
    """Work that has finished after so many looks."""

    finished_after = 1000

    @property
    def finished(self) -> bool:
        self.finished_after -= 1
        return self.finished_after < 0

    def parts(self) -> list[int]:
        return [np.zeros(20, np.int64)]
