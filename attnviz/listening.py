"""Traces, which keep and edit the values of taps while a model runs. `tracing.trace` opens one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

from torch import Tensor, nn

from attnviz import passes
from attnviz.edits import Edit, Look, edited, together
from attnviz.edits import version as _version
from attnviz.errors import TraceError, closest
from attnviz.passes import Effects
from attnviz.readings import Places, Reading, axes_of, place_or_range, stacked
from attnviz.roles import AXES

if TYPE_CHECKING:
    from attnviz.capture.seen import Captured

_NAME = re.compile(r"[^.,*?\[\s]+")

Edits = Mapping[str, Edit | Sequence[Edit]]
Parts = Mapping[str, Mapping[str, Places]]


class Trace(dict[str, Reading]):
    """The readings of a trace by tap path, in the order of the forward pass. They are available when its block ends.

    Readings of taps come before those captured from modules without taps. `output` is a watched model's output.
    """

    output: Any = None

    def __init__(
        self, model: nn.Module, layers: Mapping[nn.Module, str], away: Mapping[nn.Module, str], keep: Parts,
        edits: Edits | Sequence[Edits], gradients: bool, capture: bool, kind: type[nn.Module],
    ) -> None:  # fmt: skip
        super().__init__()
        self._outer: Trace | None = None
        self._is_open = True
        known = dict.fromkeys(_tap_path(path, name) for layer, path in layers.items() for name in names_of(layer))
        self._away, self._paths = away, {**layers, **away}
        self._kept = {pattern: _matching(pattern, known) for pattern in keep}
        self._wanted = {path: keep[pattern] for pattern, matches in self._kept.items() for path in matches}
        self._edits: dict[str, list[tuple[str, int, Edit]]] = {}  # each with its pattern and its position in the list
        self._gradients = gradients
        self._backward, self._transforms = passes.backward(), passes.transforms()
        self._visits: dict[str, list[Reading]] = {}
        self._versions: list[tuple[str, Tensor, int]] = []
        self._stacked: dict[str, str] = {}
        self._reached: Counter[str] = Counter()
        self._heard: Counter[str] = Counter()
        self._used: set[tuple[str, int]] = set()
        self._batch: tuple[str, int] | None = None
        self._patterns = (
            together(*edits) if isinstance(edits, list | tuple) else together(edits)  # type: ignore[arg-type]
        )
        edited = {pattern: _matching(pattern, known) for pattern in self._patterns}
        loose = [one for some in (self._kept, edited) for one, matches in some.items() if capture or not matches]
        self._captured = self._capture(model, keep, loose, capture, kind)
        elsewhere = self._captured.asked if self._captured else ()
        for pattern, matches in self._kept.items():
            if not matches and pattern not in elsewhere:
                raise TraceError(f"No tap matches {pattern!r}. {closest(pattern, known)}")
        for pattern, some in self._patterns.items():
            if not (matches := edited[pattern]) and pattern not in elsewhere:
                raise TraceError(f"No tap is called {pattern!r}, so it cannot be edited. {closest(pattern, known)}")
            for path in matches:
                self._edits.setdefault(path, []).extend((pattern, place, edit) for place, edit in enumerate(some))
        for several in self._edits.values():
            several.sort(key=lambda one: isinstance(one[2], Look))  # so that they see the others' changes
        changed = [path for path, some in self._edits.items() if not all(isinstance(one[2], Look) for one in some)]
        self._effects = Effects(model, changed)

    def _capture(
        self, model: nn.Module, keep: Parts, loose: Sequence[str], capture: bool, kind: type[nn.Module]
    ) -> Captured | None:
        """Return the capture of calls without a tap, or None if no pattern asks for any."""
        if not loose:
            return None
        from attnviz.capture.seen import Captured

        tapped = set() if capture else {path for layer, path in self._paths.items() if layer not in self._away}
        found = {pattern for pattern, matches in self._kept.items() if matches}
        captured = Captured(model, keep, self._patterns, self._gradients, kind, loose, tapped, found)
        return captured if captured.asked else None

    @property
    def captured(self) -> Captured:
        """The captured calls, gates and positions of modules without taps, and the refused calls."""
        if self._captured is None:
            raise TraceError("Nothing was to be captured here: use attnviz.watch, or keep tap paths of other modules.")
        return self._captured

    def report(self) -> str:
        """Return a line for each captured call, and one for each refused call, with the reason."""
        return self.captured.report()

    def __missing__(self, path: str) -> Reading:
        if not isinstance(path, str):
            raise TraceError(
                f"A reading has a tap path, such as {next(iter(self), 'attention.weights')!r}, not {path!r}."
            )
        if self._captured is not None:
            self._captured.explain(path)
        raise TraceError(f"Nothing was kept of {path!r}. {closest(path, self)}")

    def _hears(self, layer: nn.Module, name: str) -> bool:
        if layer in self._paths:
            path = _tap_path(self._paths[layer], name)
            if path in self._wanted or path in self._edits:
                return True
        return self._outer is not None and self._outer._hears(layer, name)

    def _visit(self, layer: nn.Module, name: str, tensor: Tensor, axes: str, per: str | None) -> Tensor:
        if layer in self._away and tensor.device.type != "cpu" and self._hears(layer, name):
            shown = tensor.cpu()
            found = self._visit(layer, name, shown, axes, per)
            # For gradients, the model must continue with the kept tensor.
            return tensor if found is shown and not shown.requires_grad else found.to(tensor.device)
        before = None
        if layer in self._paths:
            path = _tap_path(self._paths[layer], name)
            words = self._check(layer, name, path, tensor, axes, per)
            if path in self._edits:
                before, tensor = tensor, self._edited(path, tensor, words, per)
        if self._outer is not None:  # the outer trace may edit it again, and the model's final value is kept
            tensor = self._outer._visit(layer, name, tensor, axes, per)
        if before is not None:
            self._effects.edited(path, tensor)
        if layer in self._paths and path in self._wanted and passes.backward() == self._backward:
            self._keep(Reading(path, tensor, words, getattr(layer, "grid", None), before), per)
        return tensor

    def _check(
        self, layer: nn.Module, name: str, path: str, tensor: Tensor, axes: str, per: str | None
    ) -> tuple[str, ...]:
        if name not in layer.taps:  # type: ignore[operator]  # in a Layer these are names
            raise TraceError(f"{path}: {type(layer).__name__}.taps does not name {name!r}; add it there.")
        if not isinstance(tensor, Tensor) or tensor.is_nested:
            kind = "nested tensor" if isinstance(tensor, Tensor) else type(tensor).__name__
            raise TraceError(f"{path}: a tap takes a tensor, not a {kind}. Give each of several parts its own tap.")
        if path in self._wanted or path in self._edits:
            passes.check_recorded(path)
        words = axes_of(path, axes, tensor)
        if per is not None and (not isinstance(per, str) or per not in AXES or per in words):
            raise TraceError(f"{path}: per={per!r} must be an axis that {axes!r} does not have.")
        if "batch" in words:
            batch = tensor.shape[words.index("batch")]
            if self._batch is None:
                self._batch = path, batch
            if self._batch[1] != batch:
                raise TraceError(
                    f"{path}: a batch of {batch} in the shape {tuple(tensor.shape)}, but {self._batch[0]} had "
                    f"{self._batch[1]}; is 'batch' in the right place of {axes!r}?"
                )
        return words

    def _edited(self, path: str, tensor: Tensor, words: tuple[str, ...], per: str | None) -> Tensor:
        passes.check_repeated(path, self._backward)
        visit = {} if per is None else {per: self._reached[path]}
        self._reached[path] += 1
        for pattern, place, edit in self._edits[path]:
            changed = edited(path, tensor, words, visit, edit)
            if changed is not None:
                tensor = changed
                self._used.add((pattern, place))
        return tensor

    def _keep(self, reading: Reading, per: str | None) -> None:
        passes.check_alive(reading.path, reading.tensor, self._transforms, self._gradients)
        index = dict(self._wanted[reading.path])
        if per in index:
            visit = self._heard[reading.path]
            self._heard[reading.path] += 1
            self._stacked[reading.path] = per
            if not _is_among(visit, index.pop(per), f"{reading.path}: {per}"):
                return
        visits = self._visits.setdefault(reading.path, [])
        if visits and per is None:
            raise TraceError(
                f"{reading.path} was reached a second time, now with shape {tuple(reading.tensor.shape)}. "
                'Run the model once per trace; a layer that runs several times in one pass taps with per="step".'
            )
        if per is not None:
            self._stacked[reading.path] = per
        kept = reading.part(**index) if index else reading
        kept = replace(
            kept,
            tensor=self._held(kept.tensor, copied=bool(index)),
            before=None if kept.before is None else self._held(kept.before, copied=bool(index)),
        )
        if visits and kept.tensor.shape != visits[0].tensor.shape:
            raise TraceError(
                f"{reading.path}: each visit must have the shape of the first, {tuple(visits[0].tensor.shape)}, "
                f"not {tuple(kept.tensor.shape)}: they are stacked."
            )
        visits.append(kept)
        values = (kept.tensor,) if kept.before is None else (kept.tensor, kept.before)
        self._versions += [(kept.path, value, _version(value)) for value in values]

    def _held(self, tensor: Tensor, copied: bool) -> Tensor:
        if not self._gradients:
            tensor = tensor.detach()
        # A view would keep the whole tensor alive; an inference tensor does not count changes in place.
        return tensor.clone() if copied or tensor.is_inference() else tensor

    def _close(self) -> None:
        captured = self._captured.close() if self._captured is not None else {}
        called = bool(captured) or (self._captured is not None and bool(self._captured.calls))
        if not called and not self._visits and not self._used and not self._heard:
            raise TraceError(
                "The trace recorded nothing: run the model that it was opened for, inside its block and in its thread."
            )
        for path, count in self._heard.items():
            per = self._stacked[path]
            place_or_range(f"{path}: {per}", self._wanted[path][per], count)
        for pattern, matches in self._kept.items():
            if matches and not any(path in self._visits for path in matches):
                raise TraceError(f"{pattern!r} was never reached. {closest(pattern, self._visits)}")
        for pattern, some in self._patterns.items():
            if self._captured is not None and pattern in self._captured.asked:
                continue
            if any((pattern, place) not in self._used for place in range(len(some))):
                raise TraceError(f"The edit of {pattern!r} was never used: the forward pass did not reach that tap.")
        for path in self._effects.lost():
            raise TraceError(
                f"The edit of {path!r} does not reach the answer: the model computes it without the value "
                "that the tap returned, so only the reading would change."
            )
        if (
            self._gradients
            and self._visits
            and not any(one.tensor.requires_grad for visits in self._visits.values() for one in visits)
        ):
            raise TraceError(
                "gradients=True, but nothing that was kept depends on anything that requires a gradient. Let the "
                "parameters or the pictures require one."
            )
        for path, kept, version in self._versions:
            if _version(kept) != version:
                raise TraceError(
                    f"{path}, shape {tuple(kept.shape)}, was changed in place after it was kept, "
                    "so the reading would be wrong. Use the out-of-place operation after the tap."
                )
        self._is_open = False
        for path, visits in self._visits.items():
            axis = self._stacked.get(path)
            one = axis is None or isinstance(self._wanted[path].get(axis), SupportsIndex)
            self[path] = visits[0] if axis is None or one else stacked(visits, axis)
        self.update(captured)


def _once_closed(name: str) -> Any:
    method = getattr(dict, name)

    def read(self: Trace, *arguments: Any) -> Any:
        if self._is_open:
            raise TraceError("A trace has its readings once its block has ended: read them after the `with` block.")
        return method(self, *arguments)

    return wraps(method)(read)


for _name in (
    "__getitem__", "__iter__", "__len__", "__contains__", "__reversed__", "__or__", "__ror__", "__eq__", "__repr__",
    "get", "keys", "values", "items", "copy", "pop", "popitem", "setdefault",
):  # fmt: skip
    setattr(Trace, _name, _once_closed(_name))


class Unread:
    """Base of objects that look like a trace but have no readings; `_how` explains how to get them."""

    _how: ClassVar[str]

    def _refuse(self, *_: Any) -> Any:
        raise TraceError(self._how)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(Trace, name):
            self._refuse()
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    __call__ = __getitem__ = __iter__ = __len__ = __contains__ = _refuse


def parts_of(keep: Any) -> Parts:
    """Return `keep` in the form of tap path, or pattern -> part."""
    if not isinstance(keep, Mapping):
        patterns = [*keep] if isinstance(keep, Iterable) and not isinstance(keep, str) else [keep]
        if not all(isinstance(pattern, str) for pattern in patterns):
            raise TraceError(f"keep takes tap paths, such as ['*.weights'], not {keep!r}.")
        return {pattern: {} for pattern in patterns}
    for pattern, part in keep.items():
        if not isinstance(pattern, str) or not isinstance(part, Mapping):
            raise TraceError(
                "keep takes tap path -> part, such as {'attention.weights': {'head': 3}}, "
                f"not {pattern!r}: {part!r}."
            )
    return keep


def names_of(layer: Any) -> Sequence[str]:
    """Return the names of a layer's taps."""
    names = layer.taps
    kind = layer if isinstance(layer, type) else type(layer)
    if kind is not layer and "taps" not in vars(layer):  # its class's names, which were checked when it was created
        return names  # type: ignore[no-any-return]
    if not isinstance(names, tuple | list) or not all(isinstance(one, str) for one in names):
        expected = f"({names!r},)" if isinstance(names, str) else "('scores', 'weights')"
        raise TraceError(f"{kind.__name__}.taps must be a tuple of names, such as {expected}, not {names!r}.")
    for one in names:
        if not _NAME.fullmatch(one) or names.count(one) > 1:
            raise TraceError(
                f"{kind.__name__}.taps must be different words without dots, commas and patterns, not {one!r}."
            )
    return names


def _is_among(visit: int, places: Places, what: str) -> bool:
    ends = (places.start, places.stop) if isinstance(places, range | slice) else (int(places),)
    if any(end is not None and end < 0 for end in ends) or (
        not isinstance(places, SupportsIndex) and (places.step or 1) < 1
    ):
        raise TraceError(f"{what} {places} cannot be used: visits are counted upwards from 0 while they happen.")
    if isinstance(places, slice):
        places = range(*places.indices(visit + 1))
    return visit in places if isinstance(places, range) else visit == int(places)


def _matching(pattern: str, known: Mapping[str, None]) -> Sequence[str]:
    """Return the tap paths that match a pattern. A plain path is looked up, since a request may name dozens of them."""
    if pattern in known and not any(sign in pattern for sign in "*?["):
        return [pattern]
    return [path for path in known if fnmatchcase(path, pattern)]


def _tap_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
