"""The bottleneck attention module, attnviz/layers/bam.py, against sums that are written out."""

import pytest
import torch
from torch import Tensor, nn

from attnviz.edits import set_value
from attnviz.errors import BadInput
from attnviz.layers.bam import Bam
from attnviz.tracing import trace

from .gates import filled, maps, same_gradients


def by_hand(layer: Bam, given: Tensor) -> dict[str, Tensor]:
    found = {"features": given, "squeezed": given.flatten(2).sum(2) / given[0, 0].numel()}
    units = torch.einsum("bc,fc->bf", found["squeezed"], layer.reduce.weight) + layer.reduce.bias
    found["reduced"] = torch.where(units > 0, units, 0.0)
    scores = torch.einsum("bf,cf->bc", found["reduced"], layer.excite.weight)
    found["channel_score"] = _normed(scores[:, :, None, None], layer.channel_norm)[:, :, 0, 0]
    narrow = given
    for place, dilation in ((0, 0), (3, 4), (6, 4), (9, 0)):
        narrow = _normed(_convolved(narrow, layer.space[place].weight, dilation), layer.space[place + 1])
        if place < 9:
            narrow = torch.where(narrow > 0, narrow, 0.0)
    found["space_score"] = narrow[:, 0]
    logit = found["channel_score"][:, :, None, None] + found["space_score"][:, None]
    found["full_gate"] = 1 / (1 + (-logit).exp())
    found["scaled"] = given * (1 + found["full_gate"])
    return found


def _convolved(given: Tensor, weight: Tensor, dilation: int) -> Tensor:
    """Convolve by 1 x 1, or by 3 x 3 whose places are `dilation` apart, with zeros outside."""
    rows, columns = given.shape[2:]
    steps = (-1, 0, 1) if weight.shape[2] == 3 else (0,)
    total = torch.zeros(len(given), len(weight), rows, columns, dtype=given.dtype)
    for row in range(rows):
        for column in range(columns):
            for down, i in enumerate(steps):
                for across, j in enumerate(steps):
                    at = row + i * dilation, column + j * dilation
                    if 0 <= at[0] < rows and 0 <= at[1] < columns:
                        part = torch.zeros_like(total)
                        part[:, :, row, column] = given[:, :, at[0], at[1]] @ weight[:, :, down, across].T
                        total = total + part
    return total


def _normed(values: Tensor, norm: nn.BatchNorm1d | nn.BatchNorm2d) -> Tensor:
    shaped = [part[:, None, None] for part in (norm.running_mean, norm.running_var, norm.weight, norm.bias)]
    return (values - shaped[0]) / (shaped[1] + norm.eps).sqrt() * shaped[2] + shaped[3]


def layer_of() -> Bam:
    layer = filled(Bam(channels=6, reduction=2)).eval()
    assert isinstance(layer, Bam)
    return layer


def test_every_tap_is_what_the_equations_give():
    layer, given = layer_of(), maps()
    with torch.no_grad(), trace(layer) as seen:
        result = layer(given)
    expected = by_hand(layer, given)
    assert tuple(seen) == tuple(expected) == Bam.taps
    for name, tensor in expected.items():
        torch.testing.assert_close(seen[name].tensor, tensor, rtol=1e-12, atol=1e-12)
    assert torch.equal(result, seen["scaled"].tensor)


def test_the_gradients_are_those_of_the_equations():
    layer = layer_of()
    same_gradients(layer, lambda given: by_hand(layer, given)["scaled"], maps(count=2))
    assert torch.autograd.gradcheck(layer, (maps(count=2, rows=2, columns=5).requires_grad_(),))


def test_it_can_emphasise_but_never_silence():
    given = maps()
    factor = layer_of()(given).detach() / given
    assert (factor >= 1).all() and (factor <= 2).all()
    for value, expected in ((0.0, given), (1.0, 2 * given)):
        layer = layer_of()
        with torch.no_grad(), trace(layer, keep=(), edits={"full_gate": set_value(value)}):
            assert torch.equal(layer(given), expected)


@pytest.mark.parametrize("wrong", [{"channels": 0}, {"channels": 4, "dilation": 0}])
def test_a_gate_of_nothing_is_refused(wrong):
    with pytest.raises(BadInput, match="at least one channel|dilation must be 1"):
        Bam(**wrong)


def test_one_picture_is_trained_on_with_the_running_statistics_of_channels():
    layer = layer_of()
    kept = layer.channel_norm.running_mean.clone()
    expected = by_hand(layer, maps(count=1))["channel_score"]
    layer.train()
    with trace(layer, ["channel_score"]) as seen:
        layer(maps(count=1)).sum().backward()
    torch.testing.assert_close(seen["channel_score"].tensor, expected, rtol=1e-12, atol=1e-12)
    assert torch.equal(layer.channel_norm.running_mean, kept)
