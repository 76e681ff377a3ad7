"""From a recipe to the complete configuration of its model. Importing this costs no torch."""

from attnviz import data
from attnviz.recipes import Recipe


def config_of(recipe: Recipe) -> dict[str, object]:
    """Return the model's complete config: the recipe's, and the names of its classes.

    Args:
        recipe: which.

    Returns:
        Name -> value, for the model's constructor.
    """
    return {"classes": class_names(recipe), **recipe.config}


def class_names(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the recipe's classes, in the order of the logits.

    Args:
        recipe: which.

    Returns:
        A name for each of its classes.
    """
    return tuple(data.DATASETS[recipe.data].classes[label] for label in recipe.classes)
