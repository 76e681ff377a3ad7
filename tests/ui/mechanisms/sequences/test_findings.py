"""What the experiments on strips say of their numbers: attnviz/ui/mechanisms/sequences/findings.py."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz import cards
from attnviz.ui.components.alignment import Curve
from attnviz.ui.mechanisms.sequences import curves, findings, many
from attnviz.ui.mechanisms.sequences.measured import Agreed, AgreedPart
from attnviz.ui.shared.wording import share


def curve(short: float, long: float) -> Curve:
    """Return a curve that was tested at 5 and at 15 digits."""
    shares = [short, long]
    ends = [(share, share) for share in shares]
    return Curve("a", "A", False, (5, 15), shares, shares, ends, ends)


@pytest.mark.parametrize(
    ("vector", "longer", "begins", "ends"),
    [
        ((0.985, 0.6), None, "**Yes, for long strips.** At 15", "hardly a difference."),
        ((0.985, 0.6), (0.99, 0.96), "**Yes, for long strips, while the training is short.**", "takes much longer."),
        ((0.985, 0.6), (0.99, 0.65), "**Yes, for long strips.**", "instead of 39.0: one vector then gets 65.0 %."),
        ((0.90, 0.85), None, "**The longer the strip, the more attention helps.**", "99.0 % and 90.0 %."),
        ((0.99, 0.99), (0.99, 0.99), "**Not here.**", "0.0 points instead of 0.0: one vector then gets 99.0 %."),
    ],
)  # fmt: skip
def test_one_vector_is_a_bottleneck_for_long_strips_and_maybe_only_of_a_short_training(vector, longer, begins, ends):
    patient = (curve(0.99, 0.99), curve(*longer)) if longer else ()
    said = findings.bottleneck(curve(0.99, 0.99), curve(*vector), *patient)
    assert said.startswith(begins) and said.endswith(ends), said


def whole(*shares: float) -> Curve:
    """Return a curve with shares of strips without an error at 15, 16 and 20 digits."""
    return Curve("a", "A", False, (15, 16, 20), shares, shares, [(0, 1)] * 3, [(0, 1)] * 3)


CLIFF, SLOPE, EVEN = whole(0.835, 0.0, 0.0), whole(0.85, 0.75, 0.2), whole(0.847, 0.852, 0.6)


@pytest.mark.parametrize(
    ("additive", "transformer", "head"),
    [
        (EVEN, CLIFF, "**The trained length is a cliff for the Transformer, but not for additive attention.**"),
        (CLIFF, CLIFF, "**The trained length is a cliff for additive attention and the Transformer.**"),
        (SLOPE, EVEN, "**It falls off past the trained length for additive attention, but not for the Transformer.**"),
        (SLOPE, None, "**It falls off past the trained length for additive attention.**"),
        (EVEN, EVEN, "**One digit more does no harm.**"),
    ],
)
def test_a_cliff_is_said_of_the_models_that_have_one(additive, transformer, head):
    said = findings.beyond(additive, transformer, None, None)
    assert said.startswith(head), said
    assert ("trained up to 15 digits, reads 84.7 % of the strips of 15" in said) == (EVEN in (additive, transformer))


WEIGHTS, GRADIENT = ("weights", "pixels"), ("gradient", "pixels")


def agreed(weights: list[list[float]], gradient: list[list[float]]) -> Agreed:
    """Return what is found where these are the correlations with erased pixels, (strip, step)."""
    taus = {WEIGHTS: np.array(weights), GRADIENT: np.array(gradient), ("weights", "gradient"): np.zeros((3, 2))}
    return many.agreed([AgreedPart(taus, {}, np.zeros((len(weights), 2)))])


NONE = float("nan")


@pytest.mark.parametrize(
    ("weights", "head", "numbers"),
    [
        # Student's t of 2 degrees of freedom is 4.303: differences of 0.5, 0.6 and 0.7 have an error of 0.1 / sqrt(3)
        ([[0.5, 0.5], [0.6, 0.6], [0.7, 0.7]], "more than the gradient does", "+0.60 (95 % interval +0.35 to +0.85)"),
        ([[-0.5, -0.5], [-0.6, -0.6], [-0.7, -0.7]], "less than the gradient does", "\u22120.60"),
        # a mean of 0.1 with an error of 0.1: by far more than 0.05, and yet only three strips
        (
            [[0.1, 0.1], [-0.0732, -0.0732], [0.2732, 0.2732]],
            "as much as the gradient does, as far as 3 strips can show",
            "+0.10 (95 % interval \u22120.33 to +0.53)",
        ),
        # a step that cannot be ranked is left out, not its strip
        ([[0.5, NONE], [0.5, 0.7], [NONE, 0.7]], "more than the gradient does", "+0.60 (95 % interval +0.35 to +0.85)"),
    ],
)
def test_whether_weights_agree_with_erasure_follows_from_an_interval_over_strips(weights, head, numbers):
    said = findings.agreement(agreed(weights, [[0.0, 0.0]] * 3))
    assert said.startswith(f"**The weights agree with erasure {head}.**")
    assert f"the difference of the two correlations with erased pixels is {numbers}" in said


def test_where_fewer_than_two_strips_are_ranked_nothing_is_compared():
    said = findings.agreement(agreed([[0.5, 0.5], [NONE, NONE], [NONE, 0.7]], [[0.0, 0.0], [0.0, 0.0], [0.0, NONE]]))
    assert said.startswith("**Fewer than two strips are ranked by all methods, so nothing is compared.**")


def test_whether_sorting_needs_positions_is_not_decided_by_one_training_each() -> None:
    names = [f"transformer.strips-15-sorted{end}" for end in ("", "-no-positions")]
    known = {name: cards.read(name) for name in names}
    one, other = (curves.of_card(name, card) for name, card in known.items())
    assert one is not None and other is not None
    said = findings.sorting(curves.guess(one.lengths), None, one, other)
    measured = {name: {f.name: f.mean for f in card.figures} for name, card in known.items()}
    stops = [figures[f"stopped_{one.lengths[-1]}"] for figures in measured.values()]
    assert said.startswith("**Whether sorting needs positions is not decided: each model was trained once.**")
    assert f"in {share(stops[1])} of these strips, with positions in {share(stops[0])}." in said
    several = (replace(curve, seeds=3) for curve in (one, other))
    assert findings.sorting(curves.guess(one.lengths), None, *several).startswith("**Sorting hardly needs positions.**")
