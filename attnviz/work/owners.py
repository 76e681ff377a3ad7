"""To which jobs and searches runs belong: who deletes one of these leaves the runs that another one has."""

from contextlib import suppress

from attnviz.checkpoint_folder import is_name
from attnviz.errors import AttnvizError, BadInput, RunError, UnknownName
from attnviz.work.jobs import shelf as jobs
from attnviz.work.search import shelf as searches


def of_others(name: str, *, borrowed: bool = True) -> set[str] | None:
    """Return the runs of all jobs and searches but one; of jobs that can no longer be read, none.

    None where a search cannot be read, as Optuna or its database is not there: any run may be one of its runs then.
    `borrowed` says whether those count that one only uses, as they were there before it and belonged to nobody.
    """
    found: set[str] = set()
    for job in jobs.ids():
        with suppress(AttnvizError):
            found |= set(jobs.runs_of(job, borrowed=borrowed)) if job != name else set()
    for search in searches.ids():
        with suppress(UnknownName):  # it has just been deleted
            try:
                found |= set(searches.runs_of(search, borrowed=borrowed)) if search != name else set()
            except (RunError, BadInput):
                return None
    return {run for run in found if is_name(run)}
