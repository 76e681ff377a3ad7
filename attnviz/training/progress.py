"""The events of a training, and its progress bar on the command line: "seed 0, epoch 3 of at most 200"."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from attnviz.recipes import Recipe

if TYPE_CHECKING:
    from attnviz.training.objectives import Objective


@dataclass(frozen=True)
class Resumed:
    """A run has resumed after `epoch` epochs, perhaps all of them; `note` names newer states that could not be read."""

    epoch: int
    finished: bool
    note: str = ""


@dataclass(frozen=True)
class Step:
    """A finished batch: number `done` of `total` in this epoch."""

    done: int
    total: int


@dataclass(frozen=True)
class Epoch:
    """A finished epoch: one line of the curve.

    Args:
        epoch: its number, from 1.
        values: the values by name: "train_loss" and the objective's other losses, as means over the epoch's pictures
            while the weights changed; "validation_loss" and the objective's other measures, afterwards, on the
            validation part; and the recipe's probes. A value is None if a probe's value is not finite.
    """

    epoch: int
    values: dict[str, float | None]


class Stopped(KeyboardInterrupt):
    """A training was stopped from the keyboard; the message tells what was saved."""


class Progress:
    """A progress bar over the epochs of all seeds or, without a terminal, a line for each epoch.

    It appears with the first event, so that an earlier error is printed alone. It shows no remaining time, which is
    unknown because trainings stop early.

    Args:
        recipe, seeds: the training.
        goal: the recipe's objective, which may have a remark.
        stream: the stream to draw on; by default standard error.
        quiet: whether to show nothing.
    """

    def __init__(
        self,
        recipe: Recipe,
        seeds: Sequence[int],
        goal: "Objective",
        stream: TextIO | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        self._recipe, self._seeds, self._stream, self._quiet = recipe, list(seeds), stream, quiet
        self._bar: Any = None
        self._seed, self._saved, self._losses = self._seeds[0], 0, ""
        self._started: set[int] = set()
        self._objective, self._remarked = goal, False

    def report(self, seed: int, event: Step | Epoch | Resumed) -> None:
        """Show an event of a seed's training."""
        try:
            self._report(seed, event)
        except BrokenPipeError:
            raise
        except OSError:  # a failing bar must not stop a training
            pass

    def _report(self, seed: int, event: Step | Epoch | Resumed) -> None:
        if seed not in self._started:
            self._started.add(seed)
            self._seed, self._saved, self._losses = seed, 0, ""
        if isinstance(event, Resumed):
            self._saved = event.epoch
            how = "is already trained:" if event.finished else "resumes after"
            count = f"{event.epoch} epoch{'s' * (event.epoch > 1)}"
            note = f" {event.note}" if event.note else ""
            self._write(f"{self._recipe.key}: seed {seed} {how} {count}.{note}")
        elif isinstance(event, Epoch):
            self._saved = event.epoch
            losses = {name: value for name, value in event.values.items() if name.endswith("_loss")}
            self._losses = "".join(f", {name.replace('_', ' ')} {value:.4g}" for name, value in losses.items())
            remark = self._objective.remark(self._recipe, event.values)
            if remark and not self._remarked:
                self._write(f"Seed {seed}, epoch {event.epoch}: {remark}")
            self._remarked = remark is not None
            self._draw(event.epoch, event.epoch)
        elif self._on_terminal():
            self._draw(self._saved + 1, self._saved + event.done / event.total)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Remove the bar at the end of the block."""
        try:
            yield
        except KeyboardInterrupt as error:
            raise Stopped(" ".join(filter(None, [str(error), self._stopped()]))) from error
        finally:
            if self._bar is not None:
                self._bar.close()

    def _stopped(self) -> str:
        if not self._started:
            return "Stopped before the training began. What was saved earlier is still there."
        if self._saved:
            return f"Stopped. The same command resumes seed {self._seed} after epoch {self._saved}."
        earlier = self._seeds[: self._seeds.index(self._seed)]
        before = f" Seed {', '.join(map(str, earlier))} is saved: the same command resumes after it." if earlier else ""
        return f"Stopped in the first epoch of seed {self._seed}: nothing of it was saved.{before}"

    def _drawn(self) -> Any:
        if self._bar is None:
            from tqdm import tqdm

            total, shape = len(self._seeds) * self._recipe.epochs, "{desc} {bar:20} {elapsed}"
            self._bar = tqdm(total=total, file=self._stream, bar_format=shape, miniters=0)
        return self._bar

    def _on_terminal(self) -> bool:
        return (self._stream or sys.stderr).isatty()

    def _write(self, line: str) -> None:
        if self._quiet:
            return
        stream = self._stream or sys.stderr
        if self._on_terminal():
            self._drawn().write(line, file=stream)
        else:
            stream.write(f"{line}\n")
            stream.flush()

    def _draw(self, epoch: int, done: float) -> None:
        most = self._recipe.epochs
        at_most = "of" if self._recipe.patience is None else "of at most"
        said = f"{self._recipe.key}: seed {self._seed}, epoch {epoch} {at_most} {most}{self._losses}"
        if self._quiet or not self._on_terminal():
            self._write(said)
            return
        bar = self._drawn()
        bar.n = self._seeds.index(self._seed) * most + done
        bar.set_description_str(said, False)
        bar.update(0)
