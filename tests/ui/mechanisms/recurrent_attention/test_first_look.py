"""What the page opens with is what the models compute, and is answered correctly."""

import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.ui.components.glimpse_player import GlimpseView
from attnviz.ui.components.glimpse_player import Path as Glimpsed
from attnviz.ui.components.payload import header_of
from attnviz.ui.mechanisms.recurrent_attention import first_look, glances
from attnviz.ui.shared import first_look as shared
from attnviz.ui.shared import inference
from attnviz.ui.shared.pickers import Picture

ROOT = Path(__file__).parents[4]


def shown() -> list[Card]:
    """Return the committed models whose pictures need no download."""
    found = cards.usable([name for name in cards.names() if name.startswith("recurrent_attention.")]).values()
    specs = {card.name: data.spec(card.recipe.data) for card in found}
    sources = {name: data.sources(spec.classes, spec.shape) for name, spec in specs.items()}
    return [card for card in found if any(not data.spec(one).megabytes for one in sources[card.name])]


def same(found: GlimpseView, wanted: GlimpseView) -> None:
    np.testing.assert_array_equal(found.picture, wanted.picture)
    for field in fields(Glimpsed):
        was, now = getattr(found.path, field.name), getattr(wanted.path, field.name)
        np.testing.assert_allclose(was, now, atol=1e-5, err_msg=field.name)
    kept = {"picture": None, "path": None}
    assert replace(found, **kept).__dict__ == replace(wanted, **kept).__dict__


@pytest.mark.parametrize("card", shown(), ids=lambda card: card.name)
def test_it_equals_what_the_model_computes_and_is_right(card: Card) -> None:
    stored = shared.stored(card.name)
    assert stored is not None, "trained again: run python -m attnviz.ui.mechanisms.recurrent_attention.first_look"
    chosen = first_look.opens(card, header_of(stored)["source"])
    found = first_look.view(card, chosen, 0)
    checkpoint = inference.exactly(card.name)
    same(found, glances.view(checkpoint, chosen.source, chosen.number, 0))
    assert found.classes[found.path.belief[-1].argmax()] == found.label


def test_another_draw_is_computed() -> None:
    card = shown()[0]
    stored = shared.stored(card.name)
    assert stored
    values = header_of(stored)
    chosen = Picture(values["source"], values["number"])
    assert first_look.view(card, chosen, None).draw is None
    assert first_look.view(card, chosen, 3).draw == 3
    assert first_look.view(card, replace(chosen, number=5), 0).number == 5


def test_the_page_opens_without_torch(tmp_path: Path) -> None:
    code = (
        f"import os, sys; os.environ['ATTNVIZ_DATA'] = {str(tmp_path)!r}\n"
        "from streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/30_recurrent_attention.py', default_timeout=60).run()\n"
        "assert not test.exception\n"
        "found = [one.proto.component_name for one in test.get('bidi_component')]\n"
        "assert any(name.endswith('glimpse_player') for name in found), found\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
