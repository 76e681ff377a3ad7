"""A drawing as a word of an address: it comes back bit for bit, and nonsense is a sentence."""

import base64
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.data import drawing, strokes
from attnviz.errors import BadInput

EIGHT = strokes.draw([8], seed=5)[0, ..., 0]


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


def test_noise_fits() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (28, 28), dtype=np.uint8)
    assert len(drawing.word(drawing.name(noise))) <= drawing.LONGEST


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
        (drawing.named("A" * 1201), "at most 1,200 characters"),
        (coded(zlib.compress(bytes(783))), "of another size than 28 x 28"),
        (coded(zlib.compress(bytes(785))), "of another size"),
        (coded(zlib.compress(EIGHT.tobytes())[:-4]), "is cut"),
        (coded(zlib.compress(EIGHT.tobytes())[:-5] + b"\0" * 5), "no drawing"),
        ("drawing:", "cut"),
    ],
)
def test_what_is_cut_or_too_large(name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        drawing.read(name)


def test_a_bomb_is_not_opened() -> None:
    bomb = coded(zlib.compress(bytes(800_000), 9))
    assert len(drawing.word(bomb)) <= drawing.LONGEST
    tracemalloc.start()
    with pytest.raises(BadInput, match="of another size"):
        drawing.read(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100_000


@pytest.mark.parametrize("picture", [np.zeros((28, 28)), np.zeros((28, 28, 1), np.uint8), np.zeros((14, 14), np.uint8)])
def test_only_what_the_nets_see_has_a_name(picture: np.ndarray) -> None:
    with pytest.raises(BadInput, match="28 x 28"):
        drawing.name(picture)


def test_data_sets_are_no_drawings() -> None:
    assert [drawing.is_name(source) for source in ("strokes", "mnist", "drawing", drawing.name(EIGHT))] == [
        False, False, False, True,
    ]  # fmt: skip


def test_its_place_is_short_and_of_its_pixels_only() -> None:
    again = coded(zlib.compress(EIGHT.tobytes(), 1))
    assert drawing.place(again) == drawing.place(drawing.name(EIGHT))
    assert drawing.place(drawing.name(EIGHT.T)) != drawing.place(again)
    assert len(drawing.place(again)) == len("drawing/") + 12
