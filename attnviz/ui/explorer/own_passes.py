"""Passes of the visitor's own model: the captured calls, the positions of its tokens, and the explorer's views of it.

Passes are cached for all visitors together, limited in bytes and keyed by the picture's content, so that nobody can
access one without the picture or the link to it. Importing this does not import torch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

from attnviz import data
from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Example, Picture, Subject, own, photos
from attnviz.ui.live.derived import View
from attnviz.ui.shared import cache
from attnviz.ui.shared.own_models import batch_of, running
from attnviz.work.kept import Kept
from attnviz.work.queue import QUEUE

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.arrays import Bytes
    from attnviz.capture.places import Said
    from attnviz.listening import Trace

T = TypeVar("T")

PASSES = 256 << 20  # bytes of all cached passes; a model whose pass takes more keeps it in parts
LAYERS = 96 << 20  # bytes of the layers' payloads for the browser
TAPS = "*[!hx]??"  # all but weights and mixed, which no view shows and which take as many bytes as the others

_passes = Kept(PASSES, QUEUE)
_layers = Kept(LAYERS, QUEUE)
_large: dict[str, list[list[str]]] = {}  # key of a net whose full pass is too large -> the layers of its parts


@dataclass(frozen=True)
class Pass:
    """A cached pass: all its tensors, and a function that returns its trace, since counting the bytes of a trace would
    compute all its weights.
    """

    trace: Callable[[], Trace]
    tensors: tuple[Tensor, ...]


def begin() -> None:
    """Build the model in a separate thread, and run it on the first photograph before a page needs it.

    The server starts meanwhile. If the model cannot be built, it exits and tells its operator, never a visitor.
    """
    Thread(target=_ahead, name="attnviz-own-model", daemon=True).start()


def _ahead() -> None:
    try:
        mine = own.own()
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        os._exit(1)  # sys.exit would end only this thread
    with suppress(AttnvizError, _Long):  # the page reports any error
        example = first()
        seen = passed(example)
        for path in captured(seen)[:1]:
            if find_place(seen, path):
                payload(Subject(mine.net, example), OfLayer(layer=path))
        find_places(seen, _briefly)
        for path in drawable(seen)[0][:1]:
            payload(Subject(mine.net, example), OfLayer(layer=path))


class _Long(BaseException):
    """Raised if a search takes many passes, so that the page restarts it with a progress bar."""


@contextmanager
def _briefly(what: str) -> Iterator[Said]:
    def said(done: int, total: int) -> None:
        raise _Long

    yield said


def first(besides: Example | None = None) -> Example:
    """Return the model's first example: the first photograph of the folder, or else a sample picture; or the one that
    follows another example."""
    words = [*photos.in_folder()]
    if isinstance(besides, photos.Photo) and besides.word in words:
        place = words.index(besides.word) + 1
        words = words[place:] + words[: place - 1]
    if words:
        return photos.Photo(words[0])
    numbers = [int(one) for one in data.shown(photos.SAMPLE).numbers]
    same = isinstance(besides, Picture) and besides == Picture(photos.SAMPLE, numbers[0])
    return Picture(photos.SAMPLE, numbers[same])


def passed(example: Example, layer: str | None = None) -> Trace:
    """Return the trace of the model's pass on an example, with the readings of one layer, by its path, or of the first.

    Raises TraceError if nothing was captured; it names the modules that look like attention.
    """
    mine, picture = own.own(), example.picture
    key, parts = mine.net.key, _large.get(mine.net.key)
    part = () if parts is None else tuple(next((one for one in parts if layer in one), parts[0]))

    def compute() -> Pass:
        from attnviz.capture.watching import watch

        with running(mine):
            keep = [f"{path}.{TAPS}".removeprefix(".") for path in part] or [TAPS]
            seen = watch(mine.model, keep)(batch_of(mine, picture))
        found = Pass(lambda: seen, tuple(_tensors(seen)))
        if parts is None and sum(map(_bytes, found.tensors)) > PASSES:
            _large[key] = _parts(seen)
        return found

    name = (*_named(mine, example), part)
    if name not in _passes:
        with running(mine):  # wait here during somebody's search, without holding a turn that others need
            pass
    return _passes.get(name, compute, what=f"pass {key}", check=cache.wanted).trace()


def _parts(seen: Trace) -> list[list[str]]:
    """Divide the layers of a pass, in order, so that two neighbouring parts can be kept at once."""
    sizes = {path: sum(map(_bytes, seen.captured.calls[path].kept.values())) for path in captured(seen)}
    most = PASSES // 2 - (sum(map(_bytes, _tensors(seen))) - sum(sizes.values()))  # pictures and answers are in each
    found, room = [list[str]()], most
    for path, size in sizes.items():
        if found[-1] and size > room:
            found.append([])
            room = most
        found[-1].append(path)
        room -= size
    return found


def _bytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _named(mine: own.Own, example: Example) -> tuple[str, str]:
    picture = example.picture
    return mine.net.key, sha256(f"{picture.shape} ".encode() + picture.tobytes()).hexdigest()


def _tensors(seen: Trace) -> Iterator[Tensor]:
    from attnviz.capture.frames import tensors_of

    mode = seen.captured.mode
    for call in seen.captured.calls.values():
        yield from call.kept.values()
    for gate, kept, _ in mode.gates.values():
        yield from (gate.source, gate.operand, kept)
    yield from tensors_of(mode.frames.arguments or ())
    yield from tensors_of((seen.output,))


def find_places(seen: Trace, shown: Callable[[str], AbstractContextManager[Said]]) -> None:
    """Find the positions of a pass's tokens, unless they are known; the first search takes a few to a few hundred
    passes.

    `shown` draws the progress, in this thread; a BaseException from it that is not an Exception stops the search.
    """
    from attnviz.capture.seen import PROGRESS

    if seen.captured.has_places:
        return
    token = PROGRESS.set(shown)
    try:
        with running(own.own()):
            seen.captured.places("")
    finally:
        PROGRESS.reset(token)


def find_place(seen: Trace, path: str) -> bool:
    """Find the positions of one layer's tokens before the others'; return whether it can be drawn already."""
    if path not in captured(seen):
        return False
    if not seen.captured.has_places:
        with running(own.own()):
            if not seen.captured.place(path):
                return False
    from attnviz.figures.captured import lies_in

    try:
        lies_in(seen, path)
    except BadInput:
        return False
    return True


def captured(seen: Trace) -> list[str]:
    """Return the paths of the layers that were captured."""
    return [path for path, call in seen.captured.calls.items() if not call.refused]


def drawable(seen: Trace) -> tuple[list[str], dict[str, str]]:
    """Return the paths of the layers that can be drawn on the picture, and path -> reason for the others."""
    from attnviz.figures.captured import lies_in

    found, refused = [], {}
    for path in captured(seen):
        try:
            lies_in(seen, path)
            found.append(path)
        except BadInput as error:
            refused[path] = str(error).replace("; give grid=(rows, columns)", "")  # only scripts can do this
    return found, refused


def gates_in(seen: Trace) -> list[str]:
    """Return the tap paths of the gates of a pass."""
    from attnviz.figures.gates import TAPS

    return [path for path in seen if path.rpartition(".")[2] in TAPS]


def gate_of(subject: Subject, seen: Trace, path: str) -> tuple[str, bytes]:
    """Return the name of the component that shows a gate, and its payload."""
    from attnviz.figures.gates import part_of

    return part_of(path, seen[path].at(batch=0).double().cpu().numpy(), _photo(seen), subject.origin(path))


def _photo(seen: Trace) -> Bytes | None:
    """Return the model's input as a photograph."""
    from attnviz.capture.frames import tensors_of
    from attnviz.figures.captured import shown_of

    given = next((one for one in tensors_of(seen.captured.mode.frames.arguments or ()) if one.ndim == 4), None)
    found = None if given is None else own.own().loaded.photo(given)
    return shown_of(seen) if found is None else found


