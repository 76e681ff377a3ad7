"""Pictures and labels on a device, attnviz/training/examples.py."""

import numpy as np
import torch

from attnviz.data import Dataset
from attnviz.training.examples import as_float, on_device
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
