"""A further token changes nothing if nobody attends to it, and is found where a model cannot take one."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import attnviz
from attnviz.capture.as_last import layers_of
from attnviz.capture.extra_token import NO_NETWORK, extra_token, hidden_of, inputs_of
from attnviz.edits import set_value
from attnviz.errors import BadInput
from attnviz.tracing import trace
from tests.capture.builders import needed
from tests.capture.modules import tokens
from tests.capture.test_as_last import SIDE, Stack, of_timm, of_torchvision, of_transformers


@pytest.mark.parametrize(("build", "prefix"), [(of_torchvision, 1), (of_timm, 5), (of_transformers, 1)])
def test_a_token_that_nobody_attends_to_changes_nothing(build: Callable[[], Any], prefix: int) -> None:
    needed(build.__name__.removeprefix("of_"))
    torch.manual_seed(0)
    model, _ = build()
    batch = torch.rand(1, 3, SIDE, SIDE)
    calls = attnviz.watch(model.eval(), "*.query")(batch).captured.calls
    layers = layers_of(model, calls)
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.modules()]
    with torch.no_grad():
        before = model(batch)
    hidden = {f"{path}.scores": set_value(-torch.inf, key=prefix) for path in layers}
    with extra_token(model, [*layers.values()], prefix, {}):
        with trace(model, keep=(), edits=hidden, capture=True), torch.no_grad():
            after = model(batch)
        seen = attnviz.watch(model, "*.weights")(batch)
    before, after, mixed = (getattr(one, "logits", one) for one in (before, after, seen.output))
    torch.testing.assert_close(after, before)
    assert not torch.equal(mixed, before)
    assert {call.keys for call in seen.captured.calls.values()} == {prefix + 17}
    assert [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.modules()] == hooks


def test_what_a_feed_forward_network_computes_is_changed_before_its_last_layer() -> None:
    torch.manual_seed(0)
    model, _ = of_torchvision()
    batch = torch.rand(1, 3, SIDE, SIDE)
    layers = layers_of(model.eval(), calls := attnviz.watch(model, "*.query")(batch).captured.calls)
    with pytest.raises(BadInput, match=NO_NETWORK):  # its hidden layer is as wide as its tokens
        hidden_of(model, layers, calls)
    for layer in model.encoder.layers:
        layer.mlp[0], layer.mlp[3] = nn.Linear(16, 24), nn.Linear(24, 16)
    paths = hidden_of(model, layers, calls)
    assert paths == [f"encoder.layers.encoder_layer_{number}.mlp.3" for number in range(3)]
    with torch.no_grad(), inputs_of(model, paths) as found:
        model(batch)
    assert [tuple(one.shape) for one in found] == [(1, 17, 24)] * 3
    changed: list[Tensor] = []

    def nothing(given: Tensor) -> Tensor:
        changed.append(given)
        return torch.zeros_like(given)

    with torch.no_grad():
        with extra_token(model, [*layers.values()], 1, {paths[0]: nothing}):
            without = model(batch)
        for part in (model.encoder.layers[0].mlp[3].weight,):
            part.zero_()
        with extra_token(model, [*layers.values()], 1, {}):
            torch.testing.assert_close(model(batch), without)
    assert changed[0].shape == (1, 18, 24)


def test_layers_without_a_feed_forward_network_are_refused() -> None:
    model = Stack(lambda found: found[-1].mean(1))
    calls = attnviz.watch(model, "*query")(tokens()).captured.calls
    with pytest.raises(BadInput, match=NO_NETWORK):
        hidden_of(model, layers_of(model, calls), calls)
