"""What the panel of each model shows, and that the models can give it."""

import numpy as np
import pytest

from attnviz import cards, data
from attnviz.data import always
from attnviz.subjects import net
from attnviz.ui.components.panel import MAP
from attnviz.ui.derived_values import find
from attnviz.ui.live.answer import ask_model
from attnviz.ui.live.request import Ask
from attnviz.ui.mechanisms.pixel_attention import MECHANISM
from attnviz.ui.mechanisms.pixel_attention.panels import panel_of
from attnviz.ui.shared import cache
from tests.committed import one_per_model

NAMES = [name for name in cards.names() if name.partition(".")[0] in MECHANISM.models + MECHANISM.controls]


@pytest.mark.parametrize("name", one_per_model(NAMES))
def test_every_model_can_give_what_its_panel_shows(name: str) -> None:
    loaded = cache.single(net(name))
    panel = panel_of(loaded.net)
    ask = Ask.model_validate({"checkpoint": name, "wanted": {MAP: panel.wanted} if panel.wanted else {}})
    for wanted in ask.wanted.values():
        wanted.found_by(find)
    here = always.source(loaded.net.data)
    answer = ask_model(loaded, ask, data.load(here, data.shown(here).split, count=4).images[3:], {})
    assert (panel.renderer == "ink") == (not answer.found)
    if answer.found:
        assert answer.found[MAP][1].numel() == panel.prefix + panel.rows * panel.columns
    assert ("head" in answer.parameters.get(MAP, {})) == (panel.renderer == "share")
    if panel.renderer == "share":
        assert panel.heads == loaded.net.config.get("heads", 1)
        np.testing.assert_allclose(answer.found[MAP][1].mean(), 1, rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "kind", "grid", "heads"),
    [
        ("ink.digits", "ink", (0, 0), 0),
        ("histogram_mlp.digits", "ink", (0, 0), 0),
        ("histogram_line.digits", "signed", (28, 28), 0),
        ("pixel_line.digits", "signed", (28, 28), 0),
        ("pixel_attention.digits", "share", (14, 14), 8),
        ("pixel_attention.digits-no-positions", "share", (28, 28), 8),
        ("pixel_attention.1v8-augmented", "share", (28, 28), 24),
        ("pixel_attention.1v8-one-token", "signed", (28, 28), 0),
    ],
)
def test_the_kinds(name: str, kind: str, grid: tuple[int, int], heads: int) -> None:
    panel = panel_of(net(name))
    assert (panel.renderer, (panel.rows, panel.columns), panel.heads) == (kind, grid, heads)


def test_the_panels_cost_no_torch() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from attnviz.subjects import net; "
        "from attnviz.ui.mechanisms.pixel_attention.panels import panel_of; "
        f"[panel_of(net(name)) for name in {NAMES}]; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
