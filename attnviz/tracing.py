"""The tap: how the inside of a model becomes visible, and changeable, while it runs.

    class Attention(Layer):
        taps = ("scores", "weights")
        def forward(self, tokens):
            weights = self.tap("weights", scores.softmax(-1), axes="batch head query key")   # use what it returns

    with trace(model, keep=["*.weights"], edits={"attention.scores": sharpen}) as seen:
        logits = model(images)
    seen["attention.weights"].at(batch=0, head=0)                                            # (query, key)

A tap path is the path of the module in the model, a dot, and the name of the tap. A tap that no trace reads or edits is
the identity. Traces are kept per thread, so that visitors who share a model do not affect each other.

Not promised: the worker threads of `DataParallel` (they hear nothing, which is an error), activation checkpointing
(it visits taps again in the backward pass, when the trace is closed), `torch.export`.
"""

import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import torch
from torch import Tensor, nn

from attnviz.devices import twin_of
from attnviz.edits import Edit as Edit
from attnviz.edits import edited, together
from attnviz.edits import version as _version
from attnviz.errors import TraceError, closest
from attnviz.readings import Grid as Grid
from attnviz.readings import Places, axes_of, place_or_range, stacked
from attnviz.readings import Reading as Reading
from attnviz.roles import AXES

if TYPE_CHECKING:
    from attnviz.capture.seen import Captured

Edits = Mapping[str, Edit | Sequence[Edit]]
Parts = Mapping[str, Mapping[str, Places]]


