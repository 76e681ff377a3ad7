"""A search of tiny trials in a folder of its own, whose workers know the recipe that only tests have."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import pytest

from attnviz.recipes.axes import Axis
from attnviz.work import processes
from attnviz.work.jobs.order import NONE
from attnviz.work.search import table, worker
from attnviz.work.search.trials import Found
from attnviz.work.search.wanted import Wanted
from tests.training import small
from tests.work.forked import forked

WORKS = """
import sys
from pathlib import Path
from attnviz import __main__
from tests.training import small
with small.place(Path(sys.argv[1]), small.recipe(epochs=2, patience=2)):
    sys.exit(__main__.main(sys.argv[2:]))
"""
AXES = (Axis(name="heads", choices=(1, 2)), Axis(name="learning_rate", low=1e-3, high=1e-1, log=True))


def wanted(**changes) -> Wanted:
    fields = {"model": "pixel_attention", "recipe": "small", "axes": AXES, "trials": 4}
    return Wanted.model_validate({**fields, **changes})


@contextmanager
def place(folder: Path) -> Iterator[Path]:
    """Let searches lie in a folder; their workers are ended afterwards."""
    with small.place(folder, small.recipe(epochs=2, patience=2)), forked(), pytest.MonkeyPatch.context() as patch:
        words = table.words
        patch.setattr(table, "words", lambda one: [sys.executable, "-c", WORKS, str(folder), *words(one)[3:]])
        try:
            yield folder
        finally:
            for search in table.ids():
                for identity in table.at_work(search):
                    processes.terminate(identity)
            for child in processes.children:
                child.wait()
            processes.children.clear()


def work(asked: Wanted) -> Found:
    """Search in this process."""
    search = table.prepare(asked, most=NONE)
    worker.work(table.home(search), table.read(search))
    return table.found(search)


class Killer:
    """Kills workers of a search, in a thread of its own, until the block ends. A subclass says how.

    Args:
        search: its name.
    """

    def __init__(self, search: str) -> None:
        self.search, self.killed, self.over = search, 0, threading.Event()
        self._thread = threading.Thread(target=self.kill)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._thread.join()

    def kill(self) -> None:
        """Kill workers and count them in `killed`, until `over` is set or there were enough."""
        raise NotImplementedError
