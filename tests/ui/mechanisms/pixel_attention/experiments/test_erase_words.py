"""What *Does it matter?* says, held against numbers whose meaning is known."""

import csv
import io

import numpy as np
import pytest

from attnviz.measures.erasure import Curve
from attnviz.ui.mechanisms.pixel_attention.experiments import erase_words as words

DRAWS = np.linspace(-1, -0.1, 10)


def made(attended: float, random: float, pictures: int = 50) -> Curve:
    """A curve of two counts whose changes lie around these numbers."""
    noise = np.random.default_rng(0).normal(0, 0.1, (4, pictures, 2))
    ink = np.full((pictures, 2), 3)
    drawn = (random + noise[1])[..., None] + np.array([-0.01, 0, 0.01])
    return Curve(np.array([8, 39]), 784, np.zeros(pictures, int), np.ones(pictures), attended + noise[0], drawn,
                 noise[2], ink, ink)  # fmt: skip


@pytest.mark.parametrize(
    ("attended", "says"),
    [
        (-2.0, "**Yes, on this picture**: {} less sure of its answer than after any of 10 random"),
        (0.5, "**No, on this picture the opposite holds**: {} surer of its answer than after any of 10 random"),
        (-0.55, "**No clear difference on this picture**: {} less sure of its answer than after 5 of 10 random"),
        (-0.95, "{} less sure of its answer than after 9 of 10 random removals of as much ink; "
         "pixels that matter no more than others would give about 5."),
    ],
)  # fmt: skip
def test_the_finding_on_one_picture_follows_from_the_draws(attended: float, says: str) -> None:
    for jacobian in (-0.5, -3.0):
        prose = words.finding(np.array([attended, jacobian, *DRAWS]), 39, "pixels")
        assert says.format("without the 39 most attended pixels the model is") in prose
        assert ("Jacobian chooses, it is the least sure" in prose) == (jacobian < -2)


@pytest.mark.parametrize(("unit", "one"), [("pixels", "pixel"), ("boxes of 4 × 4 pixels", "box of 4 × 4 pixels")])
def test_one_of_them_is_named_in_the_singular(unit: str, one: str) -> None:
    changes = np.array([-2.0, -0.5, *DRAWS])
    assert f"without the most attended {one} the model is" in words.finding(changes, 1, unit)
    assert f"Without the most attended {one} the logit" in words.one_picture(changes, 4.0, "8", 1, unit)
    assert words.table(changes, ["8"] * 12, 1, 1, 1, unit).startswith(f"| 1 {one} |")


@pytest.mark.parametrize("attended", [-2.0, 0.5])
def test_one_picture_is_said_with_its_logits(attended: float) -> None:
    prose = words.one_picture(np.array([attended, -3, *DRAWS]), 4.0, "8", 39, "pixels")
    assert prose.endswith("after 10 random removals of as much ink 3.45 on average.")
    assert "answers **8**, with a logit of 4.00" in prose
    assert f"the 39 most attended pixels the logit is {4 + attended:.2f}" in prose


def test_the_table_has_every_way_with_its_ink_and_the_range_of_the_draws() -> None:
    answers = ["8", "1", *"8118111118"]
    lines = words.table(np.array([-2.0, 3.0, *DRAWS]), answers, 12, 7, 39, "pixels").splitlines()
    assert lines[2] == "| most attended | 12 | 8 | −2.00 |"
    assert lines[3] == "| chosen by the Jacobian | 7 | 1 | +3.00 |"
    assert lines[4] == "| at random, mean (range) of 10 draws | 12 | 1 (7 of 10) | −0.550 (−1.00 to −0.100) |"
    same = words.table(np.array([-2.0, 3.0, *DRAWS]), ["8"] * 12, 12, 7, 39, "pixels").splitlines()
    assert same[4] == "| at random, mean (range) of 10 draws | 12 | 8 | −0.550 (−1.00 to −0.100) |"


@pytest.mark.parametrize(
    ("attended", "random", "says"),
    [(-1, 0, "**less sure** of its answer than without random"), (0, -1, "**surer** of its answer than without random"),
     (0, 0, "**as sure** of its answer as without random ones with as much ink, as far as 50 pictures can show")],
)  # fmt: skip
def test_the_verdict_follows_from_the_numbers(attended: float, random: float, says: str) -> None:
    curve = made(attended, random)
    prose = words.verdict(curve, "pixels")
    assert says in prose
    difference = curve.attended[:, 1] - curve.random.mean(2)[:, 1]
    assert f"a difference of {words.signed(difference.mean())} (95 % interval " in prose
    assert f"below 0 on {(difference < 0).sum()} of them; chance would give about 25." in prose
    assert f"Without 39 of 784 the logit changes by {words.signed(curve.attended[:, 1].mean())} on average" in prose
    claim = "they matter more than chance" if "less" in says else "they matter less than chance"
    assert (claim if "as sure" not in says else "they do not matter more than chance") in prose
    assert "The same holds for 2 of the 2 numbers of removed pixels." in prose


def test_one_picture_alone_says_nothing() -> None:
    assert words.verdict(made(-1, 0, pictures=1), "pixels") == "One picture alone is not enough for a conclusion."


def test_csv_holds_every_change_in_full() -> None:
    curve = made(-1, 0, pictures=3)
    text = words.csv(curve, [5, 7, 9], {"model": "small"})
    assert text.startswith("# model: small\n")
    rows = list(csv.DictReader(io.StringIO(text.partition("\n")[2])))
    assert len(rows) == 3 * 2 * (2 + 3)
    found = {(row["picture"], row["removed"], row["chosen by"], row["draw"]): row for row in rows}
    assert len(found) == len(rows)
    assert float(found["7", "39", "attention", ""]["change of the logit"]) == curve.attended[1, 1]
    assert float(found["9", "8", "random", "3"]["change of the logit"]) == curve.random[2, 0, 2]
    assert found["5", "8", "Jacobian", ""]["removed pixels with ink"] == "3"
