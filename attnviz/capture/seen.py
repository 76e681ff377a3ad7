"""The calls captured during one trace, with a report of one line per call."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase

from torch import nn

from attnviz.capture import places_kept, refusals
from attnviz.capture.call import Call
from attnviz.capture.capturing import Capture, Parts, tap_path
from attnviz.capture.frames import tensors_of
from attnviz.capture.gates import Gate
from attnviz.capture.places import Both, Places, Said, place_of, places_of
from attnviz.capture.readings import gates_of, readings_of
from attnviz.edits import Edit
from attnviz.errors import TraceError, closest
from attnviz.readings import Reading


class Captured:
    """The captured calls of those modules of a model that have no taps.

    Args:
        model: any module.
        keep: patterns of tap paths -> the part to keep.
        edits: tap path -> edits.
        gradients: keep the graph.
        layer: the class of modules with taps of their own, whose calls are not captured.
        loose: the patterns and paths that may refer to captured calls.
        tapped: paths of modules with taps; a loose path must then begin with a module that contains none of them.
        found: patterns that already match taps, and so need not match a captured call.
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
        self.unplaced = ""  # the reason why no positions were found
        self._places: dict[str, Both] | None = None
        self._ahead: dict[str, Both | None] = {}  # positions of single calls, found before those of all

    def close(self) -> dict[str, Reading]:
        """Return the readings of a pass that has ended.

        Raises TraceError if nothing was captured, a requested call was refused, or an edit was not used.
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
        """The tap paths of all captured weights, kept or not."""
        return [f"{key}.weights" if key else "weights" for key, call in self.calls.items() if not call.refused]

    def explain(self, path: str) -> None:
        """Raise the error of the refused call that a tap path or a pattern names."""
        key = path.rpartition(".")[0]
        call = self.calls.get(key)
        if call is not None and call.refused:
            raise TraceError(f"{call.where.said} cannot be shown: {call.refused}.")

    def places(self, key: str) -> Both | None:
        """Return the positions on the picture of the queries and keys of a call, named by the prefix of its tap paths;
        None if they cannot be determined.

        They are found on first use, by further passes of the model, and kept on disk.
        """
        if not self.has_places:
            if both := self._ahead.get(key):
                return both
            self._places = self._find_places()
        assert self._places is not None
        return self._places.get(key)

    def place(self, key: str) -> bool:
        """Locate the tokens of one call that is not refused, before those of the other calls, by two passes that end
        there. Return whether the positions are now known; if not, `places` finds them.
        """
        if self.has_places:
            return True
        if key not in self._ahead:
            arguments, named = self.mode.frames.arguments or ((), {})
            try:
                self._ahead[key] = place_of(self.mode.model, arguments, named, key, self.calls[key])
            except Exception:  # `places` reports the error
                self._ahead[key] = None
        return self._ahead[key] is not None

    @property
    def has_places(self) -> bool:
        """Whether it is known where tokens lie, or that they lie nowhere; `places` then runs no further passes."""
        if self._places is None:
            self._places = places_kept.load(self._digest())
        return self._places is not None

    def report(self) -> str:
        """Return a report with a line for each call."""
        report = report_of(self.mode, self.calls, self.places)
        return f"{report}\n\nThe positions of tokens were not found: {self.unplaced}" if self.unplaced else report

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
        except Exception as error:  # third-party code may raise anything once its attention returns zeros
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
"""Shows the progress of a long search, in place of `progress`. Raising what is no `Exception` stops the search."""


@contextmanager
def progress(what: str) -> Iterator[Said]:
    """Show the progress of a long search in a terminal or a notebook; a short search shows nothing."""
    from tqdm import tqdm

    hidden = False if "ipykernel" in sys.modules else None  # None hides the bar if stderr is not a terminal
    with tqdm(desc=what, unit=" passes", delay=2, leave=False, disable=hidden) as bar:

        def said(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield said


def _begins_elsewhere(path: str, model: nn.Module, tapped: set[str]) -> bool:
    """Return whether a path begins with a module that neither contains taps nor lies inside a module with taps."""
    modules, parts = dict(model.named_modules()), path.split(".")
    beginnings = [".".join(parts[:count]) for count in range(1, len(parts))]
    return any(
        start in modules and not any(f"{one}.".startswith(f"{start}.") for one in tapped) for start in beginnings
    ) and not any(start in tapped for start in beginnings)


_HEAD = ("layer", "heads", "queries", "keys", "windows", "grid", "prefix", "kind", "seen by", "tap path of the weights")


def report_of(capture: Capture, calls: Mapping[str, Call], places: Callable[[str], Both | None]) -> str:
    """Return a table of the captured calls, the gates, and the refused calls with the reason."""
    shown = [call for call in calls.values() if not call.refused]
    lines = [f"{type(capture.model).__name__}: {_count(len(shown), 'attention call')} captured."]
    if shown:
        lines += [
            "",
            *_table([_HEAD, *(_row(number, call, places(call.where.key)) for number, call in enumerate(shown))]),
        ]
    if gates := gates_of(capture):
        lines += ["", f"{_count(len(gates), 'gate')}:", "", *_table([_GATES, *map(_gate, gates, gates.values())])]
    refused: dict[str, list[str]] = {}
    for call in calls.values():
        if call.refused:
            refused.setdefault(call.refused, []).append(call.where.said)
    for reason, paths in refused.items():
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        lines += ["", f"Refused: {', '.join(paths[:_SHOWN])}{more}: {reason}."]
    heard = {*(call.where.path for call in calls.values()), *_modules(gates)}
    if stateful := refusals.states(capture.model, heard):
        lines += ["", stateful]
    if missed := refusals.missed(capture.model, heard):
        more = f" and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
        lines += ["", f"Nothing was captured of the apparent attention in {', '.join(missed[:_SHOWN])}{more}."]
    if capture.slow_paths:
        ran = f"{_count(capture.slow_paths, 'call')} of nn.MultiheadAttention ran without torch's fast path"
        lines += ["", f"{ran}, so that the model's answers are the same up to rounding, not to the last bit."]
    return "\n".join(lines)


_SHOWN = 3  # maximum number of paths listed per reason of refusal
_GATES = ("features", "one factor for each", "tap path")


def _row(number: int, call: Call, both: Both | None) -> tuple[str, ...]:
    by = "nn.MultiheadAttention" if isinstance(call.where.module, nn.MultiheadAttention) else call.function
    windows = call.layout.size("window")
    found = both or Both(None, None)
    own, others = _grid(found.query), _grid(found.key)
    grid = own if own == others else f"{own} -> {others}"
    prefix = "-" if found.key is None or windows > 1 else found.key.grid.prefix
    kind = "windows" if windows > 1 else "self" if own == others and call.queries == call.keys else "cross"
    numbers = (number, call.layout.size("head"), call.queries, call.keys, windows, grid, prefix)
    return (*map(str, numbers), kind, by, tap_path(call.where.key, "weights"))


def _grid(places: Places | None) -> str:
    return "none" if places is None else f"{places.grid.rows} x {places.grid.columns}"


def _gate(path: str, gate: Gate) -> tuple[str, ...]:
    return " x ".join(map(str, gate.features)), "channel" if gate.tap == "gate" else "place", path


def _modules(gates: Iterable[str]) -> set[str]:
    return {path.rpartition(".")[0].partition("@")[0] for path in gates}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(rows)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
