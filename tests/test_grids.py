"""Where tokens lie on the picture: attnviz/grids.py."""

import pytest

from attnviz.errors import BadInput
from attnviz.grids import Grid


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


def test_only_boxes_side_by_side_from_corner_to_corner_cover_a_picture():
    assert Grid(2, 3, stride=4, field=4).tiles(8, 12)
    assert not Grid(2, 3, stride=4, field=4).tiles(8, 13)
    assert not Grid(2, 3, stride=4, field=5).tiles(8, 12)
    assert not Grid(2, 3, stride=4, field=4, offset=(1.0, 0.0)).tiles(8, 12)
    assert Grid(2, 3, stride=4, field=11, offset=(1.0, 2.0)).boxes == [1, 2, 4, 4, 11, 11]


@pytest.mark.parametrize("token", [-1, 7])
def test_a_token_off_the_grid_is_refused(token):
    with pytest.raises(BadInput, match=f"Token {token} is not on this grid: it has 7"):
        Grid(2, 3, prefix=1).box(token)
