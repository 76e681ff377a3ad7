"""Objectives, attnviz/training/objectives.py: classification, and one that draws, as a third party would write it."""

import math
from collections.abc import Mapping

import pytest
import torch
from torch import Tensor, nn

from attnviz.answers import predicted
from attnviz.errors import BadInput, UnknownName
from attnviz.training import objectives
from attnviz.training.examples import Examples, ExampleSet, as_float
from attnviz.training.loop import Training
from attnviz.training.objectives import OBJECTIVES, Classification, Measure, Measured, Objective
from attnviz.training.progress import Epoch
from tests.training import small


def test_the_loss_of_one_column_is_the_binary_cross_entropy():
    logits, labels = torch.tensor([[2.0], [-1.0]]), torch.tensor([1, 1])
    expected = (math.log1p(math.exp(-2)) + math.log1p(math.exp(1))) / 2
    assert objectives.loss_of(logits, labels).item() == pytest.approx(expected)


def test_the_loss_of_several_columns_is_the_cross_entropy():
    logits, labels = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([0])
    expected = math.log(math.exp(1) + math.exp(2) + math.exp(3)) - 1
    assert objectives.loss_of(logits, labels).item() == pytest.approx(expected)


def test_the_answer_is_the_class_with_the_largest_probability():
    assert predicted(torch.tensor([[0.1], [-0.1], [0.0]])).tolist() == [1, 0, 0]
    assert predicted(torch.tensor([[1.0, 3.0, 2.0], [0.0, -1.0, -2.0]])).tolist() == [1, 0]


def test_measuring_changes_nothing_and_counts_correct_answers():
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 1), nn.Dropout(0.9))
    with torch.no_grad():
        model[1].weight.copy_(torch.tensor([[1.0, 0, 0, 0]]))
        model[1].bias.fill_(-0.5)
    images = torch.zeros(4, 1, 2, 2, dtype=torch.uint8)
    images[:2, 0, 0, 0] = 255
    measured = Classification().measure(model, Examples(images, torch.tensor([1, 0, 0, 0])))
    assert measured["accuracy"].value == 0.75
    assert measured["accuracy"].correct.tolist() == [True, False, True, True]
    assert measured["loss"].value == pytest.approx((3 * math.log1p(math.exp(-0.5)) + math.log1p(math.exp(0.5))) / 4)
    assert measured.keys() == Classification.measures.keys()
    assert all(parameter.grad is None for parameter in model.parameters())


def test_answers_do_not_depend_on_how_many_pictures_go_at_once():
    training = small.training(small.recipe())
    few, many = (objectives.answers(training.model, training.train, size) for size in (7, 64))
    assert few.shape == (40, 1)
    torch.testing.assert_close(few, many)


class Drawing(nn.Module):
    """Draws where it looks, and returns more than logits when it is asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(2))
        self.line = nn.Linear(2, 1)

    def forward(self, images: Tensor, *, generator: torch.Generator, path: bool = False) -> Tensor | tuple[Tensor, ...]:
        noise = torch.randn(len(images), 2, generator=generator)
        location = (self.mean + 0.1 * noise).detach()
        logits = self.line(location * images.mean((1, 2, 3))[:, None])
        return (logits, location, self.mean) if path else logits


class Reinforcement(Objective):
    """The reward reaches the mean by the likelihood of a detached draw; averages several draws when it measures."""

    measures = {
        "accuracy": Measure("share", "higher"),
        "reward": Measure("share", "higher"),
        "loss": Measure("nats", "lower"),
    }

    def __init__(self, draws: int = 1) -> None:
        self.draws = draws

    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        logits, location, mean = model(images, generator=generator, path=True)
        reward = (predicted(logits) == labels).float()
        likelihood = -((location - mean) ** 2).sum(1) / 0.02
        cross_entropy = objectives.loss_of(logits, labels)
        return {
            "loss": cross_entropy - (reward * likelihood).mean(),
            "reward": reward.mean(),
            "cross_entropy": cross_entropy,
        }

    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            (examples,) = examples.split(len(examples))
            images = as_float(examples.images)
            logits = torch.stack([model(images, generator=generator) for _ in range(self.draws)]).mean(0)
        correct = predicted(logits) == examples.labels
        share = float(correct.double().mean())
        loss = float(objectives.loss_of(logits, examples.labels))
        return {"accuracy": Measured(share, correct), "reward": Measured(share), "loss": Measured(loss)}


@pytest.fixture
def reinforcement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OBJECTIVES, "reinforcement", Reinforcement)


def _drawing(**changes: object) -> Training:
    chosen = small.recipe(
        "pixel_line", objective="reinforcement", objective_config={"draws": 3}, watch="reward", epochs=2, **changes
    )
    model = Drawing()
    torch.nn.init.constant_(model.line.weight, 0.5)
    torch.nn.init.zeros_(model.line.bias)
    generator = torch.Generator().manual_seed(0)
    return Training(model, chosen, small.examples(40), small.examples(15, start=40), generator)


@pytest.mark.usefixtures("reinforcement")
def test_an_objective_may_draw_detach_and_name_several_values_of_an_epoch():
    first, again = (list(_drawing().run()) for _ in range(2))
    assert first == again  # the recipe's generator decides the draws
    epochs = [event for event in first if isinstance(event, Epoch)]
    for epoch in epochs:
        assert list(epoch.values) == [
            "train_loss", "train_reward", "train_cross_entropy",
            "validation_accuracy", "validation_reward", "validation_loss",
        ]  # fmt: skip
        assert 0 <= epoch.values["train_reward"] <= 1
    training = _drawing()
    before = training.model.mean.detach().clone()
    list(training.run())
    assert not torch.equal(training.model.mean, before)


@pytest.mark.usefixtures("reinforcement")
def test_a_training_that_draws_can_be_gone_on_with():
    whole, first, second = (_drawing() for _ in range(3))
    expected = list(whole.run())
    events = first.run()
    before = [next(events) for _ in range(4)]
    second.restore(*first.state())
    assert before + list(second.run()) == expected


def test_classification_gives_a_model_that_draws_its_generator():
    model = Drawing()
    generator = torch.Generator().manual_seed(3)
    images, labels = torch.ones(4, 1, 2, 2), torch.tensor([0, 1, 0, 1])
    first = Classification().loss(model, images, labels, generator)["loss"]
    assert first != Classification().loss(model, images, labels, generator)["loss"]
    generator.manual_seed(3)
    assert first == Classification().loss(model, images, labels, generator)["loss"]
    examples = small.examples(8)
    assert objectives.answers(model, examples).tolist() == objectives.answers(model, examples).tolist()


@pytest.mark.usefixtures("reinforcement")
@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"objective": "reinforcment"}, UnknownName, "no objective 'reinforcment'. Did you mean 'reinforcement'"),
        ({"objective_config": {"beta": 1}}, BadInput, "objective_config of .*small does not fit 'reinforcement'"),
        ({"watch": "rewards"}, UnknownName, "no measure of the objective reinforcement 'rewards'. Did you mean"),
        ({"tests": [{"data": "strokes", "figures": ["error"]}]}, UnknownName, "no measure .* 'error'"),
    ],
)  # fmt: skip
def test_an_objective_that_does_not_fit_its_recipe_is_one_sentence(changes, error, sentence):
    with pytest.raises(error, match=sentence):
        objectives.objective(small.recipe(**{"objective": "reinforcement", **changes}))
