"""Every architecture, with every recipe's config: attnviz/models. Those that say a text are in test_readers.py."""

import inspect
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import testing
from attnviz.answers import probabilities
from attnviz.data import DATASETS
from attnviz.errors import BadInput, UnknownName
from attnviz.models import MODELS, controls, input_of, spec
from attnviz.models.parts import columns_of
from attnviz.recipes import RECIPES
from attnviz.tracing import trace
from attnviz.training.run_file import config_of
from tests.sweeps import sweep

CONTROLS = (controls.__name__, controls.__name__, controls.__name__)
ROWS, COLUMNS = 4, 8
SMALL = {"rows": ROWS, "columns": COLUMNS}  # a config's own size, made small
BLOCKS = {"rows": 12, "columns": 16}  # the smallest that make several blocks


def shrunk(config: dict[str, Any]) -> dict[str, Any]:
    """Make pictures and nets small; and the values such that no hard maximum, even share or dead unit hides a gradient.

    Of a net of residual blocks, two groups of two are left: a block that changes its channels, and one that does not.
    """
    hard = {"std": 0.3} if config.get("std", 1) < 0.01 else {}
    small = BLOCKS if "attention" in config else SMALL
    even = {"eps": 1e-9, "arrays_std": 0.5} if "layers" in config and "patch" not in config else {}
    dead = {"output_norm": 1.0} if "output_norm" in config else {}
    few = {"strides": config["strides"][:2], "widths": (8, 16), "blocks": 2} if "blocks" in config else {}
    two = {name: 2 for name in ("patch", "unshuffle") if name in config}
    slim = {"features": 8, "heads": 2, "hidden": 12, "layers": 2} if "patch" in config and "features" in config else {}
    stem = {"stem": [6]} if "stem" in config else {}
    return {**config, **small, **hard, **even, **dead, **few, **two, **slim, **stem}


