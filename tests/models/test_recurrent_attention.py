"""The recurrent attention model, attnviz/models/recurrent_attention.py."""

import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.models import spec

CLASSES = tuple("0123456789")


def build(**config: object) -> nn.Module:
    return spec("recurrent_attention").build({"classes": CLASSES, **config}, torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("size", "scales", "hidden", "parameters"),
    [(12, 3, None, 256_781), (8, 1, None, 209_677), (7, 3, None, 220_301), (12, 3, 128, 256_781 + 32_640)],
)
def test_there_are_as_many_parameters_as_the_arithmetic_says(size, scales, hidden, parameters):
    model = build(size=size, scales=scales, location_hidden=hidden)
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


def test_the_answer_is_the_one_after_the_last_glimpse():
    model, images = build(rows=20, columns=30), torch.rand(3, 1, 20, 30)
    assert torch.equal(model(images), model.look(images).logits[:, -1])
    drawn = [model(images, generator=torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)]
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])
    path = model.look(images, generator=torch.Generator().manual_seed(0)).locations
    torch.testing.assert_close(model(images, locations=path), drawn[0])


def test_a_path_belongs_to_a_picture_by_row_and_column():
    model, images = build(rows=20, columns=30, size=4, scales=1), torch.zeros(1, 1, 20, 30)
    images[0, 0, 3, 25] = 1
    path = torch.tensor([[(3.5 / 20 * 2 - 1, 25.5 / 30 * 2 - 1)] * 6])
    empty = torch.zeros_like(images)
    assert not torch.equal(model(images, locations=path), model(empty, locations=path))
    assert torch.equal(model(images, locations=path.flip(-1)), model(empty, locations=path.flip(-1)))


def test_an_option_that_there_is_not_is_refused():
    with pytest.raises(BadInput, match="does not fit 'Recurrent attention'.*hats"):
        build(hats=2)
