"""Squeeze-and-excitation, attnviz/layers/squeeze_excite.py, against sums that are written out."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d

from attnviz.edits import off, set_value
from attnviz.errors import BadInput
from attnviz.layers.squeeze_excite import SqueezeExcite, narrowed
from attnviz.tracing import trace

from .gates import filled, maps, same_gradients


def by_hand(layer: SqueezeExcite, given: Tensor) -> dict[str, Tensor]:
    count, channels, rows, columns = given.shape
    squeezed = sum(given[:, :, row, column] for row in range(rows) for column in range(columns)) / (rows * columns)
    reduced = torch.einsum("bc,fc->bf", squeezed, layer.reduce.weight) + layer.reduce.bias
    reduced = torch.where(reduced > 0, reduced, 0.0)
    logit = torch.einsum("bf,cf->bc", reduced, layer.excite.weight) + layer.excite.bias
    gate = 1 / (1 + (-logit).exp())
    scaled = torch.stack([torch.stack([given[b, c] * gate[b, c] for c in range(channels)]) for b in range(count)])
    return {"features": given, "squeezed": squeezed, "reduced": reduced, "gate": gate, "scaled": scaled}


def layer_of(channels: int = 6, reduction: int = 2) -> SqueezeExcite:
    layer = filled(SqueezeExcite(channels=channels, reduction=reduction))
    assert isinstance(layer, SqueezeExcite)
    return layer


def test_every_tap_is_what_the_equations_give():
    layer, given = layer_of(), maps()
    with torch.no_grad(), trace(layer) as seen:
        result = layer(given)
    expected = by_hand(layer, given)
    assert tuple(seen) == tuple(expected) == SqueezeExcite.taps
    for name, tensor in expected.items():
        torch.testing.assert_close(seen[name].tensor, tensor, rtol=1e-12, atol=1e-12)
    assert torch.equal(result, seen["scaled"].tensor)


def test_the_gradients_are_those_of_the_equations():
    layer = layer_of()
    same_gradients(layer, lambda given: by_hand(layer, given)["scaled"], maps())
    assert torch.autograd.gradcheck(layer, (maps(count=2).requires_grad_(),))


def test_a_dead_squeeze_is_the_same_gate_for_every_picture():
    layer = layer_of()
    with torch.no_grad(), trace(layer, keep="gate", edits={"reduced": off()}) as seen:
        layer(maps())
    assert torch.equal(seen["gate"].tensor, torch.sigmoid(layer.excite.bias).detach().expand(3, 6))
    nn.init.zeros_(layer.excite.bias)
    with torch.no_grad(), trace(layer, keep="gate", edits={"reduced": off()}) as seen:
        layer(maps())
    assert (seen["gate"].tensor == 0.5).all()


def test_a_narrow_layer_whose_units_are_all_below_zero_is_a_dead_squeeze():
    layer = layer_of()
    nn.init.constant_(layer.reduce.bias, -1e3)
    with torch.no_grad(), trace(layer, keep=("reduced", "gate")) as seen:
        layer(maps())
    assert not seen["reduced"].tensor.any()
    assert torch.equal(seen["gate"].tensor[0], seen["gate"].tensor[1])


def test_gates_that_are_the_same_for_all_pictures_fold_into_the_next_convolution():
    layer, given = layer_of(), maps()
    after = filled(nn.Conv2d(6, 4, 3, padding=1), seed=5)
    gate = torch.tensor([0.1, 0.9, 0.5, 0.0, 1.0, 0.3], dtype=torch.float64)
    with torch.no_grad():
        with trace(layer, keep=(), edits={"gate": set_value(gate)}):
            gated = after(layer(given))
        folded = conv2d(given, after.weight * gate[:, None, None], after.bias, padding=1)
    torch.testing.assert_close(gated, folded, rtol=1e-12, atol=1e-12)
    assert not torch.allclose(folded, after(given))


def test_a_single_narrow_unit_moves_all_gates_along_one_curve():
    layer = layer_of(channels=16, reduction=16)
    with torch.no_grad(), trace(layer, keep="gate") as seen:
        layer(maps(16, count=12))
    logits = torch.logit(seen["gate"].tensor) - layer.excite.bias
    assert torch.linalg.matrix_rank(logits, rtol=1e-9) == 1


@pytest.mark.parametrize(("channels", "reduction", "units"), [(16, 4, 4), (16, 16, 1), (8, 16, 1), (33, 4, 8)])
def test_the_narrow_layer_has_at_least_one_unit(channels, reduction, units):
    assert narrowed(channels, reduction) == units
    layer = SqueezeExcite(channels=channels, reduction=reduction)
    count = sum(parameter.numel() for parameter in layer.parameters())
    assert count == 2 * channels * units + channels + units


@pytest.mark.parametrize("wrong", [{"channels": 0}, {"channels": 4, "reduction": 0}])
def test_a_gate_of_nothing_is_refused(wrong):
    with pytest.raises(BadInput, match="at least one channel and a reduction of at least 1"):
        SqueezeExcite(**wrong)
