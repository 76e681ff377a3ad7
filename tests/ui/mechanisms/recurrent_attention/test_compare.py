"""What the comparison of models that differ in how they look says of their cards."""

from pathlib import Path

import pytest

from attnviz import cards
from attnviz.recipes import RECIPES
from attnviz.ui.mechanisms.recurrent_attention import compare


def test_one_draw_and_ten_are_told_apart(here: Path) -> None:
    name = "recurrent_attention.small"
    one, ten = (compare.dot_of(cards.read(name), figure, False) for figure in compare.DRAWS)
    assert one
    assert ten
    assert (round(one.mean), round(ten.mean)) == (70, 80)
    assert "| Small, small | 70.00 % | 80.00 % | 60.00 % | 0.10 | 10 | 1 |" in compare.table([cards.read(name)])
    assert "| Small, ring | 70.00 % | 80.00 % | 60.00 % |  | 10 | 1 |" in compare.table(
        [cards.read("recurrent_attention.ring")]
    )


def test_what_was_not_trained_says_about_how_long_it_would_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = cards.read("recurrent_attention.cluttered")
    minutes = card.seconds / len(card.runs) / card.recipe.epochs * 50 / 60
    assert RECIPES["recurrent_attention.cluttered-ring"].epochs == 50
    assert compare.expected("recurrent_attention.cluttered-ring") == f" (about {minutes:.0f} minutes on 1 thread)"
    assert compare.expected("recurrent_attention.cluttered-6") == "", "it stops when it no longer gets better"
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert compare.expected("recurrent_attention.cluttered-ring") == "", "nothing of its kind was trained"
