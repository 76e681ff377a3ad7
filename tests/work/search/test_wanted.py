"""What a search is asked for, attnviz/work/search/wanted.py."""

import pytest

from attnviz import data
from attnviz.errors import BadInput
from attnviz.recipes import RECIPES, axes
from attnviz.recipes.recipe import Recipe
from attnviz.work.jobs.order import NONE
from attnviz.work.search.wanted import Wanted, axes_of, checked

FIRST = {one.model: one for one in reversed([*RECIPES.values()]) if axes_of(one) and one.validation is not None}


@pytest.mark.parametrize("recipe", FIRST.values(), ids=FIRST)
def test_all_that_is_tried_where_nobody_says_otherwise_can_be_trained(
    monkeypatch: pytest.MonkeyPatch, recipe: Recipe
) -> None:
    monkeypatch.setattr(data, "available", lambda _: True)
    checked(Wanted(model=recipe.model, recipe=recipe.name, axes=axes_of(recipe), trials=1), 1, NONE)


def test_a_recipe_that_has_nothing_to_choose_by_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = next(one for one in RECIPES.values() if one.validation is None and axes_of(one))
    monkeypatch.setattr(data, "available", lambda _: True)
    with pytest.raises(BadInput, match=f"The recipe {recipe.key} has no validation part, so the best"):
        checked(Wanted(model=recipe.model, recipe=recipe.name, axes=axes_of(recipe), trials=1), 1, NONE)


def test_what_cannot_be_built_is_refused() -> None:
    wanted = Wanted(model="transformer", recipe="strips-15", axes=axes.read(["heads=1,3"]), trials=1)
    with pytest.raises(BadInput, match="Features must be a multiple of 2 and of the heads, not 112 of 3 heads"):
        checked(wanted, 1, NONE)
