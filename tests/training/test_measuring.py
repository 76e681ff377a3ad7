"""What a card says of trained weights, attnviz/training/measuring.py: the example. Figures: test_seeds.py."""

import hashlib
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz import data, models
from attnviz.data import strokes
from attnviz.errors import BadInput
from attnviz.models import Input, ModelSpec
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import Test as RecipeTest
from attnviz.training import measuring
from attnviz.training.examples import ExampleSet
from attnviz.training.objectives import Classification, Measured, objective
from attnviz.training.seeds import build
from tests.training import small


class Mean(nn.Module):
    """The mean of each channel: whatever the shape of the pictures."""

    def __init__(self, **config: object) -> None:
        super().__init__()

    def forward(self, images: Tensor) -> Tensor:
        return images.mean((2, 3))


@pytest.fixture
def shaped(monkeypatch: pytest.MonkeyPatch):
    """Add a model of pictures of a shape, and return a recipe of it."""

    def make(source: str, classes: tuple[int, ...], shape: Input) -> Recipe:
        row = ModelSpec("Mean", Mean, "A test", lambda config: shape)
        monkeypatch.setitem(models.MODELS, "mean", row)
        return small.recipe("pixel_line", data=source, classes=classes).model_copy(
            update={"model": "mean", "config": {}}
        )

    return make


def test_the_example_of_digits_is_drawn_in_the_shape_that_the_model_takes(shaped):
    recipe = shaped("mnist", (8, 1), Input(3, 40, 40))
    example = measuring.example(Mean(), recipe)
    assert (example.data, example.labels, example.seed) == ("strokes", (8, 1) * 10, 20)
    pictures = measuring.example_pictures(recipe, example.data, example.labels, example.seed)
    assert pictures.shape == (20, 3, 40, 40)
    assert example.digest == hashlib.sha256(pictures.numpy().tobytes()).hexdigest()
    torch.testing.assert_close(torch.tensor(example.logits), (pictures / 255).mean((2, 3)))


def test_the_example_of_digits_of_the_usual_shape_is_drawn_as_it_is(shaped):
    recipe = shaped("strokes", (8, 1), Input(1, 28, 28))
    pictures = measuring.example_pictures(recipe, "strokes", (8, 1), 20)
    np.testing.assert_array_equal(pictures[:, 0], strokes.draw(np.array([8, 1]), seed=20)[..., 0])


@pytest.mark.parametrize(
    ("source", "shape"), [("cifar10", Input(3, 32, 32, "resized")), ("fashion_mnist", Input(1, 28, 28))]
)
def test_the_example_of_other_pictures_is_the_first_samples_of_the_recipes_classes(shaped, source, shape):
    recipe = shaped(source, (9, 3), shape)
    example = measuring.example(Mean(), recipe)
    images, labels = data.load(source, "samples")
    chosen = np.isin(labels, (9, 3))
    count = min(20, int(chosen.sum()))
    assert (example.data, example.seed) == (source, None)
    assert list(example.labels) == labels[chosen][:count].tolist()
    expected = torch.tensor(images[chosen][:count]).permute(0, 3, 1, 2) / 255
    torch.testing.assert_close(torch.tensor(example.logits), expected.mean((2, 3)))


def test_where_there_are_no_pictures_of_the_kind_there_is_no_example(shaped, monkeypatch):
    known: Mapping[str, data.DataSpec] = data.DATASETS
    monkeypatch.setitem(data.DATASETS, "theirs", known["cifar10"])
    assert measuring.example(Mean(), shaped("theirs", (0, 1), Input(3, 32, 32))) is None


def test_the_example_of_cluttered_digits_is_made_from_strokes_in_the_same_shape(shaped):
    recipe = shaped("cluttered_mnist", tuple(range(10)), Input(1, 40, 40))
    example = measuring.example(Mean(), recipe)
    assert (example.data, example.seed, len(example.labels)) == ("cluttered_strokes", None, 20)
    images, labels = data.load("cluttered_strokes", "test", count=20)
    assert list(example.labels) == labels.tolist()
    expected = torch.tensor(images).permute(0, 3, 1, 2) / 255
    torch.testing.assert_close(torch.tensor(example.logits), expected.mean((2, 3)))


def test_a_figure_that_these_examples_do_not_allow_to_measure_is_refused():
    class Silent(Classification):
        def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
            return {"loss": Measured(1.0)}

    test = RecipeTest(data="strokes", figures=("loss", "accuracy"))
    with pytest.raises(BadInput, match="accuracy cannot be measured on 9 examples of strokes/test. Test on more"):
        measuring.evaluate(Mean(), Silent(), test, small.examples(9))


def test_with_a_part_replaced_only_figures_that_hear_of_it_are_measured():
    """The spread of a policy is measured by the method `look`, which knows nothing of what is replaced."""
    recipe = small.recipe(
        "recurrent_attention", config={"glimpses": 2, "size": 4, "scales": 1, "features": 4, "width": 8},
        objective="reinforcement", objective_config={"draws": 1}, watch="accuracy",
        tests=(RecipeTest(data="strokes", count=10, figures=("accuracy", "spread")),),
        ablations=({"name": "mean", "of": "glimpses.location"},),
    )  # fmt: skip
    model = build(recipe, torch.Generator().manual_seed(0))
    several = measuring.Seeds({0: dict(model.state_dict())}, 0, [], None)
    figures, (ablated,) = measuring.measured(recipe, several, model, small.examples(), objective(recipe))
    assert [figure.name for figure in figures] == ["accuracy", "spread"]
    assert [figure.name for figure in ablated.figures] == ["accuracy"]
