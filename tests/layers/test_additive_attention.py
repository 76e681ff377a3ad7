"""Additive attention against a loop in float64: attnviz/layers/additive_attention.py."""

import math

import pytest
import torch
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.layers.additive_attention import AdditiveAttention
from attnviz.tracing import trace

BATCH, KEYS, STATE, ANNOTATION, UNITS = 2, 5, 3, 4, 6


def built(*, uniform: bool = False, seed: int = 0) -> AdditiveAttention:
    torch.manual_seed(seed)
    layer = AdditiveAttention(state_features=STATE, annotation_features=ANNOTATION, units=UNITS, uniform=uniform)
    return layer.double()


def inputs() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    state = torch.randn(BATCH, STATE, generator=generator, dtype=torch.float64)
    return state, torch.randn(BATCH, KEYS, ANNOTATION, generator=generator, dtype=torch.float64)


def by_hand(layer: AdditiveAttention, state: Tensor, annotations: Tensor) -> tuple[list[list[float]], Tensor]:
    """Return the weights and the context, number by number."""
    parts = (layer.state.weight, layer.annotation.weight, layer.annotation.bias, layer.score.weight[0])
    w, u, b, v = (part.detach() for part in parts)
    weights, contexts = [], []
    for one in range(BATCH):
        energies = []
        for key in range(KEYS):
            total = 0.0
            for unit in range(UNITS):
                inside = float(b[unit])
                inside += sum(float(w[unit, i] * state[one, i]) for i in range(STATE))
                inside += sum(float(u[unit, i] * annotations[one, key, i]) for i in range(ANNOTATION))
                total += float(v[unit]) * math.tanh(inside)
            energies.append(total)
        exps = [math.exp(energy) for energy in energies]
        weights.append([each / sum(exps) for each in exps])
        contexts.append(
            [sum(weights[-1][k] * float(annotations[one, k, i]) for k in range(KEYS)) for i in range(ANNOTATION)]
        )
    return weights, torch.tensor(contexts, dtype=torch.float64)


def test_it_is_the_papers_formula():
    layer, (state, annotations) = built(), inputs()
    with trace(layer) as seen:
        context = layer(state, annotations, layer.project(annotations))
    weights, expected = by_hand(layer, state, annotations)
    torch.testing.assert_close(seen["weights"].tensor[0, :, 0], torch.tensor(weights, dtype=torch.float64))
    torch.testing.assert_close(context, expected)
    assert seen["weights"].axes == ("step", "batch", "head", "key")


def test_its_gradients_are_those_of_finite_differences():
    layer, (state, annotations) = built(), inputs()
    both = state.requires_grad_(), annotations.requires_grad_()
    assert torch.autograd.gradcheck(lambda s, a: layer(s, a, layer.project(a)), both)


def test_with_v_at_0_all_weights_are_exactly_equal():
    layer, (state, annotations) = built(), inputs()
    layer.begin_uniform()
    with trace(layer, keep=["weights", "energies"]) as seen:
        layer(state, annotations, layer.project(annotations))
    assert torch.equal(seen["weights"].tensor, torch.full((1, BATCH, 1, KEYS), 1 / KEYS, dtype=torch.float64))
    assert not seen["energies"].tensor.any()


def test_energies_are_bounded_by_the_sum_of_v():
    layer, (state, annotations) = built(), inputs()
    with trace(layer, keep=["energies"]) as seen:
        layer(state, 1e3 * annotations, layer.project(1e3 * annotations))
    bound = float(layer.score.weight.detach().abs().sum())
    assert seen["energies"].tensor.abs().max() <= bound
    assert seen["energies"].tensor.abs().max() > 0.1 * bound


def test_the_control_gives_the_mean_and_has_nothing_to_learn():
    layer, (state, annotations) = built(uniform=True), inputs()
    context = layer(state, annotations, layer.project(annotations))
    torch.testing.assert_close(context, annotations.mean(1))
    assert not list(layer.parameters())


@pytest.mark.parametrize("name", ["state_features", "annotation_features", "units"])
def test_no_features_are_refused(name: str):
    with pytest.raises(BadInput, match="above 0"):
        AdditiveAttention(**{"state_features": 1, "annotation_features": 1, "units": 1, name: 0})
