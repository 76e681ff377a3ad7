"""The table of searches: starting, finding, stopping, resuming, deleting and reading them.

one = table.start(Wanted(model="pixel_line", recipe="digits", axes=..., trials=33), workers=2)
table.state(one).sentence; table.found(one).best
table.stop(one); table.start(table.read(one), workers=2); table.delete(one)
"""

import secrets
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from attnviz import data, files
from attnviz.checkpoint_folder import is_name
from attnviz.errors import BadInput, RunError, UnknownName
from attnviz.work import processes, shelf
from attnviz.work.folders import identity, last_words
from attnviz.work.jobs import order
from attnviz.work.jobs.order import Limits
from attnviz.work.processes import Identity
from attnviz.work.search import study
from attnviz.work.search import wanted as wants
from attnviz.work.search.study import store
from attnviz.work.search.trials import Found
from attnviz.work.search.wanted import Wanted
from attnviz.work.shelf import SEARCHES

MOST = 20
"""The maximum number of searches; finished ones count until they are deleted."""

Word = Literal["running", "finished", "stopped", "failed", "interrupted"]


@dataclass(frozen=True)
class State:
    """The state of a search.

    Args:
        word: the state; the workers of an "interrupted" search have neither finished nor been stopped.
        sentence: the state in a sentence.
        done: the number of finished trials.
        trials: the number of requested trials.
    """

    word: Word
    sentence: str
    done: int
    trials: int


folder, ids, read, home, alone = SEARCHES.folder, SEARCHES.ids, SEARCHES.read, SEARCHES.home, SEARCHES.alone
runs_of = shelf.runs_of_search


def start(wanted: Wanted, workers: int = 1, most: Limits | None = None) -> str:
    """Start the workers of a new or earlier search, and raise its number of trials if more are requested. `most` are
    the limits of a training, by default the current ones. Return its name, the same for the same search.
    """
    search = prepare(wanted, workers, most)
    with alone():
        for other in ids():
            if other != search and (at_work(other) or is_elsewhere(other)):
                raise BadInput("Another search is running. Wait for it, or stop it first.")
        for _ in range(workers - len(at_work(search))):
            spawn(search)
    return search


def prepare(wanted: Wanted, workers: int = 1, most: Limits | None = None) -> str:
    """Check a search and write its folder, without starting a worker."""
    wants.checked(wanted, workers, most or order.limits())
    if not is_name(search := wanted.id):
        raise BadInput("A search is named after its recipe, whose name is too long.")
    with alone():
        if search not in (there := ids()) and len(there) >= MOST:
            raise BadInput(f"There are {MOST} searches already. Delete one that you no longer need.")
        if search in there:
            before = read(search)
            if wanted.storage not in ("", before.storage):
                kept = f"keeps its trials in {before.storage or 'its folder'}"
                raise BadInput(f"This search {kept}. Continue it without --storage, or delete it.")
            wanted = wanted.model_copy(update={"trials": max(wanted.trials, before.trials), "storage": before.storage})
            if not at_work(search):  # otherwise the last workers' messages would be attributed to the next ones
                (home(search) / "log.txt").unlink(missing_ok=True)
        (SEARCHES.write(wanted) / "workers").mkdir(exist_ok=True)
    return search


def words(search: str) -> list[str]:
    """Return the command of a worker as a list of words."""
    return [sys.executable, "-m", "attnviz", "search", "--worker", search]


def spawn(search: str) -> subprocess.Popen[bytes]:
    """Start a worker of a search, at the lowest priority and in a new session."""
    place = home(search)
    (place / "stopped").unlink(missing_ok=True)
    try:
        with files.opened(place / "log.txt", "ab") as log:
            alive = place / "workers" / f"{secrets.token_hex(4)}.alive"
            child = processes.spawn(words(search), read(search).threads, log, alive)
    except OSError as error:
        raise RunError(f"A worker of the search could not be started: {files.reason(error)}.") from error
    if (own := processes.of(child.pid)) is not None:  # the worker itself would take seconds to write it
        files.write(place / "workers" / started(child.pid), own.model_dump_json() + "\n")
    return child


def started(process: int) -> str:
    """Return the name of the file in which the starter of a worker records that it is alive."""
    return f"{process}-started.json"


def at_work(search: str) -> list[Identity]:
    """Return the living workers of a search on this machine."""
    processes.forget()
    found = {}
    for path in sorted((home(search) / "workers").glob("*.json")):
        if (one := identity(path)) is not None and one.alive:
            found[one.process] = one
    return list(found.values())


def is_elsewhere(search: str) -> bool:
    """Return whether a worker of a search lives in another container, or on another machine that shares the folder."""
    here = {path.stem for path in (home(search) / "workers").glob("*.json") if (one := identity(path)) and one.alive}
    locks = [path for path in (home(search) / "workers").glob("*.lock") if path.stem not in here]
    return any(map(processes.is_locked, locks))


def stop(search: str) -> None:
    """Stop the workers of a search after their batch; it can be resumed."""
    with alone():
        for one in at_work(search):
            if processes.terminate(one):
                note_stopped(search)
        if is_elsewhere(search):
            raise BadInput("A worker of this search runs in another container or on another machine. Stop it there.")


def note_stopped(search: str) -> None:
    """Record that the workers of a search were asked to stop."""
    files.write(home(search) / "stopped", "")


def delete(search: str) -> None:
    """Remove a search and the runs of its trials, except runs shared with a job or another search, and runs that
    existed before it and belonged to nobody, such as runs of `train`.
    """
    place = home(search)
    with alone():
        if at_work(search) or is_elsewhere(search):
            raise BadInput("This search is running. Stop it first.")
        own: list[str] = []
        with suppress(RunError, BadInput, UnknownName):
            own = shelf.alone_of(search, runs_of(search, borrowed=False))
        if (wanted := _readable(search)) is not None:
            store(place, wanted).remove()
        SEARCHES.remove(search, own)


def found(search: str) -> Found:
    """Return the trials of a search so far."""
    wanted = read(search)
    opened = study.opened(home(search), wanted)
    recipe = wanted.made()
    changes = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in wanted.changes.items() if name != "data")
    return Found(
        name=search,
        title=recipe.title,
        source=f"The recipe {recipe.key}{f' with {changes}' if changes else ''} on {data.spec(recipe.data).title}.",
        measure="accuracy" if opened is None or opened.direction.name == "MAXIMIZE" else recipe.watch,
        better="higher" if opened is None or opened.direction.name == "MAXIMIZE" else "lower",
        axes=wanted.axes,
        trials=() if opened is None else study.looked_at(opened),
    )


def state(search: str, known: Found | None = None) -> State:
    """Return the state of a search, from its trials if they have just been read."""
    wanted, done = read(search), len((known or found(search)).finished)
    trials = wanted.trials
    if at_work(search) or is_elsewhere(search):
        return State("running", f"{done} of {trials} trials are finished.", done, trials)
    if done >= trials:
        return State("finished", f"All {trials} trials are finished.", done, trials)
    if (home(search) / "stopped").exists():
        return State("stopped", f"It was stopped after {done} of {trials} trials, and can be resumed.", done, trials)
    if last := last_words(home(search) / "log.txt"):
        return State("failed", last, done, trials)
    if wanted.storage:
        return State("interrupted", f"{done} of {trials} trials are finished. No worker is running here.", done, trials)
    return State("interrupted", f"It ended after {done} of {trials} trials, and can be resumed.", done, trials)


def _readable(search: str) -> Wanted | None:
    with suppress(RunError, BadInput):
        return read(search)
    return None
