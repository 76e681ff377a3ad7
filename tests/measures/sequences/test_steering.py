"""Other weights in the place of a model's own: attnviz/measures/sequences/steering.py."""

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.layers.additive_attention import AdditiveAttention
from attnviz.measures.sequences import steering
from attnviz.models import spec
from attnviz.readings import Reading
from attnviz.tracing import Layer, trace

CLASSES = (*"0123456789", "stop")
ROW = [0.1, 0.6, 0.2, 0.1, 0.0]


def weights(*rows: list[float]) -> torch.Tensor:
    """Return weights of one text and one head."""
    return torch.tensor(rows)[None, None]


def test_a_step_gets_the_weights_of_another():
    one, other = ROW, [0.0, 0.0, 0.0, 0.0, 1.0]
    found = steering.swapped(weights(one, other), [1, 1])
    torch.testing.assert_close(found, weights(other, other))
    with pytest.raises(BadInput, match="order of 2 steps names a step from 0 to 1"):
        steering.swapped(weights(one, other), [0, 2])


def test_keys_change_places_alike_in_all_steps_of_a_text():
    one = torch.rand(40, 2, 3, 5, generator=torch.Generator().manual_seed(0))
    found = steering.permuted(one, torch.Generator().manual_seed(1))
    torch.testing.assert_close(found.sort(-1).values, one.sort(-1).values)
    orders = set()
    for text in range(40):
        order = [int((one[text, 0, 0] == value).nonzero()[0]) for value in found[text, 0, 0]]
        torch.testing.assert_close(found[text], one[text][..., order])
        orders.add(tuple(order))
    assert len(orders) > 20


def test_even_weights_and_the_peak_alone():
    torch.testing.assert_close(steering.even(weights(ROW)), weights([0.2] * 5))
    torch.testing.assert_close(steering.only_peak(weights(ROW)), weights([0.0, 1.0, 0.0, 0.0, 0.0]))


def test_total_variation_by_hand():
    one, other = torch.tensor([0.5, 0.5, 0.0]), torch.tensor([0.0, 0.25, 0.75])
    assert float(steering.total_variation(one, other)) == pytest.approx(0.75)
    assert float(steering.total_variation(one, one)) == 0


@pytest.mark.parametrize("path", ["decoder.attention.weights", "decoder.0.cross.weights"])
@pytest.mark.parametrize("told", [True, False])
def test_a_models_own_weights_put_in_their_place_change_nothing_and_others_do(path: str, told: bool):
    name, config = ("transformer", {"features": 8, "heads": 2, "hidden": 8}) if "cross" in path else (
        "encoder_decoder", {"features": 8, "width": 5, "hidden": 6, "units": 4, "embedding": 3})  # fmt: skip
    model = spec(name).build({"classes": CLASSES, **config}, torch.Generator().manual_seed(0)).double().eval()
    if isinstance(getattr(model.decoder, "attention", None), AdditiveAttention):
        torch.nn.init.normal_(model.decoder.attention.score.weight, generator=torch.Generator().manual_seed(0))
    strips = torch.rand(2, 1, 28, 56, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    words = {"targets": torch.tensor([[1, 2, 10], [3, 3, 10]])} if told else {}
    with trace(model, keep=[path]) as seen:
        logits = model(strips, **words)
    own = steering.rows(seen[path])
    assert own.shape == (2, own.shape[1], logits.shape[1], 7)
    with trace(model, keep=[], edits=steering.edits_of(seen, {path: own})):
        torch.testing.assert_close(model(strips, **words), logits)
    with trace(model, keep=[path], edits=steering.edits_of(seen, {path: steering.only_peak(own)})) as set_:
        assert not torch.allclose(model(strips, **words), logits, rtol=1e-6)
    torch.testing.assert_close(steering.rows(set_[path]), steering.only_peak(own))


def test_rows_of_all_steps_at_once_stay_as_they_are():
    tensor = torch.rand(2, 3, 4, 5)
    reading = Reading("weights", tensor, ("batch", "head", "query", "key"))
    assert steering.rows(reading) is tensor


class Looks(Layer):
    """Says the symbol of the column that a step attends to, of a strip with a number in each; or, from `stubborn` on,
    the true symbol; and the end where the weights of the first step come last."""

    taps = ("weights",)

    def __init__(self, stubborn: int) -> None:
        super().__init__()
        self.stubborn = stubborn

    def forward(self, strips: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        steps = targets.shape[1]
        weights = self.tap("weights", torch.eye(steps).expand(len(strips), 1, -1, -1), "batch head query key")
        read = (weights[:, 0] @ strips[:, 0, 0, :, None])[..., 0].long()
        read[:, self.stubborn :] = targets[:, self.stubborn :]
        read[:, 1] = torch.where(weights[:, 0, 1, 0] == 1, 9, read[:, 1])
        return torch.eye(10)[read]


def test_one_step_at_a_time_by_hand():
    texts = torch.tensor([[1, 2, 3, 9], [4, 7, 5, 9]])
    strips = texts[:, None, None].float()
    looks = Looks(2)
    said = steering.one_at_a_time(looks, strips, texts, ["weights"], torch.tensor([[1, 2, 0], [2, 0, 1]]))
    assert said.tolist() == [[2, 3, 3], [5, 9, 5]]
    said = steering.one_at_a_time(looks, strips, texts, ["weights"], torch.tensor([[2, 0, 1], [0, 1, 2]]))
    assert said.tolist() == [[3, 9, 3], [4, 7, 5]]
