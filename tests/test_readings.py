"""What a trace gives, attnviz/readings.py."""

import pytest
import torch

from attnviz.errors import BadInput, TraceError
from attnviz.readings import Grid, Reading

TENSOR = torch.arange(24).reshape(2, 3, 4)
READING = Reading("attention.query", TENSOR, ("batch", "head", "token"))


def test_a_reading_says_how_long_its_axes_are():
    assert [READING.size(axis) for axis in READING.axes] == [2, 3, 4]


def test_a_reading_is_asked_by_axis_and_the_other_axes_stay_in_order():
    assert READING.at(batch=1, head=2).tolist() == [20, 21, 22, 23]
    assert READING.at(head=2, batch=1).tolist() == [20, 21, 22, 23]
    assert READING.at(token=0).tolist() == [[0, 4, 8], [12, 16, 20]]
    assert READING.at(token=-1, batch=0).tolist() == [3, 7, 11]
    assert torch.equal(READING.at(), TENSOR)


@pytest.mark.parametrize("place", [3, -4, 100])
def test_an_index_past_the_end_of_an_axis_says_how_many_there_are(place):
    with pytest.raises(TraceError, match=f"attention.query: head {place} was asked for, there are 3"):
        READING.at(head=place)


def test_an_axis_that_is_not_there_names_the_closest():
    for ask in (lambda: READING.size("heads"), lambda: READING.at(heads=0)):
        with pytest.raises(TraceError, match="attention.query has no axis 'heads'. Did you mean 'head'"):
            ask()


def test_a_grid_counts_its_tokens_row_by_row_from_the_top():
    grid = Grid(5, 7)
    assert grid.tokens == 35
    assert grid.box(0) == (0, 0, 1, 1)
    assert grid.box(6) == (0, 6, 1, 7)
    assert grid.box(7) == (1, 0, 2, 1)
    assert grid.box(34) == (4, 6, 5, 7)


def test_a_grid_of_patches_says_which_pixels_a_token_sees():
    grid = Grid(2, 3, prefix=1, offset=(-1.0, 2.0), stride=4, field=6)
    assert grid.tokens == 7
    assert grid.box(0) is None
    assert grid.box(1) == (-1, 2, 5, 8)
    assert grid.box(6) == (3, 10, 9, 16)


@pytest.mark.parametrize("token", [-1, 7])
def test_a_token_off_the_grid_is_refused(token):
    with pytest.raises(BadInput, match=f"Token {token} is not on this grid: it has 7"):
        Grid(2, 3, prefix=1).box(token)
