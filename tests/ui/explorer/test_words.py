"""The sentences of the explorer's experiments: made of their numbers, and never against them."""

import numpy as np
import pytest

from attnviz.ui.explorer import words
from attnviz.ui.explorer.maps import Ranked

CHANCE = np.array([[-0.2, 0.1, 0.0]])
TAP = "blocks.0.space_gate"


def ranked(own: float | list[float], yardstick: float | list[float]) -> Ranked:
    one, two = np.atleast_1d(own).astype(float), np.atleast_1d(yardstick).astype(float)
    taus = {("attention", "jacobian"): one / 2, ("attention", "erasure"): one, ("jacobian", "erasure"): two}
    return Ranked(taus, np.repeat(CHANCE, len(one), 0))


def test_a_correlation_never_stands_without_the_yardstick_and_chance() -> None:
    said = words.on_this_picture(ranked(0.3, 0.42), TAP)
    assert "its own map (space gate) is +0.15 with the Jacobian and +0.30 with erasure" in said
    assert "That of these two accepted methods is +0.42, and random maps reach 0.20." in said
    table = words.one_picture(ranked(-0.3, 0.42), TAP)
    assert "| space gate and erasure | −0.30 |" in table
    assert "| Jacobian and erasure | +0.42 |" in table
    assert "| 3 random maps and erasure | −0.20 to +0.10 |" in table


@pytest.mark.parametrize(
    ("own", "said"),
    [([0.1, 0.12, 0.11], "**less than**"), ([0.8, 0.82, 0.85], "**more than**"), ([0.3, 0.6, 0.45], "as much, as far")],
)
def test_the_verdict_follows_the_interval(own: list[float], said: str) -> None:
    found = words.verdict(ranked(own, [0.4, 0.45, 0.5]), TAP)
    assert said in found
    assert "Over 3 pictures" in found
    assert "Random maps give −0.03" in found


def test_a_net_without_a_map_of_its_own_gets_the_yardstick_alone() -> None:
    found = Ranked({("jacobian", "erasure"): np.array([0.4, 0.5])}, np.repeat(CHANCE, 2, 0))
    assert "two accepted methods, is +0.45 on average" in words.verdict(found, "")


def test_a_map_that_ranks_nothing_is_said_to() -> None:
    assert "the same everywhere" in words.on_this_picture(ranked(np.nan, np.nan), TAP)
    assert words.verdict(ranked([np.nan, 0.2], [0.1, 0.3]), TAP) == (
        "Too few pictures have maps that rank their places."
    )


@pytest.mark.parametrize(
    ("taus", "said"),
    [
        ({"attention": 0.1, "jacobian": -0.5}, "**No map of this picture keeps more order than chance gives**"),
        ({"attention": 0.9, "jacobian": 0.1}, "**On this picture weights keeps more order than chance gives,**"),
        ({"attention": 0.9, "jacobian": 0.7}, "**Every map of this picture keeps more order"),
    ],
)
def test_what_survives_random_layers(taus: dict[str, float], said: str) -> None:
    found = words.stays(taus, CHANCE[0], 5, "attention.weights")
    assert found.startswith(said)
    assert "when all 5 layers are random" in found
    assert "3 random maps reach 0.20" in found


def test_one_layer_is_its_only_one() -> None:
    assert "when its only layer is random" in words.stays({"jacobian": 0.0}, CHANCE[0], 1, "")


def test_the_constant() -> None:
    taus = {"attention": 1.0, "jacobian": 1.0, "product": 0.4, "erasure": 1.0}
    said = words.constant(taus, (3.0, 3.0), TAP)
    assert said.startswith("**The map of picture × Jacobian depends on the constant")
    assert "stays the same, and so do the maps of space gate, Jacobian and erasure." in said
    assert said.endswith("picture × Jacobian +0.40.")
    assert "moves by 0.5" in words.constant(taus, (3.0, 3.5), TAP)
    assert words.constant({"jacobian": 1.0}, (3.0, 3.0), "").startswith("**No map depends on the constant.**")
