"""Optuna's study of a search: exactly as many finished trials as requested, even if workers die.

Optuna's own means do not give that (5.0.0): it counts trials when they end, so that two workers finish one too many; a
journal keeps the trial of a worker that was killed as running for ever; and its lock makes the others wait for 30
seconds. So one lock, the gate, is held while a worker looks for trials of the dead, counts the finished ones, and asks
for a trial. `Store` says where the trials are kept, and what the gate is there.
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
"""What is searched, in the folder of the search."""

TRIES = 3
"""So often a trial is begun at most: one whose worker dies each time is not tried for ever."""


class Lost(Exception):
    """A trial that another worker repeats, as this one gave no sign of life for too long."""


class Search:
    """A search, as its workers and those who look at it see it, in its folder; `better` is "higher" or "lower"."""

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
        """Take the next trial, behind the gate, for a worker that holds the lock of its file.

        Return its number, its values, and the number of the trial that decides its seed: its own, or of one that died
        and that it repeats. None if another worker still trains the last ones; False if all are finished.
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
        """Return whether as many trials are finished as are asked for by now."""
        with self._at_the_gate():
            return _finished(self.study.get_trials(deepcopy=False)) >= self._asked()

    def sweep(self) -> list[FrozenTrial]:
        """Find the trials of dead workers, let others repeat them, and return all. The caller is behind the gate.

        What repeats a trial is written before it is called failed, and says so: killed between the two, it is not
        written twice.
        """
        from optuna.trial import TrialState

        trials = self.study.get_trials(deepcopy=False)
        repeated = {one.user_attrs.get("again") for one in trials}
        dead = self._store.dead(self.study, [one for one in trials if one.state == TrialState.RUNNING])
        for one in dead:
            self._give_up(one, one.number in repeated, one.user_attrs.get("tries", 1) + 1)
        return self.study.get_trials(deepcopy=False) if dead else trials

    def abandon(self, number: int) -> None:
        """Let another worker repeat a trial, as its own was asked to stop."""
        with self._at_the_gate():
            for one in self.study.get_trials(deepcopy=False):
                if one.number == number and not one.state.is_finished():
                    self._give_up(one, False, one.user_attrs.get("tries", 1))

    def beating(self, number: int) -> AbstractContextManager[None]:
        """Let others see that the worker of a trial lives, as long as this lasts."""
        return self._store.beating(self.study, self._id(number))

    def note(self, number: int, **what: Any) -> None:
        """Write down something about a trial."""
        with self._writing():
            for name, value in what.items():
                self.study._storage.set_trial_user_attr(self._id(number), name, value)

    def took(self, number: int, there: bool, owned: bool) -> bool:
        """Write down whether a trial goes on with a run that was not begun for it, and return it; one that repeats
        another goes by that.

        `owned` says that a job or another search began the run, and also deletes it.
        """
        with self._writing():
            known = self.study._storage.get_trial(self._id(number)).user_attrs.get("took")
        if known is None:
            # In this order, because `took` implies that both are known.
            self.note(number, borrowed=there and not owned, took=there)
        return there if known is None else bool(known)

    def report(self, number: int, value: float, epoch: int) -> bool:
        """Write down the value of a trial after an epoch, and return whether it should be ended: its best value so far
        is below the median of what others had after as many epochs.
        """
        with self._writing():
            self.study._storage.set_trial_intermediate_value(self._id(number), epoch, value)
            trial = self.study._storage.get_trial(self._id(number))
            return self.wanted.prune and self.study.pruner.prune(self.study, trial)

    def tell(self, number: int, value: float | None) -> None:
        """End a trial with the value that it reached, None if it was ended before it could."""
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
        """Return how many trials are to be finished: more may have been asked for since the worker began."""
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
    """Return the study of a search for reading only; None where no worker has begun it."""
    return store(home, wanted).opened()


def looked_at(study: Study) -> tuple[Trial, ...]:
    """Return the trials of a study; RunError where they are damaged."""
    found = study.get_trials(deepcopy=False)
    try:
        return tuple(map(_trial, found))
    except Exception as error:  # damaged values may raise anything
        raise RunError("The trials of this search are damaged. Delete the search and start it again.") from error


def _finished(trials: list[FrozenTrial]) -> int:
    return sum(one.state.name in ("COMPLETE", "PRUNED") for one in trials)


def _sampler(wanted: Wanted, begun: int) -> BaseSampler:
    """Return a sampler whose draws depend on how many trials have begun, so that no restarted worker repeats some."""
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
    """What holds the study of one search. All of it raises RunError where it cannot be read or written, and BadInput
    where a package is missing."""

    def gate(self) -> AbstractContextManager[None]:
        """Hold the lock behind which all is done that must not happen twice."""

    def created(self, direction: Literal["maximize", "minimize"]) -> Study:
        """Return the study for a worker, a new one if there is none. The caller is behind the gate."""

    def opened(self) -> Study | None:
        """Return the study for reading only; None where no worker has begun it."""

    def dead(self, study: Study, running: list[FrozenTrial]) -> list[FrozenTrial]:
        """Return the running trials whose workers are dead, or died behind the gate, at which the caller is."""

    def began(self, study: Study, trial_id: int) -> None:
        """Say for the first time that the worker of a trial lives, before the trial gets its owner."""

    def beating(self, study: Study, trial_id: int) -> AbstractContextManager[None]:
        """Say again and again that the worker of a trial lives."""

    def safe(self) -> AbstractContextManager[None]:
        """Turn whatever goes wrong with the storage inside into one sentence."""

    def remove(self) -> None:
        """Remove the study, where it does not go with the folder of the search."""


def store(home: Path, wanted: Wanted) -> Store:
    """Return where a search keeps its trials."""
    if wanted.storage:
        from attnviz.work.search.database import Database

        return Database(wanted.storage, wanted.id)
    from attnviz.work.search.journal import Journal

    return Journal(home)
