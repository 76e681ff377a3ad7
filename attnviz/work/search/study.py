"""Optuna's study in the folder of a search: exactly as many finished trials as asked, whoever dies meanwhile.

Optuna's own means do not give that (5.0.0): it counts trials when they end, so that two workers finish one too many; a
journal keeps the trial of a worker that was killed as running for ever; and its lock makes the others wait for 30
seconds. So one lock of the kernel's, the gate, is held while a worker looks for trials of the dead, counts the finished
ones, and asks for a trial.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from attnviz import files
from attnviz.errors import BadInput, RunError
from attnviz.recipes.axes import Axis, Value
from attnviz.work.search.trials import State, Trial
from attnviz.work.search.wanted import Wanted

if TYPE_CHECKING:
    from optuna import Study
    from optuna.samplers import BaseSampler
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial

TRIES = 3
"""So often a trial is begun at most: one whose worker dies each time is not tried for ever."""

_NAME = "search"  # of the only study in a journal
_PATIENCE = 60  # seconds that one waits for the gate or the journal, which are held for milliseconds
_STEP = 0.005  # seconds between two tries


class Journal:
    """The lock of a journal, in the form that Optuna asks for. Whoever holds it finds whole lines only.

    Args:
        path: of the journal.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_name("journal.lock"), timeout=_PATIENCE, poll_interval=_STEP)

    def acquire(self) -> bool:
        """Take the lock, and cut off half a last line, which a full disk or a power cut can leave: with another line
        behind it the journal could never be read again."""
        self._lock.acquire()
        mend(self._path)
        return True

    def release(self) -> None:
        """Let the lock go."""
        self._lock.release()


def mend(path: Path) -> None:
    """Cut off whatever follows the last line end of a file; the caller holds its lock.

    Args:
        path: of the file; where there is none, nothing is done.
    """
    with suppress(FileNotFoundError), path.open("rb+") as file:
        at = end = file.seek(0, os.SEEK_END)
        while at > 0:
            start = max(0, at - 4096)
            file.seek(start)
            place = file.read(at - start).rfind(b"\n")
            if place >= 0:
                at = start + place + 1
                break
            at = start
        if at < end:
            file.truncate(at)


def alive(home: Path, worker: str) -> bool:
    """Return whether a worker lives: it holds the lock of its file as long as it does, however it ends.

    Args:
        home: folder of the search.
        worker: its name.
    """
    path = home / "workers" / f"{worker}.lock"
    if not path.is_file():
        return False
    try:
        with FileLock(path, blocking=False):
            return False
    except Timeout:
        return True


