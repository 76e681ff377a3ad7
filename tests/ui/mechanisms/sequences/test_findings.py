"""What the experiments on strips say of their numbers: attnviz/ui/mechanisms/sequences/findings.py."""

import pytest

from attnviz.ui.components.alignment import Curve
from attnviz.ui.mechanisms.sequences import findings


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
