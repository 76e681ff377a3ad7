"""The one table of tap names, attnviz/roles.py, and whether the layers keep what it promises."""

import importlib
import pkgutil

import pytest
import torch

import attnviz.layers
import attnviz.models
from attnviz.models import MODELS, controls, spec
from attnviz.recipes import RECIPES
from attnviz.roles import AXES, ROLES, Role
from attnviz.tracing import Layer, trace
from attnviz.training.seeds import config_of
from tests.models.test_models import COLUMNS, ROWS, shrunk


def _layers() -> list[type[Layer]]:
    for package in (attnviz.layers, attnviz.models):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found, waiting = [], [Layer]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("attnviz."):
                found.append(kind)
    return found


def test_there_are_layers_to_look_at():
    assert {"Attention", "PositionCode"} <= {layer.__name__ for layer in _layers()}


@pytest.mark.parametrize("layer", _layers(), ids=lambda layer: layer.__name__)
def test_every_tap_of_every_layer_is_in_the_table_once(layer):
    assert layer.taps
    assert set(layer.taps) <= set(ROLES)
    assert len(set(layer.taps)) == len(layer.taps)


@pytest.mark.parametrize("name", ROLES)
def test_a_role_says_what_it_means_over_axes_that_there_are(name):
    role = ROLES[name]
    assert role.meaning.endswith(".")
    assert role.range in ("signed", "unit", "positive")
    for axes in role.axes:
        assert set(axes.split()) <= set(AXES)
        assert role.sums_to_one is None or role.sums_to_one in axes.split()


def test_every_axis_is_named_once_and_is_one_word():
    assert len(set(AXES)) == len(AXES)
    assert all(axis.split() == [axis] for axis in AXES)


@pytest.mark.parametrize(
    ("role", "colouring"),
    [
        (Role(("batch head query key",), "w.", "unit", sums_to_one="key"), "share"),
        (Role(("batch token feature",), "s.", "signed"), "signed"),
        (Role(("batch channel",), "u.", "unit"), "unit"),
        (Role(("batch channel",), "p.", "positive"), "positive"),
    ],
)
def test_the_range_decides_the_colouring(role, colouring):
    assert role.colouring == colouring


def _models() -> dict[str, tuple[str, dict[str, object]]]:
    models = {key: (recipe.model, shrunk(config_of(recipe))) for key, recipe in RECIPES.items()}
    config = {**models["pixel_attention.1v8"][1], "heads": 3, "positions": "sinusoidal_2d", "position_features": 4}
    return {**models, "with positions": ("pixel_attention", config)}


@pytest.mark.parametrize(("name", "config"), _models().values(), ids=_models())
def test_readings_have_the_axes_the_range_and_the_sums_that_their_roles_promise(name, config):
    model = spec(name).build(config, torch.Generator().manual_seed(0))
    if not any(isinstance(module, Layer) for module in model.modules()):
        assert MODELS[name].constructor.__module__ == controls.__name__  # they have nothing inside to look at
        return
    with torch.no_grad(), trace(model) as seen:
        model(torch.rand(2, 1, ROWS, COLUMNS, generator=torch.Generator().manual_seed(1)))
    for address, reading in seen.items():
        role = ROLES[address.rpartition(".")[2]]
        assert " ".join(reading.axes) in role.axes, address
        if role.range != "signed":
            assert reading.tensor.min() >= 0, address
        if role.range == "unit":
            assert reading.tensor.max() <= 1, address
        if role.sums_to_one:
            sums = reading.tensor.double().sum(reading.axes.index(role.sums_to_one))
            torch.testing.assert_close(sums, torch.ones_like(sums), rtol=0, atol=1e-5)
