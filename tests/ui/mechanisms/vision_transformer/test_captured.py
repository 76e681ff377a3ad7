"""Sinks, outliers and a register at test time in models that attnviz has never seen, against a pass that is spelled
out."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz.answers import probabilities
from attnviz.data import vision
from attnviz.errors import BadInput
from attnviz.measures.vision_transformer import late_registers, normal
from attnviz.ui.mechanisms.vision_transformer import captured, words
from tests.capture.builders import needed

PREFIX, OUTLIER = 5, 12  # tokens without a position; the token that becomes an outlier
SMALL = {"img_size": 32, "patch_size": 8, "depth": 3, "embed_dim": 16, "num_heads": 2, "num_classes": 5}


def of_timm(name: str = "vit_tiny_patch16_224", **options: Any) -> nn.Module:
    needed("timm")
    vision.torchvision()
    import timm

    torch.manual_seed(0)
    model = timm.create_model(name, **SMALL, **options)
    nn.init.normal_(model.head.weight)
    return model.eval()


def with_an_outlier(model: nn.Module, batch: Tensor) -> nn.Module:
    """Let a neuron of the second layer fire at one token, which then gets a large norm."""
    block, given = model.blocks[1], list[Tensor]()
    hook = block.mlp.fc1.register_forward_pre_hook(lambda _, arguments: given.append(arguments[0]))
    with torch.no_grad():
        model(batch)
        hook.remove()
        tokens = given[0][0]
        toward = tokens[OUTLIER] - tokens.mean(0)
        at = tokens @ toward
        rest = float(torch.cat([at[:OUTLIER], at[OUTLIER + 1 :]]).max())
        width = float(at[OUTLIER]) - rest
        block.mlp.fc1.weight[0] = 20 * toward / width
        block.mlp.fc1.bias[0] = -20 * (rest + width / 2) / width
        block.mlp.fc2.weight[:, 0] = 8 * torch.randn(16)
    return model


def spelled(model: nn.Module, batch: Tensor, neurons: list[late_registers.Neuron]) -> tuple[list[normal.Found], Tensor]:
    """Return what is found in each layer, and the logits; with neurons, those with a register at test time."""
    tokens, found = model._pos_embed(model.patch_embed(batch)), []
    if neurons:
        tokens = torch.cat([tokens[:, :PREFIX], torch.zeros(1, 1, 16), tokens[:, PREFIX:]], 1)
    for number, block in enumerate(model.blocks):
        query, key, value = block.attn.qkv(block.norm1(tokens)).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
        weights = (query @ key.mT / 8**0.5).softmax(-1)
        tokens = tokens + block.attn.proj((weights @ value).transpose(1, 2).flatten(2))
        hidden = block.mlp.act(block.mlp.fc1(block.norm2(tokens)))
        for one in neurons:
            if one.layer == number:
                hidden[:, PREFIX, one.number] = hidden[:, :, one.number].amax(1)
                hidden[:, PREFIX + 1 :, one.number] = 0
        tokens = tokens + block.mlp.fc2(hidden)
        found.append(normal.found_in(weights[0], tokens[0]))
    left = torch.cat([tokens[:, :PREFIX], tokens[:, PREFIX + 1 :]], 1) if neurons else tokens
    return found, model.forward_head(model.norm(left))


def test_the_findings_and_the_answers_equal_those_of_a_pass_that_is_spelled_out(monkeypatch) -> None:
    batch = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    model = with_an_outlier(of_timm(reg_tokens=4), batch)
    used: list[late_registers.Neuron] = []
    neurons_of = late_registers.neurons_of
    monkeypatch.setattr(late_registers, "neurons_of", lambda *given: (used.extend(neurons_of(*given)), used.copy())[1])
    looked = captured.look_at(model, batch)
    found = looked.found
    assert (looked.tokens.prefix, looked.tokens.columns, looked.why, looked.outputs) == (PREFIX, 4, "", 5)
    assert (used[0].layer, used[0].number) == (1, 0) and found.neurons == len(used)
    with torch.no_grad():
        before, logits = spelled(model, batch, [])
        after, moved = spelled(model, batch, used)
    assert found.own == pytest.approx(normal.together(before), rel=1e-4) and found.own["outliers"] == 1
    assert found.tokens == [one.token for one in before]
    assert found.moved == pytest.approx(normal.together(after), rel=1e-4)
    for (answer, share), one in zip(found.answers, (logits, moved), strict=True):
        assert answer == int(one.argmax()) and share == pytest.approx(float(probabilities(one).max()), rel=1e-4)
    assert found.answers[0] != found.answers[1] and found.drawn["outliers"] == 0
    said = words.register(found, ["a", "b", "c", "d", "e"])
    assert "the 10 neurons that make the outliers" in said and "and 1 token is an outlier (1 without)" in said
    assert f"{int(found.own['outliers'])} token has an outlying norm" in words.normal(found, looked.tokens)


def test_a_model_without_outliers_gets_no_register() -> None:
    looked = captured.look_at(of_timm(), torch.rand(1, 3, 32, 32))
    assert looked.found.moved is None and not looked.why
    assert "No patch has an outlying norm" in words.register(looked.found, [])


def test_a_bias_of_places_takes_no_further_token() -> None:
    batch = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    looked = captured.look_at(with_an_outlier(of_timm("beit_base_patch16_224", init_values=None), batch), batch)
    assert looked.why == captured.NO_TOKEN and looked.found.moved is None and looked.found.own["outliers"] == 1
    assert "cannot be added" in words.no_register(looked.why)


class Ordered(nn.Module):
    """Adds to each token numbers that depend on how many there are."""

    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.block = block

    def forward(self, tokens: Tensor) -> Tensor:
        return self.block(tokens + torch.linspace(0, 1, tokens.shape[1])[:, None] * torch.linspace(-1, 1, 16))


def test_a_further_token_that_changes_the_others_is_refused() -> None:
    batch, model = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(0)), of_timm()
    blocks: Any = model.blocks
    blocks[0] = Ordered(blocks[0])
    looked = captured.look_at(with_an_outlier(model, batch), batch)
    assert looked.why == captured.NO_TOKEN and looked.found.moved is None and looked.found.own["outliers"] == 1


def test_stages_on_several_grids_are_refused() -> None:
    torch.manual_seed(0)
    model = vision.torchvision().models.SwinTransformer(
        patch_size=[4, 4], embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=[4, 4], num_classes=3
    )
    with pytest.raises(BadInput, match="stages on several grids"):
        captured.look_at(model.eval(), torch.rand(1, 3, 32, 32))


def test_a_token_with_a_number_has_no_article() -> None:
    tokens = captured.Tokens(2, ("class token", "register 1"), 4)
    named = [words.place(tokens, token) for token in (0, 1, 7)]
    assert named == ["the class token", "register 1", "the patch in row 2, column 2"]
