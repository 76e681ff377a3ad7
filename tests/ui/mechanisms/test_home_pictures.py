"""The pictures of the home page, which are made in advance, are what the models compute."""

from importlib import import_module

import numpy as np
import pytest
from PIL import Image

from attnviz import cards
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import home_picture

TRAINED = [name for name, row in MECHANISMS.items() if row.home and row.home.view["model"] in cards.names()]


@pytest.mark.parametrize("name", TRAINED)
def test_it_shows_what_the_model_computes(name: str) -> None:
    row = MECHANISMS[name]
    assert row.home
    made = home_picture.pair(*import_module(f"attnviz.ui.mechanisms.{name}.home").tiles())
    with Image.open(row.home.file) as found:
        again = f"made from other weights: run python -m attnviz.ui.mechanisms.{name}.home"
        np.testing.assert_allclose(np.asarray(found, int), np.asarray(made, int), atol=2, err_msg=again)


def test_a_map_goes_from_the_background_through_violet_to_its_brightest() -> None:
    tile = np.asarray(home_picture.heat(np.array([[0.0, 1.0], [2.0, 4.0]])))
    size = home_picture.TILE
    assert tuple(tile[0, 0]) == home_picture.BACKGROUND
    assert tuple(tile[-1, 0]) == home_picture.HALFWAY
    assert tuple(tile[-1, -1]) == home_picture.MOST
    assert tile.shape == (size, size, 3)


def test_an_outline_lies_around_its_square_and_leaves_it_as_it_is() -> None:
    tile = home_picture.grey(np.full((4, 4), 255, np.uint8))
    home_picture.outline(tile, (4, 4), (1, 2), 1)
    found, side = np.asarray(tile), home_picture.TILE // 4
    assert (found[side : 2 * side, 2 * side : 3 * side] == home_picture.INK).all()
    assert tuple(found[side - 1, 2 * side]) == tuple(found[2 * side, 3 * side]) == home_picture.MARK
    assert tuple(found[0, 0]) == home_picture.INK
