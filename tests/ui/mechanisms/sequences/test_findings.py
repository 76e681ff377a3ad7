"""What the experiments on strips say of their numbers: attnviz/ui/mechanisms/sequences/findings.py."""

import pytest

from attnviz.ui.components.alignment import Curve
from attnviz.ui.mechanisms.sequences import findings
from attnviz.ui.mechanisms.sequences.many import Agreed


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


@pytest.mark.parametrize(
    ("pixels", "yardstick", "head"),
    [
        (0.8, 0.2, "**The weights agree with erasure more than the gradient does.**"),
        (0.5, 0.52, "**The weights agree with erasure about as well as the gradient does.**"),
        (0.2, 0.6, "**The weights agree with erasure less than the gradient does.**"),
        (float("nan"), 0.6, "**One of the methods ranks nothing here, so nothing is compared.**"),
    ],
)
def test_the_agreement_of_the_weights_is_measured_by_that_of_the_gradient(pixels, yardstick, head):
    mean = {("weights", "gradient"): 0.3, ("weights", "pixels"): pixels, ("gradient", "pixels"): yardstick}
    assert findings.agreement(Agreed(mean, {}, {}, 0.1, 8)).startswith(head)
