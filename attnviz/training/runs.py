"""Reading runs: their settings, their curves, and their weights at an epoch.

    runs/ID/  run.json (recipe, seed, device, threads, command)   curve.jsonl (a line for each epoch)   log.txt
              weights-EPOCH.safetensors (of many epochs)   state-EPOCH.safetensors (the last two)   status.json

An ID is MODEL.RECIPE.SEED.DIGEST, with the digest of all settings, so that a recipe and seed with different settings
are different runs. Runs of earlier versions are in MODEL.RECIPE.SEED. `attnviz.training.run` writes all of this.
Reading does not import torch, unless weights are read.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from safetensors import SafetensorError, safe_open

from attnviz import files, paths
from attnviz.checkpoint_folder import is_name
from attnviz.errors import CheckpointError, RunError, UnknownName
from attnviz.training.durations import Duration, in_log
from attnviz.training.progress import Epoch
from attnviz.training.run_file import RunFile, config_of

if TYPE_CHECKING:
    from torch import Tensor, nn

_WEIGHTS = re.compile(r"weights-([1-9][0-9]{0,6})\.safetensors")
_LARGEST = 2**24  # bytes of a text file; a curve of 10,000 epochs takes about a tenth
_LARGEST_VALUE = 1e100  # beyond the range of single precision, and far below that of double precision
_RESTORE = "Remove it: this epoch is then no longer shown."


def folder() -> Path:
    """Return the folder of all runs: `ATTNVIZ_RUNS`, `runs` in a checkout, or in the user's data once installed."""
    if chosen := os.environ.get("ATTNVIZ_RUNS"):
        return Path(chosen)
    return paths.user_data() / "runs" if paths.is_installed() else Path("runs")


def made() -> Path:
    """Return the folder of all runs; create it if it does not exist."""
    return paths.made(folder(), "runs", "ATTNVIZ_RUNS")


def ids() -> list[str]:
    """Return the IDs of all started runs, in alphabetical order."""
    try:
        with os.scandir(folder()) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return []
    return sorted(name for name in names if is_name(name) and files.is_there(folder() / name / "run.json"))


def read(run_id: str) -> RunFile:
    """Return the settings of a run. UnknownName lists the closest IDs; RunError: its `run.json` cannot be read, or
    belongs to another run.
    """
    path = home(run_id) / "run.json"
    info = parsed(path)
    if run_id not in (info.id, info.earlier_id):
        raise RunError(f"{path} belongs to the run {info.id}. Rename its folder, or remove it.")
    return info


def parsed(path: Path) -> RunFile:
    """Return the settings in a `run.json`."""
    try:
        stamps = (files.stamp(path),)
        return _settings.get(
            path, stamps, lambda: RunFile.model_validate_json(files.read(path, _LARGEST), strict=False)
        )
    except (ValidationError, OSError) as error:
        raise RunError(f"{path} cannot be read. Remove the folder to train from the start.") from error


# Watching trainings reads the same files repeatedly.
_settings, _curves = files.Remembered[RunFile](2**24), files.Remembered[tuple[Epoch, ...]](2**24)


def status(run_id: str) -> dict[str, Any]:
    """Return a run's `status.json`, last written by its training process: the state, the epoch, the share of the next
    epoch, and the process; or {} if the file is missing or unreadable.
    """
    return status_in(home(run_id))


def status_in(home: Path) -> dict[str, Any]:
    """Return the status of the run in a folder, as `status` does."""
    try:
        found = files.from_json(files.read(home / "status.json", _LARGEST))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def durations(run_id: str) -> list[Duration]:
    """Return the duration of each epoch in the log of a run."""
    return durations_in(home(run_id))


def durations_in(home: Path) -> list[Duration]:
    """Return the duration of each epoch in the log of a run's folder."""
    try:
        return in_log(files.read(home / "log.txt", _LARGEST).decode(errors="replace"))
    except OSError:
        return []


def curve(run_id: str) -> list[Epoch]:
    """Return the finished epochs of a run, without a line truncated by a kill; a non-finite value is None."""
    curve = _lines(home(run_id))
    names = dict.fromkeys(name for one in curve for name in one.values)
    return [Epoch(one.epoch, {name: _figure(one.values.get(name)) for name in names}) for one in curve]


def curve_in(home: Path) -> list[Epoch]:
    """Return the epochs in the folder of a run; all must be present, and each value must be a number or None."""
    curve = _lines(home)
    for one in curve:
        if one.values.keys() != curve[0].values.keys() or any(value != _figure(value) for value in one.values.values()):
            raise RunError(
                f"{home / 'curve.jsonl'} holds values that are not numbers. Remove the folder to train from the start."
            )
    return curve


