"""A checkpoint that cannot be used, beside others that can: every mechanism's page shows the others."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.cards import readable, usable
from tests.ui.mechanisms.cnn_attention.placed import place as cnn_attention
from tests.ui.mechanisms.element_wise.placed import place as element_wise
from tests.ui.mechanisms.recurrent_attention.placed import place as recurrent_attention

from .conftest import PAGES
from .reading import run

PLACED = {
    "20_element_wise.py": (element_wise, "element_wise.small", "element_wise.normed", "element_wise.blocks"),
    "30_recurrent_attention.py": (
        recurrent_attention,
        "recurrent_attention.small",
        "recurrent_attention.random",
        "recurrent_attention.ring",
    ),
    "40_cnn_attention.py": (cnn_attention, "cnn_attention.digits", "cnn_attention.wide", "cnn_attention.within"),
}


@pytest.mark.parametrize("file", PLACED)
def test_it_is_not_offered_and_the_others_are_shown(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place: Callable[[Path], Path]
    place, whole, without, damaged = PLACED[file]
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(place(tmp_path / "checkpoints")))
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    (tmp_path / "checkpoints" / without / "weights.safetensors").unlink()
    (tmp_path / "checkpoints" / damaged / "card.json").write_text("{}")
    assert set(readable([whole, without, damaged])) == {whole, without}
    assert set(usable([whole, without, damaged])) == {whole}

    page = run(AppTest.from_file(PAGES / file, default_timeout=120), model=whole)
    assert not page.error
    assert [one.value for one in page.header].count("What it means") == 1
    offered = {one for box in page.selectbox for one in box.options}
    assert not offered & {"Small, " + name.split(".")[1] for name in (without, damaged)}
