"""What pairs add to an answer adds up to it, computed apart from weights, values and the layers that follow."""

import pytest
import torch
from torch import nn

from attnviz.measures.attention import linear_readout
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import trace

CLASSES = {1: ("8", "1"), 3: ("a", "b", "c")}


def seen(columns: int) -> tuple[PixelAttention, dict[str, torch.Tensor], torch.Tensor]:
    """Return a small model, what its attention computes on a picture, and its logits."""
    generator = torch.Generator().manual_seed(columns)
    options = {"positions": "sinusoidal_2d", "position_features": 4, "rows": 6, "columns": 4, "mean": 0.2, "std": 0.4}
    model = PixelAttention(classes=CLASSES[columns], heads=3, head_size=2, generator=generator, **options).double()
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=generator)
    names = ("weights", "value", "mixed", "output")
    image = torch.rand(1, 1, 6, 4, dtype=torch.float64, generator=generator)
    with torch.no_grad(), trace(model, [f"attention.{name}" for name in names]) as found:
        logits = model(image)[0]
    return model, {name: found[f"attention.{name}"].at(batch=0) for name in names}, logits


@pytest.mark.parametrize("columns", [1, 3])
def test_pairs_add_up_to_the_logit(columns: int) -> None:
    model, taps, logits = seen(columns)
    layer, classifier = model.attention, model.classifier
    with torch.no_grad():
        found = linear_readout(taps["mixed"], layer.output, taps["output"], logits, model.modules())
    assert found is not None
    worth = torch.einsum("qf,fhs,hks->hqk", found.readout, found.projection, taps["value"])
    added = taps["weights"] * worth
    torch.testing.assert_close(added.sum((1, 2)), found.of_heads)
    signs = torch.tensor([1.0 if logits[0] > 0 else -1.0] if columns == 1 else [-1 / 3] * 3, dtype=torch.float64)
    if columns == 3:
        signs[logits.argmax()] += 1
    biases = classifier.bias + classifier.weight.unflatten(1, (24, 5)).sum(1) @ layer.output.bias
    torch.testing.assert_close(added.sum() + signs @ biases, torch.tensor(found.logit, dtype=torch.float64))
    torch.testing.assert_close(signs @ logits, torch.tensor(found.logit, dtype=torch.float64))


def test_an_answer_that_is_read_out_otherwise_has_none() -> None:
    model, taps, logits = seen(3)
    arguments = (taps["mixed"], model.attention.output, taps["output"])
    with torch.no_grad():
        assert linear_readout(*arguments, logits.tanh(), model.modules()) is None
        assert linear_readout(*arguments, logits, [model.attention]) is None
