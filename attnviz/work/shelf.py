"""The two kinds of long work, jobs and searches: their lists, their requests, and the runs that each owns.

Deleting a job or a search leaves the runs that another one shares, and borrowed runs, which existed before it and
belonged to nobody.
"""

from collections.abc import Iterable
from contextlib import suppress

from attnviz import files
from attnviz.checkpoint_folder import is_name
from attnviz.errors import AttnvizError, BadInput, RunError, UnknownName
from attnviz.training import runs
from attnviz.work.folders import LARGEST, Folders
from attnviz.work.jobs.order import Order
from attnviz.work.search import study
from attnviz.work.search.wanted import Wanted

JOBS = Folders(Order, "job", ".jobs", "order.json")
SEARCHES = Folders(Wanted, "search", ".searches", study.FILE)

BORROWED = "borrowed.json"
"""The file in a job's folder that names its borrowed runs; a search's trials record this themselves."""


def runs_of_job(job: str, *, borrowed: bool = True) -> list[str]:
    """Return the runs of a job, one for each started seed, in the order of the seeds."""
    lent: set[str] = set()  # jobs started by earlier versions have no record of them
    with suppress(OSError, ValueError, TypeError):
        lent = set() if borrowed else set(files.from_json(files.read(JOBS.folder() / job / BORROWED, LARGEST)))
    return [run for run in runs_for(JOBS.read(job)) if run not in lent]


def runs_for(order: Order) -> list[str]:
    """Return the started runs of an order, in the order of its seeds."""
    recipe, found = order.made(), {}
    for run in runs.ids():
        if run.startswith(f"{order.model}.{order.recipe}."):
            with suppress(RunError, UnknownName):
                info = runs.read(run)
                if info.device == order.device and info.recipe.trains_like(recipe):
                    found[info.seed] = run
    return [found[seed] for seed in order.seeds if seed in found]


def runs_of_search(search: str, *, borrowed: bool = True) -> list[str]:
    """Return the runs of the trials of a search, even if its training pictures are missing."""
    opened = study.opened(SEARCHES.home(search), SEARCHES.read(search))
    told = () if opened is None else study.looked_at(opened)
    lent = {trial.run for trial in told if trial.borrowed and not borrowed}
    return [*dict.fromkeys(trial.run for trial in told if is_name(trial.run) and trial.run not in lent)]


def runs_of_others(name: str, *, borrowed: bool = True) -> set[str] | None:
    """Return the runs of all jobs and searches except one; unreadable jobs have none.

    Return None if a search cannot be read because Optuna or its database is missing: then any run may belong to it.
    """
    found: set[str] = set()
    for job in JOBS.ids():
        with suppress(AttnvizError):
            found |= set(runs_of_job(job, borrowed=borrowed)) if job != name else set()
    for search in SEARCHES.ids():
        with suppress(UnknownName):  # it has just been deleted
            try:
                found |= set(runs_of_search(search, borrowed=borrowed)) if search != name else set()
            except (RunError, BadInput):
                return None
    return {run for run in found if is_name(run)}


def alone_of(name: str, its_runs: Iterable[str]) -> list[str]:
    """Return its runs that no other job or search shares, or none if that cannot be determined."""
    others = runs_of_others(name)
    return [run for run in its_runs if others is not None and run not in others]