class Trace(dict[str, Reading]):
    """The readings of a trace by tap path, in the order of the forward pass; filled when its `with` block ends.

    What is captured of modules without taps follows the readings of taps. `output` is what a watched model answered.
    """

    output: Any = None

    def __init__(
        self, model: nn.Module, keep: Parts, edits: Edits | Sequence[Edits], gradients: bool, capture: bool
    ) -> None:
        super().__init__()
        self._outer: Trace | None = None
        layers = {layer: path for path, layer in _layers(model)}
        known = dict.fromkeys(_address(path, name) for layer, path in layers.items() for name in layer.taps)
        self._away = {layer: path for path, layer in _layers_of_twins(model)}
        self._paths = {**layers, **self._away}
        self._kept = {pattern: _matching(pattern, known) for pattern in keep}
        self._wanted = {address: keep[pattern] for pattern, matches in self._kept.items() for address in matches}
        self._edits = together(*edits) if isinstance(edits, Sequence) else together(edits)
        self._captured = self._capture(model, known, keep, gradients, capture)
        self._gradients = gradients
        self._visits: dict[str, list[Reading]] = {}
        self._versions: list[tuple[str, Tensor, int]] = []
        self._stacked: dict[str, str] = {}
        self._reached: Counter[str] = Counter()
        self._heard: Counter[str] = Counter()
        self._used: set[tuple[str, int]] = set()
        self._batch: tuple[str, int] | None = None
        elsewhere = self._captured.asked if self._captured else ()
        for pattern, matches in self._kept.items():
            if not matches and pattern not in elsewhere:
                raise TraceError(f"No tap matches {pattern!r}. {closest(pattern, known)}")
        for address in self._edits:
            if address not in known and address not in elsewhere:
                raise TraceError(f"No tap is called {address!r}, so it cannot be edited. {closest(address, known)}")

    def _capture(
        self, model: nn.Module, known: Mapping[str, None], keep: Parts, gradients: bool, capture: bool
    ) -> "Captured | None":
        """Return what captures the calls that no tap stands for; None if nobody asks for any."""
        found = {pattern for pattern, matches in self._kept.items() if matches}
        loose = [one for one in (*keep, *self._edits) if capture or (one not in found and one not in known)]
        if not loose:
            return None
        from attnviz.capture.seen import Captured

        tapped = set() if capture or not known else {path for path, _ in _layers(model)}
        captured = Captured(model, keep, self._edits, gradients, Layer, loose, tapped)
        return captured if captured.asked else None

    @property
    def captured(self) -> "Captured":
        """What was captured of modules without taps: calls, gates, places, and what was refused."""
        if self._captured is None:
            raise TraceError("Nothing was to be captured here: use attnviz.watch, or keep tap paths of other modules.")
        return self._captured

    def report(self) -> str:
        """Return a line for each call that was captured, and for each that was refused, with the reason."""
        return self.captured.report()

    def __missing__(self, address: str) -> Reading:
        if self._captured is not None:
            self._captured.explain(address)
        raise TraceError(f"Nothing was kept of {address!r}. {closest(address, self)}")

    def _hears(self, layer: "Layer", name: str) -> bool:
        if layer in self._paths:
            address = _address(self._paths[layer], name)
            if address in self._wanted or address in self._edits:
                return True
        return self._outer is not None and self._outer._hears(layer, name)

    def _visit(self, layer: "Layer", name: str, tensor: Tensor, axes: str, per: str | None) -> Tensor:
        if layer in self._away and tensor.device.type != "cpu" and self._hears(layer, name):
            shown = tensor.cpu()
            found = self._visit(layer, name, shown, axes, per)
            # For gradients the model must go on with what is kept.
            return tensor if found is shown and not shown.requires_grad else found.to(tensor.device)
        if layer in self._paths:
            address = _address(self._paths[layer], name)
            words = self._check(layer, name, address, tensor, axes, per)
            before = None
            if address in self._edits:
                before, tensor = tensor, self._edited(address, tensor, words, per)
        if self._outer is not None:  # it may edit once more: what is kept is what the model goes on with
            tensor = self._outer._visit(layer, name, tensor, axes, per)
        if layer in self._paths and address in self._wanted:
            self._keep(Reading(address, tensor, words, getattr(layer, "grid", None), before), per)
        return tensor

    def _check(
        self, layer: "Layer", name: str, address: str, tensor: Tensor, axes: str, per: str | None
    ) -> tuple[str, ...]:
        if name not in layer.taps:
            raise TraceError(f"{address}: {type(layer).__name__}.taps does not name {name!r}; add it there.")
        words = axes_of(address, axes, tensor)
        if per is not None and (per not in AXES or per in words):
            raise TraceError(f"{address}: per={per!r} must be an axis that {axes!r} does not have.")
        if "batch" in words:
            batch = tensor.shape[words.index("batch")]
            if self._batch is None:
                self._batch = address, batch
            if self._batch[1] != batch:
                raise TraceError(
                    f"{address}: a batch of {batch} in the shape {tuple(tensor.shape)}, but {self._batch[0]} had "
                    f"{self._batch[1]}; is 'batch' in the right place of {axes!r}?"
                )
        return words

    def _edited(self, address: str, tensor: Tensor, words: tuple[str, ...], per: str | None) -> Tensor:
        visit = {} if per is None else {per: self._reached[address]}
        self._reached[address] += 1
        for place, edit in enumerate(self._edits[address]):
            changed = edited(address, tensor, words, visit, edit)
            if changed is not None:
                tensor = changed
                self._used.add((address, place))
        return tensor

    def _keep(self, reading: Reading, per: str | None) -> None:
        index = dict(self._wanted[reading.address])
        if per in index:
            visit = self._heard[reading.address]
            self._heard[reading.address] += 1
            self._stacked[reading.address] = per
            if not _is_among(visit, index.pop(per), f"{reading.address}: {per}"):
                return
        visits = self._visits.setdefault(reading.address, [])
        if visits and per is None:
            raise TraceError(
                f"{reading.address} was reached a second time, now with shape {tuple(reading.tensor.shape)}. "
                'Run the model once per trace; a layer that runs several times in one pass taps with per="step".'
            )
        if per is not None:
            self._stacked[reading.address] = per
        kept = reading.part(**index) if index else reading
        kept = replace(
            kept,
            tensor=self._held(kept.tensor, copied=bool(index)),
            before=None if kept.before is None else self._held(kept.before, copied=bool(index)),
        )
        if visits and kept.tensor.shape != visits[0].tensor.shape:
            raise TraceError(
                f"{reading.address}: each visit must have the shape of the first, {tuple(visits[0].tensor.shape)}, "
                f"not {tuple(kept.tensor.shape)}: they are stacked."
            )
        visits.append(kept)
        values = (kept.tensor,) if kept.before is None else (kept.tensor, kept.before)
        self._versions += [(kept.address, value, _version(value)) for value in values]

    def _held(self, tensor: Tensor, copied: bool) -> Tensor:
        if not self._gradients:
            tensor = tensor.detach()
        # A part that is a view would hold the whole; an inference tensor counts no changes in place.
        return tensor.clone() if copied or tensor.is_inference() else tensor

    def _close(self) -> None:
        captured = self._captured.close() if self._captured is not None else {}
        if not captured and not self._visits and not self._used and not self._heard:
            raise TraceError(
                "The trace recorded nothing: run the model that it was opened for, inside its block and in its thread."
            )
        for address, count in self._heard.items():
            per = self._stacked[address]
            place_or_range(f"{address}: {per}", self._wanted[address][per], count)
        for pattern, matches in self._kept.items():
            if matches and not any(address in self._visits for address in matches):
                raise TraceError(f"{pattern!r} was never reached. {closest(pattern, self._visits)}")
        for address, edits in self._edits.items():
            if self._captured is not None and address in self._captured.asked:
                continue
            if any((address, place) not in self._used for place in range(len(edits))):
                raise TraceError(f"The edit of {address!r} was never used: the forward pass did not reach that tap.")
        for address, kept, version in self._versions:
            if _version(kept) != version:
                raise TraceError(
                    f"{address}, shape {tuple(kept.shape)}, was changed in place after it was kept, "
                    "so the reading would be false. Use the out-of-place operation after the tap."
                )
        for address, visits in self._visits.items():
            axis = self._stacked.get(address)
            one = axis is None or isinstance(self._wanted[address].get(axis), SupportsIndex)
            self[address] = visits[0] if axis is None or one else stacked(visits, axis)
        self.update(captured)


