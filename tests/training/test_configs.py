"""From a recipe to the configuration of its model, attnviz/training/run_file.py."""

import pytest

from attnviz.errors import BadInput, UnknownName
from attnviz.training.run_file import check, class_names, config_of
from tests.training import small


def test_class_names_come_in_the_order_of_the_logits():
    assert class_names(small.recipe(classes=(8, 1))) == ("8", "1")
    assert class_names(small.recipe(data="fashion_mnist", classes=(9, 0))) == ("ankle boot", "T-shirt/top")


def test_a_config_is_the_recipe_s_and_names_its_classes():
    recipe = small.recipe(classes=(1, 8))
    assert config_of(recipe) == {"classes": ("1", "8"), "mean": 0.13, "std": 0.31, "heads": 1, "head_size": 1}


def test_data_model_and_objective_must_mean_the_same_by_an_answer():
    recipe = small.recipe()
    check(recipe, per_step=False)
    with pytest.raises(BadInput, match="The recipe pixel_attention.small contradicts itself: a target of strokes"):
        check(recipe, per_step=True)
    for wrong in ({"data": "nothing"}, {"model": "nothing"}):
        with pytest.raises(UnknownName, match="nothing"):
            check(recipe.model_copy(update=wrong), per_step=False)
