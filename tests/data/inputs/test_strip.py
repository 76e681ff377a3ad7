"""A strip as models take it, and one as text: attnviz/data/inputs/strip.py."""

import base64
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.data import inputs, strokes
from attnviz.data.inputs.strip import LONGEST, pack, unpack
from attnviz.errors import BadInput

STRIP = {"rows": 28, "columns": 840, "channels": 1, "preparation": "strip"}


def drawn(count: int) -> np.ndarray:
    return strokes.draw([number % 10 for number in range(count)], seed=5)[..., 0]


@given(arrays(np.uint8, st.tuples(st.integers(1, 2), st.just(28), st.just(28)), elements=st.integers(0, 15)))
def test_any_strip_of_16_levels_comes_back(levels: np.ndarray) -> None:
    np.testing.assert_array_equal(unpack(pack(levels * np.uint8(17))), levels * np.uint8(17))


def test_the_nearest_of_16_grey_levels_is_kept() -> None:
    picture = np.zeros((1, 28, 28), np.uint8)
    picture[0, 0, :5] = [8, 9, 127, 246, 247]
    assert unpack(pack(picture))[0, 0, :5].tolist() == [0, 17, 119, 238, 255]


def test_30_drawn_digits_fit_into_a_url() -> None:
    text = pack(drawn(30))
    assert len(text) <= LONGEST
    assert text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    assert abs(unpack(text).astype(int) - drawn(30)).max() <= 8


def test_a_strip_as_others_pack_it_is_read_too() -> None:
    levels = np.rint(drawn(3) / 17).astype(np.uint8)
    packed = base64.urlsafe_b64encode(zlib.compress(levels.tobytes(), 1)).decode().rstrip("=")
    np.testing.assert_array_equal(unpack(packed), levels * np.uint8(17))


def test_noise_that_does_not_fit_is_refused() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (30, 28, 28), dtype=np.uint8)
    with pytest.raises(BadInput, match="too much detail for a URL: .* Save it as a file"):
        pack(noise)


@pytest.mark.parametrize("shape", [(0, 28, 28), (31, 28, 28), (2, 28, 27), (28, 28)])
def test_what_is_no_strip_is_not_packed(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match="1 to 30 digits; this is uint8"):
        pack(np.zeros(shape, np.uint8))


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda some: base64.urlsafe_b64encode(some).decode()))
def test_nonsense_is_one_sentence(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        unpack(text)
    assert len(str(refused.value)) < 300


def coded(content: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 783, b"\0" * 785, b"\0" * 784 * 31, b"\x10" * 784], ids=lambda content: str(len(content))
)
def test_other_sizes_and_levels_are_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="incomplete, or not one of 1 to 30 digits"):
        unpack(coded(content))


def test_a_cut_text_is_refused_and_one_that_is_too_long() -> None:
    with pytest.raises(BadInput):
        unpack(pack(drawn(2))[:-9])
    with pytest.raises(BadInput, match="at most 4,200 characters in a URL; this one has 4,201"):
        unpack("e" * 4201)


def test_a_bomb_is_not_unpacked() -> None:
    bomb = coded(b"\0" * 3_000_000)
    assert len(bomb) < LONGEST
    tracemalloc.start()
    with pytest.raises(BadInput):
        unpack(bomb)
    assert tracemalloc.get_traced_memory()[1] < 500_000
    tracemalloc.stop()


@pytest.mark.parametrize("digits", [1, 3, 30])
def test_a_strip_is_taken_as_it_is(digits: int) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (28, 28 * digits, 1), dtype=np.uint8)
    np.testing.assert_array_equal(inputs.fitted(picture, **STRIP), picture)
    words = inputs.named("strip")(picture, rows=28, columns=840, channels=1, centred=True).words
    assert words == f"Taken as it is: {digits} digit{'' if digits == 1 else 's'} side by side."


def test_any_other_drawing_becomes_a_strip_of_one_digit() -> None:
    canvas = np.zeros((280, 280), np.uint8)
    canvas[40:240, 120:160] = 255
    made = inputs.named("strip")(canvas, rows=28, columns=840, channels=1, centred=True).picture
    style = inputs.named("mnist_style")(canvas, rows=28, columns=28, channels=1, centred=True).picture
    np.testing.assert_array_equal(made, style)


def test_strips_that_are_too_wide_or_cut_within_a_digit_are_refused() -> None:
    for wide in (31 * 28, 40):
        with pytest.raises(BadInput):
            inputs.fitted(np.zeros((28, wide, 1), np.uint8), **STRIP)
