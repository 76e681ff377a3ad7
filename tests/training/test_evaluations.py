"""A trained model with a part replaced, attnviz/training/evaluations.py."""

from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn

from attnviz.errors import BadInput, TraceError, UnknownName
from attnviz.recipes.recipe import Ablation
from attnviz.tracing import Layer
from attnviz.training.evaluations import EVALUATIONS, Evaluation, edited, evaluation
from attnviz.training.examples import Examples, Parts, as_float
from tests.training import small


class Gated(Layer):
    """A gate for each of two features, that depends on the picture."""

    taps = ("gate",)

    def forward(self, images: Tensor) -> Tensor:
        features = images.flatten(1)[:, :2]
        gate = self.tap("gate", features.sigmoid(), axes="batch feature")
        return features * gate


class Glances(Layer):
    """A tap that is visited twice."""

    taps = ("where",)

    def forward(self, images: Tensor) -> Tensor:
        seen = images.flatten(1)[:, :2]
        for _ in range(2):
            seen = self.tap("where", seen + 1, axes="batch feature", per="glimpse")
        return seen


def _examples(count: int = 7) -> Examples:
    images = torch.randint(0, 256, (count, 1, 1, 2), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    return Examples(images, torch.zeros(count, dtype=torch.int64))


def _replaced(name: str, model: nn.Module, of: str) -> Tensor:
    train = _examples()
    plain = model(as_float(train.images))
    with evaluation(Ablation(name=name, of=of)).replaced(model, train, of):
        changed = model(as_float(train.images))
        few = model(as_float(train.images[:3]))  # batches of any size
    assert few.shape == (3, 2)
    assert torch.equal(model(as_float(train.images)), plain)  # nothing is left behind
    return changed


def test_a_gate_at_its_mean_no_longer_depends_on_the_picture():
    features = as_float(_examples().images).flatten(1)
    expected = features * features.double().sigmoid().mean(0).float()
    torch.testing.assert_close(_replaced("mean", Gated(), "gate"), expected)


def test_a_gate_of_another_picture_is_that_of_the_one_before():
    features = as_float(_examples().images).flatten(1)
    torch.testing.assert_close(
        _replaced("shuffled", Gated(), "gate"), features * features.sigmoid()[[6, 0, 1, 2, 3, 4, 5]]
    )


class Twice(Layer):
    """Two gates, one after the other: the second is made of what the first has let through."""

    taps = ("first", "second")

    def forward(self, images: Tensor) -> Tensor:
        flat = images.flatten(1)
        passed = flat * self.tap("first", flat.sigmoid(), axes="batch feature")
        return passed * self.tap("second", passed.sigmoid(), axes="batch feature")


def test_the_second_gate_of_another_picture_comes_from_one_that_has_the_first_gate_of_a_third():
    flat = as_float(_examples().images).flatten(1)
    passed = [flat[i] * flat[i - 1].sigmoid() for i in range(7)]  # for the first picture, the last
    torch.testing.assert_close(
        _replaced("shuffled", Twice(), "*"), torch.stack([passed[i] * passed[i - 1].sigmoid() for i in range(7)])
    )


@pytest.mark.parametrize(("name", "value"), [("zero", 0.0), ("one", 1.0)])
def test_a_gate_at_a_number(name, value):
    torch.testing.assert_close(_replaced(name, Gated(), "*"), as_float(_examples().images).flatten(1) * value)


def test_of_a_tap_that_is_visited_several_times_each_visit_gets_its_own_mean():
    found = _replaced("mean", Glances(), "where")
    mean = as_float(_examples().images).flatten(1).double().mean(0) + 2
    torch.testing.assert_close(found, mean.float().expand(7, 2))


def test_a_third_party_adds_a_row(monkeypatch):
    class Doubled(nn.Module):
        def forward(self, images: Tensor) -> Tensor:
            return images.flatten(1)

    monkeypatch.setitem(EVALUATIONS, "mine", Evaluation("{of} mine", lambda model, train, of: edited(model, {})))
    assert evaluation(Ablation(name="mine")).title.format(of="gates") == "gates mine"


def test_an_evaluation_or_a_tap_that_is_not_there_is_one_sentence():
    with pytest.raises(UnknownName, match="no evaluation 'men'. Did you mean 'mean'"):
        evaluation(Ablation(name="men", of="gate"))
    with pytest.raises(TraceError, match="No tap matches 'gait'. Did you mean 'gate'"):
        EVALUATIONS["zero"].replaced(Gated(), small.examples(2), "gait")


class Whole(Layer):
    """A tap as wide as the picture."""

    taps = ("seen",)

    def forward(self, images: Tensor) -> Tensor:
        return self.tap("seen", images[:, 0], axes="batch row column").sum((1, 2))[:, None]


def test_what_differs_in_width_has_no_mean_over_pictures():
    parts = (Examples(torch.zeros(2, 1, 4, width, dtype=torch.uint8), torch.zeros(2)) for width in (4, 6))
    pictures = Parts(tuple(parts))
    train = Mock(first=lambda count: pictures)
    with pytest.raises(BadInput, match="seen differs in size from picture to picture, so it has no mean over them"):
        EVALUATIONS["mean"].replaced(nn.Sequential(Whole()), train, "0.seen")
