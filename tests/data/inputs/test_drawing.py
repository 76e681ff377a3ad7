"""A drawing as a word of a URL: it comes back bit for bit, and nonsense is a sentence."""

import base64
import re
import tracemalloc
import zlib
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.data import inputs, strokes
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput
from attnviz.models import Input
from attnviz.subjects.drawings import Drawing

EIGHT = strokes.draw([8], seed=5)[0, ..., 0]
OLD = (
    "drawing:eNpjYBiswHrioXP7-pywyMhNfPQfBJ4nhlqiSXkd-w8Fi37e9USRMr4IFL3QkTL5_GEgowxFru___3eT5BgYXA4CpfZro8it-v-_E0hl3gBK7dJ"
    "FtW7q___rGaSnfABKrZVDc0rM9_-f-0FW_Z7Fg-GFnRBHPm_B9J3jgpcgqbMJGDI8PQ8g2toxpPS3gsT_7f___74VmpT3KaDM3wP5vLv__5-AKqVxHih1"
    "LI-dgSH42_-VqHJl__8_6hNjELNM3wIJACSQ-PX__8cXL997C9R-1QDNvgmvoDHw43gIhjt9Zh-9fOHgugnxrIM01QEA8Rec8g"
)
"""That eight, as attnviz 0.1 wrote it."""


@given(arrays(np.uint8, (28, 28)))
def test_any_picture_comes_back(picture: np.ndarray) -> None:
    name = drawing.name(picture)
    assert len(name) <= len("drawing:") + drawing.LONGEST
    np.testing.assert_array_equal(drawing.read(name), picture)


def test_the_word_is_what_others_write_too() -> None:
    packed = base64.urlsafe_b64encode(zlib.compress(EIGHT.tobytes(), 1)).decode().rstrip("=")
    np.testing.assert_array_equal(drawing.read(drawing.named(packed)), EIGHT)
    assert drawing.word(drawing.name(EIGHT)).isascii()
    assert len(drawing.name(EIGHT)) < 500


@pytest.mark.parametrize("shape", [(28, 28), (32, 32, 3)])
def test_noise_fits(shape: tuple[int, ...]) -> None:
    noise = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    name = drawing.name(noise)
    assert re.fullmatch(drawing.PATTERN, name)
    np.testing.assert_array_equal(drawing.read(name), noise)


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda some: base64.urlsafe_b64encode(some).decode()))
def test_nonsense_is_one_sentence(word: str) -> None:
    with pytest.raises(BadInput) as refused:
        drawing.read(drawing.named(word))
    assert len(str(refused.value)) < 300


def coded(content: bytes) -> str:
    return drawing.named(base64.urlsafe_b64encode(content).decode().rstrip("="))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (drawing.named("A" * 4201), "at most 4,200 characters"),
        (coded(zlib.compress(bytes(783))), "its size is not 28 x 28"),
        (coded(zlib.compress(bytes(785))), "its size is not"),
        (coded(zlib.compress(EIGHT.tobytes())[:-4]), "is incomplete"),
        (coded(zlib.compress(EIGHT.tobytes())[:-5] + b"\0" * 5), "not a drawing"),
        ("drawing:", "incomplete"),
    ],
)
def test_what_is_cut_or_too_large(name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        drawing.read(name)


def test_a_bomb_is_not_opened() -> None:
    bomb = coded(zlib.compress(bytes(800_000), 9))
    assert len(drawing.word(bomb)) <= drawing.LONGEST
    tracemalloc.start()
    with pytest.raises(BadInput, match="its size is not"):
        drawing.read(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100_000


@pytest.mark.parametrize("shape", [(60, 60), (32, 32), (14, 40), (1, 1), (64, 64)])
def test_a_picture_of_another_shape_says_it_and_comes_back(shape: tuple[int, int]) -> None:
    picture = np.zeros(shape, np.uint8)
    picture[: shape[0] // 2 + 1, :3] = 7
    name = drawing.name(picture)
    assert re.fullmatch(drawing.PATTERN, name)
    assert drawing.word(name).startswith(f"{shape[0]}x{shape[1]}.e")
    np.testing.assert_array_equal(drawing.read(name), picture)


def test_a_link_from_before_there_were_shapes_means_what_it_meant() -> None:
    assert "." not in drawing.name(EIGHT)
    assert re.fullmatch(drawing.PATTERN, OLD)
    np.testing.assert_array_equal(drawing.read(OLD), EIGHT)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (drawing.named("65x20." + drawing.word(drawing.name(EIGHT))), "at most 64 x 64 pixels; this one has 65 x 20"),
        (drawing.named("14x14." + drawing.word(drawing.name(EIGHT))), "its size is not 14 x 14"),
        (drawing.named("0x14." + drawing.word(drawing.name(EIGHT))), "not a drawing"),
        (drawing.named("60x60."), "incomplete"),
    ],
)
def test_a_shape_that_does_not_fit_is_one_sentence(name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        drawing.read(name)


@pytest.mark.parametrize(
    "picture",
    [np.zeros((28, 28)), np.zeros((28, 28, 1), np.uint8), np.zeros((65, 20), np.uint8), np.zeros((0, 9), np.uint8)],
)
def test_only_what_a_net_can_see_has_a_name(picture: np.ndarray) -> None:
    with pytest.raises(BadInput, match="at most 64 x 64"):
        drawing.name(picture)


def test_what_is_too_long_for_a_url_has_no_name() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (60, 60), dtype=np.uint8)
    with pytest.raises(BadInput, match="too much detail"):
        drawing.name(noise)


def test_its_place_is_short_and_of_its_pixels_only() -> None:
    again = coded(zlib.compress(EIGHT.tobytes(), 1))
    assert drawing.place(again) == drawing.place(drawing.name(EIGHT))
    assert drawing.place(drawing.name(EIGHT.T)) != drawing.place(again)
    assert len(drawing.place(again)) == len("drawing/") + 12


def test_a_picture_in_colour_comes_back_to_a_model_of_colours_and_grey_to_the_other() -> None:
    picture = np.zeros((32, 32, 3), np.uint8)
    picture[4:20, 6:9] = [200, 40, 7]
    word = drawing.word(drawing.name(picture))
    assert word.startswith("32x32x3.e")
    found = Drawing(word)
    np.testing.assert_array_equal(found.picture, picture)
    assert not found.ink
    colour, grey = Input(3, 32, 32, "resized"), Input(1, 32, 32, "resized")
    np.testing.assert_array_equal(inputs.fitted(found.picture, **asdict(colour)), picture)
    assert inputs.fitted(found.picture, **asdict(grey))[5, 7, 0] == 82
    for wrong in (picture[..., :2], picture[0, 0], np.zeros((65, 2, 3), np.uint8)):
        with pytest.raises(BadInput, match="A drawing is uint8"):
            drawing.name(wrong)
