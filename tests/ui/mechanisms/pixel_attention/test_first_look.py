"""What is shown before torch is loaded is what the model computes."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from attnviz import cards, data
from attnviz.ui.mechanisms.pixel_attention.first_look import NAME, NUMBER, SOURCE
from attnviz.ui.shared import first_look, inference

ROOT = Path(__file__).parents[4]
IMAGE = f"{SOURCE}/test/{NUMBER}"


def test_it_equals_what_the_model_computes() -> None:
    found = first_look.read(cards.read(NAME), IMAGE)
    assert found is not None, "trained again: run python -m attnviz.ui.mechanisms.pixel_attention.first_look"
    image = data.load(SOURCE, "test", count=256).images[NUMBER]
    label = data.DATASETS[SOURCE].classes[data.labels(SOURCE, "test")[NUMBER]]
    computed = inference.attention(inference.exactly(NAME), image, label, IMAGE)
    for field in fields(computed):
        was, now = getattr(found, field.name), getattr(computed, field.name)
        if isinstance(now, np.ndarray):
            np.testing.assert_allclose(was, now, rtol=1e-9, atol=1e-15, err_msg=field.name)
        else:
            assert was == now, field.name


@pytest.mark.parametrize("change", [{"weights_digest": "0" * 64}, {}])
def test_other_weights_or_another_picture_have_none(change: dict[str, str]) -> None:
    card = cards.read(NAME).model_copy(update=change)
    assert first_look.read(card, IMAGE if change else f"{SOURCE}/test/{NUMBER + 1}") is None


@pytest.mark.parametrize("page", ["10_pixel_attention.py", "home.py"])
def test_the_pages_that_open_with_it_load_no_torch(page: str) -> None:
    code = (
        f"import sys; from streamlit.testing.v1 import AppTest\n"
        f"test = AppTest.from_file('pages/{page}', default_timeout=60).run()\n"
        "assert not test.exception\n"
        "found = [one.proto.component_name for one in test.get('bidi_component')]\n"
        "assert any(name.endswith('pixel_viewer') for name in found), found\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)
