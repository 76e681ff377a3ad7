"""Every view of every mechanism, of an epoch of a run or of a history: it is that of a checkpoint with these weights.

Of each mechanism a small net is trained for a step, and every view that there is, a third party's too, is asked about
it; what only one mechanism can show, the others refuse in the same words.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import models, subjects
from attnviz.data import DATASETS, Dataset
from attnviz.data.targets import OneClass
from attnviz.errors import AttnvizError
from attnviz.recipes import RECIPES, Recipe
from attnviz.recipes.recipe import Test, changed
from attnviz.subjects import Net, Picture, Subject
from attnviz.subjects.history import key_of as history_key
from attnviz.subjects.history import key_of_run
from attnviz.training import histories, runs, seeds
from attnviz.training.examples import Examples, on_device
from attnviz.training.loop import Training
from attnviz.training.run import Run
from attnviz.training.run_file import config_of
from attnviz.ui import derived_values
from attnviz.ui.explorer.own_board import OWN_ACROSS, OWN_BOARD
from attnviz.ui.explorer.own_passes import OWN_LAYER
from attnviz.ui.live.derived import View
from attnviz.ui.live.second_training import BESIDE_VIEW
from attnviz.ui.live.tap_view import TAP_VIEW
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import findings
from attnviz.views.payload import unpack
from tests.third_party.installed import register
from tests.training import small
from tests.ui.mechanisms import untrained

EIGHT = Picture("strokes", 23)
BATCH = 8
HALVED = "halved"  # the folder of checkpoints with the weights that histories keep
CHOSEN = (
    "pixel_attention.digits-moved-no-positions",
    "pixel_attention.1v8",
    "pixel_attention.1v8-one-token",
    "element_wise.digits",
    "recurrent_attention.digits",
    "cnn_attention.digits",
    "channel_attention.digits",
    "spatial_transformer.rotated",
    "vision_transformer.digits",
    "encoder_decoder.strips-15",
    "cnn_attention.fashion-within",
    "colour_stages.digits",
)

Pair = tuple[Subject, Subject]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pair]]:
    """Return by recipe: the first epoch of a run, and a checkpoint with its weights, on one example."""
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        register(patch, "colour_stages")
        patch.setenv("ATTNVIZ_RUNS", str(folder / "runs"))
        patch.setenv("ATTNVIZ_CHECKPOINTS", str(folder / "checkpoints"))
        yield {name: _trained(folder / "checkpoints", _short(RECIPES[name])) for name in CHOSEN}


def _short(recipe: Recipe) -> Recipe:
    """Return a recipe for a step, and for pictures that are always here."""
    once: dict[str, Any] = {
        "batch": BATCH,
        "epochs": 1,
        "augmentation": None,
        "probes": (),
        "ablations": (),
        "weights": "float32",
    }
    if recipe.data in ("mnist", "fashion_mnist"):
        once |= {"data": "strokes", "tests": (Test(data="strokes"),)}
    if recipe.data == "strips_mnist_15":
        once |= {"data": "strips_strokes_15", "tests": (Test(data="strips_strokes_15"),)}
    return changed(recipe, **once)


def _trained(checkpoints: Path, recipe: Recipe) -> Pair:
    info, config = small.run_file(recipe), config_of(recipe)
    generator = torch.Generator().manual_seed(0)
    model = seeds.build(recipe, generator)
    for _ in Run(info).train(Training(model, recipe, _noise(recipe, 0), _noise(recipe, 1), generator)):
        pass
    model = models.spec(recipe.model).build(config, None)
    model.load_state_dict(runs.weights(info.id, 1))
    untrained.write(checkpoints, recipe, model, config)
    _make_history(checkpoints, info.id, recipe, config)
    run, checkpoint = subjects.net(key_of_run(info.id, 1)), subjects.net(recipe.key)
    assert run.digest == checkpoint.digest
    return Subject(run, EIGHT), Subject(checkpoint, EIGHT)


def _make_history(checkpoints: Path, run_id: str, recipe: Recipe, config: dict[str, Any]) -> None:
    """Make the history of a run, and a checkpoint with the weights that it keeps of the first epoch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(RECIPES, recipe.key, recipe)
        histories.write(run_id, [1])
    untrained.write(checkpoints.with_name(HALVED), recipe, histories.load(recipe.key, 1), config)


