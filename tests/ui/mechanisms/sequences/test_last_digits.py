"""The last digits of the draw page as a strip, attnviz/ui/mechanisms/sequences/last_digits.py."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.data import strokes
from attnviz.data.inputs import drawing
from attnviz.subjects import Strip, Subject, net
from attnviz.ui.components.drawing_pad import UNDONE
from attnviz.ui.mechanisms.sequences import last_digits, reading
from attnviz.ui.mechanisms.sequences.own_strip import digits_of
from attnviz.ui.shared import cache
from tests.ui.draw.test_panels import run

ADDITIVE = "encoder_decoder.strips-15"


def drawn(digit: int) -> str:
    """Return a drawing of a digit, as the pad tells of it."""
    return drawing.word(drawing.name(strokes.draw([digit], seed=3)[0, ..., 0]))


def see(test: AppTest, seen: str, revision: int) -> AppTest:
    """Let the pad tell what was seen last, and run the page again."""
    test.session_state["pad"] = {"seen": {"value": seen, "revision": revision}}
    test.run()
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    return "\n".join(one.value for one in test.markdown)


def strip_of(test: AppTest) -> np.ndarray:
    [word] = [test.query_params["strip"]] if isinstance(test.query_params["strip"], str) else test.query_params["strip"]
    return digits_of(Strip(word))


def test_nothing_is_kept_until_it_is_switched_on() -> None:
    test = run(seen=drawn(3))
    assert "reads" not in said(test)
    test.toggle(key="last_digits").set_value(True).run()
    assert test.query_params["strip"] in (last_digits.NOTHING, [last_digits.NOTHING])


def test_a_digit_is_complete_when_the_pad_is_cleared_and_all_of_them_are_read() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING)
    see(test, "", 1)
    assert len(strip_of(test)) == 1
    see(test, drawn(7), 2)
    assert len(strip_of(test)) == 1, "the second one is not complete"
    both = np.concatenate([strip_of(test), drawing.read(drawing.named(drawn(7)))[None]])
    text, _ = cache.of_subject(reading.text_and_least, Subject(net(ADDITIVE), Strip.drawn(both)))
    assert f"{net(ADDITIVE).title}: **{text}**" in said(test)
    assert text == "37"
    see(test, "", 3)
    np.testing.assert_array_equal(strip_of(test), digits_of(Strip.drawn(both)))
    test.button(key="last_digits_anew").click().run()
    assert test.query_params["strip"] in (last_digits.NOTHING, [last_digits.NOTHING])
    assert "Nothing is drawn yet" in test.info[0].value


def test_an_undo_of_the_clearing_makes_the_digit_the_one_that_is_being_drawn() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING, strokes="AQ-_")
    see(test, "", 1)
    see(test, drawn(3), 2)
    assert ": **3**" in said(test), "once"
    assert test.query_params["strip"] in (last_digits.NOTHING, [last_digits.NOTHING])
    see(test, "", 3)
    assert len(strip_of(test)) == 1


def test_several_undos_take_back_what_was_drawn_since_and_then_the_clearings() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING, strokes="AQ-_")
    for revision, (seen, text) in enumerate(
        [("", "3"), (drawn(7), "37"), ("", "37"), (drawn(5), "375"), (UNDONE, "37"), (drawn(7), "37"), (UNDONE, "3"),
         (drawn(3), "3"), ("", "3"), (drawn(1), "31")],
        1,
    ):  # fmt: skip
        see(test, seen, revision)
        assert f"{net(ADDITIVE).title}: **{text}**" in said(test), revision
    assert len(strip_of(test)) == 1


def test_an_undo_takes_nothing_from_the_strip_of_another_link() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING, strokes="AQ-_")
    see(test, "", 1)
    test.query_params["strip"] = Strip.drawn(drawing.read(drawing.named(drawn(7)))[None]).word
    see(test, drawn(3), 2)
    assert ": **73**" in said(test)


def test_a_picture_to_start_from_can_be_taken_twice() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING)
    see(test, "", 1)
    see(test, drawn(3), 2)
    assert ": **33**" in said(test)


def test_a_drawing_that_was_seen_larger_is_no_digit_of_the_strip() -> None:
    test = run(seen=drawing.word(drawing.name(np.eye(40, dtype=np.uint8))), strip=last_digits.NOTHING)
    assert "28 × 28 pixels" in test.info[0].value
    see(test, "", 1)
    assert test.query_params["strip"] in (last_digits.NOTHING, [last_digits.NOTHING])


def test_only_the_last_digits_stay() -> None:
    digits = np.concatenate([digits_of(Strip.drawn(strokes.draw([1] * 15, seed=2)[..., 0]))])
    test = run(seen=drawn(7), strip=Strip.drawn(digits).word)
    see(test, "", 1)
    assert len(strip_of(test)) == last_digits.MOST
    np.testing.assert_array_equal(strip_of(test)[:-1], digits[1:])


@pytest.mark.parametrize("word", ["nonsense", "drawn.!!", "strokes.3.0"])
def test_what_is_no_drawn_strip_starts_anew(word: str) -> None:
    test = run(seen=drawn(3), strip=word)
    assert not test.error
    assert ": **3**" in said(test)
