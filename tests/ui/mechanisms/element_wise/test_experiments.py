"""What the experiments say of cards and rows."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from attnviz import cards
from attnviz.cards import Ablated
from attnviz.figures.dots import Dot
from attnviz.recipes import RECIPES
from attnviz.subjects import net
from attnviz.ui.mechanisms.element_wise import MECHANISM, experiments


def test_at_most_five_questions() -> None:
    assert 1 <= len(experiments.EXPERIMENTS) <= 5
    assert all(one.title.endswith("?") for one in experiments.EXPERIMENTS.values())


def test_ablations_come_from_the_card(here: Path) -> None:
    small = net("element_wise.small")
    card = cards.read(small.key)
    assert "has no test" in experiments.ablations(small)
    half = card.figures[0].model_copy(
        update={"value": 0.25, "mean": 0.25, "lowest": 0.25, "highest": 0.25, "per_seed": None, "right": None}
    )
    ablated = (
        Ablated(name="mean", of="*", title="long", figures=(half,)),
        Ablated(name="x", of="*", title="other", figures=(half,)),
    )
    found = experiments.ablations(replace(small, card=card.model_copy(update={"ablations": ablated})))
    assert "| as learnt | 50.00 % |" in found
    assert "| its mean map over training pictures | 25.00 % |" in found
    assert "| other | 25.00 % |" in found
    assert "has no test" in experiments.ablations(replace(small, card=None))


def test_the_verdict_names_a_control_that_is_better_and_not_larger() -> None:
    ours = Dot("ours", 89.0, 89.0, 89.0, 1, parameters=31_000)
    small = Dot("small", 90.0, 90.0, 90.0, 1, control=True, parameters=25_000)
    large = Dot("large", 95.0, 95.0, 95.0, 1, control=True, parameters=900_000)
    assert "*small*, without attention, answers 90.00 %" in experiments.verdict([ours, small, large])
    assert "**Yes, among the models here**" in experiments.verdict([ours, large])
    same = Dot("same", 90.0, 90.0, 90.0, 1, control=True, parameters=31_000)
    no = experiments.verdict([ours, same])
    assert no.startswith("**No**") and no.endswith("answers 90.00 % correctly with as many parameters.")
    assert experiments.verdict([small]).startswith("**Not known yet**")
    assert experiments.verdict([ours]).startswith("**Not known yet**")


def test_the_recipes_of_a_data_set_are_those_that_are_tested_on_it() -> None:
    found = experiments.recipes("cifar10")
    assert "element_wise.cifar" in found
    assert "vgg_control.cifar" in found
    assert all(any(test.data == "cifar10" for test in RECIPES[name].tests) for name in found)


def test_what_became_of_models_a_and_c_here_is_said_once_they_are_trained(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert experiments.ours() == ""
    shutil.copytree(here / "element_wise.small", tmp_path / "element_wise.fashion-c")
    assert experiments.ours() == "Trained here, model C answers 50.00 % correctly (one seed). "


def test_networks_retrained_without_a_learnt_relevance_are_controls() -> None:
    names = [name for name, recipe in RECIPES.items() if recipe.model == "element_wise"]
    found = {name.removeprefix("element_wise.") for name in names if MECHANISM.is_control(RECIPES[name].config)}
    kinds = ("fashion-repaired", "cifar-repaired", "digits")
    assert found == {f"{kind}-{mode}" for kind in kinds for mode in ("one", "mean")} | {"cifar-repaired-augmented-one"}
