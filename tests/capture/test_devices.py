"""Models on another device: nothing that is computed beside them meets a tensor of the CPU, or leaves the device."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import attnviz
from attnviz import edits
from tests.capture.builders import pictures
from tests.capture.modules import ByHand, Einsum, Fused, Neighbours, tokens
from tests.capture.test_gates_seen import Gated, maps
from tests.capture.test_places import Patches, shuffled
from tests.pretend_device import pretend_device


class Masked(Fused):
    """Torch's own attention under a mask that moves with the model."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.ones(5, 5).tril().bool())

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=self.mask)


class Opened(nn.Module):
    """Torch's module of attention, in which `need_weights=False` takes a fast path."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, given: Tensor) -> Tensor:
        return self.attend(given, given, given, need_weights=False)[0]


@pytest.mark.parametrize("make", [Fused, lambda: Fused(causal=True), Masked, ByHand, Einsum, Neighbours, Opened])
def test_an_attention_and_its_edits(make: Callable[[], nn.Module]) -> None:
    model = make().eval()
    expected = attnviz.watch(model)(tokens())
    off = edits.off(next(path for path in expected if path.endswith("mixed")), head=1)
    with attnviz.trace(model, edits=[off]):
        edited = model(tokens())
    with pretend_device() as device:
        model.to(device.name)
        seen = attnviz.watch(model)(tokens().to(device.name))
        with attnviz.trace(model, edits=[off]):
            answer = model(tokens().to(device.name))
        assert [*seen] == [*expected]
        for path in expected:
            assert seen[path].tensor.device.type == device.name, path
            torch.testing.assert_close(seen[path].tensor.cpu(), expected[path].tensor, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(answer.cpu(), edited, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("order", [None, shuffled])
def test_where_tokens_lie(
    order: Callable[[Tensor], Tensor] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cpu"))
    model = Patches(order, prefix=1).eval()
    expected = attnviz.watch(model)(pictures(24, 40))["first.weights"].at(head=1, query=(3, 2))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    with pretend_device() as device:
        model.to(device.name)
        found = attnviz.watch(model)(pictures(24, 40).to(device.name))["first.weights"].at(head=1, query=(3, 2))
        torch.testing.assert_close(found.cpu(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("way", ["view", "hard, written out", "place"])
def test_a_gate(way: str) -> None:
    model = Gated(way)
    expected = attnviz.watch(model)(maps(1, 6, 4, 4))
    with pretend_device() as device:
        seen = attnviz.watch(model.to(device.name))(maps(1, 6, 4, 4).to(device.name))
        assert [*seen] == [*expected] and expected
        for path in expected:
            torch.testing.assert_close(seen[path].tensor.cpu(), expected[path].tensor, rtol=1e-5, atol=1e-6)