class _Listener(threading.local):
    trace: Trace | None

    def __init__(self) -> None:  # once a thread: a default on the class would be no guard of a compiled graph
        self.trace = None


class _AsWritten:
    """While anybody traces, compiled models run uncompiled: a graph must not serve a trace that it was not made for.

    Torch has one such switch for all threads, so traces are counted: the first sets it, the last sets it back.
    """

    def __init__(self) -> None:
        self._lock, self._open = threading.Lock(), 0
        self._stance: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._stance is None and "torch._dynamo" in sys.modules:  # else nothing has been compiled yet
                self._stance = torch.compiler.set_stance("force_eager")
            self._open += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._open -= 1
            if not self._open and self._stance is not None:
                self._stance.__exit__(None, None, None)
                self._stance = None


_listener = _Listener()
_as_written = _AsWritten()


class Layer(nn.Module):
    """A module with taps. A subclass names them in `taps`, in the order in which its forward pass reaches them."""

    taps: ClassVar[tuple[str, ...]] = ()

    def tap(self, name: str, tensor: Tensor, axes: str, per: str | None = None) -> Tensor:
        """Show a tensor to the trace that listens, if any, and return it, edited if that was asked for.

        Args:
            name: one of `taps`.
            tensor: the value at this point of the forward pass.
            axes: a word for each axis, such as "batch head query key".
            per: the axis that counts the visits, where one pass reaches the tap several times, such as "step".

        Returns:
            A tensor of the same shape, dtype and device: always go on with this one.
        """
        trace = _listener.trace
        return tensor if trace is None else trace._visit(self, name, tensor, axes, per)

    def hears(self, name: str) -> bool:
        """Say whether a trace keeps or edits this tap; if not, a layer may take a path that never computes it."""
        trace = _listener.trace
        return trace is not None and trace._hears(self, name)


@contextmanager
def trace(
    model: nn.Module,
    keep: Sequence[str] | str | Parts = ("*",),
    edits: Edits | Sequence[Edits] | None = None,
    *,
    gradients: bool = False,
    capture: bool = False,
) -> Iterator[Trace]:
    """Keep and edit the values of a model's taps during the forward pass inside the block.

    Args:
        model: any module; a compiled one too (it runs uncompiled while anybody traces). The attention of modules
            without taps is captured, see `attnviz.watch`, where a path begins with such a module, or there are no taps.
        keep: tap paths, with * for any part; none (an empty list) to edit only. Or tap path -> which part of it, such
            as {"attention.weights": {"head": 3}} or {"head": range(4)}: only that is held in memory. If several paths
            match the same tap, the last one counts.
        edits: tap path -> one or several of `attnviz.edits`, or a function from tensor to tensor of the same shape,
            dtype and device; or several such mappings.
        gradients: keep the graph, to differentiate through the readings. Otherwise they are detached.
        capture: let patterns match captured calls even where they match taps.

    Returns:
        The readings by tap path, once the block has ended.

    Raises:
        TraceError: a name that matches nothing, an edit that was not used, a pass that reached no tap, or a value
            that was changed in place afterwards.
    """
    patterns = (keep,) if isinstance(keep, str) else keep
    parts = keep if isinstance(keep, Mapping) else {pattern: {} for pattern in patterns}
    opened = Trace(model, parts, edits or {}, gradients, capture)
    with _as_written, opened._captured.mode if opened._captured is not None else nullcontext():
        opened._outer, _listener.trace = _listener.trace, opened
        try:
            yield opened
        finally:
            _listener.trace = opened._outer
    opened._close()


def addresses(model: nn.Module, example: Tensor) -> dict[str, tuple[tuple[str, ...], tuple[int, ...]]]:
    """List the taps of a model: tap path -> (axes, shape), in the order of the forward pass.

    Args:
        model: any module with taps.
        example: a batch that the model takes.
    """
    with torch.no_grad(), trace(model) as seen:
        model(example)
    return {address: (reading.axes, tuple(reading.tensor.shape)) for address, reading in seen.items()}


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
    """Return the tap paths that a pattern matches; a plain path is looked up, as a request may name dozens of them."""
    if pattern in known and not any(sign in pattern for sign in "*?["):
        return [pattern]
    return [address for address in known if fnmatchcase(address, pattern)]


def _layers(model: nn.Module) -> Iterator[tuple[str, Layer]]:
    for path, module in model.named_modules():
        if isinstance(module, Layer):
            words = path.split(".")
            yield ".".join(word for word in words if word != "_orig_mod"), module  # what torch.compile wraps around


def _layers_of_twins(model: nn.Module) -> Iterator[tuple[str, Layer]]:
    """Yield the layers that compute on a device for those of a model, with the paths of the latter."""
    for path, module in model.named_modules():
        if twin := twin_of(module):
            for inner, layer in _layers(twin):
                yield ".".join(word for word in (path, inner) if word), layer


def _address(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
