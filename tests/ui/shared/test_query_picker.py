"""The choice of a query."""

import pytest

from attnviz.grids import Grid
from attnviz.ui.shared import query_picker


@pytest.mark.parametrize(
    ("word", "token"),
    [("2,3", 10), ("1,1", 1), ("5,7", 35), ("token1", 0), ("token36", 35), ("17", 17), ("0", 0)],
)
def test_a_query_is_a_row_and_a_column_from_1_or_a_token_that_lies_nowhere(word: str, token: int) -> None:
    assert query_picker._token_of(word, 36, Grid(5, 7, prefix=1)) == token


@pytest.mark.parametrize(
    "word", ["", "6,1", "0,3", "1,8", "36", "-1", "token0", "token37", "token", "a,b", "1,2,3", "²", "९"]
)
def test_a_query_that_is_not_there_is_none(word: str) -> None:
    assert query_picker._token_of(word, 36, Grid(5, 7, prefix=1)) is None
