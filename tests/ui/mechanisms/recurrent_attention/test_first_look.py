"""What the page opens with is what the models compute, and is answered correctly."""

import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from attnviz import cards, data
from attnviz.errors import BadInput
from attnviz.subjects import Net, Picture, Subject, usable
from attnviz.ui.dot_product.attention_view import ATTENTION_VIEW
from attnviz.ui.mechanisms.recurrent_attention import first_look, glances
from attnviz.ui.shared import first_look as shared
from attnviz.ui.shared import pickers
from attnviz.views.glimpses import GlimpsePath, GlimpseView
from attnviz.views.payload import header_of

ROOT = Path(__file__).parents[4]


def shown() -> list[Net]:
    """Return the committed nets whose pictures need no download."""
    found = usable([name for name in cards.names() if name.startswith("recurrent_attention.")]).values()
    return [net for net in found if any(not data.spec(one).megabytes for one in pickers.sources(net))]


def same(found: GlimpseView, wanted: GlimpseView) -> None:
    np.testing.assert_array_equal(found.picture, wanted.picture)
    for field in fields(GlimpsePath):
        was, now = getattr(found, field.name), getattr(wanted, field.name)
        np.testing.assert_allclose(was, now, atol=1e-5, err_msg=field.name)
    kept = {"picture": None, **{field.name: None for field in fields(GlimpsePath)}}
    assert replace(found, **kept).__dict__ == replace(wanted, **kept).__dict__


@pytest.mark.parametrize("net", shown(), ids=lambda net: net.key)
def test_it_equals_what_the_model_computes_and_is_right(net: Net) -> None:
    stored = shared.stored(net.key)
    assert stored is not None, "trained again: run python -m attnviz.ui.mechanisms.recurrent_attention.first_look"
    chosen = first_look.opens(net, header_of(stored)["ask"]["data"])
    assert first_look.stored(Subject(net, chosen), 0) == stored
    found = first_look.view(Subject(net, chosen), 0)
    same(found, glances.view(net.load(), chosen, 0))
    assert found.classes[found.belief[-1].argmax()] == found.label


def test_another_draw_is_computed() -> None:
    net = shown()[0]
    stored = shared.stored(net.key)
    assert stored
    subject = Subject(net, Picture(**header_of(stored)["ask"]))
    assert first_look.view(subject, None).draw is None
    assert first_look.view(subject, 3).draw == 3
    another = replace(subject.example, number=5)
    assert first_look.view(Subject(net, another), 0).ask == another.asked


def test_the_page_opens_without_torch(tmp_path: Path) -> None:
    code = (
        f"import os, sys; os.environ['ATTNVIZ_DATA'] = {str(tmp_path)!r}\n"
        "from streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/30_recurrent_attention.py', default_timeout=120).run()\n"
        "assert not test.exception\n"
        "found = [one.proto.component_name for one in test.get('bidi_component')]\n"
        "assert any(name.endswith('glimpse_player') for name in found), found\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)


def test_it_is_not_taken_for_what_the_attention_viewer_shows() -> None:
    net = shown()[0]
    header = header_of((cards.folder() / net.key / "first_look.view").read_bytes())
    data_set, _, number = header["origin"]["image"].split("/")
    with pytest.raises(BadInput, match="no layer in which tokens attend"):
        ATTENTION_VIEW.of(Subject(net, Picture(data_set, int(number))))
