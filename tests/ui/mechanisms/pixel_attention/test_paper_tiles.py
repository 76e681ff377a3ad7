"""Components as tiles, attnviz/ui/mechanisms/pixel_attention/paper_tiles.py."""

import numpy as np
import pytest
import streamlit as st

from attnviz.subjects import net
from attnviz.ui.mechanisms.pixel_attention import paper_tiles
from attnviz.ui.mechanisms.pixel_attention.paper_tiles import Lines, laid_out, learnt, place_of_handle, started


def test_the_lines_of_a_model_give_its_components_again() -> None:
    loaded = net("pixel_attention.1v8").load()
    lines = learnt(loaded)
    layer, intensity = loaded.model.attention, 0.4
    standard = (intensity - lines.mean) / lines.std
    for part, name in enumerate(paper_tiles.PARTS):
        linear = getattr(layer, name)
        expected = linear.weight[:, 0] * standard + linear.bias
        np.testing.assert_allclose(lines.weight[part] * standard + lines.bias[part], expected.reshape(1, 1), rtol=1e-6)


def test_before_training_a_tile_is_the_picture_or_its_negative_by_the_sign_of_its_weight() -> None:
    lines = Lines(np.array([[[2.0]], [[-0.1]], [[0.0]]]), np.full((3, 1, 1), 0.3), 0.13, 0.31)
    picture = np.array([0.0, 0.2, 1.0])
    assert started(lines, picture, [(0, 0, 0), (1, 0, 0), (2, 0, 0)]) == ("picture", "negative", "other")


def test_the_first_head_of_all_parts_is_one_row_per_part() -> None:
    shown, labels, table = laid_out((3, 4, 2, 784), None)
    assert shown == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1), (2, 0, 0), (2, 0, 1)]
    assert labels[3] == "key, component 2" and table is not None
    assert laid_out((3, 1, 1, 784), None) == (
        [(0, 0, 0), (1, 0, 0), (2, 0, 0)],
        ["query", "key", "value"],
        None,
    )


@pytest.mark.parametrize(
    ("word", "place"), [(None, None), ("-1.5", -1.5), ("3", 3.0), ("3.1", None), ("nan", None), ("x", None)]
)
def test_a_slider_stands_where_the_url_says_if_it_can(
    monkeypatch: pytest.MonkeyPatch, word: str | None, place: float | None
) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(st, "query_params", {} if word is None else {"turn": word})
    monkeypatch.setattr(st, "warning", warnings.append)
    assert place_of_handle("turn", -3.0, 3.0) == place
    assert len(warnings) == (word is not None and place is None)
