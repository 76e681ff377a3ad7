"""A search from a shell: starting its workers, replacing killed ones, waiting for them, and showing progress."""

import subprocess
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TextIO

from attnviz.errors import RunError
from attnviz.work import processes
from attnviz.work.folders import last_words
from attnviz.work.jobs.order import Limits
from attnviz.work.search import table
from attnviz.work.search.trials import Found
from attnviz.work.search.wanted import Wanted

_STOPPED = 143  # exit status of a worker that was asked to end
_LOOK = 0.5  # seconds between two checks of the workers


def run(wanted: Wanted, workers: int, most: Limits, report: Callable[[Found], None]) -> Found:
    """Search until all trials are finished or the search is stopped, and return them. A killed worker is replaced; a
    failing one ends the search.

    After KeyboardInterrupt its workers have ended, and the same command resumes the search.
    """
    search = table.prepare(wanted, workers, most)
    alive = [table.spawn(search) for _ in range(workers)]
    # The maximum number of replacements, which suffices if every trial is killed as often as it may be repeated.
    left = 3 * table.read(search).trials
    try:
        while alive:
            time.sleep(_LOOK)
            ended = [child for child in alive if child.poll() is not None]
            alive = [child for child in alive if child not in ended]
            known = table.found(search)
            report(known)
            for child in ended:
                if child.returncode > 0 and child.returncode != _STOPPED:
                    told = last_words(table.home(search) / "log.txt")
                    raise RunError(told or "A worker of the search ended without a message.")
                if child.returncode < 0 and len(known.finished) < table.read(search).trials and left > 0:
                    left -= 1
                    alive.append(table.spawn(search))
        return table.found(search)
    except KeyboardInterrupt:
        table.note_stopped(search)
        raise
    finally:
        _end(alive)


def _end(alive: list[subprocess.Popen[bytes]]) -> None:
    """Stop workers, and wait for them."""
    for child in alive:
        if (identity := processes.of(child.pid)) is not None:
            processes.terminate(identity)
    for child in alive:
        child.wait()


class Progress:
    """A progress bar of finished trials, by default on standard error; without a terminal, a line for each finished
    trial.

    It appears with the first report, so that an earlier error is printed alone.
    """

    def __init__(self, trials: int, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._trials, self._stream, self._quiet = trials, stream, quiet
        self._bar: Any = None
        self._told = ""

    def report(self, found: Found) -> None:
        """Show the progress of a search."""
        if self._quiet:
            return
        stream = self._stream or sys.stderr
        best = "" if found.best is None else f", best {found.measure} {found.best.value:.4f}"
        done = len(found.finished)
        said = f"{done} of {self._trials} trials{best}"
        if not stream.isatty():
            if said != self._told:
                stream.write(f"{said}\n")
                stream.flush()
            self._told = said
            return
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(total=self._trials, file=stream, bar_format="{desc} {bar:20} {elapsed}", miniters=0)
        self._bar.n = min(done, self._trials)
        self._bar.set_description_str(said, False)
        self._bar.update(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()
