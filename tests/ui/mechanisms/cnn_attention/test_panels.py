"""The panel of the draw page."""

from pathlib import Path

from attnviz import cards
from attnviz.subjects import net
from attnviz.ui.draw import panels
from attnviz.ui.mechanisms.cnn_attention.view import panel_of

from .placed import NETS


def test_blocks_show_what_the_ink_attends_to_and_controls_the_picture(here: Path) -> None:
    panel = panel_of(net("cnn_attention.wide"))
    assert (panel.renderer, panel.kind) == ("share", "3 heads, 4 × 6 blocks")
    assert (panel.rows, panel.columns, panel.heads) == (4, 6, 3)
    assert panel.options["boxes"] == [0, 0, 4, 4, 11, 11]
    for name in ("within", "plain"):
        assert panel_of(net(f"cnn_attention.{name}")).renderer == "ink"


def test_a_control_takes_no_panel_from_the_mechanism(here: Path) -> None:
    for name in NETS:
        card = cards.read(f"cnn_attention.{name}")
        better = card.runs[0].model_copy(update={"curve": {"validation_accuracy": (0.9 if name == "plain" else 0.5,)}})
        path = here / card.name / "card.json"
        path.write_text(cards.text(card.model_copy(update={"runs": (better,)})))
    assert panels.chosen() == ["cnn_attention.digits"], "plain is better, and a control"
