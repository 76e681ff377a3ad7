"""What is shown before torch is loaded is what the model computes."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from attnviz import cards, data
from attnviz.ui import first_look, looking

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def number() -> int:
    """The first 8 among the strokes: what the pixel page opens with."""
    return int(np.flatnonzero(data.labels("strokes", "test") == 8)[0])


def test_it_equals_what_the_model_computes(number: int) -> None:
    found = first_look.read(cards.read(first_look.NAME), f"strokes/test/{number}")
    assert found is not None, "the checkpoint was trained again: run python -m attnviz.ui.first_look"
    image = data.load("strokes", "test", count=256).images[number]
    computed = looking.attention(looking.exactly(first_look.NAME), image, "8", f"strokes/test/{number}")
    for field in fields(computed):
        was, now = getattr(found, field.name), getattr(computed, field.name)
        if isinstance(now, np.ndarray):
            np.testing.assert_allclose(was, now, rtol=1e-9, atol=1e-15, err_msg=field.name)
        else:
            assert was == now, field.name


@pytest.mark.parametrize("change", [{"weights_digest": "0" * 64}, {}])
def test_other_weights_or_another_picture_have_none(number: int, change: dict[str, str]) -> None:
    card = cards.read(first_look.NAME).model_copy(update=change)
    assert first_look.read(card, f"strokes/test/{number if change else number + 1}") is None


def test_the_pixel_page_opens_without_torch() -> None:
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        "test = AppTest.from_file('pages/10_pixel_attention.py', default_timeout=60).run()\n"
        "assert not test.exception and test.get('bidi_component')\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
