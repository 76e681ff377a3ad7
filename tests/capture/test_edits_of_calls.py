"""Edits of captured calls act on the model: switching a head off equals a projection that ignores it."""

import copy

import pytest
import torch
from torch import Tensor, nn

import attnviz
from attnviz import edits
from attnviz.capture.capturing import tap_path
from attnviz.errors import TraceError
from attnviz.tracing import trace
from tests.capture.architectures import ALL
from tests.capture.builders import needed
from tests.capture.modules import ByHand, Einsum, Fused, Pointwise, Turned, tokens
from tests.capture.oracle import peaked, spelled_out
from tests.capture.test_captured import softmax_by_hand

LAYERS = [Fused, ByHand, Einsum, Pointwise, Turned]


def answer(model: nn.Module, *changes: dict[str, edits.Edit]) -> Tensor:
    """Return the output of a layer that is edited."""
    with torch.no_grad(), trace(model, keep=[], edits=list(changes)):
        return model(tokens())


@pytest.mark.parametrize("build", LAYERS)
def test_a_head_that_is_off_equals_a_projection_without_it(build: type[nn.Module]) -> None:
    model, without = build(), build()
    with torch.no_grad():
        without.out.weight[:, 4:] = 0
    expected = without(tokens())
    for tap in ("mixed", "weights", "value"):
        assert torch.allclose(answer(model, edits.off(tap, head=1)), expected, atol=1e-6), tap
    assert not torch.allclose(model(tokens()), expected, atol=1e-3)


@pytest.mark.parametrize("build", LAYERS)
def test_uniform_mixes_the_mean_of_the_values(build: type[nn.Module]) -> None:
    model = build()
    weights, value = softmax_by_hand(model, tokens())
    weights[:, 0] = 1 / 5
    mixed = (weights @ value).transpose(1, 2).reshape(1, 5, 8)
    expected = nn.functional.linear(mixed, model.out.weight.double(), model.out.bias.double()).float()
    assert torch.allclose(answer(model, edits.uniform("mixed", head=0)), expected, atol=1e-6)


@pytest.mark.parametrize("causal", [False, True])
def test_uniform_under_a_mask_is_the_mean_of_what_may_be_looked_at(causal: bool) -> None:
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    model = Fused(causal=True) if causal else Fused(mask=mask)
    _, value = softmax_by_hand(model, tokens())
    even = (mask / mask.sum(-1, keepdim=True)).double()
    with torch.no_grad(), trace(model, "mixed", edits.uniform("mixed", head=1)) as seen:
        model(tokens())
    assert torch.allclose(seen["mixed"].at(head=1).double(), (even @ value)[:, 1], atol=1e-6)


@pytest.mark.parametrize("build", LAYERS)
def test_scores_that_are_set_hide_a_key(build: type[nn.Module]) -> None:
    model = build()
    weights, value = softmax_by_hand(model, tokens())
    weights[..., 2] = 0
    mixed = (weights / weights.sum(-1, keepdim=True) @ value).transpose(1, 2).reshape(1, 5, 8)
    expected = nn.functional.linear(mixed, model.out.weight.double(), model.out.bias.double()).float()
    found = answer(model, {"scores": edits.set_value(-1e9, key=2)})
    assert torch.allclose(found, expected, atol=1e-6)


def test_queries_of_torchs_attention_can_be_edited() -> None:
    model = Fused()
    with torch.no_grad():
        other = copy.deepcopy(model)
        other.qkv.weight[:8] *= 2
        other.qkv.bias[:8] *= 2
    assert torch.allclose(answer(model, {"query": edits.scale(2)}), other(tokens()), atol=1e-6)


def test_a_reading_holds_what_was_there_before_its_edit() -> None:
    model = Fused()
    with trace(model, "mixed", edits.off("mixed", head=1)) as seen:
        model(tokens())
    assert float(seen["mixed"].at(head=1).abs().max()) == 0
    bare = attnviz.watch(model, "mixed")(tokens())["mixed"].tensor
    assert torch.equal(seen["mixed"].before, bare)


def test_an_edit_that_names_no_head_of_the_call_is_an_error() -> None:
    with pytest.raises(TraceError, match="has no head 7"):
        answer(Fused(), edits.off("mixed", head=7))


PROJECTIONS = {
    "torchvision vit_b_16": ("encoder.layers.encoder_layer_1.self_attention", ".out_proj.weight"),
    "torchvision swin_t": ("features.3.1.attn", ".proj.weight"),
    "timm test_vit": ("blocks.2.attn", ".proj.weight"),
    "timm beit_base_patch16_224": ("blocks.2.attn", ".proj.weight"),
    "timm eva02_tiny_patch14_224": ("blocks.2.attn", ".proj.weight"),
    "timm swin_tiny_patch4_window7_224": ("layers.1.blocks.1.attn", ".proj.weight"),
    "transformers CLIPVisionModel": ("encoder.layers.1.self_attn", ".out_proj.weight"),
    "transformers SwinModel": ("encoder.layers.0.blocks.1.attention", ".o_proj.weight"),
    "vit-pytorch vit": ("transformer.layers.1.0", ".to_out.0.weight"),
}
CHEAP = {"timm test_vit", "transformers CLIPVisionModel", "vit-pytorch vit", "transformers SwinModel"}


@pytest.mark.parametrize(
    "name", [name if name in CHEAP else pytest.param(name, marks=pytest.mark.slow) for name in PROJECTIONS]
)
def test_heads_that_are_off_equal_zeroed_columns_of_the_projection(name: str) -> None:
    needed(name)
    torch.manual_seed(0)
    model, arguments, named = ALL[name].build()
    peaked(model)
    path, tail = PROJECTIONS[name]
    path = next(one for one, _ in model.named_modules() if one.endswith(path))
    heads = attnviz.watch(model, f"{path}.mixed")(*arguments, **named)[f"{path}.mixed"].size("head")
    blind = copy.deepcopy(model)
    with torch.no_grad(), spelled_out():
        weight = dict(blind.named_parameters())[path + tail]
        width = weight.shape[1] // heads
        weight[:, width : 2 * width] = 0
        expected = features(blind, *arguments, **named)
        with trace(model, keep=[], edits=edits.off(tap_path(path, "mixed"), head=1)):
            found = features(model, *arguments, **named)
    assert float((found - expected).abs().max()) <= 1e-5 * float(expected.abs().max())


def features(model: nn.Module, *arguments: object, **named: object) -> Tensor:
    """Return what the last normalisation of a model gives: random heads of torchvision's ViT answer with zeros."""
    last: list[Tensor] = []
    norm = [one for one in model.modules() if isinstance(one, nn.LayerNorm)][-1]
    hook = norm.register_forward_hook(lambda module, given, result: last.append(result))
    model(*arguments, **named)
    hook.remove()
    return last[0]
