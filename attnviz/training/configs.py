"""From a recipe to the complete configuration of its model. Importing this costs no torch."""

from attnviz import data, models
from attnviz.errors import BadInput
from attnviz.recipes import Recipe

_ANSWERS = {False: "one distribution", True: "one distribution per step"}


def check(recipe: Recipe, per_step: bool) -> None:
    """Check that a recipe's data, model and objective mean the same by an answer: one distribution, or one per step.

    Args:
        per_step: whether its objective is for one distribution per step.
    """
    target, answer = data.spec(recipe.data).target, models.spec(recipe.model).per_step
    claims = {
        f"a target of {recipe.data} is {target.what}": target.per_step,
        f"the model {recipe.model} gives {_ANSWERS[answer]}": answer,
        f"and the objective {recipe.objective} is for {_ANSWERS[per_step]}": per_step,
    }
    if len(set(claims.values())) > 1:
        raise BadInput(f"The recipe {recipe.key} does not fit together: {', '.join(claims)}.")


def config_of(recipe: Recipe) -> dict[str, object]:
    """Return the model's complete config: the recipe's, and the names of its classes."""
    return {"classes": class_names(recipe), **recipe.config}


def class_names(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the recipe's classes, in the order of the logits."""
    return tuple(data.spec(recipe.data).classes[label] for label in recipe.classes)