def _lines(home: Path) -> list[Epoch]:
    path = home / "curve.jsonl"

    def read() -> tuple[Epoch, ...]:
        lines = files.read(path, _LARGEST).decode().splitlines(keepends=True)
        values = [files.from_json(line) for line in lines if line.endswith("\n")]  # a kill can leave an incomplete line
        epochs = tuple(Epoch(one.pop("epoch"), one) for one in values)
        if not all(type(one.epoch) is int and one.epoch > 0 for one in epochs):
            raise ValueError("an epoch is a whole number from 1")
        return epochs

    try:
        return [*_curves.get(path, (files.stamp(path),), read)]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise RunError(f"{path} cannot be read. Remove the folder to train from the start.") from error


def _figure(value: Any) -> float | None:
    """Return a value of a curve if it is a finite number of usable size, else None."""
    return value if type(value) in (int, float) and abs(value) <= _LARGEST_VALUE else None


def epochs(run_id: str) -> list[int]:
    """Return the numbers of the epochs, from 1 and ascending, at which the weights of a run are kept: all of them, or,
    if that would take more than `run.LIMIT` bytes, the first, the last, the one that the recipe keeps, and evenly
    spaced others. Epochs trained by an earlier version are not kept.
    """
    return epochs_in(home(run_id))


def epochs_in(home: Path) -> list[int]:
    """Return the epochs at which weights are kept in the folder of a run, ascending."""
    try:
        with os.scandir(home) as entries:
            found = [_WEIGHTS.fullmatch(entry.name) for entry in entries]
    except OSError:
        return []
    return sorted(int(one[1]) for one in found if one)


def weights(run_id: str, epoch: int) -> "dict[str, Tensor]":
    """Return the exact weights of a run after an epoch; CheckpointError: the file is not a valid weights file."""
    return _loaded(run_id, epoch)[1]


def load(run_id: str, epoch: int) -> "nn.Module":
    """Return the model of a run after an epoch, in evaluation mode and without gradients."""
    from attnviz import models

    info, tensors = _loaded(run_id, epoch)
    model = models.spec(info.recipe.model).build(config_of(info.recipe))
    model.load_state_dict(tensors)
    return model.eval().requires_grad_(False)


def digest(run_id: str, epoch: int) -> str:
    """Return the digest of the weights of a run after an epoch, the same as of a checkpoint with these weights.

    It is read from the file's header, without torch; only `weights` and `load` compare it with the weights.
    """
    return _notes(_kept(run_id, epoch))[1]


def encode(weights: "Mapping[str, Tensor]", epoch: int, digest: str) -> bytes:
    """Return the content of the weights file of an epoch."""
    from safetensors.torch import save

    notes = json.dumps({"epoch": epoch, "digest": digest})  # one entry, since safetensors writes several in any order
    return save({name: tensor.cpu().contiguous() for name, tensor in weights.items()}, {"attnviz": notes})


def weights_path(home: Path, epoch: int) -> Path:
    """Return the path of an epoch's weights in the folder of a run, if they are kept."""
    return home / f"weights-{epoch}.safetensors"


def weights_in(home: Path, info: RunFile, epoch: int) -> "dict[str, Tensor]":
    """Return the weights of an epoch in the folder of a run with these settings, as `weights` does."""
    from attnviz import checkpoints

    path = weights_path(home, epoch)
    tensors = checkpoints.read(path, checkpoints.outline(info.recipe.model, config_of(info.recipe)), _RESTORE)[1]
    if _notes(path) != (epoch, checkpoints.digest(checkpoints.encode(tensors))):
        raise CheckpointError(f"{path} does not hold the weights that it declares. {_RESTORE}")
    return tensors


def home(run_id: str) -> Path:
    """Return the folder of a run. Its ID may be user input, so an invalid ID never becomes part of a path."""
    if not is_name(run_id) or not files.is_there(folder() / run_id / "run.json"):
        raise UnknownName("run", run_id, ids())
    return folder() / run_id


def _kept(run_id: str, epoch: int) -> Path:
    """Return the path of the weights of a kept epoch."""
    found = home(run_id)
    if epoch not in (known := epochs_in(found)):
        raise UnknownName(f"kept epoch of the run {run_id}", str(epoch), map(str, known))
    return weights_path(found, epoch)


def _loaded(run_id: str, epoch: int) -> "tuple[RunFile, dict[str, Tensor]]":
    path = _kept(run_id, epoch)
    info = read(run_id)
    return info, weights_in(path.parent, info, epoch)


def _notes(path: Path) -> tuple[int, str]:
    """Return the epoch and the digest in the header of a weights file."""
    try:
        if not files.is_there(path):  # reading a device would never end
            raise CheckpointError(f"The weights {path} cannot be read: it is not a regular file.")
        with safe_open(path, "np") as file:
            notes = files.from_json(file.metadata()["attnviz"])
        return int(notes["epoch"]), str(notes["digest"])
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise CheckpointError(f"{path} is not a complete file of weights of a run. {_RESTORE}") from error
