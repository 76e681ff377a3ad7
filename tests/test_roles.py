"""The one table of tap names, attnviz/roles.py, and whether the layers keep what it promises."""

import importlib
import pkgutil

import pytest
import torch

import attnviz.layers
import attnviz.models
from attnviz import testing
from attnviz.errors import BadInput, TraceError
from attnviz.models import spec
from attnviz.roles import AXES, ROLES, Role, register_axis, register_role, role_of
from attnviz.tracing import Layer, trace
from tests.models.test_models import VARIANTS, is_control, pictures


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
    assert all(meaning.endswith(".") for meaning in AXES.values())


def test_a_name_that_is_in_no_table_has_a_plain_role():
    assert role_of("blocks.0.weights") is ROLES["weights"]
    assert role_of("weights") is ROLES["weights"]
    plain = role_of("blocks.0.flow")
    assert plain.colouring == "signed"
    assert "No role is registered for 'flow'" in plain.meaning


@pytest.fixture
def own_tables(monkeypatch):
    monkeypatch.setattr("attnviz.roles.ROLES", tables := dict(ROLES))
    assert "frame" not in AXES
    yield tables
    AXES.pop("frame", None)


def test_users_register_roles_and_axes_of_their_own(own_tables):
    class Film(Layer):
        taps = ("flow",)

        def forward(self, films):
            return self.tap("flow", films * 2, axes="batch frame row")

    model, films = Film(), torch.ones(1, 2, 3)
    with pytest.raises(TraceError, match="the axes 'batch frame row' must be .* register_axis"), trace(model):
        model(films)
    role = Role(("batch frame row",), "How far.", "positive")
    with pytest.raises(BadInput, match="the axis 'frame', which must be registered before"):
        register_role("flow", role)
    register_axis("frame", "Pictures of a film.")
    register_role("flow", role)
    register_axis("frame", "Pictures of a film.")
    register_role("flow", role)  # once more changes nothing
    assert role_of("film.flow") is role
    with trace(model) as seen:
        model(films)
    assert seen["flow"].at(frame=1).shape == (1, 3)


@pytest.mark.parametrize(
    ("name", "role", "message"),
    [
        ("weights", Role(("batch head",), "Mine.", "unit"), "The role 'weights' already has another meaning"),
        ("two words", Role(("batch head",), "Mine.", "unit"), "must be one word, such as my_role, not 'two words'"),
        ("mine", Role(("batch heads",), "Mine.", "unit"), "must be registered before. Did you mean 'head'"),
        ("mine", Role(("batch head",), "Mine.", "unit", "key"), "must sum to one along an axis of 'batch head', not"),
        ("mine", Role(("batch head",), "Mine.", "loud"), "must be signed, unit or positive, not 'loud'"),
    ],
)
def test_a_role_that_cannot_be_registered_says_why(own_tables, name, role, message):
    with pytest.raises(BadInput, match=message):
        register_role(name, role)
    assert own_tables == ROLES


def test_an_axis_here_is_not_replaced():
    with pytest.raises(BadInput, match="'head' already has another meaning"):
        register_axis("head", "Mine.")


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
    config = {**VARIANTS["pixel_attention.1v8"][1], "heads": 3, "positions": "sinusoidal_2d", "position_features": 4}
    return {**VARIANTS, "with positions": ("pixel_attention", config)}


@pytest.mark.parametrize(("name", "config"), _models().values(), ids=_models())
def test_readings_have_the_axes_the_range_and_the_sums_that_their_roles_promise(name, config):
    model = spec(name).build(config, torch.Generator().manual_seed(0))
    if not any(isinstance(module, Layer) for module in model.modules()):
        assert is_control((name, config))  # they have nothing inside to look at
        return
    testing.check_roles(model, pictures((name, config), 2))
