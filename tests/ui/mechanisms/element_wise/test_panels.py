"""The panels of the draw page."""

from dataclasses import replace
from pathlib import Path

from attnviz.subjects import net
from attnviz.ui.mechanisms.element_wise.view import panel_of


def test_a_model_shows_its_stages_and_a_control_the_picture(here: Path) -> None:
    blocks = net("element_wise.blocks")
    panel = panel_of(blocks)
    assert (panel.renderer, panel.kind, panel.page) == ("stages", "3 heads, 2 layers", "element_wise")
    assert (panel.rows, panel.columns) == (28, 28)
    assert panel.wanted == {"derived": "handed_on"}
    assert panel_of(replace(blocks, architecture="plain_conv", config={})).renderer == "ink"
