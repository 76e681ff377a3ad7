"""The convolutional block attention module, attnviz/layers/cbam.py, against sums that are written out."""

import pytest
import torch
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.layers.cbam import Cbam
from attnviz.tracing import trace

from .gates import filled, maps, same_gradients


def by_hand(layer: Cbam, given: Tensor) -> dict[str, Tensor]:
    found = {"features": given, "squeezed": given.flatten(2).sum(2) / given[0, 0].numel()}
    found["squeezed_max"] = given.flatten(2).sort(2).values[:, :, -1]
    for name, squeezed in (("reduced", "squeezed"), ("reduced_max", "squeezed_max")):
        units = torch.einsum("bc,fc->bf", found[squeezed], layer.reduce.weight) + layer.reduce.bias
        found[name] = torch.where(units > 0, units, 0.0)
    logit = torch.einsum("bf,cf->bc", found["reduced"] + found["reduced_max"], layer.excite.weight)
    found["gate"] = 1 / (1 + (-logit - 2 * layer.excite.bias).exp())
    found["scaled"] = torch.einsum("bcij,bc->bcij", given, found["gate"])
    mean, most = found["scaled"].sum(1) / given.shape[1], found["scaled"].sort(1).values[:, -1]
    found["space_summary"] = torch.stack([mean, most], 1)
    found["space_gate"] = 1 / (1 + (-_convolved(found["space_summary"], layer.space.weight[0])).exp())
    found["scaled_twice"] = torch.einsum("bcij,bij->bcij", found["scaled"], found["space_gate"])
    return found


def _convolved(summary: Tensor, weight: Tensor) -> Tensor:
    """Slide a kernel (2, side, side) over (batch, 2, row, column), with zeros outside: (batch, row, column)."""
    side, (rows, columns) = weight.shape[1], summary.shape[2:]
    total = torch.zeros_like(summary[:, 0])
    for down in range(-(side // 2), side // 2 + 1):
        for across in range(-(side // 2), side // 2 + 1):
            to_rows = slice(max(0, -down), min(rows, rows - down))
            to_columns = slice(max(0, -across), min(columns, columns - across))
            from_rows = slice(to_rows.start + down, to_rows.stop + down)
            from_columns = slice(to_columns.start + across, to_columns.stop + across)
            if from_rows.start < from_rows.stop and from_columns.start < from_columns.stop:
                part = torch.zeros_like(total)
                part[:, to_rows, to_columns] = torch.einsum(
                    "bkij,k->bij", summary[:, :, from_rows, from_columns],
                    weight[:, down + side // 2, across + side // 2],
                )  # fmt: skip
                total = total + part
    return total


def layer_of(kernel: int = 7) -> Cbam:
    layer = filled(Cbam(channels=6, reduction=2, kernel=kernel))
    assert isinstance(layer, Cbam)
    return layer


@pytest.mark.parametrize("kernel", [7, 3])
def test_every_tap_is_what_the_equations_give(kernel):
    layer, given = layer_of(kernel), maps()
    with torch.no_grad(), trace(layer) as seen:
        result = layer(given)
    expected = by_hand(layer, given)
    assert tuple(seen) == tuple(expected) == Cbam.taps
    for name, tensor in expected.items():
        torch.testing.assert_close(seen[name].tensor, tensor, rtol=1e-12, atol=1e-12)
    assert torch.equal(result, seen["scaled_twice"].tensor)


def test_the_gradients_are_those_of_the_equations():
    layer = layer_of(3)
    same_gradients(layer, lambda given: by_hand(layer, given)["scaled_twice"], maps())
    assert torch.autograd.gradcheck(layer, (maps(count=2, rows=3, columns=4).requires_grad_(),))


def test_it_has_98_weights_for_places_and_one_small_network_for_both_squeezes():
    layer = Cbam(channels=16, reduction=4)
    assert layer.space.weight.numel() == 98
    assert sum(parameter.numel() for parameter in layer.parameters()) == 2 * 16 * 4 + 16 + 4 + 98


def test_both_gates_can_only_make_smaller():
    given = maps()
    assert (layer_of()(given).abs() <= given.abs()).all()


@pytest.mark.parametrize("kernel", [0, 4, -1])
def test_a_kernel_without_a_middle_is_refused(kernel):
    with pytest.raises(BadInput, match="an odd number of rows"):
        Cbam(channels=4, kernel=kernel)
