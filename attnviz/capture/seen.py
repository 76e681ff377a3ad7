"""What was captured during one trace."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase

from torch import nn

from attnviz.capture import places_kept, refusals
from attnviz.capture.call import Call
from attnviz.capture.capturing import Capture, Parts
from attnviz.capture.frames import tensors_of
from attnviz.capture.places import Both, Said, place_of, places_of
from attnviz.capture.readings import readings_of
from attnviz.capture.report import report_of
from attnviz.edits import Edit
from attnviz.errors import TraceError, closest
from attnviz.readings import Reading


class Captured:
    """The calls of a model's modules that have no taps.

    Args:
        model: any module.
        keep: patterns of tap paths -> which part is kept.
        edits: tap path -> edits.
        gradients: keep the graph.
        layer: the class of modules that have taps of their own; these are left to them.
        loose: which of the patterns and paths may mean captured calls.
        tapped: paths of modules with taps; a loose path must then begin with a module that none of them is in.
        found: patterns that match taps, and so need not match a captured call.
    """

    def __init__(
        self,
        model: nn.Module,
        keep: Parts,
        edits: Mapping[str, Sequence[Edit]],
        gradients: bool,
        layer: type[nn.Module],
        loose: Sequence[str],
        tapped: set[str],
        found: set[str],
    ) -> None:
        self._found = found
        self.asked = {path for path in loose if not tapped or _begins_elsewhere(path, model, tapped)}
        patterns = {path: part for path, part in keep.items() if path in self.asked}
        changes = {path: edits[path] for path in edits if path in self.asked}
        self.mode = Capture(model, patterns, changes, gradients, layer)
        self.calls: dict[str, Call] = {}
        self.unplaced = ""  # why no places were found
        self._places: dict[str, Both] | None = None
        self._ahead: dict[str, Both | None] = {}  # of single calls, found before those of all

    def close(self) -> dict[str, Reading]:
        """Return the readings of a pass that has ended.

        TraceError: nothing was captured, what was asked for was refused, or an edit was not used.
        """
        self.calls = self.mode.close()
        found = readings_of(self.mode, self.calls, self.places)
        refused = {call.where.path: call.refused for call in self.calls.values() if call.refused}
        if not self.mode.operations and not refusals.scripted(self.mode.model):
            return {}
        for path, edits in self.mode.edits.items():
            self.explain(path)
            if any((path, place) not in self.mode.used for place in range(len(edits))):
                raise TraceError(f"The edit of {path!r} was never used: {self._never(path)}")
        for pattern in self.mode.keep:
            if pattern not in self._found and not any(fnmatchcase(path, pattern) for path in found):
                if not found and (len(self.mode.keep) > 1 or pattern.startswith("*")):
                    raise TraceError(refusals.nothing(self.mode.model, refused))
                self.explain(pattern)
                if not self.calls:
                    raise TraceError(refusals.nothing(self.mode.model, refused))
                raise TraceError(f"No captured call matches {pattern!r}. {closest(pattern, found or self.taps)}")
        return found

    @property
    def taps(self) -> list[str]:
        """The tap paths of all weights that were captured, kept or not."""
        return [f"{key}.weights" if key else "weights" for key, call in self.calls.items() if not call.refused]

    def explain(self, path: str) -> None:
        """Raise what was refused of the call that a tap path, or a pattern, names."""
        key = path.rpartition(".")[0]
        call = self.calls.get(key)
        if call is not None and call.refused:
            raise TraceError(f"{call.where.said} cannot be shown: {call.refused}.")

    def places(self, key: str) -> Both | None:
        """Return where the queries and keys of a call, by what its tap paths begin with, lie on the picture; None where
        that cannot be told.

        They are found when they are first asked for, by further passes of the model, and kept on disk.
        """
        if not self.has_places:
            if both := self._ahead.get(key):
                return both
            self._places = self._find_places()
        assert self._places is not None
        return self._places.get(key)

    def place(self, key: str) -> bool:
        """Find where the tokens of one call that is not refused lie, ahead of those of the others, by two passes that
        end there; return whether it is known now. Where it is not, `places` will tell.
        """
        if self.has_places:
            return True
        if key not in self._ahead:
            arguments, named = self.mode.frames.arguments or ((), {})
            try:
                self._ahead[key] = place_of(self.mode.model, arguments, named, key, self.calls[key])
            except Exception:  # as below, where it is said
                self._ahead[key] = None
        return self._ahead[key] is not None

    @property
    def has_places(self) -> bool:
        """Whether it is known where tokens lie, or that they lie nowhere, so that `places` runs no further passes."""
        if self._places is None:
            self._places = places_kept.load(self._digest())
        return self._places is not None

    def report(self) -> str:
        """Return a line for each call."""
        report = report_of(self.mode, self.calls, self.places)
        return f"{report}\n\nWhere tokens lie was not found: {self.unplaced}" if self.unplaced else report

    def _digest(self) -> str:
        shapes = tuple(tuple(one.shape[1:]) for one in tensors_of(self.mode.frames.arguments or ()))
        return places_kept.digest(self.mode.model, shapes, self._shown)

    @property
    def _shown(self) -> dict[str, Call]:
        return {key: call for key, call in self.calls.items() if not call.refused}

    def _find_places(self) -> dict[str, Both]:
        arguments, named = self.mode.frames.arguments or ((), {})
        drawn = {key: both for key, both in self._ahead.items() if both}
        try:
            with PROGRESS.get(progress)("Finding where tokens lie") as said:
                found = places_of(self.mode.model, arguments, named, self._shown, said)
        except Exception as error:  # whatever a model that is not ours raises where its attention gives zero
            self.unplaced = f"{type(error).__name__}: {error}"
            return drawn
        found |= drawn
        places_kept.save(self._digest(), found)
        return found

    def _never(self, path: str) -> str:
        key, _, tap = path.rpartition(".")
        if key in self.calls and tap in ("query", "key"):
            return "the model computes these scores by itself, so only scores, weights, value and mixed can be edited."
        return f"no call of that path was captured. {closest(path, self.taps)}"


PROGRESS: ContextVar[Callable[[str], AbstractContextManager[Said]]] = ContextVar("PROGRESS")
"""What shows how far a long search is, in place of `progress`; what it raises beyond `Exception` stops the search."""


@contextmanager
def progress(what: str) -> Iterator[Said]:
    """Show in a terminal or a notebook how far a long search is; a short one shows nothing."""
    from tqdm import tqdm

    hidden = False if "ipykernel" in sys.modules else None  # None: where nobody watches a terminal
    with tqdm(desc=what, unit=" passes", delay=2, leave=False, disable=hidden) as bar:

        def said(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield said


def _begins_elsewhere(path: str, model: nn.Module, tapped: set[str]) -> bool:
    """Return whether a path begins with that of a module that has no taps inside, nor is inside one that has."""
    modules, parts = dict(model.named_modules()), path.split(".")
    beginnings = [".".join(parts[:count]) for count in range(1, len(parts))]
    return any(
        start in modules and not any(f"{one}.".startswith(f"{start}.") for one in tapped) for start in beginnings
    ) and not any(start in tapped for start in beginnings)
