"""Every architecture, with every recipe's config: attnviz/models."""

import inspect
from typing import Any

import pytest
import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from attnviz.errors import BadInput, UnknownName
from attnviz.models import MODELS, controls, probabilities, spec
from attnviz.models.parts import columns_of
from attnviz.recipes import RECIPES
from attnviz.tracing import Layer, trace
from attnviz.training.seeds import config_of

ROWS, COLUMNS = 4, 6
SMALL = {"rows": ROWS, "columns": COLUMNS}  # a config's own size, made small


def shrunk(config: dict[str, Any]) -> dict[str, Any]:
    """Make the pictures small; and standardise them, where a hard maximum would hand no gradient back."""
    hard = {"std": 0.3} if config.get("std", 1) < 0.01 else {}
    return {**config, **SMALL, **hard, **({"patch": 2} if "patch" in config else {})}


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{key: (recipe.model, shrunk(config_of(recipe))) for key, recipe in RECIPES.items()},
    "pixel_attention, three classes, heads and learned positions": (
        "pixel_attention",
        {"classes": ("a", "b", "c"), "heads": 3, "head_size": 2, "mean": 0.5, "std": 0.25, "positions": "learned",
         "position_features": 4, **SMALL},
    ),
    "pixel_attention, rows and columns coded": (
        "pixel_attention",
        {"classes": ("a", "b"), "heads": 2, "head_size": 1, "mean": 0.5, "std": 0.25, "positions": "sinusoidal_2d",
         "position_features": 4, **SMALL},
    ),
}  # fmt: skip


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    return VARIANTS[request.param]


def built(variant: tuple[str, dict[str, Any]], seed: int = 0) -> nn.Module:
    name, config = variant
    return spec(name).build(config, torch.Generator().manual_seed(seed))


def pictures(variant: tuple[str, dict[str, Any]], count: int = 6) -> Tensor:
    shape = (count, spec(variant[0]).channels, ROWS, COLUMNS)
    return torch.rand(shape, generator=torch.Generator().manual_seed(1))


def declared(model: nn.Module) -> list[str]:
    layers = [(path, layer) for path, layer in model.named_modules() if isinstance(layer, Layer)]
    return [f"{path}.{name}" if path else name for path, layer in layers for name in layer.taps]


def test_every_recipe_is_for_a_model_that_there_is():
    assert {recipe.model for recipe in RECIPES.values()} <= set(MODELS)
    assert set(MODELS) == {name for name, _ in VARIANTS.values()}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipes_model_takes_pictures_of_the_recipes_data_as_they_are(recipe):
    model = spec(recipe.model).build(config_of(recipe))
    assert model(torch.rand(1, 1, 28, 28)).shape == (1, columns_of(config_of(recipe)["classes"]))


def test_the_logits_have_a_row_a_picture_and_one_column_for_two_classes(variant):
    classes = variant[1]["classes"]
    logits = built(variant)(pictures(variant))
    assert logits.shape == (6, 1 if len(classes) == 2 else len(classes))
    assert torch.isfinite(logits).all()


def test_one_picture_alone_gets_the_same_logits_as_in_a_batch(variant):
    model, images = built(variant).eval(), pictures(variant)
    alone = torch.cat([model(image[None]) for image in images])
    torch.testing.assert_close(alone, model(images), rtol=1e-4, atol=1e-5)
    assert len(torch.unique(alone)) > 1


def test_a_step_of_training_reaches_every_parameter_and_lowers_the_loss(variant):
    model, images = built(variant), pictures(variant)
    target = torch.arange(6) % len(variant[1]["classes"])
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)

    def loss() -> Tensor:
        return -probabilities(model(images))[torch.arange(6), target].log().mean()

    before = loss()
    before.backward()
    for name, parameter in model.named_parameters():
        # A bias of the keys adds the same to all scores of a query, which the softmax does not see: it gets none.
        if not name.endswith("key.bias"):
            assert parameter.grad.abs().max() > 1e-7, name
    optimiser.step()
    assert loss() < before


