"""A net's answer to a request of the live channel. Loads torch.

`plan` processes a request once: it finds the nets, estimates the work, refuses requests that are too large, and returns
a `Planned` for each ask, which computes its answers on demand.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz import subjects
from attnviz.answers import as_batch, probabilities
from attnviz.data.inputs import Prepared
from attnviz.errors import BadInput
from attnviz.readings import Reading
from attnviz.recipes.recipe import Strict
from attnviz.roles import ROLES
from attnviz.subjects import Loaded, Net, Subject
from attnviz.tracing import trace
from attnviz.ui.live import budget
from attnviz.ui.live.derived import Context, Derived, NoParameters, View
from attnviz.ui.live.given import changes, pictures
from attnviz.ui.live.request import Ask, DerivedWanted, Part, Request
from attnviz.ui.shared import cache
from attnviz.views.payload import pack

PAIRS = 64  # maximum number of full token-by-token maps in one answer: 60 MB each for 24 heads and 784 tokens
ANSWER = 1 << 22  # bytes of an answer's arrays: the rows of all heads for one query take 75 thousand
VIEW = 1 << 25  # bytes of a view: queries, keys and values of 24 heads and 784 different tokens in double precision


class Computed(NamedTuple):
    """A model's answer."""

    logits: Tensor  # (picture, column)
    found: dict[str, tuple[list[str], Tensor]]  # name -> axes and values of what was requested
    parameters: dict[str, dict[str, Any]]  # name -> the parameters used for a derived value
    milliseconds: float  # of the forward passes


@dataclass(frozen=True)
class Planned:
    """An entry of a request's `asks`, whose net is known and whose work is estimated.

    Args:
        work: The work in units of `budget`; 0 if it cannot be answered.
        answers: Returns the answers as payloads, one after the other; most entries have one. It raises AttnvizError for
            an unknown name, tap path, index or shape; the message lists the valid ones.
    """

    work: float
    answers: Callable[[], Iterator[bytes]]


def plan(request: Request) -> list[Planned]:
    """Plan the answers to each ask of a request.

    An answer is a payload. Its header: number, ask (its index), done (whether it is the request's last), checkpoint
    (the net's key), digest (of the weights), axes (name of a wanted array -> its axes), parameters (name -> the
    parameters used by a derived value, with a head's number in place of "least_uniform"), milliseconds (of the pass),
    and, if a canvas was prepared, prepared: the steps from the canvas to the net's input. Arrays, float32: logits
    (picture, column), probabilities (picture, class), and everything requested under its name; for a canvas also seen,
    uint8 (row, column, channel), the net's input. The answer to a view holds only that view, as bytes.
    """
    planned = [_planned(request, place) for place in range(len(request.head.asks))]
    budget.check([one.work for one in planned], count(request))
    return planned


def count(request: Request) -> int:
    """Return the number of pictures in a request."""
    if request.head.prepare is not None:
        return 1
    return len(request.head.pictures or ()) if request.pictures is None else len(request.pictures)


def _planned(request: Request, place: int) -> Planned:
    ask = request.head.asks[place]
    try:
        net = subjects.net(ask.checkpoint)
        light = any((row := _view(wanted)) and not row.loads for wanted in ask.wanted.values())
        loaded = None if light else cache.single(net)
        work = 0.0 if loaded is None else _work(loaded, ask)
    except Exception as error:  # this answer contains the error, and the other asks are still answered
        return Planned(0.0, partial(_raised, error))
    header: dict[str, Any] = {
        "number": request.head.number,
        "ask": place,
        "done": place == len(request.head.asks) - 1,
        "checkpoint": ask.checkpoint,
        "digest": net.digest,
    }
    if loaded is None or any(_view(wanted) for wanted in ask.wanted.values()):
        return Planned(count(request) * work, lambda: _views(request, ask, net, header))
    return Planned(count(request) * work, lambda: _values(request, ask, loaded, work, header))


def _view(wanted: Part | DerivedWanted) -> View[Any] | None:
    """Return the view that is wanted, or None if another value is."""
    return wanted.row if isinstance(wanted, DerivedWanted) and isinstance(wanted.row, View) else None


def _raised(error: Exception) -> Iterator[bytes]:
    raise error


def _values(request: Request, ask: Ask, loaded: Loaded, work: float, header: dict[str, Any]) -> Iterator[bytes]:
    """Yield the answer to an ask for taps and derived values."""
    seen = request.prepared(loaded.net.input)
    images = pictures(request, loaded.net) if seen is None else seen.picture[None]
    computed = ask_model(loaded, ask, images, request.arrays, work)
    header |= {
        "axes": {name: axes for name, (axes, _) in computed.found.items()},
        "parameters": computed.parameters,
        "milliseconds": computed.milliseconds,
    }
    arrays = {
        "logits": computed.logits.numpy(),
        "probabilities": probabilities(computed.logits).numpy(),
        **{name: values.numpy() for name, (_, values) in computed.found.items()},
    }
    yield pack(*_with_seen(header, arrays, seen))


