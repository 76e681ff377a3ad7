"""From a recipe to the configuration of its model, attnviz/training/configs.py."""

from attnviz.training.configs import class_names
from tests.training import small


def test_class_names_come_in_the_order_of_the_logits():
    assert class_names(small.recipe(classes=(8, 1))) == ("8", "1")
    assert class_names(small.recipe(data="fashion_mnist", classes=(9, 0))) == ("ankle boot", "T-shirt/top")
