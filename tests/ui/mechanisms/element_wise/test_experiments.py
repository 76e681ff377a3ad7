"""What the experiments say of cards and rows."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from attnviz import cards
from attnviz.card import Ablated
from attnviz.recipes import RECIPES
from attnviz.subjects import net
from attnviz.ui.mechanisms.element_wise import MECHANISM, experiments, words
from tests.accuracies import accuracy


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


def test_ablations_are_those_of_the_pictures_that_the_model_s_accuracy_is_of() -> None:
    digits = net("element_wise.digits")
    lines = experiments.ablations(digits).splitlines()
    assert lines[0].startswith("| Relevance | accuracy on 10,000 test pictures of mnist |")
    assert len(lines) == 3 + len(cards.read(digits.key).ablations)
    assert len({line.split("|")[1] for line in lines}) == len(lines)


def rival(key: str, mean: float, parameters: int, control: bool = False, seeds: int = 5) -> words.Rival:
    figure = accuracy(*(mean + 0.001 * place for place in (-2, -1, 0, 1, 2)[:seeds]) if seeds > 1 else (mean,))
    return words.Rival(key, key.partition(".")[2], control, parameters, figure)


def test_worth_is_decided_by_the_interval_beside_the_best_control_that_is_not_larger() -> None:
    ours = rival("element_wise.fashion-repaired", 0.89, 31_000)
    small = rival("plain_conv.fashion", 0.92, 25_000, control=True)
    poor = rival("pixel_line.fashion", 0.84, 7_850, control=True)
    large = rival("vgg_control.fashion", 0.95, 900_000, control=True)
    said = words.finding_of_worth([ours, small, poor, large], 10)
    assert said.startswith("**No**: with *fashion-repaired*, the best with element-wise attention, which has 31,000")
    assert "with *fashion*, the best control that is no larger, which has 25,000, 92.00 % (5 seeds)." in said
    assert "They were trained differently: groups of parameters." in said
    assert words.finding_of_worth([ours, poor, large], 10).startswith("**Yes, among the models here**")
    close = rival("plain_conv.fashion", 0.8905, 31_000, control=True)
    assert words.finding_of_worth([ours, close], 10).startswith("**Hardly any difference**")
    once = rival("plain_conv.fashion", 0.92, 31_000, control=True, seeds=1)
    assert words.finding_of_worth([ours, once], 10).startswith("**Not decided**")
    for models in ([small], [ours], [ours, large]):
        assert words.finding_of_worth(models, 10).startswith("**Not known yet**")


def test_the_models_that_are_compared_are_those_of_the_cards() -> None:
    found = {one.key: one for one in experiments.rivals(experiments.recipes("cifar10"), "cifar10")}
    for name, one in found.items():
        card = cards.read(name)
        learnt = name.startswith("element_wise.") and card.config.get("mode", "learnt") == "learnt"
        assert (one.parameters, one.control) == (card.parameters, not learnt)
        assert one.accuracy in card.figures and one.accuracy.data == "cifar10"
    assert {"element_wise.cifar-repaired", "element_wise.cifar-repaired-one", "plain_conv.cifar"} <= set(found)


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
