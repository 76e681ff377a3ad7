"""The layers of a vision transformer against torch's own: attnviz/layers/vision_transformer.py."""

import pytest
import torch
from torch import Tensor, nn

from attnviz.edits import uniform
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.layers.vision_transformer import Answer, EvenAttention, PatchTokens, VisionLayer
from attnviz.models.vision_transformer import VisionTransformer
from attnviz.tracing import trace

FEATURES, HEADS, HIDDEN, GRID = 8, 2, 12, Grid(2, 2, prefix=1)
SIZES = {"features": FEATURES, "heads": HEADS, "hidden": HIDDEN, "grid": GRID}


def some(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_a_layer_equals_torchs_with_gradients():
    layer = VisionLayer(**SIZES).double()
    other = nn.TransformerEncoderLayer(
        FEATURES, HEADS, HIDDEN, 0.0, "gelu", batch_first=True, norm_first=True, dtype=torch.float64
    )
    parts = (layer.attention.query, layer.attention.key, layer.attention.value)
    other.self_attn.in_proj_weight.data = torch.cat([part.get_parameter("weight") for part in parts])
    other.self_attn.in_proj_bias.data = torch.cat([part.get_parameter("bias") for part in parts])
    other.self_attn.out_proj.load_state_dict(layer.attention.output.state_dict())
    other.linear1.load_state_dict(layer.feed[0].state_dict())
    other.linear2.load_state_dict(layer.feed[2].state_dict())
    one, same = some(3, 5, FEATURES).requires_grad_(), some(3, 5, FEATURES).requires_grad_()
    found, expected = layer(one), other(same)
    torch.testing.assert_close(found, expected)
    found.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    torch.testing.assert_close(one.grad, same.grad)


def test_a_patch_becomes_the_token_at_its_place_row_by_row():
    layer, images = PatchTokens(channels=2, patch=2, features=3).double(), some(1, 2, 4, 6)
    flat = images[0, :, 2:4, 4:6].flatten()  # the patch in row 2, column 3
    expected = layer.project.weight.flatten(1) @ flat + layer.project.bias
    torch.testing.assert_close(layer(images)[0, 5], expected)


def test_a_stem_makes_as_many_tokens_as_patches():
    assert PatchTokens(channels=1, patch=4, features=6, stem=(3, 5))(torch.rand(2, 1, 8, 12)).shape == (2, 6, 6)
    with pytest.raises(BadInput, match="1 convolutions that halve make patches of 2 pixels, not 4"):
        PatchTokens(channels=1, patch=4, features=6, stem=(3,))


def test_even_attention_equals_attention_that_is_made_uniform():
    even, layer = EvenAttention(features=FEATURES, heads=HEADS, head_size=4), VisionLayer(**SIZES).attention
    even.value.load_state_dict(layer.value.state_dict())
    even.output.load_state_dict(layer.output.state_dict())
    tokens = some(2, 5, FEATURES).float()
    with trace(layer, keep=[], edits=uniform("mixed")):
        expected = layer(tokens)
    torch.testing.assert_close(even(tokens), expected)


def test_the_answer_reads_the_class_token_or_the_mean_of_the_patches_alone():
    tokens, other = some(1, 5, FEATURES), some(1, 5, FEATURES)
    first = Answer(features=FEATURES, classes=3, prefix=1, mean=False).double()
    other[:, 0] = tokens[:, 0]
    other[:, 1:] += 1
    torch.testing.assert_close(first(tokens), first(other))
    mean = Answer(features=FEATURES, classes=3, prefix=1, mean=True).double()
    other[:, 0], other[:, 1:] = 0, tokens[:, [2, 1, 4, 3]]
    torch.testing.assert_close(mean(tokens), mean(other))


def test_tokens_that_lie_nowhere_come_first_and_the_grid_says_so():
    sizes = {"classes": ("a", "b", "c"), "features": 8, "heads": 2, "hidden": 4, "layers": 1}
    for reading, registers, prefix in (("class", 2, 3), ("mean", 0, 0), ("mean", 1, 1)):
        model = VisionTransformer(**sizes, reading=reading, registers=registers)
        assert (model.grid.prefix, model.grid.tokens) == (prefix, prefix + 49)
        with trace(model, keep=["layers.0.before_norm"]) as seen:
            model(torch.rand(1, 1, 28, 28))
        begins = seen["layers.0.before_norm"].tensor[0, :prefix]
        assert prefix == 0 or torch.equal(begins, model.prefix)


@pytest.mark.parametrize("wrong", [{"heads": 3}, {"reading": "all"}, {"mixing": "none"}, {"patch": 5}, {"layers": 0}])
def test_what_cannot_be_built_is_refused(wrong):
    with pytest.raises(BadInput):
        VisionTransformer(**{"classes": ("a", "b"), "features": 8, "heads": 2, "hidden": 4, "layers": 1, **wrong})
