"""The recipes and the papers' figures, attnviz/recipes."""

import pytest
from pydantic import ValidationError

from attnviz.data import DATASETS
from attnviz.errors import UnknownName
from attnviz.models import MODELS
from attnviz.recipes import MODULES, PAPER_MODULES, PAPERS, RECIPES, Recipe, paper, recipe
from attnviz.recipes.recipe import changed
from attnviz.training import evaluations
from attnviz.training.objectives import objective
from attnviz.training.probes import PROBES


@pytest.mark.parametrize("key", RECIPES)
def test_a_recipe_names_things_that_there_are(key):
    known = RECIPES[key]
    assert key == known.key == f"{known.model}.{known.name}"
    assert known.model in MODELS
    assert known.why.endswith(".")
    assert "classes" not in known.config
    assert set(known.classes) <= set(range(len(DATASETS[known.data].classes)))
    assert len(set(known.classes)) == len(known.classes) > 1
    for test in known.tests:
        assert (test.count or 1) <= DATASETS[test.data].counts[test.split]
        assert (test.data, test.split) != (known.data, "train")


@pytest.mark.parametrize("key", RECIPES)
def test_a_recipe_survives_being_written_and_read(key):
    assert Recipe.model_validate_json(RECIPES[key].model_dump_json()) == RECIPES[key]


@pytest.mark.parametrize("name", PAPERS)
def test_a_papers_figures_are_shares_and_answered_by_checkpoints_that_can_be_trained(name):
    known = PAPERS[name]
    assert known.name == name
    assert known.figures or known.tables
    assert set(known.checkpoints) <= set(RECIPES)
    for figure in known.figures:
        assert figure.value is None or figure.unit != "share" or 0 <= figure.value <= 1
        assert figure.checkpoints
        assert set(figure.checkpoints) <= set(RECIPES)
        assert len(set(figure.checkpoints)) == len(figure.checkpoints)
        assert set(figure.compared) <= set(figure.checkpoints)


def test_every_recipe_stands_in_a_papers_tables():
    shown = {name for known in PAPERS.values() for name in known.checkpoints}
    assert shown == set(RECIPES)


def test_the_tables_hold_all_of_all_modules_and_no_name_twice():
    keys = [known.key for module in MODULES for known in module.RECIPES]
    assert sorted(RECIPES) == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert sorted(PAPERS) == sorted(module.PAPER.name for module in PAPER_MODULES if hasattr(module, "PAPER"))


def test_recipes_that_differ_in_words_alone_train_alike():
    known = RECIPES["pixel_line.1v8"]
    assert known.trains_like(changed(known, title="Another", why="Another.", cost="an hour"))
    assert not known.trains_like(changed(known, batch=64))


@pytest.mark.parametrize("key", RECIPES)
def test_a_recipe_names_an_objective_probes_and_evaluations_that_there_are(key):
    objective(RECIPES[key])
    evaluations.check(RECIPES[key])
    assert {one.name for one in RECIPES[key].probes} <= set(PROBES)


def test_the_papers_simple_model_is_written_down_as_the_paper_has_it():
    known = recipe("pixel_attention", "1v8")
    assert known.classes == (8, 1)  # the last class is the one that the logit speaks for: a one
    assert (known.data, known.optimiser, known.learning_rate) == ("mnist", "adam", 1e-4)
    assert (known.config["heads"], known.config["head_size"]) == (1, 1)
    assert paper("schwarz").figures[0].value == 0.979


@pytest.mark.parametrize(
    ("model", "name", "sentence"),
    [
        ("pixel_atention", "1v8", "no model 'pixel_atention'. Did you mean 'pixel_attention'"),
        ("pixel_line", "1v9", "no recipe for pixel_line '1v9'. Did you mean '1v8'"),
    ],
)
def test_an_unknown_recipe_names_the_closest(model, name, sentence):
    with pytest.raises(UnknownName, match=sentence):
        recipe(model, name)


def test_an_unknown_paper_names_those_there_are():
    with pytest.raises(UnknownName, match="no paper 'schwartz'. Did you mean 'schwarz'"):
        paper("schwartz")


def test_without_a_validation_part_the_last_weights_are_kept():
    known = changed(RECIPES["pixel_line.1v8"], validation=None, keep="last", patience=None)
    assert Recipe.model_validate_json(known.model_dump_json()) == known


@pytest.mark.parametrize(
    "change",
    [
        {"epoch": 3},
        {"validation": 0.0},
        {"validation": None},
        {"validation": None, "keep": "last"},
        {"validation": None, "keep": "last", "patience": None, "schedule": "plateau"},
        {"momentum": 0.9},
        {"optimiser": "sgd", "nesterov": True},
        {"optimiser": "sgd", "groups": [{"parameters": ["*"], "eps": 1e-8}]},
        {"groups": [{"parameters": []}]},
        {"accumulate": 33},
        {"augment": "both"},
        {"keep": "first"},
        {"weights": "float64"},
        {"plateau": {"factor": 1.0}},
        {"validation": 1.0},
        {"learning_rate": 0.0},
        {"batch": 0},
        {"epochs": -1},
        {"patience": 0},
        {"loss": "hinge"},
        {"learning_rate": float("nan")},
        {"schedule": "linear"},
        {"augmentation": {"rotation": 181}},
        {"augmentation": {"stretch": (0.0, 1.0)}},
        {"augmentation": {"sampling": ()}},
        {"tests": [{"data": "mnist", "draws": 0}]},
    ],
    ids=str,
)
def test_a_recipe_that_cannot_be_is_refused(change):
    with pytest.raises(ValidationError):
        Recipe.model_validate({**RECIPES["pixel_line.1v8"].model_dump(), **change})


def test_a_recipe_cannot_be_changed_afterwards():
    with pytest.raises(ValidationError, match="frozen"):
        RECIPES["pixel_line.1v8"].batch = 64
