"""What a trace gives, attnviz/readings.py."""

import re

import numpy as np
import pytest
import torch

from attnviz.errors import TraceError
from attnviz.grids import Grid
from attnviz.readings import Reading

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
    with pytest.raises(TraceError, match=f"attention.query: head {place} does not exist; there are 3"):
        READING.at(head=place)


def test_several_places_keep_their_axis():
    assert READING.at(batch=0, token=range(1, 3)).tolist() == [[1, 2], [5, 6], [9, 10]]
    assert READING.at(batch=0, head=0, token=range(3, 0, -2)).tolist() == [3, 1]
    assert READING.at(batch=0, head=slice(1, None), token=-1).tolist() == [7, 11]
    assert READING.at(batch=0, head=slice(None, None, 2), token=range(2, -1, -2)).tolist() == [[2, 0], [10, 8]]
    assert READING.at(batch=np.int64(1), head=0, token=0).tolist() == 12


@pytest.mark.parametrize("places", [range(2, 4), range(-1, 1), range(0), slice(1, 4), slice(2, 2), slice(-4, None)])
def test_places_past_the_end_and_none_at_all_are_refused(places):
    with pytest.raises(TraceError, match=re.escape(f"attention.query: head {places} does not exist; there are 3.")):
        READING.at(head=places)


@pytest.mark.parametrize("place", [True, 1.0, "1", [0, 1], (0, 1), None])
def test_what_is_no_place_is_refused(place):
    with pytest.raises(TraceError, match="attention.query: head must be a whole number, a range or a slice, not "):
        READING.at(head=place)


def test_only_tokens_lie_in_cells():
    reading = Reading("attention.query", TENSOR, ("batch", "head", "token"), Grid(2, 2))
    assert torch.equal(reading.at(token=(1, 0)), TENSOR[:, :, 2])
    with pytest.raises(TraceError, match=r"head must be a whole number, a range or a slice, not \(0, 1\)"):
        reading.at(head=(0, 1))  # two heads, and no cell of the grid
    with pytest.raises(TraceError, match=r"token must be .*, or \(row, column\), not \(0, 1, 2\)"):
        reading.at(token=(0, 1, 2))
    with pytest.raises(TraceError, match="the positions of its tokens are unknown"):  # the grid is of other tokens
        Reading("attention.query", TENSOR, ("batch", "token", "feature"), Grid(2, 2)).at(token=(1, 0))


def test_a_part_says_which_axes_are_left_and_takes_the_value_before_an_edit_along():
    reading = Reading("attention.query", TENSOR, ("batch", "head", "token"), Grid(2, 2), TENSOR + 1)
    part = reading.part(head=2, batch=range(1))
    assert part.axes == ("batch", "token")
    assert part.tensor.tolist() == [[8, 9, 10, 11]]  # of (batch 0, head 2)
    assert part.before.tolist() == [[9, 10, 11, 12]]
    assert (part.path, part.grid) == (reading.path, reading.grid)


def test_an_axis_that_is_not_there_names_the_closest():
    for ask in (lambda: READING.size("heads"), lambda: READING.at(heads=0)):
        with pytest.raises(TraceError, match="attention.query has no axis 'heads'. Did you mean 'head'"):
            ask()
