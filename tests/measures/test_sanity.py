"""Checks of maps, attnviz/measures/sanity.py."""

import copy

import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.measures.jacobian import jacobian
from attnviz.measures.sanity import Shifted, from_the_top, randomised
from attnviz.models.controls import PlainConv


@pytest.fixture
def model() -> PlainConv:
    return PlainConv(classes=tuple("abc"), rows=8, columns=8, generator=torch.Generator().manual_seed(0)).eval()


def images() -> torch.Tensor:
    return torch.rand(2, 1, 8, 8, generator=torch.Generator().manual_seed(1))


def test_layers_are_listed_from_the_answer_down(model):
    assert from_the_top(model) == ["classifier", "convolutions.6", "convolutions.3", "convolutions.0"]


def test_one_layer_more_is_made_random_at_each_step_and_the_model_stays_as_it_is(model):
    with torch.no_grad():
        for norm in (one for one in model.modules() if isinstance(one, nn.BatchNorm2d)):
            norm.weight.uniform_()  # at first they are all 1, and have no spread
    before = copy.deepcopy(model.state_dict())
    paths = from_the_top(model)
    for step, made in enumerate(randomised(model, paths, seed=3), 1):
        changed = {
            name.rpartition(".")[0] for name, now in made.state_dict().items() if not torch.equal(now, before[name])
        }
        assert changed == {"classifier"} | {
            f"convolutions.{number + part}"
            for number in (6, 3, 0)[: step - 1]
            for part in (0, 1)  # with its norm
        }
    assert step == 4
    assert all(torch.equal(now, before[name]) for name, now in model.state_dict().items())


def test_a_layer_with_weights_of_its_own_kind_is_one_of_them():
    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = nn.Parameter(torch.ones(3, 2))
            self.norm = nn.LayerNorm(2)

    assert from_the_top(nn.Sequential(nn.LayerNorm(4), nn.ReLU(), nn.Linear(4, 6), Scale())) == ["3", "2", "0"]


def test_random_weights_have_the_mean_and_the_spread_of_the_learnt_ones():
    wide = nn.Sequential(nn.Linear(300, 200))
    nn.init.normal_(wide[0].weight, mean=0.5, std=0.1, generator=torch.Generator().manual_seed(0))
    made = next(randomised(wide, ["0"], seed=0))
    assert float(made[0].weight.detach().mean()) == pytest.approx(0.5, abs=0.002)
    assert float(made[0].weight.detach().std()) == pytest.approx(0.1, rel=0.02)
    assert not torch.allclose(made[0].weight, wide[0].weight)


def test_the_same_seed_gives_the_same_weights(model):
    one, same, other = (next(randomised(model, ["classifier"], seed=seed)) for seed in (0, 0, 1))
    assert torch.equal(one.classifier.weight, same.classifier.weight)
    assert not torch.equal(one.classifier.weight, other.classifier.weight)


def test_a_constant_that_is_taken_out_again_changes_neither_answer_nor_gradient_but_input_times_gradient(model):
    model, constant = model.double(), torch.full((1, 8, 8), 0.5, dtype=torch.float64)
    given = (images() * 255).round().double() / 256  # so that adding a half is exact
    shifted = Shifted(model, constant).eval()
    assert torch.equal(shifted(given + constant), model(given))
    plain, moved = jacobian(model, given), jacobian(shifted, given + constant)
    assert torch.equal(plain, moved)
    assert not torch.allclose(plain * given, moved * (given + constant), rtol=0.1)


@pytest.mark.parametrize("path", ["convolutions.1", "head"])
def test_what_is_no_layer_is_refused(model, path):
    with pytest.raises(BadInput, match=f"'{path}' is not a layer"):
        next(randomised(model, [path], seed=0))