def test_the_key_biases_gradient_is_zero_for_it_shifts_all_scores_of_a_query_alike():
    model = built(VARIANTS["pixel_attention.1v8"]).double()
    images = torch.rand(2, 1, ROWS, COLUMNS, dtype=torch.float64)
    model(images).sum().backward()
    assert model.attention.key.bias.grad.abs().max() < 1e-9
    assert model.attention.query.bias.grad.abs().max() > 1e-7


def test_every_declared_tap_is_reached(variant):
    model = built(variant)
    if not declared(model):
        assert MODELS[variant[0]].constructor.__module__ == controls.__name__  # they have nothing inside to look at
        return
    with trace(model) as seen:
        model(pictures(variant))
    assert sorted(seen) == sorted(declared(model))


def test_an_edit_of_every_tap_changes_the_logits(variant):
    model, images = built(variant).eval(), pictures(variant)
    untouched = model(images)
    generator = torch.Generator().manual_seed(2)
    for address in declared(model):
        with trace(model, keep=[], edits={address: lambda t: t + torch.randn(t.shape, generator=generator)}):
            edited = model(images)
        assert not torch.allclose(edited, untouched, rtol=1e-3), address


def test_listening_does_not_change_the_logits(variant):
    model, images = built(variant).eval(), pictures(variant)
    for address in declared(model):
        with trace(model, keep=[address]):
            heard = model(images)
        torch.testing.assert_close(heard, model(images), rtol=1e-4, atol=1e-5)


def test_saved_and_loaded_it_says_the_same(variant):
    model, images = built(variant), pictures(variant)
    other = built(variant, seed=1)
    assert not torch.equal(other(images), model(images))
    other.load_state_dict(load(save(model.state_dict())))
    assert torch.equal(other(images), model(images))


def test_the_same_generator_gives_the_same_weights_and_another_gives_others(variant):
    one, same, other = built(variant), built(variant), built(variant, seed=1)
    for name, tensor in one.state_dict().items():
        assert torch.equal(tensor, same.state_dict()[name]), name
        assert name.endswith("bias") or not torch.equal(tensor, other.state_dict()[name]), name


@pytest.mark.parametrize(
    "shape",
    [(2, ROWS, COLUMNS), (2, 3, ROWS, COLUMNS), (2, 1, COLUMNS, ROWS), (2, 1, ROWS + 1, COLUMNS), (1, ROWS, COLUMNS)],
    ids=str,
)
def test_pictures_of_another_shape_are_refused_with_both_shapes(variant, shape):
    with pytest.raises(
        BadInput, match=rf"of shape \(batch, 1, {ROWS}, {COLUMNS}\), not torch.float32 of shape \({shape[0]}, "
    ):
        built(variant)(torch.rand(shape))


def test_pictures_in_8_bit_are_refused(variant):
    with pytest.raises(BadInput, match="float pictures in 0..1 .* not torch.uint8"):
        built(variant)(torch.zeros(2, 1, ROWS, COLUMNS, dtype=torch.uint8))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_constructors_take_keywords_only_and_a_generator(model):
    parameters = inspect.signature(model.constructor).parameters
    assert {parameter.kind for parameter in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert "generator" in parameters


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(("config", "word"), [({"classes": ("a", "b"), "hats": 3}, "hats"), ({}, "missing")])
def test_a_config_that_does_not_fit_is_refused_by_name(model, config, word):
    with pytest.raises(BadInput, match=f"does not fit {model.title!r}.*{word}"):
        model.build(config)


def test_an_unknown_model_names_the_closest():
    with pytest.raises(UnknownName, match="no model 'pixel_atention'. Did you mean 'pixel_attention'"):
        spec("pixel_atention")


def test_probabilities_of_one_column_are_those_of_the_log_odds_of_the_last_class():
    logits = torch.tensor([[0.0], [2.0], [-700.0]])
    expected = [[0.5, 0.5], [1 - 0.8807970779778823, 0.8807970779778823], [1.0, 0.0]]
    torch.testing.assert_close(probabilities(logits), torch.tensor(expected))


def test_probabilities_of_many_columns_are_their_softmax():
    logits = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    expected = [[1 / 3] * 3, [0.09003057317038046, 0.24472847105479764, 0.6652409557748219]]
    torch.testing.assert_close(probabilities(logits), torch.tensor(expected))
