"""A run: a training with its own folder, which survives being killed at any moment.

`attnviz.training.runs` describes and reads the folder. A resumed run has, bit for bit, the same curve and weights as an
uninterrupted run on the same CPU with the same number of threads, which `run.json` records. On a GPU this has not been
tried.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from torch import Tensor

from attnviz import checkpoints, files
from attnviz.errors import CheckpointError, RunError
from attnviz.training import mistakes, run_file, runs, states
from attnviz.training.durations import Duration, Stopwatch, line
from attnviz.training.loop import Training
from attnviz.training.progress import Epoch, Resumed, Step
from attnviz.training.run_file import RunFile
from attnviz.work import processes

LIMIT = 200_000_000
"""The maximum number of bytes for the weights of all epochs of a run."""

BEAT = 2.0
"""Seconds between updates of an epoch's progress in `status.json`."""

_PATIENCE = 0.5  # seconds: another process may just be testing the lock
_AGAIN = "Remove the folder to train from the start."


class Run:
    """One seed of one recipe, in its folder.

    Args:
        info: the settings. If the folder already holds a run, its number of threads is kept.
        root: the folder of all runs; by default `runs.folder()`.

    Raises:
        RunError: the folder holds a run with other settings, or cannot be written.
    """

    def __init__(self, info: RunFile, root: Path | None = None) -> None:
        self.folder = _home(info, root or runs.folder())
        path = self.folder / "run.json"
        with self._writing():
            if root is None:
                runs.made()
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                alone = {"processes"} if info.processes == 1 else None  # the format of earlier versions
                files.write(path, info.model_dump_json(indent=1, exclude=alone) + "\n")
        self.info = runs.parsed(path)
        self.info.check(info, f"{self.folder} holds a run")

    def train(self, training: Training) -> Iterator[Step | Epoch | Resumed]:
        """Train from the last state, or from the start, until finished; write a state and the weights after every
        epoch.

        Yield `Resumed` first if some epochs are done already, then a `Step` after each batch and an `Epoch` after each
        epoch.
        """
        lock = FileLock(self.folder / "lock", timeout=_PATIENCE, poll_interval=0.05)
        with self._writing():
            try:
                lock.acquire()
            except Timeout as error:  # a subclass of OSError, hence caught inside `_writing`
                raise RunError(f"Another process is training {self.folder}. Wait for it, or stop it.") from error
        events = training.run()
        try:
            if self.is_closed:
                raise RunError(
                    f"The run {self.folder} is finished, and its last state, from which it would resume, is not there. "
                    "Remove the folder to train from the start."
                )
            if (resumed := self._resume(training)) is not None:
                yield resumed
            yield from self._followed(training, events)
        finally:
            events.close()  # processes that train together end together
            lock.release()

    def _followed(self, training: Training, events: Iterator[Step | Epoch]) -> Iterator[Step | Epoch]:
        """Pass on the events, and record them."""
        with self._writing():
            self._status(training)
        told, watch = time.monotonic(), Stopwatch()
        try:
            for event in events:
                now = time.monotonic()
                if isinstance(event, Epoch):
                    with self._writing():
                        self._record(training, event, watch.read())
                    told, watch = time.monotonic(), Stopwatch()
                elif now - told > BEAT:
                    told = now
                    with self._writing():
                        self._status(training, event)
                yield event
        except BaseException:
            # The process may live on, as a search's worker does, and must no longer appear to be training this run.
            with suppress(OSError):
                self._status(training, state="stopped")
            raise
        with self._writing():
            self._status(training)

    @property
    def is_closed(self) -> bool:
        """Whether the run is finished and has no state: it was imported, or is a trial of a search."""
        finished = runs.status_in(self.folder).get("state") == "finished"
        return finished and not states.found(self.folder)

    def curve(self) -> list[Epoch]:
        """Return the finished epochs."""
        return runs.curve_in(self.folder)

    def durations(self) -> list[Duration]:
        """Return the duration of each epoch in the log; an epoch that was trained twice occurs twice."""
        return runs.durations_in(self.folder)

    def _resume(self, training: Training) -> Resumed | None:
        """Restore the newest readable state, and only then remove what was written after it."""
        curve, refused = self.curve(), {}
        for path in states.found(self.folder).values():
            try:
                training.restore(*states.read(path, training))
                break
            except CheckpointError as error:
                refused[path] = str(error)
        if [epoch.epoch for epoch in curve[: training.epoch]] != [*range(1, training.epoch + 1)]:
            raise RunError(f"{self.folder / 'curve.jsonl'} lacks epochs of its state. {_AGAIN}")
        if not training.epoch and (refused or len(curve) > 1):
            why = " ".join(refused.values()) or "There is none, though its curve has epochs."
            raise RunError(f"The run {self.folder} has no state to resume from. {why} Nothing was changed. {_AGAIN}")
        with self._writing():
            aside = [(path.name, states.set_aside(path).name) for path in refused]
            for half in self.folder.glob(".*.partial"):  # left behind by a killed process
                half.unlink()
            for epoch in runs.epochs_in(self.folder):
                if epoch > training.epoch:  # weights of an epoch without a state
                    runs.weights_path(self.folder, epoch).unlink()
            files.write(self.folder / "curve.jsonl", "".join(map(_line, curve[: training.epoch])))
        if not training.epoch:
            return None
        notes = [f"{why} It was set aside as {new}." for why, (_, new) in zip(refused.values(), aside, strict=True)]
        return Resumed(training.epoch, training.finished, " ".join(notes))

    def _record(self, training: Training, epoch: Epoch, took: Duration) -> None:
        # The curve first: an extra line is cut when the run is resumed, but a missing one could not be restored.
        with files.opened(self.folder / "curve.jsonl", "ab") as curve:
            curve.write(_line(epoch).encode())
            curve.flush()
            os.fsync(curve.fileno())
        tensors, numbers = training.state()
        weights = {name.removeprefix("weights/"): t for name, t in tensors.items() if name.startswith("weights/")}
        kept = self._keep(epoch.epoch, weights, training.kept_epoch)
        files.write(states.path(self.folder, epoch.epoch), states.encode(tensors, numbers))
        for old, path in states.found(self.folder).items():
            if old < epoch.epoch - 1 and not path.is_dir():
                path.unlink()
        for earlier in runs.epochs_in(self.folder):
            if earlier not in kept:
                runs.weights_path(self.folder, earlier).unlink()
        if (answers := mistakes.of(training, run_file.class_names(self.info.recipe))) is not None:
            files.write(self.folder / mistakes.FILE, answers.model_dump_json() + "\n")
        self._status(training)
        with files.opened(self.folder / "log.txt", "ab") as log:
            log.write(f"{line(epoch.epoch, took)}\n".encode())

    def _keep(self, epoch: int, weights: dict[str, Tensor], best: int) -> set[int]:
        """Write the weights of an epoch if they should be kept, and return all kept epochs."""
        digest = checkpoints.digest(checkpoints.encode(weights))
        content = runs.encode(weights, epoch, digest)
        kept = kept_epochs(epoch, best, LIMIT // len(content))
        if epoch in kept:
            files.write(runs.weights_path(self.folder, epoch), content)
        return kept

    def _status(self, training: Training, step: Step | None = None, state: str = "running") -> None:
        status = {
            "state": "finished" if training.finished else state,
            "epoch": training.epoch,
            "best_epoch": training.best_epoch,
            "share": step.done / step.total if step else 0.0,  # progress of the next epoch
            **processes.own().model_dump(),
        }
        files.write(self.folder / "status.json", json.dumps(status) + "\n")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunError(
                f"The run {self.folder} cannot be written: {files.reason(error)}. "
                "Fix that and start the same command again: it resumes after the last epoch."
            ) from error


def kept_epochs(done: int, best: int, most: int) -> set[int]:
    """Return the epochs at which a run keeps its weights: the best, the last, and as many evenly spaced ones from the
    first as fit: all, every second, every fourth, ... Later, only the last and the best can be added.
    """
    step = 1
    while -(-done // step) > max(most - 2, 1):
        step *= 2
    return set([*dict.fromkeys((best, done, *range(1, done + 1, step)))][:most])


def _home(info: RunFile, root: Path) -> Path:
    """Return the folder of a run: the one named by an earlier version if it holds this run, else its own."""
    own, earlier = root / info.id, root / info.earlier_id
    if not own.exists() and earlier.exists():
        with suppress(RunError):
            if not runs.parsed(earlier / "run.json").differences(info):
                return earlier
    return own


def _line(epoch: Epoch) -> str:
    return json.dumps({"epoch": epoch.epoch, **epoch.values}) + "\n"
