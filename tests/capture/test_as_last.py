"""The output if each layer were the last, against the norm and head of the model applied apart."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import attnviz
from attnviz.capture import as_last
from attnviz.data import vision
from attnviz.errors import BadInput
from tests.capture.builders import needed
from tests.capture.modules import ByHand, tokens

SIDE = 32


def of_torchvision() -> tuple[nn.Module, Callable[[Tensor, int], Tensor]]:
    model = vision.torchvision().models.VisionTransformer(
        image_size=SIDE, patch_size=8, num_layers=3, num_heads=2, hidden_dim=16, mlp_dim=16, num_classes=5
    )
    nn.init.normal_(model.heads.head.weight)

    def apart(batch: Tensor, layer: int) -> Tensor:
        found = torch.cat([model.class_token, model._process_input(batch)], 1) + model.encoder.pos_embedding
        return model.heads(model.encoder.ln(model.encoder.layers[: layer + 1](found))[:, 0])

    return model, apart


def of_timm() -> tuple[nn.Module, Callable[[Tensor, int], Tensor]]:
    vision.torchvision()
    import timm

    model = timm.create_model(
        "vit_tiny_patch16_224", img_size=SIDE, patch_size=8, depth=3, embed_dim=16, num_heads=2, reg_tokens=4,
        num_classes=5, global_pool="avg",
    )  # fmt: skip

    def apart(batch: Tensor, layer: int) -> Tensor:
        found = model.norm_pre(model._pos_embed(model.patch_embed(batch)))
        return model.forward_head(model.norm(model.blocks[: layer + 1](found)))

    return model, apart


def of_transformers() -> tuple[nn.Module, Callable[[Tensor, int], Tensor]]:
    vision.torchvision()
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(image_size=SIDE, patch_size=8, num_hidden_layers=3, num_attention_heads=2, hidden_size=16)
    config.num_labels = 5
    model = ViTForImageClassification(config)

    def apart(batch: Tensor, layer: int) -> Tensor:
        states = model.vit(batch, output_hidden_states=True).hidden_states
        return model.classifier(model.vit.layernorm(states[layer + 1])[:, 0])

    return model, apart


@pytest.mark.parametrize("build", [of_torchvision, of_timm, of_transformers])
def test_the_output_is_that_of_the_norm_and_the_head_of_the_model(build: Callable[[], Any]) -> None:
    needed(build.__name__.removeprefix("of_"))
    torch.manual_seed(0)
    model, apart = build()
    batch = torch.rand(1, 3, SIDE, SIDE)
    calls = attnviz.watch(model.eval(), "*.query")(batch).captured.calls
    hooks = [len(part._forward_hooks) for part in model.modules()]
    found = as_last.as_last(model, batch, calls)
    assert [len(part._forward_hooks) for part in model.modules()] == hooks
    assert not any("forward" in vars(part) for part in model.modules())
    assert [*found] == [*calls] and len(found) == 3
    with torch.no_grad():
        outputs = [getattr(one, "logits", one) for one in found.values()]
        for layer, output in enumerate(outputs):
            torch.testing.assert_close(output, apart(batch, layer))
        output = model(batch)
    torch.testing.assert_close(outputs[-1], getattr(output, "logits", output))
    assert not torch.allclose(outputs[0], outputs[-1])


class Stack(nn.Module):
    """Three layers of attention, whose tokens a head reads as a function says."""

    def __init__(self, read: Callable[[list[Tensor]], Tensor], layers: Callable[[], nn.Module] = ByHand) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers() for _ in range(3))
        self.read = read

    def forward(self, given: Tensor) -> Tensor:
        found = [given]
        for layer in self.layers:
            found.append(layer(found[-1]))
        return self.read(found)


def parted() -> nn.Module:
    return nn.ModuleList([ByHand()])


class Parted(Stack):
    """The same, with layers that are no modules of their own."""

    def forward(self, given: Tensor) -> Tensor:
        found = [given]
        for layer in self.layers:
            assert isinstance(layer, nn.ModuleList)
            found.append(found[-1] + layer[0](found[-1]))
        return self.read(found)


class Narrowing(ByHand):
    """Leaves out the last token."""

    def forward(self, given: Tensor) -> Tensor:
        return super().forward(given)[:, :-1]


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (lambda: Stack(lambda found: found[-1].mean(1) + found[-2].mean(1)), as_last.OTHERS),
        (lambda: Stack(lambda found: found[-1].mean(1) + found[0].mean(1)), as_last.OTHERS),
        (lambda: Stack(lambda found: found[-1].mean(1), lambda: nn.Sequential(ByHand(), ByHand())), as_last.NO_LIST),
        (lambda: nn.Sequential(Stack(lambda found: found[-1]), Stack(lambda found: found[-1])), as_last.NO_LIST),
        (lambda: Parted(lambda found: found[-1].mean(1), parted), as_last.NO_MODULE),
        (lambda: Stack(lambda found: found[-1].mean(1), Narrowing), as_last.SHAPES),
    ],
    ids=["two layers are read", "the input is read", "two attentions a layer", "two lists", "lists", "fewer tokens"],
)
def test_what_is_not_read_from_the_last_layer_alone_is_refused(model: Callable[[], nn.Module], why: str) -> None:
    net = model()
    calls = attnviz.watch(net, "*query")(tokens()).captured.calls
    with pytest.raises(BadInput) as refused:
        as_last.as_last(net, tokens(), calls)
    assert str(refused.value) == why
    assert not any("forward" in vars(part) for part in net.modules())


def test_a_layer_that_a_library_has_changed_is_left_as_it_was() -> None:
    net = Stack(lambda found: found[-1].mean(1))
    net.layers[1].forward = changed = net.layers[1].forward
    calls = attnviz.watch(net, "*query")(tokens()).captured.calls
    assert len(as_last.as_last(net, tokens(), calls)) == 3
    assert net.layers[1].forward is changed
