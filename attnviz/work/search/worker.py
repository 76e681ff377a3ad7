"""A worker of a search: a process that trains trials until enough are finished."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch
from filelock import FileLock

from attnviz import files
from attnviz.errors import BadInput, RunError
from attnviz.recipes.axes import Value
from attnviz.training import runs, seeds, states, stopping
from attnviz.training.examples import Material, material
from attnviz.training.loop import Diverged, Training
from attnviz.training.objectives import Objective, objective
from attnviz.training.run import Run
from attnviz.training.run_file import RunFile
from attnviz.work import processes, shelf
from attnviz.work.search import table
from attnviz.work.search.study import Lost, Search
from attnviz.work.search.wanted import Wanted

WEIGHTS = 20_000_000
"""The maximum size of a finished trial's weights in bytes; above it only those of its best epoch are kept."""

_WAIT = 0.3  # seconds between two checks of others' last trials


def work(home: Path, wanted: Wanted) -> None:
    """Train trials of a search until all are finished; after Terminated another worker continues this one's run."""
    torch.set_num_threads(wanted.threads)
    with _alive(home) as name:
        given = material(wanted.made(), "cpu")
        goal = objective(wanted.made())
        measure = measured(goal, wanted)
        search = Search(home, wanted, goal.measures[measure].better)
        while (found := search.ask(name)) is not False or not _leaves(search, home, name):
            if not isinstance(found, tuple):
                time.sleep(_WAIT)  # it cannot wait for another process's child
                continue
            number, values, first = found
            asked = _Asked(given, goal, measure, values, wanted.seed + first)
            try:
                with suppress(Lost), search.beating(number):
                    _trial(search, number, asked)
            except stopping.Terminated:
                search.abandon(number)
                raise


def _leaves(search: Search, home: Path, name: str) -> bool:
    """Sign off if all trials are still finished, and return whether they are.

    A process that requests more trials counts the living workers under the same lock: this one is either counted, and
    sees the request, or has signed off.
    """
    with table.alone():
        if finished := search.is_finished():
            _sign_off(home, name)
    return finished


def measured(goal: Objective, wanted: Wanted) -> str:
    """Return the measure that a search optimises: the accuracy or, without one, the measure that the recipe watches."""
    return "accuracy" if "accuracy" in goal.measures else wanted.made().watch


class _Asked:
    """The inputs of a trial."""

    def __init__(self, given: Material, goal: Objective, measure: str, values: dict[str, Value], seed: int) -> None:
        self.given, self.goal, self.values, self.seed = given, goal, values, seed
        self.column = f"validation_{measure}"


def _trial(search: Search, number: int, asked: _Asked) -> None:
    """Train a trial as a separate run, and record its result."""
    generator = torch.Generator().manual_seed(asked.seed)
    try:
        recipe = search.wanted.trial(asked.values)
        model = seeds.build(recipe, generator)
    except BadInput as error:  # such as a number of heads that does not divide the features
        search.note(number, why=str(error).removesuffix("."))
        search.tell(number, None)
        return
    command = f"{seeds.command_of(recipe, [asked.seed])} --run-only"
    info = RunFile(
        recipe=recipe, seed=asked.seed, device="cpu", threads=search.wanted.threads, data_digest=asked.given.digest,
        command=command,
    )  # fmt: skip
    run = Run(info)
    there = bool(run.curve())
    is_owned = there and run.folder.name in (shelf.runs_of_others(search.name, borrowed=False) or ())
    is_foreign = search.took(number, there, is_owned)
    search.note(number, run=run.folder.name, seed=asked.seed)
    if run.is_closed:  # by another search with the same trial, or by a worker killed before it recorded the result
        why, has_value, epoch = "", True, _kept(run, asked.goal)
        for one in run.curve():
            search.report(number, one.values[asked.column] or 0.0, one.epoch)
    else:
        train, validation = asked.given.parts()
        training = Training(model, recipe, train, validation, generator, asked.goal)
        try:
            why, has_value = _train(search, number, run, training, asked.column)
        except Diverged:
            why, has_value = "it diverged", False
        epoch = training.kept_epoch
    curve = run.curve()
    epoch = epoch if curve else 0
    value = curve[epoch - 1].values[asked.column] if epoch and has_value else None
    search.note(number, epoch=epoch, seconds=round(sum(one.seconds for one in run.durations()), 2), why=why)
    if not is_foreign:  # otherwise a job or `train` may resume it
        tidy(run.folder, epoch)
    search.tell(number, value)


def _kept(run: Run, goal: Objective) -> int:
    """Return the epoch that a closed run keeps."""
    curve, recipe = run.curve(), run.info.recipe
    if recipe.keep != "best":
        return len(curve)
    best = runs.status_in(run.folder).get("best_epoch")
    if type(best) is int and 0 < best <= len(curve):
        return best
    sign = 1 if goal.measures[recipe.watch].better == "higher" else -1  # the run was imported
    watched = {one.epoch: one.values.get(f"validation_{recipe.watch}") for one in curve}
    known = {epoch: sign * value for epoch, value in watched.items() if value is not None}
    return max(known, key=known.__getitem__, default=0)


def _train(search: Search, number: int, run: Run, training: Training, column: str) -> tuple[str, bool]:
    """Train to the end, or until the trial is pruned or its time is over.

    Return the reason for ending early, or "", and whether the reached value counts.
    """
    # CPU time, since a busy machine must not cut short the trials that compute most.
    end = time.process_time() + search.wanted.seconds * search.wanted.threads
    told, poor = 0, False
    for _ in stopping.heeding(run.train(training)):
        if training.epoch > told:
            for epoch in run.curve()[told:]:
                told = epoch.epoch
                poor |= search.report(number, epoch.values[column] or 0.0, told)
        if training.finished:
            break
        if poor:
            return f"worse after epoch {told} than half of the trials before it", False
        if time.process_time() > end:
            return f"its {search.wanted.seconds:g} seconds were over", True
    return "", True


def tidy(home: Path, best: int) -> None:
    """Remove a finished trial's state for resuming and, if they are large, the weights of all epochs but the best."""
    for state in states.found(home).values():
        state.unlink()
    paths = {epoch: runs.weights_path(home, epoch) for epoch in runs.epochs_in(home)}
    if sum(path.stat().st_size for path in paths.values()) > WEIGHTS:
        for epoch, path in paths.items():
            if epoch != best:
                path.unlink()


@contextmanager
def _alive(home: Path) -> Iterator[str]:
    """Hold a lock that shows that this worker is alive, under a unique name."""
    name = f"{processes.own().process}-{secrets.token_hex(4)}"
    try:
        (home / "workers").mkdir(parents=True, exist_ok=True)
        with FileLock(home / "workers" / f"{name}.lock"):
            files.write(home / "workers" / f"{name}.json", processes.own().model_dump_json() + "\n")
            yield name
    except OSError as error:
        raise RunError(f"The search {home} cannot be written: {files.reason(error)}.") from error
    finally:
        _sign_off(home, name)


def _sign_off(home: Path, name: str) -> None:
    """Remove the files that show that this worker is alive."""
    # The lock first: without the other file, it would look like the lock of a worker on another machine.
    for own in (f"{name}.lock", f"{name}.json", table.started(processes.own().process)):
        (home / "workers" / own).unlink(missing_ok=True)
