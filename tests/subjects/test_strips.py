"""Strips as examples: attnviz/subjects/strips.py."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from attnviz.data import digit_strips, strokes
from attnviz.data.digit_strips import PER_LENGTH
from attnviz.data.inputs.strip import TooLong
from attnviz.errors import BadInput
from attnviz.models import Input
from attnviz.subjects import EXAMPLES, Strip, example, example_in_url, first_example, net
from attnviz.subjects.net import Net

PICTURES = strokes.draw([3, 1, 4], seed=1)[..., 0]


@pytest.fixture(scope="module")
def reader() -> Net:
    """Return a net that takes strips, as far as an example asks."""
    return replace(net("pixel_attention.1v8"), input=Input(1, 28, 840, "strip"), data="strips_mnist_15_sorted")


def test_a_test_strip_is_named_by_source_length_and_number() -> None:
    strip = Strip("strokes.15.3")
    picture, digits = digit_strips.strip("strokes", 15, 3)
    assert strip == Strip.test("strokes", 15, 3)
    np.testing.assert_array_equal(strip.picture, picture)
    assert strip.target == digits and len(strip) == 15 and not strip.is_drawn
    assert strip.key == "strokes/strips/15/3"
    assert strip.ink and strip.data is None


def test_a_drawn_strip_holds_its_pixels() -> None:
    strip = Strip.drawn(PICTURES)
    assert strip.is_drawn and len(strip) == 3 and strip.target is None
    assert strip.picture.shape == (28, 84, 1)
    assert abs(strip.picture[:, 28:56, 0].astype(int) - PICTURES[1]).max() <= 8
    assert strip.key.startswith("strip/") and len(strip.key) == len("strip/") + 12
    assert strip.key != Strip.drawn(PICTURES[:2]).key


@pytest.mark.parametrize("strip", [Strip("strokes.2.0"), Strip.drawn(PICTURES)], ids=["test", "drawn"])
def test_url_and_live_channel_name_the_same_strip(strip: Strip) -> None:
    assert example_in_url(strip.words) == strip
    assert example(**strip.asked) == strip
    assert len({strip, example(**strip.asked)}) == 1
    assert "strip" in EXAMPLES


def test_what_a_net_should_say_of_it(reader: Net) -> None:
    several = (Strip.test("strokes", 5, number) for number in range(PER_LENGTH))
    strip = next(strip for strip in several if len(set(strip.target)) > 3)
    assert strip.text_for(reader) == "".join(sorted(strip.target))
    assert strip.text_for(replace(reader, data="strips_mnist_15_reversed")) == strip.target[::-1]
    assert strip.text_for(replace(reader, data="strips_mnist_30")) == strip.target
    assert Strip.drawn(PICTURES).text_for(reader) is None


def test_a_net_of_strips_takes_it_as_it_is(reader: Net) -> None:
    strip = Strip("strokes.4.1")
    np.testing.assert_array_equal(strip.taken_by(reader), strip.picture)
    assert asdict(reader.input)["preparation"] == "strip"


def test_a_net_of_strips_is_shown_one_at_first_and_another_net_none(reader: Net) -> None:
    assert first_example(reader) == Strip("strokes.5.0")
    assert first_example(net("pixel_attention.1v8")) is None


def test_a_net_of_single_pictures_is_refused() -> None:
    with pytest.raises(BadInput, match="takes single pictures, not strips. Choose a model that reads strips"):
        Strip("strokes.4.1").taken_by(net("pixel_attention.1v8"))


@pytest.mark.parametrize(
    "word",
    ["", "strokes", "strokes.4", "strokes.0.1", "strokes.31.1", "strokes.4.1024", "strokes.4.-1", "strokes.04.1",
     "cifar10.4.1", "strokes.4.1.1", "drawn.", "drawn.eJx", "Strokes.4.1", "strokes.4.١", "x" * 9999],
)  # fmt: skip
def test_nonsense_is_one_sentence(word: str) -> None:
    with pytest.raises(BadInput) as refused:
        Strip(word)
    assert len(str(refused.value)) < 300


def test_a_strip_that_does_not_fit_into_a_link_is_named_and_seen_again_once_its_file_is_opened() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (20, 28, 28), np.uint8)
    with pytest.raises(TooLong, match="too much detail"):
        Strip.drawn(noise)
    strip = Strip.kept(noise)
    assert strip.is_kept
    assert strip.is_drawn
    assert len(strip.word) < 60
    np.testing.assert_array_equal(strip.picture[..., 0], np.concatenate(list(noise), 1))
    assert Strip(strip.word) == strip
    assert Strip.kept(noise) == strip, "the same digits have the same link"
    with pytest.raises(BadInput, match="Open the file that it was saved in"):
        Strip("file.0123")
