"""Histories: the weights of a checkpoint's model at some epochs of its training, to show how attention is learnt.

    checkpoints/NAME/history/  history.json (recipe, seed, curve, digests)   epoch-EPOCH.safetensors (float16)

`python -m attnviz history RUN EPOCHS` makes one from a run of the checkpoint's recipe. Epoch 0 is the model before
training. Reading does not import torch, unless weights are read.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, ValidationError, model_validator

from attnviz import cards, checkpoint_folder, files
from attnviz.errors import BadInput, CheckpointError, UnknownName
from attnviz.recipes import RECIPES
from attnviz.recipes.recipe import Recipe, Strict
from attnviz.training import runs
from attnviz.training.run_file import RunFile, config_of

if TYPE_CHECKING:
    from torch import Tensor, nn

WEIGHTS = "float16"
"""The format of a history's weights, independent of the recipe's format for its checkpoint."""

_FILE = "history.json"
_LARGEST = 2**22  # bytes; a curve of 1,000 epochs with a dozen columns takes a twentieth of this
_RESTORE = "Restore the committed folder."


class Kept(Strict):
    """An epoch whose weights are kept, with 0 before training, and the sha256 of their file."""

    epoch: int = Field(ge=0, lt=10_000_000)
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class HistoryFile(Strict):
    """The content of `history.json`.

    Args:
        recipe, seed, device, threads, data_digest, command: the fields of the run's `RunFile`.
        trained: the number of epochs trained, perhaps fewer than the recipe's.
        finished: whether the training was finished.
        curve: the values of each curve, one per trained epoch, by name.
        epochs: the epochs whose weights are kept, ascending.
    """

    recipe: Recipe
    seed: int
    device: str
    threads: int
    data_digest: str
    command: str
    trained: int = Field(ge=0)
    finished: bool
    curve: dict[str, tuple[float | None, ...]]
    epochs: tuple[Kept, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        numbers = [kept.epoch for kept in self.epochs]
        if numbers != sorted(set(numbers)) or numbers[-1] > self.trained:
            raise ValueError("its epochs must ascend, up to the last that was trained")
        if any(len(values) != self.trained for values in self.curve.values()):
            raise ValueError("its curves must have a value for each epoch that was trained")
        return self

    def digest(self, epoch: int) -> str:
        """Return the digest of the weights of an epoch."""
        known = {kept.epoch: kept.digest for kept in self.epochs}
        if epoch not in known:
            raise UnknownName(f"kept epoch of the history of {self.recipe.key}", str(epoch), map(str, known))
        return known[epoch]


def there(name: str) -> bool:
    """Return whether a checkpoint has a history."""
    found = checkpoint_folder.found(name)
    return found is not None and found.has_history


_read = files.Remembered[HistoryFile](2**24)


def read(name: str) -> HistoryFile:
    """Return the history file of a checkpoint; it is cached until the file changes."""
    path = cards.home(name) / "history" / _FILE
    stamp = files.stamp(path)
    if stamp is None:
        raise UnknownName("history of the checkpoint", name, [one for one in cards.names() if there(one)])
    return _read.get(path, (stamp,), lambda: _parsed(name, path))


def _parsed(name: str, path: Path) -> HistoryFile:
    try:
        found = HistoryFile.model_validate_json(files.read(path, _LARGEST), strict=False)
    except OSError as error:
        raise CheckpointError(f"The history {path} cannot be read: {files.reason(error)}.") from error
    except ValidationError as error:
        raise CheckpointError(f"{path} is damaged, or no history of this version of attnviz. {_RESTORE}") from error
    if found.recipe.key != name:
        raise CheckpointError(f"{path} is the history of {found.recipe.key}, not of {name}. {_RESTORE}")
    return found


def load(name: str, epoch: int) -> "nn.Module":
    """Return the model of a history after an epoch, in evaluation mode and without gradients.

    CheckpointError: the epoch is not kept, or its file is missing, truncated, foreign, not finite, or differs from the
    digest in `history.json`.
    """
    from attnviz import checkpoints, models

    found = read(name)
    digest, config = found.digest(epoch), config_of(found.recipe)
    path = _weights(name, epoch)
    content, tensors = checkpoints.read(path, checkpoints.outline(found.recipe.model, config, WEIGHTS), _RESTORE)
    if checkpoints.digest(content) != digest:
        raise CheckpointError(f"{path} does not hold the weights of its history. {_RESTORE}")
    model = models.spec(found.recipe.model).build(config)
    model.load_state_dict(tensors)
    return model.eval().requires_grad_(False)


def write(run_id: str, epochs: Sequence[int]) -> str:
    """Make the history of a checkpoint, replacing an earlier one, from a run of its recipe, which must be one of ours
    and unchanged.

    It keeps the weights at the given epochs; 0 is before training. CheckpointError: a weight is too large for float16,
    or the history cannot be written.
    """
    from attnviz import checkpoints
    from attnviz.training.seeds import build

    info, curve, known = runs.read(run_id), runs.curve(run_id), {0, *runs.epochs(run_id)}
    name = info.recipe.key
    if name not in RECIPES or not RECIPES[name].trains_like(info.recipe):
        raise BadInput(f"A history is made from a run of one of our recipes, unchanged; {run_id} is a run of another.")
    chosen = sorted(set(epochs))
    if not chosen or not known.issuperset(chosen):
        raise BadInput(f"The run {run_id} has kept the epochs {_listed(known)}, but not {_listed({*chosen} - known)}.")
    contents = {}
    for epoch in chosen:
        state = runs.weights(run_id, epoch) if epoch else _untrained(info)
        contents[epoch] = checkpoints.encode(checkpoints.stored(build(info.recipe), state, WEIGHTS))
    found = HistoryFile(
        **info.model_dump(include=set(HistoryFile.model_fields)),
        trained=len(curve),
        finished=runs.status(run_id).get("state") == "finished",
        curve={column: tuple(epoch.values[column] for epoch in curve) for column in curve[0].values} if curve else {},
        epochs=tuple(Kept(epoch=epoch, digest=checkpoints.digest(content)) for epoch, content in contents.items()),
    )
    _write(cards.home(name) / "history", found, contents)
    return name


def _write(home: Path, found: HistoryFile, contents: Mapping[int, bytes]) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
        for epoch, content in contents.items():
            files.write(home / f"epoch-{epoch}.safetensors", content)
        files.write(home / _FILE, found.model_dump_json(indent=1) + "\n")
        for path in home.glob("epoch-*.safetensors"):
            if path.name not in {f"epoch-{epoch}.safetensors" for epoch in contents}:
                path.unlink()
    except OSError as error:
        raise CheckpointError(f"The history {home} cannot be written: {files.reason(error)}.") from error
    finally:
        checkpoint_folder.changed()


def _weights(name: str, epoch: int) -> Path:
    return cards.home(name) / "history" / f"epoch-{epoch}.safetensors"


def _untrained(info: RunFile) -> "dict[str, Tensor]":
    """Return the initial weights of a run, which only its seed determines."""
    import torch

    from attnviz.training.seeds import build

    return dict(build(info.recipe, torch.Generator().manual_seed(info.seed)).state_dict())


def _listed(epochs: set[int]) -> str:
    return ", ".join(map(str, sorted(epochs))) or "none"
