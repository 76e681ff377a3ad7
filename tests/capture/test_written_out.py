"""Attention that is spelled out without a softmax of torch's, however it is written, is refused by name; what only
looks like it is left alone."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import attnviz
from attnviz.errors import TraceError
from tests.capture.modules import Base, tokens

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


class Written(Base):
    """Attends as a function says."""

    def __init__(self, written: Attend) -> None:
        super().__init__()
        self.written = written

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return self.written(query, key, value)


def normed(kernel: Tensor) -> Tensor:
    return kernel / kernel.sum(-1, keepdim=True)


def apart(query: Tensor, key: Tensor) -> Tensor:
    return query[..., :, None, :] - key[..., None, :, :]


def squared(query: Tensor, key: Tensor) -> Tensor:
    return apart(query, key).pow(2).sum(-1)


def times_itself(query: Tensor, key: Tensor) -> Tensor:
    return (difference := apart(query, key)).mul(difference).mean(-1)


def summed_late(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    kernel = torch.exp(-squared(query, key))
    return (kernel @ value) / kernel.sum(-1, keepdim=True)


def pairs(key: Tensor, value: Tensor) -> Tensor:
    return (key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)


KERNELS: dict[str, Attend] = {
    "squares": lambda query, key, value: normed(torch.exp(-squared(query, key))) @ value,
    "times itself": lambda query, key, value: normed((-times_itself(query, key)).exp()) @ value,
    "norm": lambda query, key, value: normed(torch.exp(-(apart(query, key).norm(dim=-1) ** 2))) @ value,
    "Laplace": lambda query, key, value: normed(torch.exp(-apart(query, key).abs().sum(-1))) @ value,
    "torch.sub": lambda query, key, value: (
        normed(torch.exp(-torch.sub(query.unsqueeze(3), key.unsqueeze(2)).square().sum(dim=-1))) @ value
    ),
    "one by one": lambda query, key, value: (
        normed(torch.exp(-squared(query, key)))[..., None] * value[:, :, None]
    ).sum(3),
    "summed late": summed_late,
}
RUNNING: dict[str, Attend] = {
    "sum": lambda query, key, value: (query.exp()[..., None] * pairs(key.exp(), value)).sum(-2),
    "einsum": lambda query, key, value: torch.einsum("bhnd,bhnde->bhne", query.exp(), pairs(key.exp(), value)),
    "product": lambda query, key, value: (F.elu(query)[..., None, :] @ pairs(F.elu(key) + 1, value)).squeeze(-2),
    "number by number": lambda query, key, value: (
        query.sigmoid() * ((key.exp() * value).cumsum(2) / (key.exp().cumsum(2) + 1e-6))
    ),
}
NONE: dict[str, Attend] = {
    "a running mean": lambda query, key, value: value.cumsum(2) / torch.arange(1.0, 6.0)[:, None],
    "a running mean of some": lambda query, key, value: (
        (value * (query > 0)).cumsum(2) / (query > 0).float().mul(2).cumsum(2).clamp(1)
    ),
    "a running sum of numbers": lambda query, key, value: (
        value + (query * (key * value).cumsum(2)).sum(-1, keepdim=True)
    ),
    "less the mean": lambda query, key, value: (
        (value - value.mean(2, keepdim=True)).pow(2).sum(-1, keepdim=True) * value
    ),
    "steps": lambda query, key, value: (value[..., 1:, :] - value[..., :-1, :]).sum(2, keepdim=True) + value,
    "distances alone": lambda query, key, value: value + squared(query, key).amin(-1, keepdim=True),
}


@pytest.mark.parametrize("written", [*KERNELS.values(), *RUNNING.values()], ids=[*KERNELS, *RUNNING])
def test_attention_without_a_softmax_is_refused_by_name(written: Attend) -> None:
    with pytest.raises(TraceError, match="linear attention, a sigmoid, a kernel of distances"):
        attnviz.watch(Written(written))(tokens())


@pytest.mark.parametrize("written", NONE.values(), ids=NONE)
def test_what_only_looks_like_it_is_left_alone(written: Attend) -> None:
    with pytest.raises(TraceError) as nothing:
        attnviz.watch(Written(written))(tokens())
    assert "Refused" not in str(nothing.value)


def test_a_softmax_of_distances_that_are_written_out_is_captured() -> None:
    model, (query, key, _) = Written(lambda q, k, v: (-squared(q, k)).softmax(-1) @ v), Base().split(tokens())
    expected = (-(torch.cdist(query.double(), key.double()) ** 2)).softmax(-1)
    seen = attnviz.watch(model)(tokens())
    assert torch.allclose(seen["weights"].tensor.double(), expected, atol=1e-6)
