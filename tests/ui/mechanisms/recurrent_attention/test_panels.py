"""The panel of the draw page, and the pictures of the home page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards
from attnviz.ui.mechanisms.recurrent_attention.panels import panel_of

from .placed import lay


def test_a_model_shows_its_path(placed: Path) -> None:
    panel = panel_of(cards.read("recurrent_attention.small"))
    assert (panel.renderer, panel.kind) == ("path", "4 of 7 × 7, 3 scales")
    assert panel.wanted == {"derived": "glimpses"}
    assert panel.options == {"size": 7}
    assert panel_of(cards.read("recurrent_attention.wide")).rows == 20
    assert panel_of(cards.read("recurrent_attention.ring")).kind == "3 of 8 × 8"


def page() -> None:
    from attnviz.ui.mechanisms.recurrent_attention import MECHANISM

    MECHANISM.home()


def said() -> str:
    at = AppTest.from_function(page, default_timeout=60).run()
    assert not at.exception
    return "\n".join(one.value for one in at.markdown)


def test_home_has_a_link_for_each_digit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert said() == "", "nothing without a model of digits"
    lay(
        tmp_path,
        "digits",
        {"glimpses": 2, "size": 4, "scales": 1, "features": 4, "width": 4, "location_hidden": 4},
        0,
        "mnist",
    )
    assert said().count("data:image/png") == 10
    assert "model=recurrent_attention.digits" in said()
