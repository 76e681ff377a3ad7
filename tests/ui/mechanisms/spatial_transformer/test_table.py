"""The row of the mechanism: what is a control, what its panels show, and the words that its experiments say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz.measures.difference import Difference
from attnviz.measures.spatial_transformer.by_angle import Band
from attnviz.measures.spatial_transformer.decomposition import Undone
from attnviz.subjects import net
from attnviz.ui import derived_values
from attnviz.ui.live.answer import ask_model
from attnviz.ui.live.request import Ask
from attnviz.ui.mechanisms import is_control
from attnviz.ui.mechanisms.spatial_transformer import experiments, view, words
from attnviz.ui.shared import cache

from .placed import NETS, SHOWN
from .spelled import Spelled


def test_only_a_network_without_a_transformer_is_a_control(here: Path) -> None:
    nets = {name: net(f"spatial_transformer.{name}") for name in NETS}
    assert [name for name, one in nets.items() if not is_control(one.architecture, one.config)] == [*SHOWN]


@pytest.mark.parametrize("name", ["rotated", "wide"])
def test_a_panel_gets_theta_and_what_is_sampled(here: Path, name: str) -> None:
    one = net(f"spatial_transformer.{name}")
    panel = view.panel_of(one)
    assert panel.renderer == "sampling_grid/panel.js"
    taken = one.input
    drawn = np.random.default_rng(0).integers(0, 256, (1, taken.rows, taken.columns, taken.channels), np.uint8)
    ask = Ask.model_validate({"checkpoint": one.key, "edits": [], "wanted": {"map": dict(panel.wanted)}})
    wanted: Any = ask.wanted["map"]
    wanted.found_by(derived_values.find)
    found = ask_model(cache.single(one), ask, drawn, {}).found
    spelled = Spelled(here / one.key, drawn[0])
    np.testing.assert_allclose(found["map.theta"][1][0], spelled.theta, atol=1e-5)
    np.testing.assert_allclose(found["map.transformed"][1][0], spelled.sampled, atol=1e-4)


def test_the_panel_of_a_control_shows_its_input(here: Path) -> None:
    assert view.panel_of(net("spatial_transformer.rotated-widened")).renderer == "ink"


@pytest.mark.parametrize(
    ("slope", "spread", "said"),
    [
        (0.9, 10.0, "**Here it mostly undoes the rotation.** The grid rotates by 0.90\u00b0"),
        (0.9, 40.0, "**Here it undoes a part of the rotation.** The"),
        (0.59, 30.0, "**Here it undoes a part of the rotation.** The"),
        (0.2, 43.0, "**Here it undoes a part of the rotation, and most of it stays.** The"),
        (0.02, 52.0, "**Here it does not undo the rotation.** The"),
        (0.6, 52.0, "**Here it does not undo the rotation.** The"),
        (1.9, 80.0, "**Here it does not undo the rotation.** The"),
    ],
)
def test_a_verdict_says_what_is_undone(slope: float, spread: float, said: str) -> None:
    assert words.verdict(Undone(slope, 0.0, spread, 52.0)).startswith(said)


def test_a_spread_falls_only_where_it_does() -> None:
    assert "rotation falls from 54\u00b0 to 30\u00b0." in words.verdict(Undone(0.5, 0.0, 30.2, 53.6))
    assert "rotation was 54\u00b0 and is 54\u00b0." in words.verdict(Undone(-1e-17, 0.0, 53.64, 53.65))
    assert "rotates by 0.00\u00b0" in words.verdict(Undone(-1e-17, 0.0, 53.64, 53.65))
    assert "rotation was 54\u00b0 and is 60\u00b0." in words.verdict(Undone(0.5, 0.0, 60.0, 53.65))


def test_where_what_is_left_points_everywhere_nothing_is_undone_and_there_is_no_slope() -> None:
    found = Undone(None, None, 104.0, 52.0, together=0.02)
    said = words.verdict(found)
    assert said.startswith("**Here it does not undo the rotation.**")
    assert "all directions" in said
    assert words.slope_of(found) == "none"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            Difference(0.03, None, (1, 1), 0.005, missing="one seed"),
            "**Not decided**: {} loses 3.00 points; one of the two was trained only once.",
        ),
        (
            Difference(-0.0001, (-0.0004, 0.0002), (3, 3), 0.0012),
            "**Here theta might as well be a constant**: {} gains 0.01 points "
            "(95 % interval \u22120.02 to 0.04), within 0.12 points either way.",
        ),
        (
            Difference(0.0204, (-0.004, 0.0448), (3, 3), 0.005),
            "**Not decided**: {} loses 2.04 points (95 % interval \u22120.40 to 4.48); the interval contains 0 and ",
        ),
        (
            Difference(0.03, (0.02, 0.04), (3, 3)),
            "**Here theta depends on the picture, and it matters**: {} loses 3.00 points (95 % interval 2.00 to 4.00)",
        ),
        (
            Difference(-0.01, (-0.02, -0.005), (3, 3)),
            "**A constant theta is even better**: {} gains 1.00 points (95 % interval 0.50 to 2.00).",
        ),
    ],
)
def test_the_trap_says_what_was_found(found: Difference, said: str) -> None:
    assert words.trapped(found).startswith(said.format("with theta at its mean the model"))


def test_of_a_network_that_only_rotates_the_identity_is_the_constant_that_it_could_compute() -> None:
    assert [words.constant_of(one) for one in ("affine", "rotation", "crop")] == ["mean", "identity", "mean"]
    found = Difference(0.03, (0.02, 0.04), (3, 3))
    assert "with theta at the identity the model loses 3.00 points" in words.trapped(found, "identity")
    named = {one: words.replaced("mean", "transformer.theta", transform=one) for one in ("affine", "rotation")}
    assert named == {"affine": "at its mean", "rotation": "at the mean of each number, which also enlarges"}
    assert words.replaced("identity", "transformer.theta", transform="rotation") == "the identity"
    captions = {one: words.trap_caption(one) for one in ("affine", "rotation", "crop")}
    assert [one for one in captions if "trained on enlarged pictures" in captions[one]] == ["affine"]
    assert [one for one in captions if "no rotation" in captions[one]] == ["rotation"]


def band(first: float, gain: float, half: float) -> Band:
    return Band(first, first + 15, 100, (0.1, 0.1 + gain), gain, (gain - half, gain + half))


def test_who_gains_is_said_only_where_the_interval_leaves_zero_out() -> None:
    none = [band(0, 0.01, 0.02), band(15, 0.005, 0.02)]
    assert "No band of angles clearly gains" in words.gained("Plain", "x", none)
    some = [band(0, 0.001, 0.01), band(15, 0.05, 0.01)]
    assert "1 of 2 bands of angles gain" in words.gained("Plain", "x", some)
    assert "gain more than" in words.gained("Plain", "x", some)
    assert "clearly more nor" in words.gained("Plain", "x", [band(0, 0.05, 0.02), band(15, 0.06, 0.02)])


def test_the_control_that_the_recipe_names_comes_first(here: Path) -> None:
    """So the finding, which is about the first, compares with as many weights."""
    one = net("spatial_transformer.rotated")
    assert one.card
    recipe = one.card.recipe.model_copy(update={"control": "spatial_transformer.rotated-widened"})
    named = replace(one, card=one.card.model_copy(update={"recipe": recipe}))
    known = [f"spatial_transformer.rotated{kind}" for kind in ("", "-only", "-plain", "-widened")]
    assert experiments.controls_of(named, known) == [
        "spatial_transformer.rotated-widened", "spatial_transformer.rotated-plain",
    ]  # fmt: skip


def test_where_bands_only_lose_none_gains_most() -> None:
    lost = [band(0, -0.03, 0.01), band(15, -0.02, 0.01)]
    said = words.gained("Plain", "x", lost)
    assert "**0 of 2 bands of angles gain**, 2 lose" in said
    assert "most at" not in said
    assert "most at 15\u00b0 to 30\u00b0, +5.00 points" in words.gained(
        "Plain", "x", [band(0, 0, 0.01), band(15, 0.05, 0.01)]
    )


def test_the_edges_of_a_band_are_not_rounded() -> None:
    assert words.band(band(37.5, 0, 0.01)) == "37.5\u00b0 to 52.5\u00b0"
    assert words.band(band(30, 0, 0.01)) == "30\u00b0 to 45\u00b0"


def test_an_angle_is_said_with_its_direction() -> None:
    assert words.angle(12.34) == "12.3\u00b0 counter-clockwise"
    assert words.angle(-5) == "5.0\u00b0 clockwise"
    assert words.angle(0.01) == "0\u00b0"
