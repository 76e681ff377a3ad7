"""A search from a shell: its workers are started, replaced when they are killed, and waited for."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from attnviz.errors import RunError
from attnviz.work import processes
from attnviz.work.folders import last_words
from attnviz.work.jobs.order import Limits
from attnviz.work.search import table
from attnviz.work.search.trials import Found
from attnviz.work.search.wanted import Wanted

_STOPPED = 143  # exit status of a worker that was asked to end
_LOOK = 0.5  # seconds between two looks at the workers


def run(wanted: Wanted, workers: int, most: Limits, report: Callable[[Found], None]) -> Found:
    """Search until all trials are finished. A worker that is killed is replaced; one that fails ends the search.

    Args:
        most: what one training may ask for.

    Returns:
        All trials; fewer than were asked for if somebody stopped the search.

    Raises:
        BadInput, UnknownName, RunError: as of `table.start`; or a worker ended with an error, which is told.
        KeyboardInterrupt: the search was stopped; its workers have ended, and the same command resumes it.
    """
    search = table.prepare(wanted, workers, most)
    alive = [table.spawn(search) for _ in range(workers)]
    # Replacements: so many are needed if every trial is killed as often as it is tried.
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
                    raise RunError(told or "A worker of the search ended without a word.")
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
    """Ask workers to end, and wait for them."""
    for child in alive:
        if (identity := processes.of(child.pid)) is not None:
            processes.terminate(identity)
    for child in alive:
        child.wait()
