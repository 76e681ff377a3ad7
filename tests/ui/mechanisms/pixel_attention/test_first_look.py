"""What is shown before torch is loaded is what the model computes."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from attnviz import cards
from attnviz.subjects import Picture, net
from attnviz.ui.dot_product import attending
from attnviz.ui.mechanisms.pixel_attention.first_look import NAME, NUMBER, SOURCE
from attnviz.ui.shared import first_look
from attnviz.views.attention import AttentionView
from attnviz.views.payload import header_of

ROOT = Path(__file__).parents[4]
IMAGE = f"{SOURCE}/test/{NUMBER}"


def test_it_equals_what_the_model_computes() -> None:
    stored = first_look.stored(NAME, IMAGE)
    assert stored is not None, "trained again: run python -m attnviz.ui.mechanisms.pixel_attention.first_look"
    found = AttentionView.unpacked(stored)
    computed = attending.attention(net(NAME).load(double=True), Picture(SOURCE, NUMBER))
    # The browser reads the file itself: a field that the server would fill in is missing there.
    assert header_of(stored).keys() == header_of(computed.packed()).keys()
    for field in fields(computed):
        was, now = getattr(found, field.name), getattr(computed, field.name)
        if isinstance(now, np.ndarray):
            np.testing.assert_allclose(was, now, rtol=1e-9, atol=1e-15, err_msg=field.name)
        elif isinstance(now, float):
            assert was == pytest.approx(now, rel=1e-9), field.name
        else:
            assert was == now, field.name


def test_other_weights_another_picture_and_nonsense_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert first_look.stored(NAME, f"{SOURCE}/test/{NUMBER + 1}") is None
    copytree(cards.folder() / NAME, tmp_path / NAME)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert first_look.stored(NAME, IMAGE) == first_look.stored(NAME)
    view, card = tmp_path / NAME / "first_look.view", tmp_path / NAME / "card.json"
    whole = view.read_bytes()
    for content in (b"", b"nonsense", whole[:1000]):
        view.write_bytes(content)
        assert first_look.stored(NAME) is None
    view.write_bytes(whole)
    for text in ("nonsense", "[]", json.dumps({**json.loads(card.read_text()), "weights_digest": "0" * 64})):
        card.write_text(text)
        assert first_look.stored(NAME) is None
    assert first_look.stored("nobody") is None


@pytest.mark.parametrize("page", ["10_pixel_attention.py", "home.py"])
def test_the_pages_that_open_with_it_load_no_torch(page: str) -> None:
    code = (
        f"import sys; from streamlit.testing.v1 import AppTest\n"
        f"test = AppTest.from_file('pages/{page}', default_timeout=120).run()\n"
        "assert not test.exception\n"
        "found = [one.proto.component_name for one in test.get('bidi_component')]\n"
        "assert any(name.endswith('pixel_viewer') for name in found), found\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
