"""What the slider of epochs sends to the browser, and hears from it: attnviz/ui/components/epoch_slider.py."""

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.components.epoch_slider import epoch_slider, settled
from attnviz.views.payload import header_of

POINTS = [(0, "a"), (2, "b"), (5, "c")]


def drawn(net: str = "b") -> AppTest:
    def script(net: str) -> None:
        from attnviz.ui.components.epoch_slider import epoch_slider

        curve = {1: 0.5, 5: 0.75, 9: 1.0}
        epoch_slider([(0, "a"), (2, "b"), (5, "c")], net, key="it", figure="accuracy", unit="share", curve=curve)

    return AppTest.from_function(script, args=(net,)).run()


def test_the_browser_gets_the_epochs_and_the_curve_up_to_the_last() -> None:
    header = header_of(drawn().get("bidi_component")[0].proto.bytes)
    assert header["points"] == [{"epoch": epoch, "key": key} for epoch, key in POINTS]
    assert header["curve"] == [[1, 0.5], [5, 0.75]]
    assert header["state"]["net"]["value"] == "b"


def test_a_second_training_goes_along_by_its_epochs() -> None:
    def script() -> None:
        from attnviz.ui.components.epoch_slider import epoch_slider

        points = [(0, "a"), (2, "b"), (5, "c")]
        epoch_slider(points, "b", key="it", beside={2: "x", 7: "y"}, beside_curve={2: 0.5, 7: 1.0})

    header = header_of(AppTest.from_function(script).run().get("bidi_component")[0].proto.bytes)
    assert header["beside"] == {"nets": {"2": "x", "7": "y"}, "curve": [[2, 0.5]]}
    assert header_of(drawn().get("bidi_component")[0].proto.bytes)["beside"] is None


def test_it_hears_where_the_slider_came_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    import streamlit as st

    state = {"it": {"net": {"value": "c", "revision": 0}}}
    monkeypatch.setattr(st, "session_state", state)
    assert settled("it") == "c"
    assert settled("another") is None
    state["it"] = {"net": {"value": ["c"], "revision": 0}}
    assert settled("it") is None


@pytest.mark.parametrize(("points", "net"), [(POINTS[:1], "a"), (POINTS[::-1], "a"), (POINTS, "d")])
def test_what_is_no_course_of_a_training_is_refused(points: list[tuple[int, str]], net: str) -> None:
    with pytest.raises(BadInput, match="slider"):
        epoch_slider(points, net, key="it")
