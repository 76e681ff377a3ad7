"""What each experiment says that it found, for each way in which the numbers can come out."""

import numpy as np
import pytest

from attnviz.measures.pixel_attention.linear import Lines
from attnviz.measures.pixel_attention.representations import Count
from attnviz.ui.mechanisms.pixel_attention import paper_tiles
from attnviz.ui.mechanisms.pixel_attention.experiments import (
    one_token,
    outputs,
    paper,
    parts,
    positions,
    qkv,
    temperature,
)


@pytest.mark.parametrize(
    ("near", "others", "claim"),
    [
        (0.9, 0.4, "**Neighbours are similar**"),
        (0.1, 0.4, "**Neighbours are less similar than other positions**"),
        (0.02, 0.0, "**Neighbours are no more similar than other positions**"),
    ],
)
def test_positions(near: float, others: float, claim: str) -> None:
    assert positions.finding(near, others).startswith(claim)


def test_neighbours_are_compared_with_all_others() -> None:
    code = np.array([[1.0, 0], [1, 0], [0, 2], [0, 2]])  # rows of a 2 x 2 grid: alike across, unlike down
    near, others = positions.closeness(code, 2, 2)
    assert (near, others) == pytest.approx((2 / 4, 4 / 12))


@pytest.mark.parametrize(
    ("placed", "claim"),
    [
        (False, "**Nothing but its intensity**: 2 components of the query rise"),
        (True, "**The intensity, and where the pixel is**"),
    ],
)
def test_components(placed: bool, claim: str) -> None:
    line = Lines(np.array([[1.0, 2.0, -1.0]]), np.zeros((1, 3)), placed, -1.0, 1.0)
    said = qkv.finding(line, "query")
    assert said.startswith(claim)
    assert "rise with the pixel's intensity, 1 falls (random signs would give 1.5 of each on average)" in said


def test_of_a_single_component_no_chance_is_said() -> None:
    said = qkv.finding(Lines(np.array([[-1.0]]), np.zeros((1, 1)), False, -1.0, 1.0), "key")
    assert "0 components of the key rise with the pixel's intensity, 1 falls." in said


def test_no_share_of_positions_is_minus_zero() -> None:
    said = parts.finding(np.array([1.0 + 1e-9, 0.0, 0.0, 0.0]), "row 1, column 1", 0)
    assert "explain 100 % of the variance of its scores, their positions 0 %" in said


def test_mixed_values() -> None:
    same, varied = np.ones((2, 1, 5)), np.arange(10.0).reshape(2, 1, 5)
    assert qkv.finding_of_mixed(same).startswith("**A single number for the whole picture**: all 2 mixed values")
    assert "2 of 2 mixed values differ between pixels." in qkv.finding_of_mixed(varied)
    both = np.concatenate([same, varied])
    assert "2 of 4 mixed values differ between pixels; the other 2 are the same" in qkv.finding_of_mixed(both)


@pytest.mark.parametrize(
    ("alike", "claim"),
    [
        (
            [0.9, 0.95],
            "**The same picture with other grey levels**: the correlation of output and picture is 0.90 to 0.95",
        ),
        ([-0.9, -0.95], "**The picture's negative, with other grey levels**"),
        ([-0.9, 0.95], "**The picture or its negative, with other grey levels**"),
        ([0.1, -0.2], "**Something that is not similar to the picture**"),
        ([0.1, 0.9], "**Something that only partly resembles the picture**"),
        ([], "**A uniform map**"),
    ],
)
def test_outputs(alike: list[float], claim: str) -> None:
    assert outputs.finding(alike).startswith(claim)


def test_temperature() -> None:
    more = temperature.finding({"0 to 255": 1.0, "as trained": 120.0}, 784)
    assert more.startswith("**Weights on more pixels**") and "(0 to 255: 1.0; as trained: 120)" in more
    assert temperature.finding({"0 to 255": 100.0, "as trained": 120.0}, 784).startswith("**Hardly anything more**")
    assert more.endswith("uniform attention would cover all 784.")
    assert temperature.effective(np.zeros((2, 8))) == pytest.approx(8)
    assert temperature.effective(np.array([[0.0, 1e6, 0.0]])) == pytest.approx(1)


@pytest.mark.parametrize(
    ("shares", "claim"),
    [
        (
            [0.6, 0.1, 0.2, 0.1],
            "**For ink**: for the pixel in row 2, column 3, in head 4, the keys' intensities explain 80.0 %",
        ),
        ([0.1, 0.6, 0.1, 0.2], "**For a position**"),
        ([0.25, 0.25, 0.25, 0.25], "**For both about equally**"),
        ([np.nan] * 4, "**For neither**"),
    ],
)
def test_parts(shares: list[float], claim: str) -> None:
    assert parts.finding(np.array(shares), "row 2, column 3", 3).startswith(claim)


def test_one_token() -> None:
    nothing = one_token.finding(1.0, {"query": 0.0, "key": 0.0, "value": 0.5})
    assert nothing.startswith("**Nothing**") and "by exactly 0" in nothing and "up to 0.500" in nothing
    assert one_token.finding(1.0, {"query": 0.1, "key": 0.0, "value": 0.5}).startswith("**Something**")
    assert one_token.finding(0.5, {"query": 0.0, "key": 0.0, "value": 0.5}).startswith("**Something**")


@pytest.mark.parametrize(
    ("held", "claim"),
    [
        ({"ink": 3, "background": 9}, "**Maps that are black and white**"),
        ({"ink": 3, "background": 300}, "**1 of 2 maps are black and white**"),
        ({"ink": 350, "background": 300}, "**Maps that are black and white only on their own scales**"),
    ],
)
def test_weights_of_the_paper(held: dict[str, int], claim: str) -> None:
    said = paper.finding_of_weights(held, 784)
    assert said.startswith(claim) and said.endswith("uniform attention would take 392.")


def test_components_of_the_paper() -> None:
    said = paper_tiles.finding(Count(5, 3, 0), Count(4, 4, 0))
    assert said.startswith("**The picture and its negative, and nothing else**: on their own scales, 5 of 8 tiles")
    assert said.endswith("these counts were 4, 4 and 0.")
    assert paper_tiles.finding(Count(0, 3, 0), None).startswith("**The picture's negative, and")
    assert paper_tiles.finding(Count(3, 0, 0), None).startswith("**The picture, and nothing else**")
    assert paper_tiles.finding(Count(5, 2, 1), None).startswith("**More than the picture and its negative**")
