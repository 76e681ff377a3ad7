"""The classifier behind a spatial transformer, attnviz/models/spatial_transformer.py, and the sizes of its recipes."""

import pytest
import torch

from attnviz.edits import set_value
from attnviz.errors import BadInput
from attnviz.models.spatial_transformer import SpatialTransformerNet
from attnviz.recipes import jaderberg
from attnviz.recipes.recipe import Ablation, Recipe
from attnviz.tracing import trace
from attnviz.training.evaluations import evaluation
from attnviz.training.examples import Examples
from attnviz.training.seeds import build

TEN = tuple("0123456789")
LONGER = jaderberg.ROTATED_WIDENED_9
MOVED = {
    task: tuple(one for one in jaderberg.RECIPES if one.data == f"{task}_mnist" and one != LONGER)
    for task in ("rotated", "moved")
}


def images(model: SpatialTransformerNet, count: int = 3) -> torch.Tensor:
    return torch.rand(count, *model.shape, generator=torch.Generator().manual_seed(0))


def weights(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("transform", ["affine", "rotation", "crop"])
@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 20, 33)], ids=str)
def test_at_the_beginning_it_answers_as_the_classifier_alone(transform, shape):
    channels, rows, columns = shape
    made = [
        SpatialTransformerNet(classes=TEN, transform=kind, channels=channels, rows=rows, columns=columns).eval()
        for kind in (transform, "none")
    ]
    made[1].load_state_dict({k: v for k, v in made[0].state_dict().items() if not k.startswith("transformer")})
    given = images(made[0])
    torch.testing.assert_close(made[0](given), made[1](given), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("transform", ["none", "affine"])
def test_it_says_how_often_a_pass_uses_a_weight(transform):
    model = SpatialTransformerNet(classes=TEN, transform=transform, rows=21, columns=30).eval()
    uses = [weights(model)]

    def count(module, _, maps):
        uses.append(weights(module) * (maps.shape[2] * maps.shape[3] - 1))

    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d):
            module.register_forward_hook(count)
    model(images(model, 1))
    assert model.weight_uses == -(-sum(uses) // weights(model))


def test_a_frozen_grid_makes_the_answer_blind_to_what_lies_outside_bit_for_bit():
    model = SpatialTransformerNet(classes=TEN).eval()
    torch.nn.init.normal_(model.transformer.last.weight, std=0.05, generator=torch.Generator().manual_seed(0))
    given = images(model)
    painted = given.clone()
    painted[:, :, :6] = 1 - painted[:, :, :6]  # the grid of half the size reads rows 7 to 20
    theta = torch.tensor([[0.5, 0.0, 0.0], [0.0, 0.5, 0.0]])
    answers = []
    for pictures in (given, painted):
        with torch.no_grad(), trace(model, keep=(), edits={"transformer.theta": set_value(theta)}):
            answers.append(model(pictures))
    assert torch.equal(*answers)
    assert not torch.equal(model(given), model(painted))


def test_the_evaluation_at_the_identity_is_the_classifier_on_the_picture_itself():
    model = SpatialTransformerNet(classes=TEN).eval()
    torch.nn.init.normal_(model.transformer.last.weight, std=0.05, generator=torch.Generator().manual_seed(0))
    given = images(model)
    train = Examples((given * 255).byte(), torch.zeros(3, dtype=torch.long))
    live = model(given)
    chosen = Ablation(name="identity", of=jaderberg.THETA)
    with evaluation(chosen).replaced(model, train, chosen.of), torch.no_grad():
        found = model(given)
    expected = model.classifier(model.hidden(model.convolutions(given)).relu())
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(found, live)
    assert evaluation(chosen).title.format(of=chosen.of) == "transformer.theta set to the identity"


@pytest.mark.parametrize("task", MOVED)
def test_the_widened_network_has_the_weights_of_the_one_with_an_affine_transformer_within_a_hundredth(task):
    sizes = {recipe.name: weights(build(recipe)) for recipe in MOVED[task]}
    assert abs(sizes[f"{task}-widened"] / sizes[task] - 1) < 0.01
    assert sizes[f"{task}-plain"] < 0.95 * sizes[task]


@pytest.mark.parametrize("task", MOVED)
def test_all_of_a_task_train_alike(task):
    own = {"name", "title", "why", "cost", "config", "weights", "ablations", "control"}
    recipes: tuple[Recipe, ...] = MOVED[task]
    assert len(recipes) == 4
    assert len({str(recipe.model_dump(exclude=own)) for recipe in recipes}) == 1


def test_the_control_of_as_many_core_seconds_is_the_widened_one_trained_for_longer():
    words = {"name", "title", "why", "cost", "epochs"}
    assert LONGER.model_dump(exclude=words) == jaderberg.ROTATED_WIDENED.model_dump(exclude=words)
    assert LONGER.epochs == round(1.79 * jaderberg.ROTATED_WIDENED.epochs)


@pytest.mark.parametrize(("wrong", "sentence"), [({"transform": "spline"}, "not 'spline'"), ({"rows": 3}, "at least")])
def test_a_network_that_cannot_be_is_refused(wrong, sentence):
    with pytest.raises(BadInput, match=sentence):
        SpatialTransformerNet(classes=TEN, **wrong)
