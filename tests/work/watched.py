"""A queue that says when somebody has come to wait, so that tests wait for that and not for a while."""

import threading
from typing import Any

from attnviz.work.kept import _Coming
from attnviz.work.queue import Kind, Place, Queue

WAIT = 60.0


class Watched(Queue):
    """A queue that counts who comes to wait in its line."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.came = threading.Semaphore(0)

    def _take(self, place: Place) -> bool:
        at_once = super()._take(place)
        if not at_once:
            self.came.release()
        return at_once

    def joined(self) -> None:
        """Wait until one more has come to wait."""
        assert self.came.acquire(timeout=WAIT)


class Hurried:
    """Says when somebody lets a value come sooner: once it waits for a value that another one computes."""

    def __init__(self, monkeypatch: Any) -> None:
        self.kinds: list[Kind] = []
        self.came = threading.Semaphore(0)
        hurry = _Coming.hurry

        def watched(coming: _Coming, kind: Kind) -> None:
            hurry(coming, kind)
            self.kinds.append(kind)
            self.came.release()

        monkeypatch.setattr(_Coming, "hurry", watched)

    def joined(self) -> None:
        """Wait until one more waits for a value."""
        assert self.came.acquire(timeout=WAIT)
