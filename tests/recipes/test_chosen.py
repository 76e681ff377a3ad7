"""How settings were chosen is said of every model without a validation part, on recipe, card and table."""

import re

import pytest

from attnviz import cards, result_tables, results
from attnviz.recipes import PAPERS, RECIPES
from attnviz.training.run_file import RunFile

WITHOUT = [name for name, recipe in RECIPES.items() if recipe.validation is None]
RENEWED = [name for name, recipe in RECIPES.items() if recipe.keep == "renewed"]


@pytest.mark.parametrize("name", WITHOUT)
def test_a_model_without_a_validation_part_says_so_on_its_recipe_and_its_card(name: str) -> None:
    said = RECIPES[name].chosen
    assert "here was no validation part" in said
    if name in cards.names():
        card = cards.read(name)
        assert card.recipe.validation is None
        assert card.recipe.chosen == said, "Run `python -m attnviz migrate`."


@pytest.mark.parametrize("name", RENEWED)
def test_where_statistics_were_renewed_recipe_and_card_say_when_that_was_decided(name: str) -> None:
    assert "running statistics were renewed" in RECIPES[name].chosen
    assert "decided on test pictures" in RECIPES[name].chosen


def test_the_weight_decay_that_was_looked_at_again_is_on_the_cards_with_its_validation_figure() -> None:
    for end in ("", "-one", "-mean"):
        card = cards.read(f"element_wise.cifar-repaired{end}")
        tried = re.findall(r"0\.\d+", card.recipe.chosen)
        assert tried == ["0.01", f"{card.recipe.weight_decay:g}", "0.01"]
        assert "68.3 % of 5,000 validation pictures" in card.recipe.chosen


def test_the_tables_of_a_paper_say_how_the_settings_of_each_such_model_were_chosen() -> None:
    for paper in PAPERS.values():
        text = result_tables.reproduction(paper)
        for name in set(paper.checkpoints) & set(WITHOUT):
            (line,) = [one for one in text.splitlines() if one.startswith("- ") and f"`{name}`" in one]
            assert line.endswith(RECIPES[name].chosen)
    told = results.FULL.read_text("utf-8")
    assert all(RECIPES[name].chosen in told for name in WITHOUT)


def test_words_do_not_rename_a_run() -> None:
    recipe = RECIPES["element_wise.cifar-repaired"]
    other = recipe.model_copy(update={"chosen": "Otherwise."})
    runs = [
        RunFile(recipe=one, seed=0, device="cpu", threads=1, data_digest="x", command="y") for one in (recipe, other)
    ]
    assert runs[0].id == runs[1].id
    assert recipe.trains_like(other)
