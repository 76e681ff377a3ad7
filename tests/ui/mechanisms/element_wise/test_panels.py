"""The panels of the draw page."""

from pathlib import Path

from attnviz import cards
from attnviz.ui.mechanisms.element_wise.panels import panel_of


def test_a_model_shows_its_stages_and_a_control_the_picture(here: Path) -> None:
    card = cards.read("element_wise.blocks")
    panel = panel_of(card)
    assert (panel.renderer, panel.kind, panel.page) == ("stages", "3 heads, 2 layers", "element_wise")
    assert (panel.rows, panel.columns) == (28, 28)
    assert panel.wanted == {"derived": "handed_on"}
    control = card.model_copy(update={"recipe": card.recipe.model_copy(update={"model": "plain_conv"}), "config": {}})
    assert panel_of(control).renderer == "ink"
