"""What a sentence says of two accuracies: which claim holds, and the numbers that it rests on."""

import re

import pytest

from attnviz.cards import Figure
from attnviz.charts.minus import MINUS
from attnviz.measures.difference import Difference
from attnviz.ui.shared.verdict import alike, verdict

STUDENT = 1.960, 2.776  # of infinitely many degrees of freedom, and of the 4 that two times three trainings have


def figure(*accuracies: float) -> Figure:
    mean = sum(accuracies) / len(accuracies)
    return Figure(
        name="accuracy", data="mnist", split="test", count=10_000, value=accuracies[0], mean=mean,
        lowest=min(accuracies), highest=max(accuracies), seeds=len(accuracies), per_seed=accuracies,
    )  # fmt: skip


HIGH, LOW, WIDE, ONCE = figure(0.96, 0.95, 0.97), figure(0.91, 0.90, 0.92), figure(0.94, 0.96, 0.98), figure(0.9)


def said(one: Figure, other: Figure) -> str:
    return verdict(
        one, other, names=("with it", "without it"), better="It helps", worse="It does harm", neither="It is the same",
        answers=8,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "claimed"),
    [
        (Difference(0.0204, (-0.004, 0.0448), (3, 3)), False),
        (Difference(0.0001, (-0.001, 0.001), (3, 3)), True),
        (Difference(0.0, (-0.0051, 0.001), (3, 3)), False),
        (Difference(0.0, None, (1, 3)), False),
    ],
)
def test_two_models_are_alike_only_where_the_whole_interval_is_small(found: Difference, claimed: bool) -> None:
    assert alike(found) is claimed


@pytest.mark.parametrize(("count", "claim"), [(10_000, "No difference"), (1_000_000, "Equally good")])
def test_equality_is_claimed_only_where_the_whole_interval_is_small(count: int, claim: str) -> None:
    """Without knowing which answers are right, 1.96 standard errors are 0.65 and 0.065 points."""
    one, other = (figure(0.94, 0.94, 0.94).model_copy(update={"count": count}) for _ in range(2))
    sentence = verdict(
        one, other, names=("with it", "without it"), better="It helps", worse="It does harm", neither="No difference",
        same="Equally good", answers=8,
    )  # fmt: skip
    assert sentence.startswith(f"**{claim}**: with it, 94.00 %")


def interval(sentence: str) -> tuple[float, float]:
    """Return the ends of the interval, in points."""
    found = re.search(r"95 % interval (\S+) to (\S+)\)", sentence)
    assert found
    low, high = (float(end.replace(MINUS, "-")) for end in found.groups())
    return low, high


@pytest.mark.parametrize(
    ("one", "other", "claim", "points"),
    [
        (HIGH, LOW, "It helps", "+5.00"),
        (LOW, HIGH, "It does harm", f"{MINUS}5.00"),
        (HIGH, WIDE, "It is the same", "+0.00"),
    ],
)
def test_the_claim_is_the_one_that_the_interval_supports(one: Figure, other: Figure, claim: str, points: str) -> None:
    sentence = said(one, other)
    assert sentence.startswith(f"**{claim}**: with it, {100 * one.mean:.2f} % of 10,000 answers are correct")
    assert f"without it, {100 * other.mean:.2f} %" in sentence
    assert f"The difference is {points} points (95 % interval " in sentence
    assert sentence.endswith("Guessing among 8 classes gives 12.50 %.")


def test_the_interval_is_that_of_trainings_and_pictures() -> None:
    low, high = interval(said(HIGH, LOW))
    # Variances of the means over three trainings, 0.01 ** 2 / 3 each, and of both shares over the pictures.
    error = (2e-4 / 3 + (0.96 * 0.04 + 0.91 * 0.09) / 10_000) ** 0.5
    assert low + high == pytest.approx(2 * 5, abs=0.02)
    assert 200 * STUDENT[0] * error < high - low < 200 * STUDENT[1] * error
    assert interval(said(LOW, HIGH)) == (-high, -low)


def test_the_same_trainings_are_compared_one_by_one() -> None:
    sentence = verdict(
        HIGH, LOW, names=("whole", "in part"), better="It helps", worse="It does harm", neither="Nothing", answers=8,
        paired=True,
    )  # fmt: skip
    low, high = interval(sentence)  # each training is 5 points better: only the pictures are left
    assert (high - low) / 2 == pytest.approx(196 * ((0.96 * 0.04 + 0.91 * 0.09) / 10_000) ** 0.5, abs=0.01)


@pytest.mark.parametrize(("one", "other"), [(ONCE, LOW), (HIGH, ONCE)])
def test_one_training_supports_no_claim(one: Figure, other: Figure) -> None:
    sentence = said(one, other)
    assert sentence.startswith("**One seed cannot tell**")
    assert "points; one of the two was trained only once." in sentence
    assert "interval" not in sentence
