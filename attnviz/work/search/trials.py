"""Trials for display and exchange: from a running search, a shipped one, or a paper."""

from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from attnviz.errors import RunError, UnknownName
from attnviz.recipes.axes import Axis, Value
from attnviz.recipes.recipe import Strict

State = Literal["complete", "pruned", "failed", "running", "waiting"]


class Trial(Strict):
    """A training of a search.

    Args:
        number: its number, from 0, in the order in which trials were started.
        state: a "pruned" trial ended early, for the reason in `why`; a "failed" trial's process died or was stopped,
            and another trial repeats it.
        params: the value of each axis.
        value: the optimised measure at the kept epoch, or None.
        values: the same measure after each epoch.
        loss: the loss at the kept epoch, if a paper states it.
        run, epoch: the run and the epoch of its weights, or "" and 0.
        borrowed: whether its run existed before the search and belonged to no other job or search. It outlives this
            search.
        seed: the seed of the training.
        seconds: its duration.
        why: the reason for ending early, in a few words.
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
        """Whether it counts as one of the requested trials."""
        return self.state in ("complete", "pruned")


def written(value: Value) -> str:
    """Format the value of an axis: "yes" for True, and three digits of a fraction."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


class Found(Strict):
    """The trials of a search.

    Args:
        name: the name of its file, or the ID of the search.
        title: its title for readers.
        source: the origin of its figures, in whole sentences.
        measure: the optimised measure, such as "accuracy", with the part of the data.
        better: the better direction of the measure.
        axes: the varied settings.
        trials: the trials in the order of their numbers.
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
        """The trials that were trained to the end and have a value."""
        return tuple(trial for trial in self.trials if trial.state == "complete" and trial.value is not None)

    @property
    def best(self) -> Trial | None:
        """The trial with the best value, or None if none is complete."""
        sign = 1 if self.better == "higher" else -1
        return max(self.complete, key=lambda trial: sign * (trial.value or 0.0), default=None)


def names() -> list[str]:
    """Return the names of the shipped searches."""
    found = resources.files("attnviz.work.search").joinpath("shipped").iterdir()
    return sorted(one.name.removesuffix(".json") for one in found if one.name.endswith(".json"))


@lru_cache
def shipped(name: str) -> Found:
    """Return a shipped search."""
    if name not in names():
        raise UnknownName("search", name, names())
    text = resources.files("attnviz.work.search").joinpath("shipped", f"{name}.json").read_bytes()
    try:
        return Found.model_validate_json(text, strict=False)
    except ValidationError as error:
        raise RunError(f"The file of the search {name} is damaged. Install attnviz again.") from error
