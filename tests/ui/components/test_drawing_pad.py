"""The pad's side in Python: what stands in the URL, and what the browser is handed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.components.drawing_pad import Base, drawing_pad, on_pad, shown_on_pad
from attnviz.ui.components.drawn import (
    LONGEST,
    Drawn,
    Shown,
    drawn_from_url,
    drawn_to_url,
    is_drawing,
    pinned_from_url,
    shown_to_url,
)
from attnviz.views.payload import unpack

DRAWINGS = st.text("ABCabc019_-", max_size=40)
DRAWN = st.builds(Drawn, DRAWINGS, st.none() | st.from_regex(r"[a-z_]{1,8}\.[0-9]{1,5}", fullmatch=True), st.booleans())


def draw(drawn: object, base: object = None) -> None:
    import numpy as np

    from attnviz.ui.components.drawing_pad import Base, Cards, drawing_pad

    samples = [Base("strokes.3", np.full((28, 28), 3, np.uint8), "7"), Base("strokes.4", np.eye(28, dtype=np.uint8))]
    cards = Cards({"models": ["a.b"]}, {"before": np.zeros(2)})
    drawing_pad(drawn, key="pad", samples=samples, base=base, cards=cards, on_change=lambda: None)


def handed_over(test: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    return unpack(test.get("bidi_component")[0].proto.bytes)


@given(DRAWN)
def test_the_url_brings_back_what_is_on_the_pad(drawn: Drawn) -> None:
    words = {name: word for name, word in drawn_to_url(drawn).items() if word is not None}
    assert drawn_from_url(words) == (drawn, [])


def test_an_empty_pad_leaves_no_word_in_the_url_and_an_upload_none_of_what_is_drawn_on_it() -> None:
    assert set(drawn_to_url(Drawn()).values()) == {None}
    for name in ("upload 7", "photo.png", "strokes.12.png", "strokes.", "strokes.1²"):
        assert drawn_to_url(Drawn("AB", name, False)) == {"strokes": None, "start": None, "centred": "no"}, name


def asked(header: dict[str, Any]) -> dict[str, Any]:
    """Return what the pad is asked to show, and the revision of that."""
    found: dict[str, Any] = header["state"]["drawn"]
    return found


def told(drawn: Drawn, revision: int = 99) -> dict[str, Any]:
    """Return what the pad reports."""
    return {"drawn": {"value": drawn.plain(), "revision": revision}}


def test_a_picture_from_outside_is_asked_for_once_and_then_left_alone() -> None:
    outside = Base("file-7", np.eye(280, dtype=np.uint8))
    test = AppTest.from_function(draw, args=(Drawn("AB"),), default_timeout=120).run()
    test.session_state["pad"] = told(Drawn("AB"))
    test.args = (Drawn("", "file-7"), outside)
    given = handed_over(test.run())[0]
    assert (asked(given)["revision"], asked(given)["value"]["base"], given["side"]) == (2, "file-7", 280)
    for on_it, centred in (("", True), ("CD", True), ("CD", False)):
        test.session_state["pad"] = told(Drawn(on_it, "file-7", centred))
        test.args = (Drawn("", None, centred),)
        assert asked(handed_over(test.run())[0])["revision"] == 2
    test.session_state["pad"] = told(Drawn("CD", "file-7", False))
    test.args = (Drawn("AB"),)  # the way back
    assert asked(handed_over(test.run())[0])["revision"] == 3


@given(st.text(max_size=30), st.text(max_size=5))
def test_whatever_stands_in_the_url_gives_a_drawing_and_sentences(word: str, centred: str) -> None:
    drawn, sentences = drawn_from_url({"strokes": word, "centred": centred})
    assert is_drawing(drawn.drawing)
    assert drawn.drawing in ("", word)
    assert drawn.centred == (centred != "no")
    assert len(sentences) == (not is_drawing(word)) + (centred not in ("yes", "no"))


@pytest.mark.parametrize(
    ("word", "why"),
    [("A" * (LONGEST + 1), "longer than 1,500"), ("AB=", "not made by"), ("A\n", "not made by"), ("ä", "not made by")],
)
def test_nonsense_is_one_sentence_and_an_empty_pad(word: str, why: str) -> None:
    drawn, (sentence,) = drawn_from_url({"strokes": word})
    assert drawn == Drawn()
    assert why in sentence
    assert "The pad is empty." in sentence


def test_the_browser_is_handed_what_the_url_says_and_what_to_start_from() -> None:
    base = Base("strokes.12", np.arange(784, dtype=np.uint8).reshape(28, 28))
    test = AppTest.from_function(draw, args=(Drawn("AB", "strokes.12", False), base), default_timeout=120).run()
    assert not test.exception
    header, arrays = handed_over(test)
    wanted = {"drawing": "AB", "base": "strokes.12", "centred": False}
    assert (asked(header)["value"], header["url"]) == (wanted, wanted)
    assert (header["side"], header["longest"], header["cards"]) == (28, LONGEST, {"models": ["a.b"]})
    assert header["samples"] == [{"name": "strokes.3", "label": "7"}, {"name": "strokes.4", "label": ""}]
    np.testing.assert_array_equal(arrays["base"], base.picture)
    np.testing.assert_array_equal(arrays["samples"], [np.full((28, 28), 3), np.eye(28)])
    assert arrays["before"].tolist() == [0, 0]


def test_what_the_browser_reported_is_not_asked_for_and_another_url_is() -> None:
    test = AppTest.from_function(draw, args=(Drawn(),), default_timeout=120).run()
    begun = handed_over(test)[0]
    test.session_state["pad"] = told(Drawn("AB"))
    test.args = (Drawn("AB"),)
    followed = handed_over(test.run())[0]
    assert asked(followed)["revision"] == asked(begun)["revision"]
    assert followed["url"]["drawing"] == "AB"
    test.session_state["pad"] = told(Drawn("AB"))
    test.args = (Drawn("CD"),)
    another = handed_over(test.run())[0]
    assert (asked(another)["revision"], asked(another)["value"]["drawing"]) == (asked(begun)["revision"] + 1, "CD")


def test_what_is_late_is_not_what_is_on_the_pad(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {"pad": told(Drawn("AB"), 2), "pad.drawn": {"asked": None, "value": None, "revision": 2}}
    monkeypatch.setattr("attnviz.ui.components.state.st.session_state", state)
    assert on_pad("pad") == Drawn("AB")
    state["pad.drawn"]["revision"] = 3
    assert on_pad("pad") is None


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (None, None),
        ("nonsense", None),
        ({}, Drawn()),
        ({"drawing": "A B", "base": 7, "centred": "x"}, Drawn()),
        ({"drawing": "A" * 1501, "base": "b" * 200, "centred": False}, Drawn("", "b" * 100, False)),
        ({"drawing": "AB", "base": "strokes.12", "centred": True}, Drawn("AB", "strokes.12")),
    ],
)
def test_what_a_browser_tells_is_not_believed_blindly(
    told: Any, wanted: Drawn | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = {"pad": {"drawn": {"value": told, "revision": 1}}}
    monkeypatch.setattr("attnviz.ui.components.state.st.session_state", reports)
    assert on_pad("pad") == wanted


def test_what_the_panels_show_goes_into_the_url_and_comes_back() -> None:
    pin = Drawn("AB", "strokes.12", False)
    words = shown_to_url(Shown({"a.b": 2, "c.d": 0}, "jacobian", True, pin, 25, 100))
    assert words == {
        "heads": "a.b:3,c.d:1", "map": "jacobian", "change": "yes", "trained": "25", "pin_trained": "100",
        "pin": "AB", "pin_start": "strokes.12", "pin_centred": "no",
    }  # fmt: skip
    assert pinned_from_url({name: word for name, word in words.items() if word}) == (pin, [])
    assert set(shown_to_url(Shown()).values()) == {None}, "the defaults leave no word"


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ({}, Shown()),
        (
            {"heads": {"a.b": 1, "<i>": 1, "c.d": -1, "e.f": "1", "g.h": True}, "map": "x", "change": 1},
            Shown({"a.b": 1}),
        ),
        ({"heads": [1], "pin": {"drawing": "A B"}}, Shown()),
        ({"trained": 25}, Shown(trained=25)),
        ({"trained": 100}, Shown()),
        ({"trained": "25"}, Shown()),
        ({"map": "jacobian", "change": True, "pin": {"drawing": "AB"}}, Shown({}, "jacobian", True, Drawn("AB"))),
        ({"pin": {"drawing": "AB", "base": "upload"}, "pin_trained": 25}, Shown()),
        ({"pin": {"drawing": "AB"}, "pin_trained": 100}, Shown(pin=Drawn("AB"), pin_trained=100)),
        ({"pin": {"drawing": "AB"}, "pin_trained": 101}, Shown(pin=Drawn("AB"))),
    ],
)
def test_what_a_browser_tells_of_the_panels_is_not_believed_blindly(
    told: Any, wanted: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = {"pad": {"panels": {"value": told, "revision": 1}}}
    monkeypatch.setattr("attnviz.ui.components.state.st.session_state", reports)
    assert shown_on_pad("pad") == wanted


@pytest.mark.parametrize(
    "picture", [np.zeros((28, 28)), np.zeros((28, 27), np.uint8), np.zeros((28, 28, 1), np.uint8)], ids=str
)
def test_pictures_of_another_kind_are_named(picture: np.ndarray) -> None:
    with pytest.raises(BadInput, match=r"strokes.3: expected uint8 \(side, side\)"):
        drawing_pad(Drawn(), key="pad", samples=[Base("strokes.3", picture)], on_change=lambda: None)
    with pytest.raises(BadInput, match="at most 280 pixels a side"):
        drawing_pad(Drawn("", "a"), key="pad", samples=[], base=Base("a", picture), on_change=lambda: None)


def test_a_base_that_was_not_named_is_refused() -> None:
    with pytest.raises(BadInput, match="must be 'b', not 'a'"):
        base = Base("a", np.zeros((280, 280), np.uint8))
        drawing_pad(Drawn("", "b"), key="pad", samples=[], base=base, on_change=lambda: None)
