"""The tiles of the home page: their colours on light and dark pages, and what is drawn on them."""

import numpy as np

from attnviz.ui.shared import home_picture


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


def test_a_path_joins_its_points_by_lines_with_a_dot_on_each() -> None:
    tile = home_picture.grey(np.zeros((4, 4), np.uint8))
    home_picture.path(tile, (4, 4), [(1, 1), (1, 3), (3, 3)])
    cell = home_picture.TILE // 4
    marked = (np.asarray(tile)[..., :3] == home_picture.MARK).all(-1)
    for row, column in ((1, 1), (1, 2), (1, 3), (2, 3), (3, 3)):
        assert marked[row * cell, column * cell]
    for row, column in ((2, 1), (2, 2), (3, 1), (3, 2)):
        assert not marked[row * cell, column * cell]
    assert marked[cell - 3 : cell + 4, cell].all(), "a dot is higher than the line"
    assert marked[:, 2 * cell].sum() == 2, "the line is 2 pixels wide"


def test_two_tiles_stand_side_by_side_with_a_gap_that_shows_the_page() -> None:
    full, empty = (home_picture.heat(np.full((2, 2), value)) for value in (1.0, 0.0))
    opaque = np.asarray(home_picture.pair(full, empty))[..., 3]
    side, gap = home_picture.TILE, home_picture.GAP
    assert opaque.shape == (side, 2 * side + gap)
    assert (opaque[:, :side] == 255).all()
    assert (opaque[:, side : side + gap] == 0).all()
    assert (opaque[:, side + gap :] == round(255 * home_picture.LEAST)).all(), "one sees where an empty tile ends"
