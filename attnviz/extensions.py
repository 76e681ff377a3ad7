"""Tables to which other packages add rows through entry points.

Each table has a group of entry points. The `pyproject.toml` of a package that adds to two of them:

    [project.entry-points."attnviz.models"]
    colour_stages = "colour_stages.models:SPEC"

    [project.entry-points."attnviz.mechanisms"]
    colour_stages = "colour_stages.mechanism:MECHANISM"

The rows are not read when a table is imported, as their modules import attnviz themselves, but when it is first listed
or searched for a name that it does not have. If a table works without torch, its rows must do so too.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib.metadata import entry_points
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Table(MutableMapping[str, T]):
    """A table of rows by name, in order: the rows of attnviz, then those of installed packages.

    A row that cannot be imported is left out, and the log gives the reason: the rest of the table is still useful. A
    row whose name is taken is ignored.

    Args:
        group: the last part of the entry points' group name: "models" for `attnviz.models`.
        rows: the rows of attnviz.
        read: converts an entry point's name and object to rows; by default the object is a row of that name.
    """

    def __init__(
        self, group: str, rows: Mapping[str, T], read: Callable[[str, Any], Mapping[str, T]] | None = None
    ) -> None:
        self._group, self._rows = group, dict(rows)
        self._read = read or (lambda name, row: {name: row})
        self._reading = self._complete = False
        self._lock = RLock()

    def __getitem__(self, name: str) -> T:
        if name not in self._rows:
            self._add_others()
        return self._rows[name]

    def __setitem__(self, name: str, row: T) -> None:
        self._rows[name] = row

    def __delitem__(self, name: str) -> None:
        del self._rows[name]

    def __iter__(self) -> Iterator[str]:
        self._add_others()
        return iter(self._rows)

    def __len__(self) -> int:
        self._add_others()
        return len(self._rows)

    def _add_others(self) -> None:
        if self._complete:
            return
        with self._lock:
            if self._reading or self._complete:  # a row's module may itself use the table
                return
            self._reading = True
            for point in sorted(entry_points(group=f"attnviz.{self._group}"), key=lambda one: one.name):
                try:
                    added = self._read(point.name, point.load())
                except Exception:
                    _log.exception(
                        "The entry point %s = %s of %s cannot be loaded", point.name, point.value, point.group
                    )
                    continue
                for name, row in added.items():
                    self._rows.setdefault(name, row)
            self._reading, self._complete = False, True
