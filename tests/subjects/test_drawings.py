"""A visitor's drawing as an example: the very pixels, in a link, in a request and in an export."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz import subjects
from attnviz.data import strokes
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput, UnknownName
from attnviz.models import Input
from attnviz.subjects import Drawing

IMAGE = strokes.draw([3], seed=2)[0]
WORD = drawing.word(drawing.name(IMAGE[..., 0]))


def test_it_is_the_very_picture_and_nobody_says_what_it_shows() -> None:
    drawn = Drawing(WORD)
    np.testing.assert_array_equal(drawn.picture, IMAGE)
    assert (drawn.target, drawn.data, drawn.ink) == (None, None, True)
    assert drawn.key == drawing.place(drawing.name(IMAGE[..., 0]))


def test_a_link_and_a_request_name_the_same_drawing() -> None:
    drawn = Drawing(WORD)
    assert subjects.example_in_url({**drawn.words, "model": "any"}) == drawn
    assert subjects.example(**drawn.asked) == drawn
    assert hash(subjects.example(**drawn.asked)) == hash(drawn)


def test_a_net_of_another_shape_takes_it_in_its_own() -> None:
    net = replace(subjects.net("pixel_attention.1v8"), input=Input(3, 32, 32, "resized"))
    taken = Drawing(WORD).taken_by(net)
    assert taken.shape == (32, 32, 3)
    assert (taken[..., :1] == taken).all()
    assert abs(float(taken.mean()) - float(IMAGE.mean())) < 1


def test_nonsense_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="This is not a drawing"):
        _ = Drawing("nonsense!").picture
    with pytest.raises(UnknownName, match="no kind of example 'drawings'. Did you mean 'drawing'"):
        subjects.example(f"drawings:{WORD}")
