"""What all recipes for strips of digits share."""

from collections.abc import Sequence

from attnviz.data.digit_strips import TESTED

STEPS = 12
"""Epochs of 250 steps: 3,000 steps."""

OVERALL = ("accuracy", "digits", "stopped", "told")
"""What is measured over strips of all lengths."""


def by_length(
    lengths: Sequence[int] = TESTED, what: Sequence[str] = ("accuracy", "digits", "stopped")
) -> tuple[str, ...]:
    """Return the names of what is measured at each length of the test strips: "digits_15"."""
    return tuple(f"{one}_{length}" for one in what for length in lengths)
