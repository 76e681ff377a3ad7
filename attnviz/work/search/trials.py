"""Trials as they are shown and shared: of a search that goes on, of one that is shipped, or of a paper."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from attnviz.errors import RunError, UnknownName
from attnviz.recipes.axes import Axis, Value
from attnviz.recipes.recipe import Strict

State = Literal["complete", "pruned", "failed", "running", "waiting"]


class Trial(Strict):
    """One training of a search.

    Args:
        number: from 0, in the order in which they were begun.
        state: "pruned" is one that ended early, for the reason that `why` gives; "failed" one whose process died or was
            stopped, and that another trial repeats.
        params: the value of each axis.
        value: of what the search improves, at the epoch that is kept; None where there is none.
        values: of the same after each epoch.
        loss: of the same epoch, where a paper gives it.
        run, epoch: whose weights it has; "" and 0 where there are none.
        borrowed: whether its run was there before the search and belonged to no other job or search. It outlives this
            one.
        seed: of the training.
        seconds: that it took.
        why: it ended early, in a few words.
    """

    number: Annotated[int, Field(ge=0)]
    state: State
    params: dict[str, Value] = {}
    value: float | None = None
    values: tuple[float, ...] = ()
    loss: float | None = None
    run: str = ""
    epoch: int = 0
    borrowed: bool = False
    seed: int = 0
    seconds: float = 0.0
    why: str = ""

    @property
    def described(self) -> str:
        """Its values in words: "heads 8, learning rate 0.01"."""
        return ", ".join(f"{name.replace('_', ' ')} {written(value)}" for name, value in self.params.items())

    @property
    def finished(self) -> bool:
        """Whether it counts among the trials that were asked for."""
        return self.state in ("complete", "pruned")


def written(value: Value) -> str:
    """Return the value of an axis for people: "yes" for True, and three digits of a fraction."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


class Found(Strict):
    """The trials of one search.

    Args:
        name: of its file, or the ID of the search.
        title: for people.
        source: where its figures come from, in whole sentences.
        measure: what is improved, such as "accuracy", of which part of the data.
        better: which direction of it.
        axes: what was varied.
        trials: in the order of their numbers.
    """

    name: str
    title: str
    source: str
    measure: str = "accuracy"
    better: Literal["higher", "lower"] = "higher"
    axes: tuple[Axis, ...]
    trials: tuple[Trial, ...]

    @property
    def finished(self) -> tuple[Trial, ...]:
        """The trials that count."""
        return tuple(trial for trial in self.trials if trial.finished)

    @property
    def complete(self) -> tuple[Trial, ...]:
        """The trials that were trained to their end and have a value."""
        return tuple(trial for trial in self.trials if trial.state == "complete" and trial.value is not None)

    @property
    def best(self) -> Trial | None:
        """The trial with the best value; None while none is complete."""
        sign = 1 if self.better == "higher" else -1
        return max(self.complete, key=lambda trial: sign * (trial.value or 0.0), default=None)


def names() -> list[str]:
    """Return the names of the searches that are shipped."""
    found = resources.files("attnviz.work.search").joinpath("shipped").iterdir()
    return sorted(one.name.removesuffix(".json") for one in found if one.name.endswith(".json"))


@lru_cache
def shipped(name: str) -> Found:
    """Return one of the searches that are shipped."""
    if name not in names():
        raise UnknownName("search", name, names())
    text = resources.files("attnviz.work.search").joinpath("shipped", f"{name}.json").read_bytes()
    try:
        return Found.model_validate_json(text, strict=False)
    except ValidationError as error:
        raise RunError(f"The file of the search {name} is damaged. Install attnviz again.") from error
