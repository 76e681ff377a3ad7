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


def test_more_is_more_violet_on_light_and_dark_pages() -> None:
    tile = np.asarray(home_picture.heat(np.array([[0.0, 1.0], [2.0, 4.0]])))
    size = home_picture.TILE
    assert tile.shape == (size, size, 4)
    strengths = [int(tile[at, along, 3]) for at in (0, -1) for along in (0, -1)]
    assert strengths == sorted(strengths) and strengths[0] < 20 and strengths[-1] == 255
    assert all(tuple(tile[at][:3]) == home_picture.MORE for at in ((0, -1), (-1, 0), (-1, -1)))
    for page in ((253, 252, 249), (19, 20, 23)):
        away = [abs(np.array(home_picture.MORE) - page).sum() * one / 255 for one in strengths]
        assert away == sorted(away), "the strongest is farthest from the page"


def test_an_outline_lies_around_its_square_and_leaves_it_as_it_is() -> None:
    tile = home_picture.grey(np.full((4, 4), 255, np.uint8))
    home_picture.outline(tile, (4, 4), (1, 2), 1)
    found, side = np.asarray(tile), home_picture.TILE // 4
    assert (found[side : 2 * side, 2 * side : 3 * side] == (*home_picture.INK, 255)).all()
    assert tuple(found[side - 1, 2 * side]) == tuple(found[2 * side, 3 * side]) == (*home_picture.MARK, 255)
    assert tuple(found[0, 0]) == (*home_picture.INK, 255)
