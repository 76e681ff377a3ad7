"""What comes from outside as a model takes it: attnviz/data/inputs."""

import json

import numpy as np
import pytest

from attnviz.data import inputs, strokes
from attnviz.data.inputs import PREPARATIONS, fitted
from attnviz.errors import BadInput, UnknownName


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, np.uint8)


CANVAS = np.zeros((280, 280), np.uint8)
CANVAS[40:180, 100:130] = 255


@pytest.mark.parametrize("name", PREPARATIONS)
@pytest.mark.parametrize("shape", [(28, 28, 1), (60, 60, 1), (32, 32, 3), (40, 60, 1), (12, 12, 1)], ids=str)
@pytest.mark.parametrize("centred", [True, False])
def test_every_preparation_gives_any_shape_and_steps_that_json_can_say(name, shape, centred):
    rows, columns, channels = shape
    seen = PREPARATIONS[name](CANVAS, rows=rows, columns=columns, channels=channels, centred=centred)
    wide = rows if name == "strip" else columns  # a strip of one digit is narrower than the widest
    assert (seen.picture.dtype, seen.picture.shape) == (np.uint8, (rows, wide, channels))
    assert seen.picture.any()
    steps = json.loads(json.dumps(seen.steps()))
    assert steps["words"] == seen.words
    assert seen.words.endswith(".")
    assert not steps["empty"]


@pytest.mark.parametrize("name", PREPARATIONS)
def test_an_empty_canvas_is_paper_and_says_so(name):
    seen = PREPARATIONS[name](np.zeros((280, 280), np.uint8), rows=40, columns=40, channels=3, centred=True)
    assert not seen.picture.any()
    assert (seen.words, seen.steps()["empty"]) == ("Nothing is drawn.", True)


@pytest.mark.parametrize("name", PREPARATIONS)
@pytest.mark.parametrize("canvas", [noise(28, 28, 2), noise(28).astype(np.uint8), noise(28, 28) / 255], ids=str)
def test_what_is_no_canvas_is_refused_with_its_shape(name, canvas):
    with pytest.raises(BadInput, match="A canvas is uint8"):
        PREPARATIONS[name](canvas, rows=28, columns=28, channels=1, centred=True)


@pytest.mark.parametrize("shape", [(28, 28, 1), (32, 32, 3)], ids=str)
def test_a_picture_of_the_right_shape_is_taken_as_it_is(shape):
    rows, columns, channels = shape
    picture = noise(*shape)
    taken = fitted(picture, rows=rows, columns=columns, channels=channels, preparation="mnist_style")
    assert taken is picture


def test_grey_is_repeated_and_colour_averaged_to_grey():
    grey, colour = noise(32, 32, 1), noise(32, 32, 3)
    as_colour = fitted(grey, rows=32, columns=32, channels=3, preparation="resized")
    assert (as_colour == grey).all()
    assert as_colour.shape == (32, 32, 3)
    as_grey = fitted(colour, rows=32, columns=32, channels=1, preparation="resized")
    np.testing.assert_array_equal(as_grey[..., 0], np.rint(colour.astype(float).mean(2)))


def test_three_channels_do_not_become_two():
    with pytest.raises(BadInput, match="3 channels cannot be shown to a model of 2"):
        fitted(noise(32, 32, 3), rows=32, columns=32, channels=2, preparation="resized")


def test_a_drawn_digit_that_is_finished_already_is_not_centred_again():
    digit = strokes.draw(np.array([4]), seed=1)[0]
    moved = np.roll(digit, 3, axis=0)
    taken = fitted(moved, rows=60, columns=60, channels=1, preparation="mnist_style")
    np.testing.assert_array_equal(taken[16:44, 16:44], moved)
    assert taken.sum() == moved.sum(dtype=int)


def test_an_unknown_preparation_names_the_closest():
    with pytest.raises(UnknownName, match="no preparation 'resize'. Did you mean 'resized'"):
        inputs.named("resize")


def test_a_third_party_adds_a_row(monkeypatch):
    def white(canvas, *, rows, columns, channels, centred):
        return inputs.Prepared(np.full((rows, columns, channels), 255, np.uint8), "All white.")

    monkeypatch.setitem(PREPARATIONS, "white", white)
    assert (fitted(noise(28, 28, 1), rows=2, columns=3, channels=1, preparation="white") == 255).all()