class OfLayer(Strict):
    """The layer, by the path of its attention module."""

    layer: Annotated[str, Field(max_length=400)]


def payload(subject: Subject, parameters: OfLayer) -> bytes:
    """Return a layer's payload for the viewer; raise BadInput with the reason if it cannot be drawn."""
    path, example = parameters.layer, subject.example
    own.own_net(subject.net.key)

    def compute() -> bytes:
        from attnviz.figures.captured import views_of

        seen = passed(example, path)
        logits = getattr(seen.output, "logits", seen.output)
        count = logits.shape[1] if getattr(logits, "ndim", 0) == 2 else 0
        classes = subject.net.classes
        names = classes if len(classes) == count else [f"class {one}" for one in range(count)]
        return views_of(seen, [path], _photo(seen), names or None, 0, None, subject.origin(path))[path].packed()

    key = (*_named(own.own(), example), example.key, path)
    if key not in _layers:
        _wait_for_places(passed(example, path), path)
    return _layers.get(key, compute, what="layer of an own model", check=cache.wanted)


def kept_for(example: Example, what: str, compute: Callable[[], T]) -> T:
    """Return a value that depends on the model and a picture, cached like the layers' payloads."""
    return _layers.get((*_named(own.own(), example), what), compute, what=f"{what} of an own model", check=cache.wanted)


def _wait_for_places(seen: Trace, path: str) -> None:
    """Wait for a running search for tokens' positions, without holding a turn that others need; raise BadInput if it
    takes long and nobody has requested it.
    """
    if not find_place(seen, path):
        try:
            find_places(seen, _briefly)
        except _Long:
            raise BadInput("The positions of this model's tokens are not known yet: open its page first.") from None


OWN_LAYER = View("own_layer", OfLayer, payload, loads=False)


def without(example: Example, path: str, heads: Sequence[int]) -> Any:
    """Return the model's output with some heads, from 0, of a layer off; raise TraceError if that cannot be exact."""
    import torch

    from attnviz import edits
    from attnviz.tracing import trace

    mine, tap = own.own(), f"{path}.mixed".removeprefix(".")
    off = [edits.off(tap, head=head) for head in heads]
    with running(mine), torch.no_grad(), trace(mine.model, [tap], off, capture=True):
        return mine.model(batch_of(mine, example.picture))


def answer_of(output: Any, classes: Sequence[str]) -> tuple[str, float] | None:
    """Return the most probable class and its probability, or None if the output is not logits (picture, class)."""
    logits = getattr(output, "logits", output)
    if getattr(logits, "ndim", 0) != 2 or logits.shape[1] < 2:
        return None
    found = logits[0].double().softmax(0)
    best = int(found.argmax())
    return classes[best] if len(classes) == len(found) else f"class {best}", float(found[best])