class Search:
    """A search, as its workers and those who look at it see it.

    Args:
        home: its folder.
        wanted: what is searched.
        better: "higher" or "lower".

    Raises:
        RunError: the folder cannot be written, or its journal cannot be read.
        BadInput: Optuna is not installed.
    """

    def __init__(self, home: Path, wanted: Wanted, better: str) -> None:
        self.home, self.wanted = home, wanted
        self._gate = FileLock(home / "gate", timeout=_PATIENCE, poll_interval=_STEP)
        with self._at_the_gate():
            self.study = _created(home, better)

    def ask(self, worker: str) -> tuple[int, dict[str, Value], int] | None | bool:
        """Take the next trial, behind the gate.

        Args:
            worker: who will train it, and holds the lock of its file.

        Returns:
            Its number, its values, and the number of the trial that decides its seed: its own, or of one that died and
            that it repeats. None if another worker still trains the last ones. False if all are finished.

        Raises:
            RunError: the folder cannot be written.
        """
        with self._at_the_gate():
            trials = self.sweep()
            done = sum(one.state.name in ("COMPLETE", "PRUNED") for one in trials)
            if done >= self.wanted.trials:
                return False
            if done + sum(one.state.name == "RUNNING" for one in trials) >= self.wanted.trials:
                return None
            self.study.sampler = _sampler(self.wanted, len(trials))
            trial = self.study.ask()
            values = {axis.name: _suggested(trial, axis) for axis in self.wanted.axes}
            trial.set_user_attr("owner", worker)
            return trial.number, values, int(trial.user_attrs.get("first", trial.number))

    def sweep(self) -> list[FrozenTrial]:
        """Find the trials of dead workers, and let others repeat them. The caller is behind the gate.

        A trial without owner belongs to nobody but one who died behind the gate. What repeats it is written before it
        is called failed, and says so: killed between the two, it is not written twice.

        Returns:
            All trials.
        """
        from optuna.trial import TrialState

        trials = self.study.get_trials(deepcopy=False)
        repeated = {one.user_attrs.get("again") for one in trials}
        owners = {one.user_attrs.get("owner", "") for one in trials if one.state == TrialState.RUNNING}
        living = {owner for owner in owners if owner and alive(self.home, owner)}
        dead = [
            one for one in trials if one.state == TrialState.RUNNING and one.user_attrs.get("owner", "") not in living
        ]
        for one in dead:
            self._give_up(one, one.number in repeated, one.user_attrs.get("tries", 1) + 1)
        return self.study.get_trials(deepcopy=False) if dead else trials

    def abandon(self, number: int) -> None:
        """Let another worker repeat a trial, as its own was asked to stop.

        Args:
            number: of the trial.
        """
        with self._at_the_gate():
            for one in self.study.get_trials(deepcopy=False):
                if one.number == number and not one.state.is_finished():
                    self._give_up(one, False, one.user_attrs.get("tries", 1))

    def note(self, number: int, **what: Any) -> None:
        """Write down something about a trial.

        Args:
            number: of the trial.
            what: fields of `Trial`.
        """
        trial_id = self.study._storage.get_trial_id_from_study_id_trial_number(self.study._study_id, number)
        for name, value in what.items():
            self.study._storage.set_trial_user_attr(trial_id, name, value)

    def report(self, number: int, value: float, epoch: int) -> bool:
        """Write down the value of a trial after an epoch, and return whether it should be ended: its best value so far
        is below the median of what others had after as many epochs."""
        trial_id = self.study._storage.get_trial_id_from_study_id_trial_number(self.study._study_id, number)
        self.study._storage.set_trial_intermediate_value(trial_id, epoch, value)
        return self.wanted.prune and self.study.pruner.prune(self.study, self.study._storage.get_trial(trial_id))

    def tell(self, number: int, value: float | None) -> None:
        """End a trial.

        Args:
            number: of the trial.
            value: that it reached; None if it was ended before it could.
        """
        from optuna.trial import TrialState

        self.study.tell(number, value, TrialState.PRUNED if value is None else TrialState.COMPLETE)

    def trials(self) -> tuple[Trial, ...]:
        """Return all trials."""
        return tuple(_trial(one) for one in self.study.get_trials(deepcopy=False))

    @contextmanager
    def _at_the_gate(self) -> Iterator[None]:
        try:
            with self._gate:
                yield
        except Timeout as error:
            raise RunError(f"Another process holds {self.home / 'gate'}. Try again in a moment.") from error
        except OSError as error:
            raise RunError(f"The search {self.home} cannot be written: {files.reason(error)}.") from error

    def _give_up(self, one: FrozenTrial, is_repeated: bool, tries: int) -> None:
        from optuna.trial import TrialState

        if tries > TRIES and not is_repeated:
            self.note(one.number, why=f"its process was killed {TRIES} times")
            self.study.tell(one.number, state=TrialState.PRUNED)
            return
        params = {**one.system_attrs.get("fixed_params", {}), **one.params}
        if not is_repeated and params:  # without any it had not begun: a new one fills its place
            first = one.user_attrs.get("first", one.number)
            self.study.enqueue_trial(params, {"again": one.number, "first": first, "tries": tries})
        self.study.tell(one.number, state=TrialState.FAIL)


def opened(home: Path) -> Study | None:
    """Return the study of a search for whoever only looks at it; None where no worker has begun it.

    Args:
        home: folder of the search.

    Raises:
        RunError: its journal cannot be read.
        BadInput: Optuna is not installed.
    """
    if not (home / "journal.jsonl").is_file():
        return None
    with _readable(home):
        import optuna

        storage = _storage(home)
        return optuna.load_study(study_name=_NAME, storage=storage) if storage.get_all_studies() else None


def looked_at(study: Study) -> tuple[Trial, ...]:
    """Return the trials of a study."""
    return tuple(_trial(one) for one in study.get_trials(deepcopy=False))


def _created(home: Path, better: str) -> Study:
    """Return the study of a search for a worker, after half a last line of its journal was cut off."""
    with _readable(home):
        import optuna

        lock = Journal(home / "journal.jsonl")
        lock.acquire()
        lock.release()
        return optuna.create_study(
            study_name=_NAME, storage=_storage(home), load_if_exists=True,
            direction="maximize" if better == "higher" else "minimize",
            pruner=optuna.pruners.MedianPruner(n_startup_trials=10),
        )  # fmt: skip


@contextmanager
def _readable(home: Path) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise BadInput('A search needs Optuna. Install it: pip install "attnviz[search]"') from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise RunError(f"{home / 'journal.jsonl'} cannot be read. Delete the search and start it again.") from error


def _storage(home: Path) -> BaseStorage:
    import optuna
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = home / "journal.jsonl"
    backend = JournalFileBackend(str(path), lock_obj=Journal(path))  # type: ignore[arg-type] # its base is not public
    return optuna.storages.JournalStorage(backend)


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
        seed=told.get("seed", 0),
        seconds=told.get("seconds", 0.0),
        why=told.get("why", ""),
    )