def _noise(recipe: Recipe, seed: int) -> Examples:
    rng, taken = np.random.default_rng(seed), models.spec(recipe.model).input(recipe.config)
    images = rng.integers(0, 256, (BATCH, taken.rows, taken.columns, taken.channels), np.uint8)
    shape = (BATCH, 2) if DATASETS[recipe.data].target != OneClass() else BATCH  # a text of two symbols
    return on_device(Dataset(images, rng.integers(0, len(recipe.classes), shape)), "cpu")


def views() -> dict[str, View[Any]]:
    """Return all views that there are, by name, but that of models of one's own, which no recipe trains."""
    found = {name: row for name, row in derived_values.known().items() if isinstance(row, View)}
    for row in (OWN_LAYER, OWN_BOARD, OWN_ACROSS):
        del found[row.name]
    return found


def asked(view: View[Any], net: Net) -> list[dict[str, Any]]:
    """Return the parameters with which a view is asked for: its defaults, or of a view of a tap, a tap of each kind."""
    if view not in (TAP_VIEW, BESIDE_VIEW):
        return [{}]
    kinds = {(path.rpartition(".")[2], tap.axes): path for path, tap in findings.list_taps(net).items()}
    return [{"address": path, "query": 3 if "query" in axes else None} for (_, axes), path in kinds.items()]


def shown(view: View[Any], subject: Subject, **parameters: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return header and arrays of a view, its net's key, title, digest and epoch aside; or why there is none."""
    names = {subject.net.key: "KEY", subject.net.title: "TITLE", subject.net.digest: "DIGEST"}
    names |= {f"Epoch {subject.net.epoch}": "EPOCH", "As it is shipped": "EPOCH"}
    try:
        header, arrays = unpack(view.of(subject, **parameters))
    except AttnvizError as error:
        return _renamed(str(error), names), {}
    return _renamed(header, names), arrays


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(one, names) for key, one in value.items() if key != "epoch"}
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    if isinstance(value, str):
        for name, instead in names.items():
            value = value.replace(name, instead)
    return value


def test_each_mechanism_with_a_view_is_tried(pairs: dict[str, Pair]) -> None:
    tried = {pair[0].net.architecture for pair in pairs.values()}
    for row in MECHANISMS.values():
        assert tried & {*row.models}, f"{row.name} has no recipe in CHOSEN"


@pytest.mark.parametrize("name", CHOSEN)
def test_every_view_is_that_of_a_checkpoint_with_these_weights(pairs: dict[str, Pair], name: str) -> None:
    run, checkpoint = pairs[name]
    for view in views().values():
        for parameters in asked(view, run.net):
            assert_same(view.name, shown(view, run, **parameters), shown(view, checkpoint, **parameters))


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize("name", CHOSEN)
def test_so_is_every_view_of_an_epoch_of_a_history(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    epoch = Subject(subjects.net(history_key(name, 1)), EIGHT)
    each = [(view, parameters) for view in views().values() for parameters in asked(view, epoch.net)]
    ours = [shown(view, epoch, **parameters) for view, parameters in each]
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(Path(os.environ["ATTNVIZ_CHECKPOINTS"]).with_name(HALVED)))
    checkpoint = Subject(subjects.net(name), EIGHT)
    for (view, parameters), found in zip(each, ours, strict=True):
        assert_same(view.name, found, shown(view, checkpoint, **parameters))


def assert_same(name: str, ours: tuple[Any, dict[str, np.ndarray]], theirs: tuple[Any, dict[str, np.ndarray]]) -> None:
    assert ours[0] == theirs[0], name
    assert ours[1].keys() == theirs[1].keys()
    for part, values in theirs[1].items():
        np.testing.assert_array_equal(ours[1][part], values, f"{name}: {part}")


def test_every_view_is_shown_of_one_of_them(pairs: dict[str, Pair]) -> None:
    for view in views().values():
        found = (shown(view, run, **parameters) for run, _ in pairs.values() for parameters in asked(view, run.net))
        assert any(arrays for _, arrays in found), view.name
