"""Which curves by length stand beside each other: attnviz/ui/mechanisms/sequences/curves.py."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from attnviz import cards
from attnviz.card import Card
from attnviz.recipes import RECIPES
from attnviz.subjects import net
from attnviz.ui.mechanisms.sequences import curves

from .placed import NETS

OWN, LONG = "encoder_decoder.strips-15", "transformer.strips-15"


@pytest.fixture
def one_is_long(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the models was trained ten times as long."""
    readable = cards.readable

    def changed(among: Sequence[str]) -> dict[str, Card]:
        found = dict(readable(among))
        longer = found[LONG].recipe.model_copy(update={"epochs": 120})
        return found | {LONG: found[LONG].model_copy(update={"recipe": longer})}

    monkeypatch.setattr(cards, "readable", changed)


def test_all_that_were_trained_on_the_same_strips_stand_beside_each_other(here: Path) -> None:
    assert [curve.key for curve in curves.of(net(OWN))][0] == OWN
    assert {curve.key for curve in curves.of(net(OWN))} == set(NETS)


@pytest.mark.usefixtures("one_is_long")
def test_one_that_was_trained_much_longer_stands_beside_no_other() -> None:
    assert {curve.key for curve in curves.of(net(OWN))} == {*NETS} - {LONG}
    assert [curve.key for curve in curves.of(net(LONG))][0] == LONG


def test_the_recipes_of_ten_times_as_many_steps_are_the_only_ones_left_out() -> None:
    recipes = [one for one in RECIPES.values() if one.model in ("encoder_decoder", "transformer")]
    assert {one.name for one in recipes if not curves.is_compared(one)} == {
        "strips-15-patient", "strips-15-one-vector-patient", "strips-15-no-positions-patient",
    }  # fmt: skip