def _views(request: Request, ask: Ask, net: Net, header: dict[str, Any]) -> Iterator[bytes]:
    """Yield the answers to an ask for a view: its payload, or several payloads if it is computed in steps."""
    (name, wanted), *others = ask.wanted.items()
    named = request.head.pictures or []
    if others or ask.edits or len(named) != 1:
        raise BadInput(
            f"{name} is a view: it is requested alone, without edits, of one example that is named, not sent as pixels."
        )
    assert isinstance(wanted, DerivedWanted)
    assert isinstance(wanted.row, View)
    began = time.perf_counter()
    subject = Subject(net, subjects.example(named[0].data, named[0].number))
    done = header["done"]
    steps: Iterator[bytes | None] = wanted.row.payloads(subject, wanted.given)
    step = next(steps, None)
    while step is not None:
        following = next(steps, None)
        if len(step) > VIEW:
            raise BadInput(f"A view may have at most {VIEW:,} bytes; this one has {len(step):,}.")
        last = {
            "done": done and following is None,
            "axes": {name: ["byte"]},
            "parameters": {name: wanted.given.model_dump(mode="json")},
            "milliseconds": 1000 * (time.perf_counter() - began),
        }
        yield pack({**header, **last}, {name: np.frombuffer(step, np.uint8)})
        step = following


