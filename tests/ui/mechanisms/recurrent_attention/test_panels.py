"""The panel of the draw page."""

from pathlib import Path

from attnviz.subjects import net
from attnviz.ui.mechanisms.recurrent_attention.view import panel_of


def test_a_model_shows_its_path(here: Path) -> None:
    panel = panel_of(net("recurrent_attention.small"))
    assert (panel.renderer, panel.kind) == ("glimpse_player/panel.js", "4 of 7 × 7, 3 scales")
    assert panel.wanted == {"derived": "glimpses"}
    assert panel.options == {"size": 7}
    assert panel_of(net("recurrent_attention.wide")).rows == 20
    assert panel_of(net("recurrent_attention.ring")).kind == "3 of 8 × 8"
