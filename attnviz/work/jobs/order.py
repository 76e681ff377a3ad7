"""The orders of jobs, and their limits."""

import os
import sys
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from attnviz import data
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Recipe
from attnviz.work.folders import Asked

UNLIMITED = "ATTNVIZ_TRAIN_UNLIMITED"
"""Environment variable: "1" removes the limits of jobs."""


@dataclass(frozen=True)
class Limits:
    """The maximum settings of a job; None for no limit."""

    epochs: int | None = 200
    minutes: float | None = 120.0
    parameters: int | None = 2_000_000
    pictures: int | None = 100_000
    seeds: int | None = 5


NONE = Limits(None, None, None, None, None)


class Order(Asked):
    """The order of a job.

    Args:
        model, recipe, changes: as in `Asked`.
        seeds: the seeds, with one training each, in this order.
        device: the device to train on.
        threads: the number of CPU threads.
        minutes: the time after which it stops and can be resumed; None takes the limit.
        more: the number of epochs after which it stops in the same way; None trains all.
        cluster: the address of the Ray cluster to train on; None is this machine.
    """

    kind = "training"
    unnamed = frozenset({"threads", "minutes", "more", "cluster"})

    seeds: tuple[Annotated[int, Field(ge=0, lt=10**6)], ...] = Field(default=(0,), min_length=1, max_length=100)
    device: Literal["cpu", "cuda"] = "cpu"
    threads: int = Field(default=1, gt=0, le=256)
    minutes: Annotated[float, Field(gt=0)] | None = None
    more: Annotated[int, Field(gt=0)] | None = None
    cluster: Annotated[str, Field(max_length=300)] | None = None

    def words(self) -> list[str]:
        """Return the command as a list of words."""
        # Without progress bars, the last line of the log is the reason why the training ended.
        words = [*self._words("train"), "--run-only", "--quiet", "--seeds", ",".join(map(str, self.seeds))]
        words += [] if self.minutes is None else ["--minutes", str(self.minutes)]
        return words if self.more is None else [*words, "--more", str(self.more)]

    def cost_words(self) -> list[str]:
        """Return the command that estimates the cost of an epoch, as a list of words."""
        return [*self._words("cost"), "--json"]

    def _words(self, command: str) -> list[str]:
        words = [sys.executable, "-m", "attnviz", command, self.model, "--recipe", self.recipe]
        words += ["--device", self.device, "--threads", str(self.threads)]
        return [*words, *(word for name, value in self.changes.items() for word in ("--set", f"{name}={value}"))]


def limits() -> Limits:
    """Return the current limits."""
    return NONE if os.environ.get(UNLIMITED) == "1" else Limits()


def checked(order: Order, most: Limits) -> Order:
    """Return an order with limited minutes, and refuse one that exceeds the limits."""
    recipe = order.made()
    if len(set(order.seeds)) < len(order.seeds):
        raise BadInput("Each seed can be trained once.")
    asked: dict[str, tuple[float, float | None]] = {
        "epochs": (recipe.epochs, most.epochs),
        "seeds": (len(order.seeds), most.seeds),
        "pictures": (data.spec(recipe.data).counts["train"], most.pictures),
        "minutes": (order.minutes or 0, most.minutes),
    }
    if most.parameters is not None:
        asked["parameters"] = parameters(recipe), most.parameters
    for word, (count, limit) in asked.items():
        if limit is not None and count > limit:
            raise BadInput(
                f"One training may have at most {limit:,} {word} here, not {count:,}. "
                f"Ask for less, or set {UNLIMITED}=1 where attnviz is started."
            )
    return order if order.minutes is not None else order.model_copy(update={"minutes": most.minutes})


def parameters(recipe: Recipe) -> int:
    """Return the number of learnt parameters of the recipe's model, without allocating them."""
    import torch

    from attnviz import models
    from attnviz.training.run_file import config_of

    with torch.device("meta"):
        built = models.spec(recipe.model).build(config_of(recipe))
    return sum(parameter.numel() for parameter in built.parameters())