def _with_seen(
    header: dict[str, Any], arrays: dict[str, np.ndarray], seen: Prepared | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if seen is None:
        return header, arrays
    return {**header, "prepared": seen.steps()}, {**arrays, "seen": seen.picture}


def _work(loaded: Loaded, ask: Ask) -> float:
    """Return the work of an ask for one picture."""
    taken = loaded.net.input
    return budget.per_picture(loaded.model, taken.rows * taken.columns, *_taps_and_passes(ask, loaded.net))


def _taps_and_passes(ask: Ask, net: Net) -> tuple[set[str], float]:
    """Return the paths of the taps that an ask keeps or edits, and the number of forward passes it needs."""
    taps, passes = {edit.address for edit in ask.edits}, 1.0
    for wanted in ask.wanted.values():
        if isinstance(wanted, Part):
            taps.add(wanted.address)
        else:
            if isinstance(wanted.row, Derived):
                taps.update(wanted.row.taps(wanted.given))
            passes += wanted.row.cost(wanted.given, net)
    return taps, passes


def ask_model(
    loaded: Loaded, ask: Ask, images: np.ndarray, arrays: dict[str, np.ndarray], work: float | None = None
) -> Computed:
    """Run a model with the edits of an ask, in single precision, on pictures, uint8 (picture, row, column, channel),
    and keep the wanted values.

    `arrays` holds the arrays to which edits may set a part; `work` is the ask's work for one picture, if it has been
    estimated.
    """
    batch = as_batch(images)
    parts = {name: wanted for name, wanted in ask.wanted.items() if isinstance(wanted, Part)}
    derived = {name: wanted for name, wanted in ask.wanted.items() if isinstance(wanted, DerivedWanted)}
    # Full token-by-token maps are so large that they are computed for one picture at a time.
    of_pairs = sum(_is_of_pairs(some.address) for some in (*ask.edits, *parts.values()))
    if of_pairs * len(batch) > PAIRS:
        raise BadInput(
            f"Maps over all pairs of tokens can be edited or requested {PAIRS} times at once, counting every picture; "
            f"here it is {of_pairs * len(batch)} times. Several indices of one edit count once."
        )
    _check_number([wanted.values for wanted in derived.values()], len(batch))
    settled = {name: _settled(wanted, loaded) for name, wanted in derived.items()}
    taps = {name: wanted.values.taps(settled[name]) for name, wanted in derived.items()}
    keep = sorted({part.address for part in parts.values()}.union(*taps.values()))
    context = Context(
        loaded,
        batch,
        _of_the_pass(derived, settled),
        None if ask.seed is None else torch.Generator().manual_seed(ask.seed),
        tuple(edit.address for edit in ask.edits),
    )
    logits: list[Tensor] = []
    kept: dict[str, list[Reading]] = {}
    size, seconds = 0, 0.0
    # The generator's draws run through all pictures of a pass; splitting it into several passes would change them.
    whole = _work(loaded, ask) if work is None else work
    at_once = 1 if of_pairs else len(batch) if ask.seed is not None else budget.at_once(whole)
    for number, chunk in enumerate(batch.split(at_once)):
        if number:
            budget.pause()
        logits_of_chunk, parts_of_chunk, took = _chunk(replace(context, images=chunk), ask, keep, settled, arrays)
        logits.append(logits_of_chunk)
        seconds += took
        for name, reading in parts_of_chunk.items():
            kept.setdefault(name, []).append(reading)
            size += reading.tensor.numel() * 4
        if size > ANSWER:
            raise BadInput(
                f"An answer may have at most {ANSWER:,} bytes; this one would have more. Name an index, or ask for "
                "fewer values."
            )
    found = {}
    for name, readings in kept.items():
        batched = {"batch": parts[name].index["batch"]} if name in parts and "batch" in parts[name].index else {}
        reading = part_of(joined(readings), batched)
        found[name] = list(reading.axes), reading.tensor.to(torch.float32).contiguous()
    used = {name: parameters.model_dump(mode="json") for name, parameters in settled.items()}
    answered = torch.cat(logits)
    if not np.isfinite(answered.numpy()).all():
        raise BadInput(
            f"With these edits the numbers in {ask.checkpoint} become too large for an answer. Use smaller edits."
        )
    return Computed(answered, found, used, 1000 * seconds)


def _chunk(
    context: Context[Any],
    ask: Ask,
    keep: Sequence[str],
    settled: Mapping[str, Strict],
    arrays: dict[str, np.ndarray],
) -> tuple[Tensor, dict[str, Reading], float]:
    """Return a model's logits for some pictures, the requested values, and the seconds of its pass.

    Requested values are copied, since a part that shares its tap's memory would keep all of it, 59 MB per picture.
    """
    derived = {name: wanted for name, wanted in ask.wanted.items() if isinstance(wanted, DerivedWanted)}
    listening: AbstractContextManager[Mapping[str, Reading]] = (
        trace(context.loaded.model, keep, changes(ask.edits, arrays)) if keep or ask.edits else nullcontext({})
    )
    began = time.perf_counter()
    with torch.no_grad(), listening as seen:
        logits = _pass(context, derived.values())
    seconds = time.perf_counter() - began
    found: dict[str, Reading] = {}
    for name, wanted in ask.wanted.items():
        if isinstance(wanted, DerivedWanted):
            given = replace(context, parameters=settled[name], seen=seen, logits=logits)
            found.update(_named(name, wanted.values.compute(given)))
        else:
            found[name] = part_of(
                seen[wanted.address], {axis: at for axis, at in wanted.index.items() if axis != "batch"}
            )
    return logits, {name: replace(one, tensor=one.tensor.clone(), before=None) for name, one in found.items()}, seconds


def _check_number(rows: Sequence[Derived[Any]], pictures: int) -> None:
    for name, count in Counter(row.name for row in rows).items():
        most = next(row.most for row in rows if row.name == name)
        if count * pictures > most:
            raise BadInput(
                f"{name} can be requested {most} times at once, counting every picture; here it is {count * pictures} "
                "times."
            )


def _settled(wanted: DerivedWanted, loaded: Loaded) -> Strict:
    settle = wanted.values.settle
    settled: Strict = wanted.given if settle is None else settle(loaded, wanted.given)
    return settled


def _of_the_pass(derived: Mapping[str, DerivedWanted], settled: Mapping[str, Strict]) -> Strict:
    """Return the parameters that change the pass itself; an ask is one pass, so its values must agree."""
    passes = [(wanted.values.run, settled[name]) for name, wanted in derived.items() if wanted.values.run is not None]
    if any(one != passes[0] for one in passes):
        names = ", ".join(name for name, wanted in derived.items() if wanted.values.run is not None)
        raise BadInput(
            f"{names} each need a forward pass of their own, but one ask makes only one pass. Ask for each separately."
        )
    return passes[0][1] if passes else NoParameters()


def _pass(context: Context[Any], derived: Iterable[DerivedWanted]) -> Tensor:
    """Run the forward pass and return logits (picture, column)."""
    run = next((wanted.values.run for wanted in derived if wanted.values.run is not None), None)
    if run is not None:
        return run(context)
    model, net = context.loaded
    draws = "generator" in net.takes
    logits: Tensor = model(context.images, generator=context.generator) if draws else model(context.images)
    return logits


def _named(name: str, computed: Reading | Mapping[str, Reading]) -> dict[str, Reading]:
    if isinstance(computed, Reading):
        return {name: computed}
    return {f"{name}.{part}": reading for part, reading in computed.items()}


def part_of(reading: Reading, index: dict[str, int]) -> Reading:
    """Return the part of a reading at an index."""
    axes = tuple(axis for axis in reading.axes if axis not in index)
    return Reading(reading.path, reading.at(**index), axes)


def joined(parts: list[Reading]) -> Reading:
    """Concatenate the readings of several batches; a reading without a batch axis is the same for all."""
    first = parts[0]
    if "batch" not in first.axes:
        return first
    return Reading(first.path, torch.cat([part.tensor for part in parts], first.axes.index("batch")), first.axes)


def _is_of_pairs(address: str) -> bool:
    role = ROLES.get(address.rpartition(".")[2])
    return role is not None and any({"query", "key"} <= set(axes.split()) for axes in role.axes)
