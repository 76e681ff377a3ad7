"""The sentences of the explorer's experiments: made of their numbers, and never against them."""

import numpy as np
import pytest

from attnviz.ui.explorer import words
from attnviz.ui.explorer.experiments import EXPERIMENTS, dot
from attnviz.ui.explorer.maps import Kept, Ranked

CHANCE = np.array([[-0.2, 0.1, 0.0]])
TAP = "blocks.0.space_gate"


def ranked(own: float | list[float], yardstick: float | list[float]) -> Ranked:
    one, two = np.atleast_1d(own).astype(float), np.atleast_1d(yardstick).astype(float)
    taus = {("attention", "jacobian"): one / 2, ("attention", "erasure"): one, ("jacobian", "erasure"): two}
    return Ranked(taus, np.repeat(CHANCE, len(one), 0))


def test_a_correlation_never_stands_without_the_yardstick_and_chance() -> None:
    said = words.on_this_picture(ranked(0.3, 0.42), TAP)
    assert "the network's own map (space gate) and the Jacobian is +0.15, and with erasure it is +0.30." in said
    assert "Between these two accepted methods it is +0.42, and random maps reach 0.20." in said
    table = words.one_picture(ranked(-0.3, 0.42), TAP)
    assert "| space gate and erasure | −0.30 |" in table
    assert "| Jacobian and erasure | +0.42 |" in table
    assert "| 3 random maps and erasure | −0.20 to +0.10 |" in table


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([0.1, 0.12, 0.11], "agrees with erasure **less than** the Jacobian does: tau"),
        ([0.8, 0.82, 0.85], "agrees with erasure **more than** the Jacobian does: tau"),
        ([0.3, 0.6, 0.45], "**neither less nor more than** the Jacobian does, as far as these pictures can show: tau"),
    ],
)
def test_the_verdict_follows_the_interval(own: list[float], said: str) -> None:
    found = words.verdict(ranked(own, [0.4, 0.45, 0.5]), TAP)
    assert said in found
    assert found.startswith("Over 3 pictures the network's own map (space gate) agrees")
    assert "Random maps give −0.03" in found


def test_the_verdict_takes_the_same_pictures_for_every_number() -> None:
    found = ranked([np.nan, 0.1, 0.12, 0.11, 0.9], [-0.9, 0.4, 0.45, 0.5, np.nan])
    chance = np.vstack([np.full(3, 0.8), *np.repeat(CHANCE, 3, 0), np.full(3, np.nan)])
    said = words.verdict(Ranked(found.taus, chance), TAP)
    assert said.startswith("Over 3 of 5 pictures (on the others a map is the same everywhere) the network's own map")
    assert "tau is +0.11 and +0.45 on average, a difference of −0.34 (" in said
    assert "Random maps give −0.03" in said


def test_a_net_without_a_map_of_its_own_gets_the_yardstick_alone() -> None:
    found = Ranked({("jacobian", "erasure"): np.array([0.4, 0.5])}, np.repeat(CHANCE, 2, 0))
    assert words.verdict(found, "") == (
        "Over 2 pictures tau between the Jacobian and erasure, two accepted methods, is +0.45 on average. Random maps "
        "give −0.03."
    )
    assert words.on_this_picture(found, "") == (
        "**On this picture** Kendall's tau between the Jacobian and erasure, two accepted methods, is +0.40, and "
        "random maps reach 0.20."
    )
    flat = Ranked({("jacobian", "erasure"): np.array([np.nan, 0.5])}, np.repeat(CHANCE, 2, 0))
    assert words.verdict(flat, "").startswith("Over 1 of 2 pictures (on the other a map is the same everywhere) tau")
    none = Ranked({("jacobian", "erasure"): np.array([np.nan])}, CHANCE)
    assert words.verdict(none, "") == "Too few pictures have maps that rank the squares."


def test_its_own_map_that_is_the_same_everywhere_is_said_to_rank_nothing() -> None:
    found = ranked(np.nan, 0.29)
    assert words.on_this_picture(found, "transformer.sampling_grid") == (
        "**On this picture the network's own map (sampling grid) is the same everywhere, so it ranks nothing.** "
        "Kendall's tau between the Jacobian and erasure, two accepted methods, is +0.29, and random maps reach 0.20."
    )
    table = words.one_picture(found, TAP)
    assert "| space gate and erasure | none: a map is the same everywhere |" in table
    assert "| Jacobian and erasure | +0.29 |" in table
    assert words.verdict(ranked([np.nan, 0.2], [0.1, 0.3]), TAP) == "Too few pictures have maps that rank the squares."


def test_an_accepted_method_that_is_the_same_everywhere_is_never_taken_for_the_net_s_own_map() -> None:
    chance = np.full((1, 3), np.nan)
    none = Ranked(ranked(np.nan, np.nan).taus, chance)  # its own map may rank the squares: no number tells
    said = "**On this picture the Jacobian or erasure is the same everywhere, so the two cannot be compared.**"
    assert words.on_this_picture(none, TAP) == said
    assert "| 3 random maps and erasure | none: a map is the same everywhere |" in words.one_picture(none, TAP)
    by_erasure = {**none.taus, ("attention", "erasure"): np.array([0.3])}
    assert words.on_this_picture(Ranked(by_erasure, CHANCE), TAP) == (
        f"{said} Kendall's tau between the network's own map (space gate) and erasure is +0.30, and random maps reach "
        "0.20."
    )


def test_a_dot_counts_the_pictures_that_its_mean_is_of() -> None:
    found = dot("space gate and erasure", np.array([np.nan, 0.2, 0.4]), False)
    assert found is not None
    assert (found.mean, found.seeds) == (pytest.approx(0.3), 2)
    chance = dot("random maps", np.vstack([CHANCE, np.full((1, 3), np.nan)]), True)
    assert chance is not None
    assert (chance.mean, chance.seeds) == (pytest.approx(CHANCE.mean()), 1)
    assert dot("space gate and erasure", np.array([np.nan]), False) is None


