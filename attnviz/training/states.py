"""The saved states of a run, `state-EPOCH.safetensors`, from which it resumes.

A state is a safetensors file. Its only note holds the numbers of `Training.state` and the sha256 of the file, computed
with zeros in place of the digest. States of earlier versions have no digest; everything else is checked for them too.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from attnviz import files
from attnviz.errors import CheckpointError

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.training.loop import Training

_NAME = re.compile(r"state-([1-9][0-9]{0,6})\.safetensors")
_NO_DIGEST = "0" * 64
_NOTES, _HEAD = 2**12, 2**8  # maximum bytes in a file's header: notes, and a tensor's entry without its name

State = tuple[dict[str, "Tensor"], dict[str, Any]]


def found(home: Path) -> dict[int, Path]:
    """Return epoch -> the path of its state, newest first. Files with other names, such as copies, are ignored."""
    try:
        with os.scandir(home) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return {}
    epochs = sorted((int(one[1]) for name in names if (one := _NAME.fullmatch(name))), reverse=True)
    return {epoch: path(home, epoch) for epoch in epochs}


def path(home: Path, epoch: int) -> Path:
    """Return the path of the state after an epoch."""
    return home / f"state-{epoch}.safetensors"


def encode(tensors: dict[str, Tensor], numbers: dict[str, Any]) -> bytes:
    """Return the content of a state's file."""
    from safetensors.torch import save

    notes = {"numbers": json.dumps({**numbers, "digest": _NO_DIGEST})}  # one entry: safetensors does not order several
    content = save({name: tensor.cpu().contiguous() for name, tensor in tensors.items()}, notes)
    return content.replace(_NO_DIGEST.encode(), hashlib.sha256(content).hexdigest().encode(), 1)


def read(path: Path, training: Training) -> State:
    """Return the arguments of `Training.restore` from a file; the training is not changed.

    CheckpointError: the file cannot be read, is not regular, is damaged or too large, or does not hold a state of this
    training after this epoch.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    from attnviz.checkpoints import check

    expected, known = training.state()[0], _optimiser_entries(training)
    most = _NOTES + sum(one.nbytes + _HEAD + 6 * len(name) for name, one in [*expected.items(), *known.items()])
    try:
        content = files.read(path, most)
        tensors, numbers = load(content), _numbers(content)
    except OSError as error:
        raise CheckpointError(f"{path.name} cannot be read: {files.reason(error)}.") from error
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path.name} is damaged: it holds no complete state.") from error
    digest = numbers.pop("digest", None)
    if digest is not None and not _is_digest(digest, content):
        raise CheckpointError(f"{path.name} is damaged: its digest does not match.")
    if set(numbers) != set(training.state()[1]):
        raise CheckpointError(f"{path.name} was written by another version of attnviz.")
    if not _are_numbers(numbers, int(path.stem.rpartition("-")[2]), training.recipe.epochs):
        raise CheckpointError(f"{path.name} is damaged: its numbers are not those of this epoch.")
    changed = {
        name.split("/")[1] for name in tensors if name.startswith("optimiser/")
    }  # parameters that had a gradient
    expected |= {name: one for name, one in known.items() if name.split("/")[1] in changed}
    check(path.name, expected, tensors)
    try:
        type(training.generator)().set_state(tensors["generator"])
    except RuntimeError as error:
        raise CheckpointError(f"{path.name} is damaged: it holds no state of a generator.") from error
    return tensors, numbers


def set_aside(path: Path) -> Path:
    """Rename an unreadable state, so that it is neither used nor deleted, and return its new path."""
    names = (f"unreadable-{number}-{path.name}" if number > 1 else f"unreadable-{path.name}" for number in count(1))
    free = next(place for name in names if not (place := path.with_name(name)).exists())
    path.replace(free)
    files.sync(path.parent)
    return free


def _numbers(content: bytes) -> dict[str, Any]:
    """Return the numbers in the header of a safetensors file."""
    head = files.from_json(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return dict(files.from_json(head["__metadata__"]["numbers"]))


def _is_digest(digest: object, content: bytes) -> bool:
    without = content.replace(str(digest).encode(errors="replace"), _NO_DIGEST.encode(), 1)
    return digest == hashlib.sha256(without).hexdigest()


def _are_numbers(numbers: dict[str, Any], epoch: int, epochs: int) -> bool:
    """Return whether a training can have these numbers after an epoch."""
    best = numbers["best_value"]
    counts = [value for name, value in numbers.items() if name != "best_value"]
    return (
        all(type(value) is int and 0 <= value <= epoch for value in counts)
        and numbers["epoch"] == epoch <= epochs
        and (type(best) is float or type(best) is int and abs(best) < 2**53)
        and (numbers["best_epoch"] == 0 or math.isfinite(best))
    )


def _optimiser_entries(training: Training) -> dict[str, Tensor]:
    """Return the optimiser's state of every parameter, once each has had a gradient."""
    import torch

    groups = []
    for group in training.optimiser.param_groups:
        groups.append({**group, "params": [torch.nn.Parameter(torch.zeros_like(one)) for one in group["params"]]})
        for parameter in groups[-1]["params"]:
            parameter.grad = torch.zeros_like(parameter)
    twin = cast(Callable[..., torch.optim.Optimizer], type(training.optimiser))(groups)
    twin.step()
    entries = twin.state_dict()["state"]
    return {f"optimiser/{index}/{name}": one for index, its in entries.items() for name, one in its.items()}
