"""The last digits of the draw page as a strip, attnviz/ui/mechanisms/sequences/last_digits.py."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.data import strokes
from attnviz.data.inputs import drawing
from attnviz.subjects import Strip, Subject, net
from attnviz.ui.mechanisms.sequences import last_digits, reading
from attnviz.ui.mechanisms.sequences.own_strip import digits_of
from attnviz.ui.shared import cache
from tests.ui.draw.test_panels import run

ADDITIVE = "encoder_decoder.strips-15"


def drawn(digit: int) -> str:
    """Return a drawing of a digit, as the pad tells of it."""
    return drawing.word(drawing.name(strokes.draw([digit], seed=3)[0, ..., 0]))


def see(test: AppTest, seen: str, cleared: str = "") -> AppTest:
    """Let the pad report the drawing of a digit, "" for none, and the digits cleared before it; run the page again."""
    word, past = (
        (drawn(int(seen)) if seen else ""),
        [[f"clearing {at}", drawn(int(one))] for at, one in enumerate(cleared)],
    )
    test.session_state["pad"] = {"seen": {"value": {"word": word, "cleared": past}, "revision": 1}}
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
    see(test, "", "3")
    assert len(strip_of(test)) == 1
    see(test, "7", "3")
    assert len(strip_of(test)) == 1, "the second one is not complete"
    both = np.concatenate([strip_of(test), drawing.read(drawing.named(drawn(7)))[None]])
    text, _ = cache.of_subject(reading.text_and_least, Subject(net(ADDITIVE), Strip.drawn(both)))
    assert f"{net(ADDITIVE).title}: **{text}**" in said(test)
    assert text == "37"
    see(test, "", "37")
    np.testing.assert_array_equal(strip_of(test), digits_of(Strip.drawn(both)))
    test.button(key="last_digits_anew").click().run()
    assert test.query_params["strip"] in (last_digits.NOTHING, [last_digits.NOTHING])
    assert "Nothing is drawn yet" in test.info[0].value
    see(test, "5", "37")
    assert ": **5**" in said(test), "what was cleared before the new start"


def test_no_digit_is_lost_when_the_page_runs_once_for_several_reports() -> None:
    test = run(strip=last_digits.NOTHING)
    see(test, "7", "3")
    assert ": **37**" in said(test), "the page saw neither 3 nor the empty pad"
    see(test, "1", "375")
    assert ": **3751**" in said(test)
    see(test, "3")
    assert ": **3**" in said(test), "three clearings were undone at once"
    see(test, "7", "3")
    assert ": **37**" in said(test), "redone"


def test_digits_cleared_before_it_was_switched_on_are_not_kept() -> None:
    test = run()
    test.toggle(key="last_digits").set_value(True).run()
    see(test, "7", "3")
    assert ": **7**" in said(test)
    see(test, "1", "37")
    assert ": **71**" in said(test)


def test_several_undos_take_back_what_was_drawn_since_and_then_the_clearings() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING)
    for seen, cleared, text in [
        ("", "3", "3"), ("7", "3", "37"), ("", "37", "37"), ("5", "37", "375"), ("", "37", "37"), ("7", "3", "37"),
        ("", "3", "3"), ("3", "", "3"), ("", "3", "3"), ("1", "3", "31"),
    ]:  # fmt: skip
        see(test, seen, cleared)
        assert f"{net(ADDITIVE).title}: **{text}**" in said(test), (seen, cleared)
    assert len(strip_of(test)) == 1


def test_an_undo_takes_nothing_from_the_strip_of_another_link() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING)
    see(test, "", "3")
    test.query_params["strip"] = Strip.drawn(drawing.read(drawing.named(drawn(7)))[None]).word
    see(test, "3")
    assert ": **73**" in said(test)


def test_the_same_drawing_can_be_completed_twice() -> None:
    test = run(seen=drawn(3), strip=last_digits.NOTHING)
    see(test, "3", "3")
    assert ": **33**" in said(test)
    test.run()
    assert ": **33**" in said(test), "and a run without a report adds none"


def test_a_drawing_that_was_seen_larger_is_no_digit_of_the_strip() -> None:
    larger = drawing.word(drawing.name(np.eye(40, dtype=np.uint8)))
    test = run(seen=larger, strip=last_digits.NOTHING)
    assert "28 × 28 pixels" in test.info[0].value
    test.session_state["pad"] = {"seen": {"value": {"word": "", "cleared": [["clearing 0", larger]]}, "revision": 1}}
    test.run()
    assert test.query_params["strip"] in (last_digits.NOTHING, [last_digits.NOTHING])


def test_only_the_last_digits_stay() -> None:
    digits = np.concatenate([digits_of(Strip.drawn(strokes.draw([1] * 15, seed=2)[..., 0]))])
    test = run(seen=drawn(7), strip=Strip.drawn(digits).word)
    see(test, "", "7")
    assert len(strip_of(test)) == last_digits.MOST
    np.testing.assert_array_equal(strip_of(test)[:-1], digits[1:])


@pytest.mark.parametrize("word", ["nonsense", "drawn.!!", "strokes.3.0"])
def test_what_is_no_drawn_strip_starts_anew(word: str) -> None:
    test = run(seen=drawn(3), strip=word)
    assert not test.error
    assert ": **3**" in said(test)
