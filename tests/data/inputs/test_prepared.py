"""What a preparation gives and takes, attnviz/data/inputs/prepared.py."""

import json

import numpy as np
import pytest

from attnviz.data.inputs.prepared import Prepared, checked, in_channels
from attnviz.errors import BadInput

GREY = np.arange(6, dtype=np.uint8).reshape(2, 3)


def test_the_steps_are_words_and_details_that_json_can_say():
    made = Prepared(GREY[..., None], "It was halved.", {"factor": 2})
    assert json.loads(json.dumps(made.steps())) == {"words": "It was halved.", "factor": 2}


def test_a_canvas_has_channels_afterwards():
    assert checked(GREY).shape == (2, 3, 1)
    assert checked(GREY[..., None].repeat(3, 2)).shape == (2, 3, 3)


@pytest.mark.parametrize(
    "canvas", [GREY.astype(float), GREY[0], np.zeros((2, 3, 2), np.uint8), np.zeros((0, 3), np.uint8)], ids=str
)
def test_what_is_no_canvas_is_one_sentence(canvas):
    with pytest.raises(BadInput, match=r"A canvas is uint8 \(row, column\), .* this is .* of shape"):
        checked(canvas)


def test_colour_becomes_the_rounded_mean_and_grey_is_repeated():
    colour = np.array([[[10, 20, 31]]], np.uint8)
    assert in_channels(colour, 1).tolist() == [[[20]]]
    assert in_channels(colour, 3) is colour
    assert in_channels(colour[..., :1], 3).tolist() == [[[10, 10, 10]]]
    with pytest.raises(BadInput, match="3 channels cannot be shown to a model of 2"):
        in_channels(colour, 2)
