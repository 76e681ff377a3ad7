import re
from itertools import pairwise

import pytest

from attnviz.data import strokes
from attnviz.data.skeletons import SKELETONS, Skeleton

ALL = [pytest.param(shape, id=f"{digit} {shape.name}") for digit, shapes in enumerate(SKELETONS) for shape in shapes]


def test_every_digit_has_several_shapes_of_different_names():
    assert len(SKELETONS) == 10
    for shapes in SKELETONS:
        assert len(shapes) >= 4
        assert len({shape.name for shape in shapes}) == len({shape.path for shape in shapes}) == len(shapes)


@pytest.mark.parametrize("shape", ALL)
def test_a_shape_is_one_high_and_its_points_are_spread(shape):
    assert shape.weight > 0 and sum(map(len, shape.strokes)) <= strokes.POINTS
    assert re.fullmatch(r"(-?\d+,-?\d+)( (/|-?\d+,-?\d+))*", shape.path)
    heights = [y for stroke in shape.strokes for _, y in stroke]
    assert -0.05 <= min(heights) <= 0.1 and 0.84 <= max(heights) <= 1.05
    for stroke in shape.strokes:
        assert len(stroke) >= 3 and stroke[0] != stroke[1] and stroke[-1] != stroke[-2]
        for (x, y), (next_x, next_y) in pairwise(stroke):
            distance = ((x - next_x) ** 2 + (y - next_y) ** 2) ** 0.5
            assert distance == 0 or 0.05 <= distance <= 0.5  # evenly enough for a smooth curve


def test_strokes_are_read_from_the_path():
    assert Skeleton("cross", 1, "0,0 50,100 / -10,50 60,50").strokes == [
        [(0.0, 0.0), (0.5, 1.0)],
        [(-0.1, 0.5), (0.6, 0.5)],
    ]
