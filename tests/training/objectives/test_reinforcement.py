"""The objective that teaches a policy, attnviz/training/objectives/reinforcement.py, against a computation by hand."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz.answers import predicted
from attnviz.errors import BadInput
from attnviz.models.recurrent_attention import RecurrentAttention
from attnviz.recipes import RECIPES
from attnviz.recipes.recipe import Test as RecipeTest
from attnviz.training.examples import Examples
from attnviz.training.objectives import MEASURING_SEED, Classification, loss_of, objective
from attnviz.training.objectives.reinforcement import COLLAPSED, Reinforcement, spread
from tests.training import small

CLASSES = ("a", "b", "c")


def model(**options: object) -> RecurrentAttention:
    config: dict[str, Any] = {
        "classes": CLASSES,
        "rows": 8,
        "columns": 10,
        "glimpses": 3,
        "size": 3,
        "scales": 2,
        "features": 5,
        "width": 7,
        **options,
    }
    made: RecurrentAttention = RecurrentAttention(generator=torch.Generator().manual_seed(0), **config)
    return made.double()


def batch(count: int = 6) -> tuple[Tensor, Tensor]:
    images = torch.rand(count, 1, 8, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    return images, torch.arange(count) % 3


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(("every", "weight"), [(0.0, 1.0), (0.5, 0.25)])
def test_the_loss_is_what_the_equations_say_and_so_are_its_gradients(every, weight):
    chosen, (images, labels) = model(location_std=0.3), batch()
    judge = Reinforcement(every_glimpse=every, weight=weight)
    parts = judge.loss(chosen, images, labels, generator())
    gradients = torch.autograd.grad(parts["loss"], list(chosen.parameters()), allow_unused=True)

    seen = chosen.look(images, generator=generator())
    drawn = chosen.look(images, generator=generator(), locations=seen.locations.detach())  # the same path, as numbers
    total, rewards = torch.zeros((), dtype=torch.float64), []
    chance, noise = generator(), torch.empty(6, 3, 2)
    noise[:, :1].uniform_(-1, 1, generator=chance)
    noise[:, 1:].normal_(generator=chance)
    for picture in range(6):
        logits = drawn.logits[picture]
        reward = float(logits[-1].argmax() == labels[picture])
        rewards.append(reward)
        total = total - logits[-1].log_softmax(0)[labels[picture]] / 6
        for glimpse in range(2):
            total = total - every / 2 * logits[glimpse].log_softmax(0)[labels[picture]] / 6
        for glimpse in range(3):
            total = total + (drawn.baselines[picture, glimpse] - reward) ** 2 / 18
        for glimpse in (1, 2):
            mean = drawn.means[picture, glimpse]
            raw = mean.detach() + 0.3 * noise[picture, glimpse].double()
            density = -((raw - mean) ** 2).sum() / (2 * 0.09) - math.log(2 * math.pi * 0.09)
            advantage = reward - float(drawn.baselines[picture, glimpse - 1].detach())
            total = total - weight * advantage * density / 6
    expected = torch.autograd.grad(total, list(chosen.parameters()), allow_unused=True)
    torch.testing.assert_close(parts["loss"], total)
    assert float(parts["reward"]) == pytest.approx(sum(rewards) / 6)
    for name, one, other in zip(dict(chosen.named_parameters()), gradients, expected, strict=True):
        torch.testing.assert_close(one, other, msg=name)
        assert one is not None, name


def test_a_floor_pushes_means_apart_and_adds_nothing_where_they_are_apart():
    chosen, (images, labels) = model(), batch()
    plain = Reinforcement().loss(chosen, images, labels, generator())["loss"]
    means = chosen.look(images, generator=generator()).means[:, 1:]
    apart = means.std(0, correction=0).amax(-1)
    floor = float(apart.detach().max()) + 0.1
    pushed = Reinforcement(floor=floor, floor_weight=3.0).loss(chosen, images, labels, generator())["loss"]
    torch.testing.assert_close(pushed - plain, 3 * ((floor - apart) ** 2).sum())
    (pushed - plain).backward()
    with torch.no_grad():
        for parameter in chosen.glimpses.mean.parameters():
            parameter.sub_(0.01 * parameter.grad / parameter.grad.norm())
    after = chosen.look(images, generator=generator()).means[:, 1:].std(0, correction=0).amax(-1)
    assert after.sum() > apart.sum()
    low = Reinforcement(floor=float(apart.detach().min()) / 2).loss(chosen, images, labels, generator())["loss"]
    assert torch.isfinite(low)


def test_it_measures_the_averaged_draws_one_draw_the_mean_path_and_the_spread():
    chosen, (images, labels) = model(location_std=0.5).float(), batch(40)
    examples = Examples((images * 255).to(torch.uint8), labels)
    measured = Reinforcement(draws=3).measure(chosen, examples)
    assert measured.keys() == Reinforcement.measures.keys()
    given, chance = examples.images.float() / 255, generator()
    with torch.no_grad():
        drawn = [chosen(given, generator=chance).softmax(1).double() for _ in range(3)]
        steady = chosen.look(given)
    averaged = torch.stack(drawn).mean(0)
    expected = {
        "accuracy": averaged.argmax(1) == labels,
        "accuracy_one_draw": drawn[0].argmax(1) == labels,
        "accuracy_mean_path": steady.logits[:, -1].argmax(1) == labels,
    }
    for name, correct in expected.items():
        assert measured[name].correct.tolist() == correct.tolist()
        assert measured[name].value == pytest.approx(float(correct.double().mean()))
    loss = -averaged[torch.arange(40), labels].log().mean()
    assert measured["loss"].value == pytest.approx(float(loss), rel=1e-5)
    assert measured["spread"].value == pytest.approx(spread(steady.means))


def test_the_spread_is_that_of_the_larger_axis_at_the_narrowest_glimpse_after_the_first():
    means = torch.zeros(4, 3, 2)
    means[:, 0] = torch.randn(4, 2)
    means[:, 1, 0] = torch.tensor([1.0, -1.0, 1.0, -1.0])
    means[:, 2] = torch.tensor([[0.1, 0.5], [0.1, -0.5], [-0.1, 0.5], [-0.1, -0.5]])
    assert spread(means) == pytest.approx(0.5)
    assert spread(means[:, :1]) == 0.0


def test_a_collapse_is_said_in_a_sentence():
    judge, learnt = Reinforcement(), RECIPES["recurrent_attention.cluttered"]
    sentence = judge.remark(learnt, {"validation_spread": COLLAPSED - 0.01})
    assert sentence is not None and "has collapsed" in sentence and "0.14" in sentence
    assert judge.remark(learnt, {"validation_spread": COLLAPSED}) is None
    assert judge.remark(learnt, {"train_loss": 1.0}) is None
    assert Classification().remark(learnt, {"validation_loss": 9.0}) is None


@pytest.mark.parametrize("name", ["random", "centre", "ring", "oracle"])
def test_a_policy_that_is_not_learnt_is_not_said_to_have_collapsed(name):
    recipe = RECIPES[f"recurrent_attention.cluttered-{name}"]
    assert Reinforcement().remark(recipe, {"validation_spread": 0.0}) is None


def test_it_is_an_objective_that_recipes_name():
    recipe = small.recipe(
        objective="reinforcement", objective_config={"draws": 2}, watch="accuracy_one_draw",
        tests=(RecipeTest(data="strokes", figures=("accuracy", "spread")),),
    )  # fmt: skip
    found = objective(recipe)
    assert isinstance(found, Reinforcement) and found.draws == 2


def test_a_model_that_does_not_look_around_is_refused():
    with pytest.raises(BadInput, match="with a method `look`; Flatten has none"):
        Reinforcement().loss(nn.Flatten(), *batch(), generator())


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"every_glimpse": -1.0}, {"weight": -1.0}, {"floor": -0.1}])
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(BadInput, match="weights of 0 or more"):
        Reinforcement(**wrong)


def test_of_two_classes_the_single_column_is_the_log_odds_of_the_second():
    chosen, (images, labels) = model(classes=("a", "b"), location_std=0.3), batch()
    labels = labels % 2
    with torch.no_grad():
        chosen.glimpses.classifier.weight.mul_(30)  # so that some answers are the first class and some the second
    parts = Reinforcement(every_glimpse=0.5).loss(chosen, images, labels, generator())
    logits = chosen.look(images, generator=generator()).logits[..., 0]
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits[:, -1], labels.double())
    assert parts["classification"].item() == pytest.approx(each.item())
    answers = logits[:, -1] > 0
    assert answers.any() and not answers.all()
    assert parts["reward"].item() == pytest.approx((answers == labels.bool()).double().mean().item())
    before = torch.log1p(torch.exp(torch.where(labels.bool()[:, None], -logits, logits)))[:, :-1].mean().item()
    alone = Reinforcement().loss(chosen, images, labels, generator())["loss"].item()
    assert parts["loss"].item() == pytest.approx(alone + 0.5 * before)


def test_of_two_classes_what_is_measured_is_what_the_model_answers():
    chosen = model(classes=("a", "b")).float()
    with torch.no_grad():
        chosen.glimpses.classifier.weight.mul_(30)
    images = (255 * batch(40)[0]).byte()
    labels = torch.arange(40) % 2
    found = Reinforcement(draws=1).measure(chosen, Examples(images, labels))
    with torch.no_grad():
        drawn = chosen(images.float() / 255, generator=generator(MEASURING_SEED))
        correct = {"accuracy_one_draw": predicted(drawn), "accuracy_mean_path": predicted(chosen(images.float() / 255))}
    correct["accuracy"] = correct["accuracy_one_draw"]
    for name, answered in correct.items():
        assert 0 < answered.sum() < 40
        assert torch.equal(found[name].correct, answered == labels)
        assert torch.equal(found[name].answers, answered)
    assert found["loss"].value == pytest.approx(float(loss_of(drawn.double(), labels)), rel=1e-5)
