"""Optuna's study of a search: exactly as many finished trials as requested, even if workers die.

Optuna itself (5.0.0) does not guarantee this: it counts trials when they end, so that two workers finish one too many;
a journal keeps a killed worker's trial as running for ever; and its lock makes the others wait for 30 seconds. So a
worker holds one lock, the gate, while it looks for trials of dead workers, counts the finished ones, and asks for a
trial. A `Store` keeps the trials and implements the gate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import ValidationError

from attnviz import files
from attnviz.errors import RunError
from attnviz.recipes.axes import Axis, Value
from attnviz.work.folders import LARGEST
from attnviz.work.search.trials import State, Trial
from attnviz.work.search.wanted import Wanted

if TYPE_CHECKING:
    from optuna import Study
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

FILE = "search.json"
"""The file of the request, in the folder of the search."""

TRIES = 3
"""The maximum number of tries of a trial, so that one that kills its worker is not tried for ever."""


class Lost(Exception):
    """A trial that another worker repeats, since this one sent no heartbeat for too long."""


class Search:
    """A search in its folder, for its workers and for readers; `better` is "higher" or "lower"."""

    def __init__(self, home: Path, wanted: Wanted, better: str) -> None:
        self.wanted = wanted
        self.name = home.name
        self._home = home
        self._store = store(home, wanted)
        with self._store.gate():
            self.study = self._store.created("maximize" if better == "higher" else "minimize")
        from optuna.pruners import MedianPruner

        self.study.pruner = MedianPruner(n_startup_trials=10)

    def ask(self, worker: str) -> tuple[int, dict[str, Value], int] | None | bool:
        """Take the next trial, under the gate, for a worker that holds the lock of its file.

        Return its number, its values, and the number of the trial that determines its seed: its own, or that of a lost
        trial that it repeats. Return None if other workers still train the last trials, and False if all are finished.
        """
        with self._at_the_gate():
            trials = self.sweep()
            done = _finished(trials)
            if done >= (asked := self._asked()):
                return False
            if done + sum(one.state.name == "RUNNING" for one in trials) >= asked:
                return None
            self.study.sampler = _sampler(self.wanted, len(trials))
            trial = self.study.ask()
            self._store.began(self.study, trial._trial_id)
            values = {axis.name: _suggested(trial, axis) for axis in self.wanted.axes}
            trial.set_user_attr("owner", worker)
            return trial.number, values, int(trial.user_attrs.get("first", trial.number))

    def is_finished(self) -> bool:
        """Return whether the currently requested number of trials is finished."""
        with self._at_the_gate():
            return _finished(self.study.get_trials(deepcopy=False)) >= self._asked()

    def sweep(self) -> list[FrozenTrial]:
        """Find the trials of dead workers, let others repeat them, and return all trials. The caller holds the gate.

        The repeating trial is written, with a note of what it repeats, before the other is marked as failed, so that a
        kill between the two does not write it twice.
        """
        from optuna.trial import TrialState

        trials = self.study.get_trials(deepcopy=False)
        repeated = {one.user_attrs.get("again") for one in trials}
        dead = self._store.dead(self.study, [one for one in trials if one.state == TrialState.RUNNING])
        for one in dead:
            self._give_up(one, one.number in repeated, one.user_attrs.get("tries", 1) + 1)
        return self.study.get_trials(deepcopy=False) if dead else trials

    def abandon(self, number: int) -> None:
        """Let another worker repeat a trial, since its own was asked to stop."""
        with self._at_the_gate():
            for one in self.study.get_trials(deepcopy=False):
                if one.number == number and not one.state.is_finished():
                    self._give_up(one, False, one.user_attrs.get("tries", 1))

    def beating(self, number: int) -> AbstractContextManager[None]:
        """Signal that the worker of a trial is alive, during the block."""
        return self._store.beating(self.study, self._id(number))

    def note(self, number: int, **what: Any) -> None:
        """Record attributes of a trial."""
        with self._writing():
            for name, value in what.items():
                self.study._storage.set_trial_user_attr(self._id(number), name, value)

    def took(self, number: int, there: bool, owned: bool) -> bool:
        """Record and return whether a trial continues a run that was not started for it; a repeated trial inherits
        this.

        `owned` is whether a job or another search started the run, and will delete it.
        """
        with self._writing():
            known = self.study._storage.get_trial(self._id(number)).user_attrs.get("took")
        if known is None:
            # In this order, because `took` implies that both are known.
            self.note(number, borrowed=there and not owned, took=there)
        return there if known is None else bool(known)

    def report(self, number: int, value: float, epoch: int) -> bool:
        """Record the value of a trial after an epoch, and return whether to prune it: its best value so far is worse
        than the median of the others' values after as many epochs.
        """
        with self._writing():
            self.study._storage.set_trial_intermediate_value(self._id(number), epoch, value)
            trial = self.study._storage.get_trial(self._id(number))
            return self.wanted.prune and self.study.pruner.prune(self.study, trial)

    def tell(self, number: int, value: float | None) -> None:
        """End a trial with its value, or with None if it ended before it had one."""
        from optuna.trial import TrialState

        with self._at_the_gate():
            if self.study._storage.get_trial(self._id(number)).state.is_finished():
                raise Lost
            self.study.tell(number, value, TrialState.PRUNED if value is None else TrialState.COMPLETE)

    def trials(self) -> tuple[Trial, ...]:
        """Return all trials."""
        return looked_at(self.study)

    @contextmanager
    def _at_the_gate(self) -> Iterator[None]:
        with self._store.gate(), self._store.safe():
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        from optuna.exceptions import UpdateFinishedTrialError

        with self._store.safe():
            try:
                yield
            except UpdateFinishedTrialError as error:
                raise Lost from error

    def _asked(self) -> int:
        """Return the requested number of trials, which may have been raised since the worker started."""
        with suppress(OSError, ValidationError):
            return Wanted.model_validate_json(files.read(self._home / FILE, LARGEST), strict=False).trials
        return self.wanted.trials

    def _id(self, number: int) -> int:
        return self.study._storage.get_trial_id_from_study_id_trial_number(self.study._study_id, number)

    def _give_up(self, one: FrozenTrial, is_repeated: bool, tries: int) -> None:
        from optuna.trial import TrialState

        if tries > TRIES and not is_repeated:
            self.note(one.number, why=f"its process was killed {TRIES} times")
            self.study.tell(one.number, state=TrialState.PRUNED)
            return
        params = {**one.system_attrs.get("fixed_params", {}), **one.params}
        if not is_repeated and params:  # without parameters it had not begun, and a new trial takes its place
            first = one.user_attrs.get("first", one.number)
            took = {name: value for name, value in one.user_attrs.items() if name in ("took", "borrowed")}
            self.study.enqueue_trial(params, {"again": one.number, "first": first, "tries": tries, **took})
        self.study.tell(one.number, state=TrialState.FAIL)


def opened(home: Path, wanted: Wanted) -> Study | None:
    """Return the study of a search for reading only, or None if no worker has started it."""
    return store(home, wanted).opened()


def looked_at(study: Study) -> tuple[Trial, ...]:
    """Return the trials of a study; RunError: they are damaged."""
    found = study.get_trials(deepcopy=False)
    try:
        return tuple(map(_trial, found))
    except Exception as error:  # damaged values may raise anything
        raise RunError("The trials of this search are damaged. Delete the search and start it again.") from error


def _finished(trials: list[FrozenTrial]) -> int:
    return sum(one.state.name in ("COMPLETE", "PRUNED") for one in trials)


def _sampler(wanted: Wanted, begun: int) -> BaseSampler:
    """Return a sampler seeded by the number of started trials, so that restarted workers do not repeat draws."""
    from optuna.samplers import RandomSampler, TPESampler

    kind = TPESampler if wanted.sampler == "tpe" else RandomSampler
    return kind(seed=(wanted.seed * 1_000_003 + begun) % 2**32)


def _suggested(trial: Any, axis: Axis) -> Value:
    if axis.choices:
        return trial.suggest_categorical(axis.name, list(axis.choices))  # type: ignore[no-any-return]
    suggest = trial.suggest_int if axis.whole else trial.suggest_float
    return suggest(axis.name, *axis.ends, log=axis.log)  # type: ignore[no-any-return]


_STATES: dict[str, State] = {
    "COMPLETE": "complete",
    "PRUNED": "pruned",
    "FAIL": "failed",
    "RUNNING": "running",
    "WAITING": "waiting",
}


def _trial(one: FrozenTrial) -> Trial:
    told = one.user_attrs
    return Trial(
        number=one.number,
        state=_STATES[one.state.name],
        params=one.params or one.system_attrs.get("fixed_params", {}),
        value=one.value if one.state.name == "COMPLETE" else None,
        values=tuple(one.intermediate_values[epoch] for epoch in sorted(one.intermediate_values)),
        run=told.get("run", ""),
        epoch=told.get("epoch", 0),
        borrowed=told.get("borrowed", bool(told.get("took"))),  # earlier versions did not record who owned the run
        seed=told.get("seed", 0),
        seconds=told.get("seconds", 0.0),
        why=told.get("why", ""),
    )


class Store(Protocol):
    """The storage of a search's study. All methods raise RunError if it cannot be read or written, and BadInput if a
    package is missing."""

    def gate(self) -> AbstractContextManager[None]:
        """Hold the lock for everything that must not happen twice."""

    def created(self, direction: Literal["maximize", "minimize"]) -> Study:
        """Return the study for a worker, a new one if there is none. The caller holds the gate."""

    def opened(self) -> Study | None:
        """Return the study for reading only, or None if no worker has started it."""

    def dead(self, study: Study, running: list[FrozenTrial]) -> list[FrozenTrial]:
        """Return the running trials whose workers are dead, or died holding the gate, which the caller now holds."""

    def began(self, study: Study, trial_id: int) -> None:
        """Signal for the first time that the worker of a trial is alive, before the trial gets its owner."""

    def beating(self, study: Study, trial_id: int) -> AbstractContextManager[None]:
        """Signal repeatedly, during the block, that the worker of a trial is alive."""

    def safe(self) -> AbstractContextManager[None]:
        """Convert any error of the storage in the block into one sentence."""

    def remove(self) -> None:
        """Remove the study, unless it is removed with the folder of the search."""


def store(home: Path, wanted: Wanted) -> Store:
    """Return the storage of a search's trials."""
    if wanted.storage:
        from attnviz.work.search.database import Database

        return Database(wanted.storage, wanted.id)
    from attnviz.work.search.journal import Journal

    return Journal(home)
