"""Which searches there are, what each was asked for, and the runs of its trials."""

from __future__ import annotations

from attnviz.checkpoint_folder import is_name
from attnviz.work.folders import Folders
from attnviz.work.search import study
from attnviz.work.search.wanted import Wanted

SEARCHES = Folders(Wanted, "search", ".searches", study.FILE)
folder, ids, read, home = SEARCHES.folder, SEARCHES.ids, SEARCHES.read, SEARCHES.home


def runs_of(search: str, *, borrowed: bool = True) -> list[str]:
    """Return the runs of the trials of a search, be the pictures that it trains on there or not. `borrowed` also counts
    those that were there before it and belonged to nobody.
    """
    opened = study.opened(home(search), read(search))
    told = () if opened is None else study.looked_at(opened)
    lent = {trial.run for trial in told if trial.borrowed and not borrowed}
    return [*dict.fromkeys(trial.run for trial in told if is_name(trial.run) and trial.run not in lent)]
