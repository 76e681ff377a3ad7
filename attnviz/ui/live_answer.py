"""What a model says to a request of the live channel. Loads torch: imported only where something is computed."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz import data, edits
from attnviz.checkpoints import Checkpoint
from attnviz.data import drawing
from attnviz.errors import BadInput, UnknownName
from attnviz.models import probabilities
from attnviz.readings import Reading
from attnviz.roles import ROLES
from attnviz.tracing import Edits, trace
from attnviz.ui import cache, live_derived
from attnviz.ui.live_request import Ask, Edit, MeanRow, Off, Part, Picture, Put, Request, Scale
from attnviz.ui.payload import pack

PAIRS = 64  # times that maps over all pairs are made in an answer: 60 MB each, of 24 heads and 784 tokens
ANSWER = 1 << 22  # bytes of the arrays of an answer: all heads' rows of one query are 75 thousand


class Said(NamedTuple):
    """What a model said: logits (picture, column); name -> (axes, values) of what is wanted; time of its passes."""

    logits: Tensor
    found: dict[str, tuple[list[str], Tensor]]
    milliseconds: float


def answer(request: Request, place: int) -> bytes:
    """Return what the model of one ask says, as a payload.

    Args:
        request: from `live_request.read`.
        place: of the ask in it.

    Returns:
        Header: number, ask (its place), done (whether it is the request's last), checkpoint, digest (of the weights),
        axes (name of a wanted array -> its axes), heads (name -> which head "furthest" is), milliseconds (of the
        model's pass), and where a canvas was prepared, prepared: its steps. Arrays, float32: logits (picture, column),
        probabilities (picture, class), and all that was wanted under its name; of a canvas seen, uint8 (row, column).

    Raises:
        AttnvizError: a name, an address, an index or a shape that there is not; says which there are.
    """
    asked = request.head.asks[place]
    checkpoint = cache.single(asked.checkpoint)
    ask, heads = live_derived.definite(asked, checkpoint)
    said = ask_model(checkpoint, ask, pictures(request), request.arrays)
    header: dict[str, Any] = {
        "number": request.head.number,
        "ask": place,
        "done": place == len(request.head.asks) - 1,
        "checkpoint": ask.checkpoint,
        "digest": checkpoint.card.weights_digest,
        "axes": {name: axes for name, (axes, _) in said.found.items()},
        "heads": heads,
        "milliseconds": said.milliseconds,
    }
    arrays = {
        "logits": said.logits.numpy(),
        "probabilities": probabilities(said.logits).numpy(),
        **{name: values.numpy() for name, (_, values) in said.found.items()},
    }
    if request.prepared is not None:
        seen = request.prepared
        steps = ("empty", "box", "scale", "fitted", "shift", "centred", "words")
        header["prepared"] = {step: getattr(seen, step) for step in steps}
        arrays["seen"] = seen.picture
    return pack(header, arrays)


def ask_model(checkpoint: Checkpoint, ask: Ask, images: np.ndarray, arrays: dict[str, np.ndarray]) -> Said:
    """Run a model on pictures, edited, and keep what is wanted.

    Args:
        checkpoint: in single precision.
        ask: the edits, and what is wanted; of a head, which one.
        images: uint8 (picture, row, column, channel)
        arrays: to which edits may set a part.
    """
    batch = as_batch(images)
    parts = {name: wanted for name, wanted in ask.wanted.items() if isinstance(wanted, Part)}
    # Maps over all pairs are so large that they are made for one picture at a time.
    of_pairs = sum(_is_of_pairs(some.address) for some in (*ask.edits, *parts.values()))
    if of_pairs * len(batch) > PAIRS:
        raise BadInput(
            f"Maps over all pairs can be edited or wanted {PAIRS} times at once, counting every picture; this is "
            f"{of_pairs * len(batch)} times. Several places of one edit count once."
        )
    live_derived.check(ask, checkpoint.model, len(batch))
    at_once = 1 if of_pairs else len(batch)
    logits: list[Tensor] = []
    kept: dict[str, list[Reading]] = {name: [] for name in ask.wanted}
    size, seconds = 0, 0.0
    keep = sorted({address for wanted in ask.wanted.values() for address in live_derived.taps(wanted)})
    for chunk in batch.split(at_once):
        listening: AbstractContextManager[Mapping[str, Reading]] = (
            trace(checkpoint.model, keep, changes(ask.edits, arrays)) if keep or ask.edits else nullcontext({})
        )
        began = time.perf_counter()
        with torch.no_grad(), listening as seen:
            logits.append(checkpoint.model(chunk))
        seconds += time.perf_counter() - began
        for name, wanted in ask.wanted.items():
            if isinstance(wanted, Part):
                index = {axis: at for axis, at in wanted.index.items() if axis != "batch"}
                part = part_of(seen[wanted.address], index)
            elif isinstance(wanted, MeanRow):
                part = live_derived.mean_row(wanted, seen, chunk)
            else:
                part = live_derived.added(checkpoint.model, chunk, logits[-1])
            size += part.tensor.numel() * 4
            kept[name].append(part)
        if size > ANSWER:
            raise BadInput(
                f"An answer may have {ANSWER:,} bytes; what is wanted has more. Name an index, or ask for fewer."
            )
    found = {}
    for name, wanted in ask.wanted.items():
        batched = {"batch": wanted.index["batch"]} if isinstance(wanted, Part) and "batch" in wanted.index else {}
        whole = part_of(joined(kept[name]), batched)
        found[name] = list(whole.axes), whole.tensor.to(torch.float32).contiguous()
    return Said(torch.cat(logits), found, 1000 * seconds)


def as_batch(images: np.ndarray) -> Tensor:
    """Turn pictures, uint8 (picture, row, column, channel), into a batch in single precision, in 0..1."""
    return torch.from_numpy(images.transpose(0, 3, 1, 2).copy()).float() / 255


def changes(wishes: list[Edit], arrays: dict[str, np.ndarray]) -> Edits:
    """Turn the edits of a request into those of a trace."""
    made: list[Edits] = []
    for wish in wishes:
        if isinstance(wish, Scale):
            made.append({wish.address: edits.scale(wish.factor, **wish.index)})
        elif isinstance(wish, Off):
            made.append({wish.address: edits.off(**wish.index)})
        elif isinstance(wish, Put):
            value = wish.value if wish.array is None else torch.from_numpy(arrays[wish.array].copy())
            made.append({wish.address: edits.put(value, **wish.index)})
        else:
            made.append(edits.uniform(wish.address, **wish.index))
    return edits.together(*made)


def pictures(request: Request) -> np.ndarray:
    """Return the pictures that are asked about, uint8 (picture, row, column, channel).

    Raises:
        UnknownName: no such data set.
        BadInput: a number beyond its test pictures, or pictures of several sizes.
        DataError: the data set is not here.
    """
    if request.prepared is not None:
        return request.prepared.picture[None, :, :, None]
    if request.pictures is not None:
        return request.pictures
    found = [_picture(named) for named in request.head.pictures or ()]
    if len({image.shape for image in found}) > 1:
        raise BadInput("The pictures of one request must have one size.")
    return np.stack(found)


def part_of(reading: Reading, index: dict[str, int]) -> Reading:
    """Return what is left of a reading at an index."""
    axes = tuple(axis for axis in reading.axes if axis not in index)
    return Reading(reading.address, reading.at(**index), axes)


def joined(parts: list[Reading]) -> Reading:
    """Join the readings of several batches; one that has no axis of pictures is the same for all."""
    first = parts[0]
    if "batch" not in first.axes:
        return first
    return Reading(first.address, torch.cat([part.tensor for part in parts], first.axes.index("batch")), first.axes)


def _picture(named: Picture) -> np.ndarray:
    if drawing.is_name(named.data):
        return cache.picture(named.data, 0)[0]
    if named.data not in data.DATASETS:
        raise UnknownName("data set", named.data, data.DATASETS)
    count = data.DATASETS[named.data].counts["test"]
    if named.number >= count:
        raise BadInput(f"{named.data} has {count:,} test pictures, counted from 0; {named.number:,} was asked for.")
    return cache.picture(named.data, named.number)[0]


def _is_of_pairs(address: str) -> bool:
    role = ROLES.get(address.rpartition(".")[2])
    return role is not None and any({"query", "key"} <= set(axes.split()) for axes in role.axes)
