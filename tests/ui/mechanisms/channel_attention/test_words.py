"""What the page of attention over channels says of differences."""

import pytest

from attnviz.measures.difference import Difference
from attnviz.ui.mechanisms.channel_attention import words


@pytest.mark.parametrize(
    ("value", "interval", "said"),
    [
        (0.001, (0.0005, 0.0015), "Here the gates depend on the picture, and that counts."),
        (0.01, (-0.001, 0.021), "Here the gates might as well be a constant."),
        (-0.01, (-0.02, -0.001), "With every gate at its mean the model is better."),
        (0.01, None, "One seed cannot tell."),
    ],
)
def test_the_interval_decides_whether_the_gates_are_a_constant(
    value: float, interval: tuple[float, float] | None, said: str
) -> None:
    found = words.verdict(Difference(value, interval, (1, 1) if interval is None else (3, 3)))
    assert found.startswith(f"**{said}**") and f"{100 * value:+.2f}" in found
    if interval is not None:
        assert " to ".join(f"{100 * end:+.2f}" for end in interval) in found
