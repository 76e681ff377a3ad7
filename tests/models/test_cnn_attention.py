"""Convolutions and attention over blocks, attnviz/models/cnn_attention.py."""

import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.models import MODELS, spec
from attnviz.tracing import trace

CLASSES = tuple("0123456789")


def build(side: int = 28, **config: object) -> nn.Module:
    return spec("cnn_attention").build(
        {"classes": CLASSES, "rows": side, "columns": side, **config}, torch.Generator().manual_seed(0)
    )


@pytest.mark.parametrize(
    ("attention", "output", "small", "large"),
    [
        ("none", None, 1_830_058, 4_041_898),
        ("none", 32, 361_674, 730_314),
        ("blocks", 32, 472_906, 841_546),
        ("within", 32, 472_906, 841_546),
        ("zero", 32, 472_906, 841_546),
    ],
)
def test_there_are_as_many_parameters_as_the_paper_prints(attention, output, small, large):
    for side, expected in ((28, small), (40, large)):
        model = build(side, attention=attention, output=output)
        assert sum(parameter.numel() for parameter in model.parameters()) == expected
        assert model(torch.rand(1, 1, side, side)).shape == (1, 10)


@pytest.mark.parametrize(("side", "blocks"), [(28, 6), (40, 9), (12, 2), (29, 6)])
def test_the_grid_has_a_token_for_each_place_of_the_last_feature_map(side, blocks):
    model = build(side, attention="none", output=None)
    with torch.no_grad(), trace(model, keep="conv.2.after_pool") as seen:
        model(torch.rand(1, 1, side, side))
    assert seen["conv.2.after_pool"].tensor.shape == (1, 192, blocks, blocks)
    grid = MODELS["cnn_attention"].grid({"rows": side, "columns": side})
    assert (grid.rows, grid.columns) == (blocks, blocks)


def test_a_block_sees_the_pixels_of_its_box_and_no_others():
    rows, columns = 28, 40
    model = build(attention="none", output=None, rows=rows, columns=columns).double()
    grid = MODELS["cnn_attention"].grid({"rows": rows, "columns": columns})
    images = torch.rand(1, 1, rows, columns, dtype=torch.float64, requires_grad=True)
    maps = model.conv(images)
    for token in (0, 13, grid.tokens - 1):
        row, column = divmod(token, grid.columns)
        total = torch.zeros(rows, columns, dtype=torch.float64)
        for seed in range(20):  # pooling hands the gradient to one pixel of four: over many pictures to each
            images = torch.rand(1, 1, rows, columns, generator=torch.Generator().manual_seed(seed)).double()
            maps = model.conv(images.requires_grad_())
            total += torch.autograd.grad(maps[0, :, row, column].sum(), images)[0][0, 0].abs()
        top, left, bottom, right = (int(edge) for edge in grid.box(token))
        inside = torch.zeros_like(total, dtype=torch.bool)
        inside[top:bottom, left:right] = True
        assert (total[~inside] == 0).all()
        seen = total.nonzero()
        assert seen.amin(0).tolist() == [top, left]
        assert seen.amax(0).tolist() == [min(bottom, rows) - 1, min(right, columns) - 1]


def test_only_attention_over_blocks_lets_a_far_block_change_what_another_becomes():
    images = torch.rand(1, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    other = images.clone()
    other[..., :3, :3] = 1 - other[..., :3, :3]  # in the box of the first block alone
    for attention, differs in (("blocks", True), ("within", False), ("zero", False)):
        model = build(attention=attention)
        outputs = []
        for given in (images, other):
            with torch.no_grad(), trace(model, keep="attention.output") as seen:
                model(given)
            outputs.append(seen["attention.output"].tensor)
        assert not torch.equal(outputs[0][:, 0], outputs[1][:, 0])
        assert torch.equal(outputs[0][:, -1], outputs[1][:, -1]) is not differs


def test_blocks_say_where_they_lie_on_the_picture():
    model = build(attention="blocks")
    with torch.no_grad(), trace(model, keep="attention.weights") as seen:
        model(torch.rand(1, 1, 28, 28))
    reading = seen["attention.weights"]
    assert reading.tensor.shape == (1, 8, 36, 36)
    assert reading.grid is not None and reading.grid.box(7) == (4, 4, 15, 15)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"attention": "some"}, "none, blocks, within or zero"),
        ({"attention": "blocks", "output": None}, "number of output features"),
        ({"attention": "blocks", "heads": 7}, "heads that divide 192"),
        ({"attention": "none", "rows": 7}, "at least 10 x 10 pixels to make a block, not 7 x 28"),
    ],
)
def test_what_cannot_be_is_refused(config, sentence):
    with pytest.raises(BadInput, match=sentence):
        build(**config)
