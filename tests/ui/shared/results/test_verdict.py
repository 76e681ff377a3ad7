"""What a sentence says of two accuracies: which claim holds, and the numbers that it rests on."""

import re

import pytest

from attnviz.card import Figure
from attnviz.charts import MINUS
from attnviz.comparisons import difference
from attnviz.ui.shared.results.verdict import verdict
from tests.accuracies import accuracy

HIGH, LOW = accuracy(0.96, 0.95, 0.97), accuracy(0.91, 0.90, 0.92)
WIDE, ONCE = accuracy(0.94, 0.96, 0.98), accuracy(0.9)


def said(one: Figure, other: Figure) -> str:
    return verdict(
        one, other, names=("with it", "without it"), better="It helps", worse="It does harm", same="Equally good",
        answers=8,
    )  # fmt: skip


def test_equality_is_claimed_only_where_the_whole_interval_is_small() -> None:
    sentence = said(accuracy(0.94, 0.9399, 0.9401), accuracy(0.94, 0.94, 0.94))
    assert sentence.startswith("**Equally good**: with it, 94.00 %")
    assert "), within 0.5 points either way. Guessing" in sentence
    small = said(accuracy(0.9960, 0.9955, 0.9965), accuracy(0.9961, 0.9955, 0.9962))
    assert small.startswith("**Not decided**"), "a tenth of 0.4 % is little"
    assert "the interval contains 0 and more than 0.04 points either way." in small


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
        (HIGH, WIDE, "Not decided", "+0.00"),
    ],
)
def test_the_claim_is_the_one_that_the_interval_supports(one: Figure, other: Figure, claim: str, points: str) -> None:
    sentence = said(one, other)
    assert sentence.startswith(f"**{claim}**: with it, {100 * one.mean:.2f} % of 10,000 answers are correct")
    assert f"without it, {100 * other.mean:.2f} %" in sentence
    assert f"The difference is {points} points (95 % interval " in sentence
    assert sentence.endswith("Guessing among 8 classes gives 12.50 %.")


def test_the_interval_is_that_of_the_answers_of_all_seeds() -> None:
    for paired in (False, True):
        ends = interval(
            verdict(
                HIGH, LOW, names=("whole", "in part"), better="It helps", worse="", same="", answers=8, paired=paired
            )
        )
        found = difference(HIGH, LOW, paired=paired)
        assert found.interval is not None
        assert ends == pytest.approx(tuple(100 * end for end in found.interval), abs=0.006)
    assert interval(said(LOW, HIGH)) == tuple(-end for end in reversed(interval(said(HIGH, LOW))))


def test_without_the_answers_of_each_seed_nothing_is_decided() -> None:
    sentence = said(HIGH.model_copy(update={"right_per_seed": None}), LOW)
    assert sentence.startswith("**Not decided**: with it, 96.00 %")
    assert "The difference is +5.00 points; the answers of each seed are not known." in sentence
    assert "interval" not in sentence


@pytest.mark.parametrize(("one", "other"), [(ONCE, LOW), (HIGH, ONCE)])
def test_one_training_supports_no_claim(one: Figure, other: Figure) -> None:
    sentence = said(one, other)
    assert sentence.startswith("**Not decided**")
    assert "points; one of the two was trained only once." in sentence
    assert "interval" not in sentence
