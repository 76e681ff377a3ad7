"""The progress of a search on the command line: "12 of 33 trials, best accuracy 0.981"."""

import sys
from types import TracebackType
from typing import Any, Self, TextIO

from attnviz.work.search.trials import Found


class Progress:
    """A bar that counts finished trials. It appears with the first report, so that an error before it stands alone.

    Args:
        trials: that are asked for.
        stream: where it is drawn; by default standard error.
    """

    def __init__(self, trials: int, stream: TextIO | None = None) -> None:
        self._trials, self._stream = trials, stream
        self._bar: Any = None

    def report(self, found: Found) -> None:
        """Show how far a search is."""
        if self._bar is None:
            from tqdm import tqdm

            shape = "{desc} {bar:20} {elapsed}"
            self._bar = tqdm(total=self._trials, file=self._stream or sys.stderr, bar_format=shape, miniters=0)
        best = "" if found.best is None else f", best {found.measure} {found.best.value:.4f}"
        done = len(found.finished)
        self._bar.n = min(done, self._trials)
        self._bar.set_description_str(f"{done} of {self._trials} trials{best}", False)
        self._bar.update(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()
