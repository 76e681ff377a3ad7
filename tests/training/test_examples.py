"""Pictures and labels on a device, attnviz/training/examples.py."""

from collections.abc import Iterable

import numpy as np
import pytest
import torch

from attnviz import data
from attnviz.data import DATASETS, Dataset
from attnviz.errors import BadInput
from attnviz.training.examples import Examples, Parts, Stream, as_float, on_device
from tests.data.test_streams import WORDS
from tests.training import small


def test_as_floats_pictures_are_k_over_255_exactly():
    levels = torch.arange(256, dtype=torch.uint8)
    assert as_float(levels).tolist() == [float(np.float32(k) / np.float32(255)) for k in range(256)]


def test_parts_come_in_order_and_lose_nothing():
    whole = small.examples(40)
    parts = list(whole.split(16))
    assert [len(part) for part in parts] == [16, 16, 8]
    assert torch.equal(torch.cat([part.images for part in parts]), whole.images)
    assert torch.equal(torch.cat([part.labels for part in parts]), whole.labels)
    assert torch.equal(whole[torch.tensor([3, 1])].images[1], whole.images[1])


def test_a_data_set_on_the_device_has_its_channels_first_and_can_be_changed_alone():
    images = np.arange(2 * 3 * 4 * 2, dtype=np.uint8).reshape(2, 3, 4, 2)
    images.flags.writeable = False
    examples = on_device(Dataset(images, np.array([1, 0])), "cpu")
    assert examples.images.shape == (2, 2, 3, 4)
    assert examples.images.dtype == torch.uint8
    assert examples.images[1, 0, 2, 3] == images[1, 2, 3, 0]
    examples.images[:] = 0
    assert images.max() == 47


@pytest.mark.parametrize(("channels", "strides"), [(1, (12, 1, 4, 1)), (3, (36, 12, 4, 1))])
def test_the_layout_of_a_data_set_stays_for_by_it_torch_chooses_the_last_bits_of_convolutions(channels, strides):
    images = np.zeros((2, 3, 4, channels), np.uint8)
    assert on_device(Dataset(images, np.array([1, 0])), "cpu").images.stride() == strides


# Batches of a data set that hands them out itself.

RECIPE = small.recipe(data="words", batch=2)


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Stream:
    monkeypatch.setitem(DATASETS, "words", WORDS)
    return Stream("words", 2, "cpu")


def _images(batches: Iterable[Examples]) -> list[list]:
    return [batch.images.tolist() for batch in batches]


def test_every_epoch_of_a_stream_is_another_and_follows_from_the_generator(stream):
    generator, same = (torch.Generator().manual_seed(3) for _ in range(2))
    first, second = (_images(stream.epoch(RECIPE, generator)) for _ in range(2))
    assert len(first) == stream.steps(RECIPE) == 3
    assert first != second
    assert [_images(stream.epoch(RECIPE, same)) for _ in range(2)] == [first, second]


def test_the_first_examples_of_a_stream_are_always_the_same(stream):
    few, all_of_them = stream.first(3), stream.first()
    assert (len(few), len(all_of_them)) == (3, 5)
    expected = [batch.images.transpose(0, 3, 1, 2).tolist() for batch in data.batches("words", "train", size=2)]
    assert _images(all_of_them.split(2)) == expected
    assert _images(few.split(9)) == [expected[0], expected[1][:1]]
    assert _images(all_of_them.split(1))[1] == expected[0][1:]


def test_targets_of_one_length_are_put_together_and_others_refused():
    def texts(steps: int) -> Examples:
        return Examples(torch.zeros(2, 1, 4, 4 * steps, dtype=torch.uint8), torch.full((2, steps), steps))

    assert Parts((texts(3), texts(3))).targets().tolist() == [[3, 3, 3]] * 4
    assert small.examples(5).targets().tolist() == small.examples(5).labels.tolist()
    with pytest.raises(BadInput, match="These targets are texts of several lengths: measure them part by part"):
        Parts((texts(3), texts(2))).targets()