BY_CHANCE = dict.fromkeys(("attention", "jacobian", "product"), CHANCE[0])
RANDOM = "when all 5 layers are random, with one draw of random weights."


@pytest.mark.parametrize(
    ("taus", "said"),
    [
        (
            {"attention": 0.1, "jacobian": -0.5},
            "**On this picture no map keeps more order than chance gives**",
        ),
        (
            {"attention": 0.9, "jacobian": 0.1},
            "**On this picture the map of weights keeps more order than chance gives**",
        ),
        (
            {"attention": 0.9, "jacobian": 0.1, "product": 0.5},
            "**On this picture the maps of weights and picture × Jacobian keep more order than chance gives**",
        ),
        (
            {"attention": 0.9, "jacobian": 0.7},
            "**On this picture every map keeps more order than chance gives**",
        ),
        (
            {"jacobian": 0.7},
            "**On this picture the map of the Jacobian keeps more order than chance gives**",
        ),
    ],
)
def test_what_survives_random_layers(taus: dict[str, float], said: str) -> None:
    found = words.stays(taus, BY_CHANCE, 5, "attention.weights")
    assert found.startswith(f"{said} {RANDOM}")
    assert "in brackets the largest absolute value that 3 random maps reach with it" in found
    assert f"Jacobian {words.tau(taus['jacobian'])} (0.20)" in found


def test_each_map_is_compared_with_its_own_chance() -> None:
    chance = {"jacobian": np.array([0.1, -0.1]), "erasure": np.array([0.3, 0.2])}
    found = words.stays({"jacobian": 0.2, "erasure": 0.2}, chance, 5, "")
    assert found.startswith("**On this picture the map of the Jacobian keeps more order than chance gives**")
    assert found.endswith("Jacobian +0.20 (0.10), erasure +0.20 (0.30).")


def test_a_map_that_random_layers_make_the_same_everywhere_is_left_out() -> None:
    tap = "transformer.sampling_grid"
    chance = {**BY_CHANCE, "attention": np.full(3, np.nan)}
    found = words.stays({"attention": np.nan, "jacobian": 0.55}, chance, 5, tap)
    assert found.startswith("**On this picture the map of the Jacobian keeps more order than chance gives**")
    assert found.endswith(
        "with it: Jacobian +0.55 (0.20). The map of sampling grid is the same everywhere, with learnt or with random "
        "weights, so it ranks nothing there."
    )
    assert words.stays({"attention": np.nan}, chance, 5, tap) == (
        "**On this picture no map can be compared.** The map of sampling grid is the same everywhere, with learnt or "
        "with random weights, so it ranks nothing there."
    )


def test_one_layer_is_its_only_one() -> None:
    assert "when its only layer is random" in words.stays({"jacobian": 0.0}, BY_CHANCE, 1, "")


def test_what_survives_over_many_pictures_names_a_map_that_ranks_nothing() -> None:
    taus = {"attention": np.full((2, 2), np.nan), "jacobian": np.array([[0.5, 0.3], [0.4, np.nan]])}
    chance = {"attention": np.full((2, 3), np.nan), "jacobian": np.repeat(CHANCE, 2, 0)}
    found = words.survives(Kept(np.array([1, 5]), taus, chance), "transformer.sampling_grid")
    assert found == (
        "Kendall's tau over 2 pictures, when all 5 layers are random: sampling grid none, because it is the "
        "same everywhere, Jacobian +0.30 (1 picture of them); random maps −0.03."
    )


def test_a_correlation_that_rounds_to_0_has_no_minus() -> None:
    assert [words.tau(value) for value in (-0.004, 0.004, -0.006)] == ["+0.00", "+0.00", "−0.01"]


def test_the_words_say_what_is_computed() -> None:
    assert "tau b" in words.TAU and "not tied" in words.TAU
    for said in (words.CONSTANT, EXPERIMENTS["constant"].measures):
        assert "before the first layer" in said and "bias" not in said
    assert "anew" not in words.STAYS and "band" not in words.STAYS
    assert "anew for each picture" in words.CURVES and "band" in words.CURVES


def test_the_constant() -> None:
    taus = {"attention": 1.0, "jacobian": 1.0, "product": 0.4, "erasure": 1.0}
    said = words.constant(taus, (3.0, 3.0), TAP)
    assert said.startswith("**The map of picture × Jacobian depends on the constant")
    assert "stays the same, and so do the maps of space gate, the Jacobian and erasure." in said
    assert said.endswith("Kendall's tau between the maps without and with it: picture × Jacobian +0.40.")
    moved = words.constant(taus, (3.0, 3.5), TAP)
    assert (
        "The logit of the answer moves by 0.5, but the maps of space gate, the Jacobian and erasure stay the same."
        in moved
    )
    assert words.constant({"jacobian": 1.0}, (3.0, 3.0), "") == (
        "**No map depends on the constant.** The logit of the answer stays the same, and so does the map of the "
        "Jacobian."
    )


def test_a_map_that_is_the_same_everywhere_is_not_said_to_stay_the_same_with_the_constant() -> None:
    said = words.constant({"jacobian": 1.0, "product": np.nan}, (3.0, 3.0), "")  # a black picture
    assert said == (
        "**No map depends on the constant, as far as they can be compared.** The logit of the answer stays the same, "
        "and so does the map of the Jacobian. The map of picture × Jacobian is the same everywhere, without the "
        "constant or with it, so it ranks nothing there."
    )
