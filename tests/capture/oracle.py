"""Attention of a model without the mode under test: the softmaxes that reach the dispatcher, with fused paths off."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

_SOFTMAX = {torch.ops.aten._softmax.default, torch.ops.aten._safe_softmax.default}
_QUERY_KEY = ("qkv", "in_proj_weight", "q_proj", "k_proj", "query", "key", ".q.", ".k.", "to_q", "to_k", "to_qkv",
              "c_attn", ".qk.", "q_norm", "wq", "wk")  # fmt: skip


class Softmaxes(TorchDispatchMode):
    """Collects the result of every softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tensor] = []

    def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), named: Any = None) -> Any:
        result = function(*arguments, **(named or {}))
        if function in _SOFTMAX:
            self.found.append(result.detach().clone())
        return result


@contextmanager
def spelled_out() -> Iterator[None]:
    """Let torch compute every attention from its parts."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


def softmaxes(model: nn.Module, *arguments: Any, **named: Any) -> list[Tensor]:
    """Return the result of every softmax of a pass, in order."""
    with torch.no_grad(), spelled_out(), Softmaxes() as seen:
        model(*arguments, **named)
    return seen.found


def peaked(model: nn.Module, factor: float = 4.0) -> nn.Module:
    """Make the attention of a model with random weights uneven, and its tables of relative positions no zeros."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "relative_position" in name or "rel_pos" in name or "attention_biases" in name:
                weight.copy_(torch.randn(weight.shape, generator=generator))
            elif weight.ndim > 1 and any(word in name for word in _QUERY_KEY):
                weight.mul_(factor)
    return model.eval()


def matched(weights: list[Tensor], oracle: list[Tensor]) -> list[float]:
    """Return how far each tensor lies from its softmax of the oracle, which must come in the same order."""
    place, found = 0, []
    for one in weights:
        while place < len(oracle):
            other = oracle[place]
            place += 1
            if other.numel() == one.numel() and other.shape[-1] == one.shape[-1]:
                apart = float((other.double().reshape(-1) - one.double().reshape(-1)).abs().max())
                if apart < 1e-2 or place == len(oracle):
                    found.append(apart)
                    break
        else:
            found.append(float("inf"))
    return found
