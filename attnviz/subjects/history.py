"""The history of a net: the epochs of its training, each of which is a separate net.

The key of an epoch is "history:NAME@EPOCH" in a checkpoint's history, and "run:ID@EPOCH" in a run. The last epoch of a
checkpoint's history is the checkpoint itself, and epoch 0 of a run is before training.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from attnviz.data import own
from attnviz.errors import RunError, UnknownName
from attnviz.subjects.net import Net, of_recipe

if TYPE_CHECKING:
    from torch import nn

    from attnviz.training.histories import HistoryFile
    from attnviz.training.run_file import RunFile

KIND = "history"
_KEY = re.compile(rf"{KIND}:(.+)@(0|[1-9][0-9]{{0,6}})")
_FIGURES = {
    "validation_accuracy": ("validation accuracy", "share"),
    "validation_loss": ("validation loss", "nats"),
    "train_loss": ("training loss", "nats"),
}


class Point(NamedTuple):
    """An epoch whose weights are kept: its number, 0 before training, and the key of its net."""

    epoch: int
    key: str


@dataclass(frozen=True)
class History:
    """The epochs of one training.

    Args:
        key: its name, the same for all its nets.
        points: the epochs whose weights are kept, ascending.
        figure: the name of the curve's figure, or "" if there is no curve.
        unit: the unit of the curve: "share" or "nats".
        curve: the figure after each epoch that has one.
        note: a sentence that visitors need to know, or "".
    """

    key: str
    points: tuple[Point, ...]
    figure: str = ""
    unit: str = ""
    curve: Mapping[int, float] = field(default_factory=dict)
    note: str = ""


def key_of(name: str, epoch: int) -> str:
    """Return the key of a checkpoint's model after an epoch; 0 is before training."""
    return f"{KIND}:{name}@{epoch}"


def epoch_of_history(key: str) -> Net:
    """Return a checkpoint's model after an epoch of its history; an error lists the kept epochs."""
    from attnviz import cards
    from attnviz.training import histories

    found = _KEY.fullmatch(key)
    if found is None:
        known = [name for name in cards.names() if histories.there(name)]
        raise UnknownName(
            "net", key, [key_of(name, one.epoch) for name in known for one in histories.read(name).epochs]
        )
    name, epoch = found[1], int(found[2])
    its = histories.read(name)
    return _net(its, key, name, epoch, its.digest(epoch), lambda: histories.load(name, epoch))


def _net(
    its: HistoryFile | RunFile, key: str, history: str, epoch: int, digest: str, build: Callable[[], nn.Module]
) -> Net:
    """Return the net of a training after an epoch."""
    from attnviz.training.run_file import class_names, config_of

    recipe = its.recipe
    return of_recipe(
        recipe,
        key=key,
        title=f"{recipe.title}, {f'epoch {epoch}' if epoch else 'before its training'}",
        config=config_of(recipe),
        classes=class_names(recipe),
        digest=digest,
        seed=its.seed,
        history=history,
        epoch=epoch,
        build=build,
    )


def history(net: Net) -> History | None:
    """Return the epochs of a net's training, or None if none are kept."""
    if not net.history:
        return None
    kind, colon, run_id = net.history.partition(":")
    if colon and kind == "run":
        return _of_run(net.history, run_id)
    return None if colon else _of_checkpoint(net.history)


def _of_run(key: str, run_id: str) -> History:
    from attnviz.training import runs

    points = [Point(epoch, key_of_run(run_id, epoch)) for epoch in (0, *runs.epochs(run_id))]
    return _with_curve(key, points, {epoch.epoch: epoch.values for epoch in runs.curve(run_id)})


def _of_checkpoint(name: str) -> History:
    from attnviz import cards
    from attnviz.training import histories

    its = histories.read(name)
    points = [Point(kept.epoch, key_of(name, kept.epoch)) for kept in its.epochs]
    values = _by_epoch(its.curve)
    card = cards.readable([name]).get(name)
    run = next((run for run in card.runs if run.seed == its.seed), None) if card else None
    if card is None or run is None or run.seed != card.seed or not card.recipe.trains_like(its.recipe):
        return _with_curve(name, points, values, f"These are the first {its.trained} epochs of seed {its.seed}.")
    own = _by_epoch(run.curve)
    points = [*(point for point in points if point.epoch < run.epoch), Point(run.epoch, name)]
    if all(own.get(epoch) == found for epoch, found in values.items()):
        return _with_curve(name, points, own)
    first = f"Epochs 1 to {its.trained} were" if its.trained > 1 else "Epoch 1 was"
    again = f"{first} trained again with the same seed; epoch {run.epoch} is the model as it is."
    return _with_curve(name, points, {**values, run.epoch: own[run.epoch]}, again)


def _by_epoch(curves: Mapping[str, Sequence[float | None]]) -> dict[int, dict[str, float | None]]:
    """Return the values of several curves by epoch, from 1."""
    count = max(map(len, curves.values()), default=0)
    return {epoch: {name: values[epoch - 1] for name, values in curves.items()} for epoch in range(1, count + 1)}


def _with_curve(
    key: str, points: Sequence[Point], values: Mapping[int, Mapping[str, float | None]], note: str = ""
) -> History:
    for name, (words, unit) in _FIGURES.items():
        curve = {epoch: value for epoch, found in values.items() if (value := found.get(name)) is not None}
        if curve:
            return History(key, tuple(points), words, unit, curve, note)
    return History(key, tuple(points), note=note)


_RUN = re.compile(r"run:(.+)@(0|[1-9][0-9]{0,6})")


def key_of_run(run_id: str, epoch: int) -> str:
    """Return the key of a run's model after an epoch, counted from 1; 0 is before training."""
    return f"run:{run_id}@{epoch}"


def epoch_of_run(key: str) -> Net:
    """Return a run's model after an epoch; an error lists the kept epochs, but never names runs on a visitor's own
    pictures.
    """
    from attnviz.training import runs

    found = _RUN.fullmatch(key)
    if found is None:
        raise UnknownName(
            "net", key, [key_of_run(run_id, epoch) for run_id in _listed() for epoch in runs.epochs(run_id)]
        )
    run_id, epoch = found[1], int(found[2])
    try:
        run = runs.read(run_id)
    except UnknownName as error:
        raise UnknownName("run", run_id, _listed()) from error
    digest = runs.digest(run_id, epoch) if epoch else hashlib.sha256(key.encode()).hexdigest()
    return _net(
        run, key, f"run:{run_id}", epoch, digest, lambda: runs.load(run_id, epoch) if epoch else _untrained(run)
    )


def _listed() -> Iterator[str]:
    """Yield the IDs of the public runs, which error messages may list."""
    from attnviz.training import runs

    for run_id in runs.ids():
        with suppress(RunError, UnknownName):
            if not own.is_own(runs.read(run_id).recipe.data):
                yield run_id


def _untrained(run: RunFile) -> nn.Module:
    """Return the model with the initial weights of a run, which only its seed determines."""
    import torch

    from attnviz.training.seeds import build

    return build(run.recipe, torch.Generator().manual_seed(run.seed)).eval().requires_grad_(False)
