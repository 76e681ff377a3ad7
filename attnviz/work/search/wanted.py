"""The requests of searches, and their limits."""

import os
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from attnviz import recipes
from attnviz.errors import BadInput
from attnviz.recipes.axes import Axis, Value, applied, usual
from attnviz.recipes.recipe import Recipe
from attnviz.work.folders import Asked
from attnviz.work.jobs import order
from attnviz.work.jobs.order import Limits, Order
from attnviz.work.search import database

MOST_TRIALS = 1000
MOST_SECONDS = 60.0
"""The maximum settings of a search and of its trials."""


class Wanted(Asked):
    """The request of a search.

    Args:
        model, recipe, changes: as in `Asked`, for all trials.
        axes: the varied settings.
        trials: the number of trials to finish. It does not affect the name, so that it can be raised later.
        seconds: the computing time after which a trial ends with its current value; a repeated trial has as much again.
        sampler: "tpe" learns from the trials so far, "random" does not.
        prune: whether to end a trial that is worse after an epoch than half of the earlier trials.
        seed: the seed of the sampler; a trial's own seed is this plus its number.
        threads: the number of CPU threads of each worker.
        storage: the URL of a PostgreSQL database for its trials, for workers on several machines; "" for its folder.
    """

    kind = "search"
    unnamed = frozenset({"trials", "threads", "storage"})

    axes: tuple[Axis, ...] = Field(min_length=1, max_length=12)
    trials: int = Field(gt=0, le=MOST_TRIALS)
    seconds: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = MOST_SECONDS
    sampler: Literal["tpe", "random"] = "tpe"
    prune: bool = True
    seed: int = Field(default=0, ge=0, lt=10**6)
    threads: int = Field(default=1, gt=0, le=256)
    storage: str = ""

    @field_validator("storage")
    @classmethod
    def _readable(cls, url: str) -> str:
        return database.checked(url) if url else ""

    def trial(self, values: Mapping[str, Value]) -> Recipe:
        """Return the recipe of a trial."""
        return applied(self.made(), values)


def axes_of(recipe: Recipe) -> tuple[Axis, ...]:
    """Return the settings of a recipe that are varied by default."""
    return recipes.VARIED.get(recipe.key) or usual(recipe)


def checked(wanted: Wanted, workers: int, most: Limits) -> None:
    """Refuse a search that exceeds the limits, or cannot be trained."""
    if workers < 1:
        raise BadInput(f"A search needs at least one worker, not {workers}.")
    if (recipe := wanted.made()).validation is None:
        raise BadInput(f"The recipe {recipe.key} has no validation part, so the best trial is unknown.")
    cores = os.cpu_count() or 1
    if most != order.NONE and workers * wanted.threads > cores:
        raise BadInput(f"{workers} workers of {wanted.threads} threads need more than the {cores} available cores.")
    for which in range(max(len(axis.ends) for axis in wanted.axes)):
        recipe = wanted.trial({axis.name: axis.ends[min(which, len(axis.ends) - 1)] for axis in wanted.axes})
        order.parameters(recipe)  # builds the model without memory, to refuse unsupported settings here
        _checked(recipe, wanted, most)


def _checked(recipe: Recipe, wanted: Wanted, most: Limits) -> None:
    if most.parameters is not None and (count := order.parameters(recipe)) > most.parameters:
        raise BadInput(f"A model may have at most {most.parameters:,} parameters here, not {count:,}. Ask for less.")
    if most.epochs is not None and recipe.epochs > most.epochs:
        raise BadInput(f"One training may have at most {most.epochs} epochs here, not {recipe.epochs}. Ask for less.")
    order.checked(Order(model=wanted.model, recipe=wanted.recipe, changes=wanted.changes), most)
