"""Objectives, which define what a training minimises and measures. Each is a small class listed in `OBJECTIVES`; those
of a single mechanism have their own file.

    class Mine(Objective):
        measures = {"loss": Measure("nats", "lower"), "accuracy": Measure("share", "higher")}
        def loss(self, model, images, labels, generator): ...
        def measure(self, model, examples): ...

    OBJECTIVES["mine"] = Mine            # now a recipe can use it: objective="mine", objective_config={...}

An objective gets the whole model. It may call it with keyword arguments, use more of its output than the logits, and
detach any tensor: loop, runs and cards use only this interface.
"""

from collections.abc import Callable

from attnviz.errors import BadInput, UnknownName
from attnviz.extensions import Table
from attnviz.recipes.recipe import Recipe
from attnviz.training.objectives.objective import MEASURING_SEED as MEASURING_SEED
from attnviz.training.objectives.objective import Classification as Classification
from attnviz.training.objectives.objective import Measure as Measure
from attnviz.training.objectives.objective import Measured as Measured
from attnviz.training.objectives.objective import Objective as Objective
from attnviz.training.objectives.objective import answers as answers
from attnviz.training.objectives.objective import logits_of as logits_of
from attnviz.training.objectives.objective import loss_of as loss_of
from attnviz.training.objectives.reinforcement import Reinforcement
from attnviz.training.objectives.texts import Texts

OBJECTIVES: Table[Callable[..., Objective]] = Table(
    "objectives", {"classification": Classification, "reinforcement": Reinforcement, "texts": Texts}
)


def objective(recipe: Recipe) -> Objective:
    """Return a recipe's objective."""
    if recipe.objective not in OBJECTIVES:
        raise UnknownName("objective", recipe.objective, OBJECTIVES)
    try:
        found = OBJECTIVES[recipe.objective](**recipe.objective_config)
    except TypeError as error:
        raise BadInput(f"The objective_config of {recipe.key} does not fit {recipe.objective!r}: {error}.") from error
    for name in (recipe.watch, *(name for test in recipe.tests for name in test.figures)):
        if name not in found.measures:
            raise UnknownName(f"measure of the objective {recipe.objective}", name, found.measures)
    return found
