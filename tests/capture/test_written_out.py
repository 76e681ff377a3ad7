"""Attention that is spelled out without a softmax of torch's, however it is written, is refused by name; what only
looks like it is left alone."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import attnviz
from attnviz.errors import TraceError
from tests.capture.modules import Base, ByHand, tokens

Attend = Callable[..., Tensor]  # of query, key, value, and of a layer if there is one


class Written(Base):
    """Attends as a function says."""

    def __init__(self, written: Attend, layer: nn.Module | None = None) -> None:
        super().__init__()
        self.written, self.layer = written, layer

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return self.written(query, key, value, *([self.layer] if self.layer else []))


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


def recurrence(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    state, found = torch.zeros(4, 4), []
    for one, two, three in zip(query.unbind(2), key.unbind(2), value.unbind(2), strict=True):
        state = 0.9 * state + two[..., None] * three[..., None, :]
        found.append((one[..., None, :] @ state).squeeze(-2))
    return torch.stack(found, 2)


def delta_rule(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    state, found = torch.zeros(1, 2, 4, 4), []
    for one, two, three in zip(query.unbind(2), key.unbind(2), value.unbind(2), strict=True):
        state = state + (three - torch.einsum("bhde,bhd->bhe", state, two))[..., None, :] * two[..., None]
        found.append(torch.einsum("bhde,bhd->bhe", state, one))
    return torch.stack(found, 2)


def of_state(query: Tensor, key: Tensor, value: Tensor, layer: nn.Module) -> Tensor:
    return query.exp() @ layer(key.exp().mT @ value)


def of_scores(query: Tensor, key: Tensor, value: Tensor, layer: nn.Module) -> Tensor:
    return layer(query.relu() @ key.relu().mT) @ value


def one_by_one(query: Tensor, key: Tensor, value: Tensor, layer: nn.Module) -> Tensor:
    return (query.exp()[..., None] * layer((key.exp()[..., None] * value[..., None, :]).sum(2))[:, :, None]).sum(-2)


class Times(nn.Module):
    """A product with a parameter, or with a buffer."""

    matrix: Tensor

    def __init__(self, kind: type[Tensor]) -> None:
        super().__init__()
        self.register_buffer("matrix", torch.randn(4, 4, generator=torch.Generator().manual_seed(0)))
        if kind is nn.Parameter:
            del self.matrix
            self.matrix = nn.Parameter(torch.randn(4, 4))

    def forward(self, given: Tensor) -> Tensor:
        return given @ self.matrix.mT


def wave(given: Tensor, layer: nn.Module) -> Tensor:
    return torch.cat([layer(given).sin(), layer(given).cos()], -1)[..., ::2]


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
    "recurrence": recurrence,
    "delta rule": delta_rule,
    "number by number": lambda query, key, value: (
        query.sigmoid() * ((key.exp() * value).cumsum(2) / (key.exp().cumsum(2) + 1e-6))
    ),
}

BETWEEN: dict[str, tuple[Attend, Callable[[], nn.Module]]] = {
    "a linear layer": (of_state, lambda: nn.Linear(4, 4)),
    "a wider layer": (of_state, lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))),
    "a convolution": (of_state, lambda: nn.Conv2d(2, 2, 3, padding=1)),
    "a bottleneck": (of_state, lambda: nn.Sequential(nn.Conv2d(2, 6, 1), nn.ReLU(), nn.Conv2d(6, 2, 1))),
    "a norm": (of_state, lambda: nn.LayerNorm(4)),
    "a product with a parameter": (of_state, lambda: Times(nn.Parameter)),
    "a product with a buffer": (of_state, lambda: Times(Tensor)),
    "a layer of scores": (of_scores, lambda: nn.Linear(5, 5)),
    "heads that are mixed": (of_scores, lambda: nn.Conv2d(2, 2, 1)),
    "one by one": (one_by_one, lambda: nn.Linear(4, 4)),
    "einsum": (
        lambda query, key, value, layer: torch.einsum(
            "bhnd,bhde->bhne", query, layer(torch.einsum("bhnd,bhne->bhde", key, value)) / key.sum(2)[..., None]
        ),
        lambda: nn.Linear(4, 4),
    ),
    "a part and a residual": (
        lambda query, key, value, layer: query @ ((state := key.mT @ value) + layer(state[..., :2])),
        lambda: nn.Linear(2, 4),
    ),
    "random features": (
        lambda query, key, value, layer: layer(query).exp() @ (layer(key).exp().mT @ value),
        lambda: Times(Tensor),
    ),
    "a pooled state": (
        lambda query, key, value, layer: (query[..., :2] @ layer(key.mT @ value)).repeat(1, 1, 1, 2),
        lambda: nn.AvgPool2d(2),
    ),
}
WITHIN: dict[str, tuple[Attend, Callable[[], nn.Module]]] = {
    "a parameter twice": (lambda query, key, value, layer: layer(layer(value).relu()), lambda: Times(nn.Parameter)),
    "a buffer twice": (lambda query, key, value, layer: layer(layer(value).relu()), lambda: Times(Tensor)),
    "a constant": (
        lambda query, key, value, layer: layer(value @ torch.eye(4).roll(1, 0)) @ torch.ones(4, 4).triu(),
        lambda: nn.Linear(4, 4),
    ),
    "positions": (lambda query, key, value, layer: wave(value, layer) @ layer.matrix.float(), lambda: Times(Tensor)),
    "one product of tokens": (
        lambda query, key, value, layer: value + layer((value.mT @ value).flatten(2)).unsqueeze(2),
        lambda: nn.Linear(16, 4),
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


@pytest.mark.parametrize(("written", "build"), BETWEEN.values(), ids=BETWEEN)
def test_linear_attention_with_a_layer_between_its_products_is_refused_by_name(
    written: Attend, build: Callable[[], nn.Module]
) -> None:
    with pytest.raises(TraceError, match=r"the model itself: .*linear attention, [^;]*$"):
        attnviz.watch(Written(written, build()))(tokens())


@pytest.mark.parametrize(("written", "build"), WITHIN.values(), ids=WITHIN)
def test_products_with_fixed_matrices_are_layers(written: Attend, build: Callable[[], nn.Module]) -> None:
    with pytest.raises(TraceError) as nothing:
        attnviz.watch(Written(written, build()))(tokens())
    assert "Refused" not in str(nothing.value)


def test_a_softmax_tells_attention_before_and_after_products_from_linear_attention() -> None:
    class Before(ByHand):
        def forward(self, given: Tensor) -> Tensor:
            return super().forward(given + (given.mT @ given)[:, :5])

    class After(ByHand):
        def forward(self, given: Tensor) -> Tensor:
            return self.out(super().forward(given)) @ self.out(given).mT

    given = tokens()
    for model, features in ((Before(), given + (given.mT @ given)[:, :5]), (After(), given)):
        seen = attnviz.watch(model)(given)
        query, key, _ = model.split(features)
        assert torch.allclose(seen["weights"].tensor, model.weights(query, key), atol=1e-6)
        assert "Refused" not in seen.report()


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
