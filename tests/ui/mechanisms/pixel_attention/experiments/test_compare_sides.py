"""The numbers of *Side by side*, on maps small enough to be worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from attnviz.measures.compare import compared
from attnviz.ui.mechanisms.pixel_attention.experiments.compare_sides import Side, finding, grids, most, numbers
from attnviz.ui.mechanisms.pixel_attention.selection import Token

EVEN = np.ones((2, 2))
CORNER = np.array([[4.0, 0.0], [0.0, 0.0]])  # all of the attention on one of four places
OTHER = CORNER[::-1, ::-1]


def view(rows: int, columns: int, prefix: int = 0, probabilities: tuple[float, ...] = (0.25, 0.75)) -> SimpleNamespace:
    return SimpleNamespace(
        rows=rows, columns=columns, prefix=prefix, probabilities=np.array(probabilities), classes=("8", "1")
    )


def side(number: int, rows: int = 4, columns: int = 6, prefix: int = 0) -> Side:
    return Side("Head 1", view(rows, columns, prefix), 0, Token(number, "somewhere", None))


@pytest.mark.parametrize(
    ("held", "grid", "cell"),
    [
        (side(0), (4, 6), 0),
        (side(23), (4, 6), 23),
        (side(23), (2, 3), 5),
        (side(6 * 1 + 2), (2, 3), 1),  # row 1, column 2 of 4 x 6 lies in row 0, column 1 of 2 x 3
        (side(1 + 6 * 3 + 1, prefix=1), (2, 3), 3),  # after a class token: row 3, column 1
        (side(5, 2, 3), (4, 6), 2 * 6 + 4),  # on a finer grid: its first place
    ],
)
def test_a_held_token_keeps_its_place_on_the_picture(held: Side, grid: tuple[int, int], cell: int) -> None:
    assert held.cell(*grid) == cell


def test_a_side_answers_with_its_most_probable_class() -> None:
    assert side(0).answer() == "1, 75.0 %"
    first = Side("", view(1, 1, probabilities=(0.5, 0.5)), None, None)
    assert first.answer() == "8, 50.0 %"


@pytest.mark.parametrize(
    ("direction", "expected"), [("from", [[0.9, 1.5]]), ("to", [[0.9, 0.9]]), ("received", [[0.9, 1.5]])]
)
def test_the_map_of_a_side_is_in_even_shares_and_has_no_prefix(direction: str, expected: list[list[float]]) -> None:
    # Every query gives the weights 0.2, 0.3 and 0.5 to three tokens, the first of which has no position.
    key = np.log([0.2, 0.3, 0.5]).reshape(1, 3, 1)
    given = {"query": np.ones((1, 3, 1)), "key": key, "log_normaliser": np.zeros((1, 3))}
    found = Side("", SimpleNamespace(**vars(view(1, 2, 1)), **given), 0, Token(1, "", None)).map(direction)
    np.testing.assert_allclose(found, expected)


def test_the_largest_value_is_said_with_its_position_counted_from_1() -> None:
    assert most(np.array([[0.5, 1.0], [2.5, 0.0]])) == "2.50 × an even share, at row 2, column 1"


@pytest.mark.parametrize(
    ("maps", "direction", "words"),
    [
        ((CORNER, CORNER), "from", "**The two maps are the same**, except for rounding."),
        ((CORNER, OTHER), "from", "distance is **1.00**, where 0 is the same map and 1 is nothing in common"),
        ((CORNER, OTHER), "to", "**The two maps differ**: half of their mean absolute difference is **1.00 even"),
        ((CORNER, EVEN), "from", "One of them is uniform, so there is no correlation."),
        ((CORNER, OTHER), "received", "correlation is **\N{MINUS SIGN}0.333**; that of unrelated maps is about 0."),
    ],
)  # fmt: skip
def test_how_far_two_maps_are_apart_in_words(maps: tuple[np.ndarray, np.ndarray], direction: str, words: str) -> None:
    assert words in finding(compared(*maps), direction)


def test_differing_grids_are_explained_the_finer_one_first() -> None:
    assert grids(view(4, 6), view(4, 6)) == ""
    for both in ((view(2, 3), view(4, 6)), (view(4, 6), view(2, 3))):
        assert grids(*both).startswith("One model has 4 × 6 tokens, the other 2 × 3:")


def test_the_numbers_of_both_sides_stand_side_by_side() -> None:
    table = numbers(side(0), side(1), (CORNER, EVEN), "from").splitlines()
    assert table[0] == "| Takes from | left: Head 1 | right: Head 1 |"
    assert (
        table[3]
        == "| largest value | 4.00 × an even share, at row 1, column 1 | 1.00 × an even share, at row 1, column 1 |"
    )
    assert table[4] == "| half of the attention lies on | 1 of 4 places | 2 of 4 places |"