def different(variants: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Keep the first of those that are the same: recipes may differ in data and training alone.

    Of element-wise attention only the choice of options counts, not how many heads or layers there are.
    """
    kept: dict[str, tuple[str, dict[str, Any]]] = {}
    kinds = []
    for key, (model, config) in variants.items():
        amounts = isinstance(config.get("layers"), int)
        kind = (
            model,
            {name: None if amounts and not isinstance(value, str) else value for name, value in config.items()},
        )
        if kind not in kinds:
            kinds.append(kind)
            kept[key] = model, config
    return kept


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **different(
        {
            key: (recipe.model, shrunk(config_of(recipe)))
            for key, recipe in RECIPES.items()
            if not spec(recipe.model).per_step
        }
    ),
    "pixel_attention, three classes, heads and learned positions": (
        "pixel_attention",
        {"classes": ("a", "b", "c"), "heads": 3, "head_size": 2, "mean": 0.5, "std": 0.25, "positions": "learned",
         "position_features": 4, **SMALL},
    ),
    "vision_transformer, two registers, the mean of the patches": (
        "vision_transformer",
        {"classes": ("a", "b"), "patch": 2, "features": 8, "heads": 2, "hidden": 12, "layers": 2, "reading": "mean",
         "registers": 2, **SMALL},
    ),
    "pixel_attention, rows and columns coded": (
        "pixel_attention",
        {"classes": ("a", "b"), "heads": 2, "head_size": 1, "mean": 0.5, "std": 0.25, "positions": "sinusoidal_2d",
         "position_features": 4, **SMALL},
    ),
}  # fmt: skip


def options(variant: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return a model and its config, without the amounts: how many heads, layers or glimpses there are, for example."""
    model, config = variant
    return model, {name: value if isinstance(value, str | bool | None) else ... for name, value in config.items()}


ALWAYS = {next(key for key, other in VARIANTS.items() if options(other) == options(one)) for one in VARIANTS.values()}


@pytest.fixture(params=sweep(VARIANTS, ALWAYS.__contains__))
def variant(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    return VARIANTS[request.param]


def built(variant: tuple[str, dict[str, Any]], seed: int = 0) -> nn.Module:
    name, config = variant
    return spec(name).build(config, torch.Generator().manual_seed(seed))


SETTLED: dict[str, nn.Module] = {}


def settled(variant: tuple[str, dict[str, Any]]) -> nn.Module:
    """Return a model in evaluation mode whose batch normalisations have seen pictures."""
    if str(variant) not in SETTLED:
        model = built(variant)
        if any("Norm" in type(part).__name__ for part in model.modules()):
            with torch.no_grad():
                for _ in range(50):
                    model(pictures(variant))
        SETTLED[str(variant)] = model.eval()
    return deepcopy(SETTLED[str(variant)])


def unused(variant: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    """Return words of taps that come before a relevance which is replaced in evaluation, so that they do nothing."""
    replaced = variant[1].get("mode", "learnt") != "learnt"
    return ("x_product", "y_product", "x_relevance", "y_relevance", ".relevance") if replaced else ()


def pictures(variant: tuple[str, dict[str, Any]], count: int = 6) -> Tensor:
    taken = input_of(*variant)
    shape = (count, taken.channels, taken.rows, taken.columns)
    return torch.rand(shape, generator=torch.Generator().manual_seed(1))


def is_control(variant: tuple[str, dict[str, Any]]) -> bool:
    """Return whether a model has nothing inside to look at."""
    return type(built(variant)).__module__ in CONTROLS or variant[1].get("transform") == "none"


def test_every_recipe_is_for_a_model_that_there_is():
    assert {recipe.model for recipe in RECIPES.values()} <= set(MODELS)
    assert {name for name, row in MODELS.items() if not row.per_step} == {name for name, _ in VARIANTS.values()}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipes_model_takes_pictures_of_the_recipes_data_as_they_are(recipe):
    model = spec(recipe.model).build(config_of(recipe)).eval()
    rows, columns, channels = DATASETS[recipe.data].shape
    shape = model(torch.rand(1, channels, rows, columns)).shape
    assert (shape[0], shape[-1]) == (1, columns_of(config_of(recipe)["classes"]))
    assert len(shape) == 2 + spec(recipe.model).per_step


def test_the_logits_have_a_row_a_picture_and_one_column_for_two_classes(variant):
    classes = variant[1]["classes"]
    testing.check_answer(built(variant), pictures(variant), 1 if len(classes) == 2 else len(classes))


def test_one_picture_alone_gets_the_same_logits_as_in_a_batch(variant):
    testing.check_alone(settled(variant), pictures(variant))


def test_a_step_of_training_reaches_every_parameter_and_lowers_the_loss(variant):
    model, images = built(variant).double(), pictures(variant).double()
    target = torch.arange(6) % len(variant[1]["classes"])
    draws = "generator" in spec(variant[0]).takes  # then a large step could move a location to the next pixel
    steep = variant[0] == "vision_transformer"  # its class token begins near zero, and is normalised
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-5 if draws or steep else 1e-3)

    def loss() -> Tensor:
        drawn = {"generator": torch.Generator().manual_seed(0)} if draws else {}
        return -probabilities(model(images, **drawn))[torch.arange(6), target].log().mean()

    before = loss()
    before.backward()
    largest = {name: 0.0 if one.grad is None else float(one.grad.abs().max()) for name, one in model.named_parameters()}
    rounding = 1e-12 * max(largest.values())  # of sums in which everything cancels: a few thousand units of 2e-16
    for name, gradient in largest.items():
        assert (gradient <= rounding) == untaught(variant, name), f"{name}: {gradient}"
    optimiser.step()
    assert loss() < before


def untaught(variant: tuple[str, dict[str, Any]], name: str) -> bool:
    """Return whether the loss of the answers does not reach a parameter."""
    model, config = variant
    if model == "recurrent_attention":  # the reward teaches the policy and the baseline
        centre = not any(map(any, config.get("path", [[1]])))
        if centre and name.startswith("glimpses.where") and name != "glimpses.where.2.bias":
            return True  # there a location is 0, and so is all that a first layer makes of it
        return name.startswith("glimpses.baseline") or (name.startswith("glimpses.mean") and config.get("detach", True))
    if config.get("attention") == "zero":
        return name.startswith(("attention.query", "attention.key", "attention.value"))
    if config.get("mode") in ("one", "zero") and name.endswith(("x_weights", "y_weights")):
        return True
    if model == "spatial_transformer" and name.startswith("transformer.localisation"):
        return True  # not by the first step: it begins as the identity, with weights of 0 behind it
    if "output_norm" in config and name.endswith("conv.bias"):
        return True  # the normalisation subtracts the mean
    # A bias of the keys adds the same to all scores of a query, which the softmax does not see. Behind a ReLU it does.
    return model in ("pixel_attention", "vision_transformer") and name.endswith("key.bias")


def test_the_key_biases_gradient_is_zero_for_it_shifts_all_scores_of_a_query_alike():
    model = built(VARIANTS["pixel_attention.1v8"]).double()
    images = torch.rand(2, 1, ROWS, COLUMNS, dtype=torch.float64)
    model(images).sum().backward()
    assert model.attention.key.bias.grad.abs().max() < 1e-9
    assert model.attention.query.bias.grad.abs().max() > 1e-7


def test_every_declared_tap_is_reached_and_reading_them_does_not_change_the_logits(variant):
    model = built(variant).eval()
    if not testing.taps_of(model):
        assert is_control(variant)  # they have nothing inside to look at
        return
    testing.check_taps(model, pictures(variant))


def test_every_declared_tap_is_reached_while_it_trains(variant):
    model = built(variant)
    if not testing.taps_of(model):
        assert is_control(variant)
        return
    with trace(model) as seen:
        model(pictures(variant))
    assert sorted(seen) == sorted(testing.taps_of(model))


def test_an_edit_of_every_tap_changes_the_logits(variant):
    replaced = unused(variant)
    unread = (*replaced, "glimpses.baseline")  # training reads it alone
    testing.check_edits(settled(variant), pictures(variant), unused=unread)


def test_saved_and_loaded_it_predicts_the_same(variant):
    testing.check_weights(lambda seed: built(variant, seed).eval(), pictures(variant))


def test_the_same_generator_gives_the_same_weights_and_another_gives_others(variant):
    one, same, other = built(variant), built(variant), built(variant, seed=1)
    for name, tensor in one.state_dict().items():
        assert torch.equal(tensor, same.state_dict()[name]), name
        constant = (tensor == tensor.flatten()[0]).all()  # biases, and what batch normalisation begins with
        constant = constant or name == "transformer.last.bias"  # the identity
        assert constant or not torch.equal(tensor, other.state_dict()[name]), name


@pytest.mark.parametrize(
    "shape",
    [(2, "r", "c"), (2, 2, "r", "c"), (2, 1, "c", "r"), (2, 1, 1, "c"), (1, "r", "c")],
    ids=str,
)
def test_pictures_of_another_shape_are_refused_with_both_shapes(variant, shape):
    taken = input_of(*variant)
    sizes = [{"r": taken.rows, "c": taken.columns}.get(size, size) for size in shape]
    expected = rf"{taken.channels}, {taken.rows}, {taken.columns}"
    with pytest.raises(
        BadInput,
        match=rf"of shape \(batch, {expected}\), not float32 of shape \({sizes[0]}, ",
    ):
        built(variant)(torch.rand(sizes))


def test_pictures_in_8_bit_and_arrays_are_refused(variant):
    with pytest.raises(BadInput, match="float pictures in 0..1 .* not uint8"):
        built(variant)((pictures(variant) * 255).to(torch.uint8))
    with pytest.raises(BadInput, match="float pictures in 0..1 .* not a ndarray: make a tensor of it"):
        built(variant)(pictures(variant).numpy())


@pytest.mark.parametrize(
    "given",
    [lambda one: one * 255, lambda one: (one * 255).double(), lambda one: 2 * one - 1, lambda one: (one - 0.13) / 0.31,
     lambda one: one / 0, lambda one: torch.nan * one],
    ids=["0..255", "0..255, double", "-1..1", "standardised", "infinite", "no number"],
)  # fmt: skip
def test_float_pictures_outside_of_0_to_1_are_refused(variant, given):
    model, images = (
        built(variant).eval(),
        torch.linspace(0, 1, pictures(variant, 1).numel()).view_as(pictures(variant, 1)),
    )
    with pytest.raises(
        BadInput, match=r"takes intensities in 0\.\.1, not in .*\.\..*Divide those of 8-bit pictures by 2"
    ):
        (model.double() if given(images).dtype == torch.float64 else model)(given(images))


def test_constructors_take_keywords_only_and_a_generator(variant):
    parameters = inspect.signature(type(built(variant))).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
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
