"""Loading and saving checkpoints by name. Weights are safetensors, not pickles, so loading them runs no code."""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnviz import cards, checkpoint_folder, models, paths
from attnviz.card import Card
from attnviz.checkpoint_folder import is_name, kept
from attnviz.errors import AttnvizError, BadInput, CheckpointError
from attnviz.files import read as read_file
from attnviz.files import reason, write
from attnviz.recipes import RECIPES

_NOTES, _HEAD = 2**12, 2**8  # maximum bytes in a file's header: notes, and a tensor's entry without its name
_PATIENCE = 10.0  # seconds to wait while somebody else keeps or removes a model


class Checkpoint(NamedTuple):
    """A trained model, in evaluation mode and without gradients, and its card."""

    model: nn.Module
    card: Card


def load(name: str) -> Checkpoint:
    """Load a trained model by name, such as "pixel_attention.1v8".

    Returns:
        The model and its card.

    Raises:
        UnknownName: there is no checkpoint of that name; the closest ones are listed.
        CheckpointError: the file is truncated, foreign, of another shape, not finite, or not the weights that the card
            describes. Nothing is loaded.
    """
    card = cards.read(name)
    path = cards.weights(name)
    if card.recipe.weights is None and not path.exists():
        raise CheckpointError(
            f"The weights of {name} are not kept in the repository. This command makes them: {card.command}"
        )
    if card.name != name or card.config != {"classes": card.classes, **card.recipe.config}:
        raise CheckpointError(f"The card of {name} contradicts itself. Restore the committed folder.")
    try:
        expected = outline(card.recipe.model, card.config, card.recipe.weights)
    except (AttnvizError, ArithmeticError, RuntimeError, ValueError) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise CheckpointError(f"The card of {name} describes no model that can be built: {why}.") from error
    content, tensors = read(path, expected, "Restore the committed one.")
    if digest(content) != card.weights_digest:
        raise CheckpointError(f"{path} does not hold the weights of its card. Restore the committed folder.")
    model = models.spec(card.recipe.model).build(card.config)
    model.load_state_dict(tensors)
    return Checkpoint(model.eval().requires_grad_(False), card)


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Hold the lock of one of our checkpoints while its card is read and written; wait until it is free."""
    lock = FileLock(cards.folder() / f".{name}.lock")
    try:
        cards.folder().mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise CheckpointError(f"The checkpoint {cards.folder() / name} cannot be written: {reason(error)}.") from error
    try:
        yield
    finally:
        lock.release()


def save(model_state: dict[str, Tensor] | None, card: Card) -> None:
    """Write a checkpoint into our folder: the weights, unless it comes without them, then the card with their digest.

    CheckpointError: it cannot be written; an older checkpoint of that name is then intact or reported as damaged.
    """
    _write(cards.folder() / card.name, model_state, card)


def keep(model_state: dict[str, Tensor], card: Card) -> None:
    """Write a checkpoint, with weights from `stored` and a card named MODEL.WORD, into the folder of models kept by the
    user, where it is listed after ours.

    BadInput: the name is invalid, or is taken by one of ours or by a kept model.
    """
    name = card.name
    if not is_name(name) or not name.startswith(f"{card.recipe.model}."):
        raise BadInput(
            f"A model is kept under a name such as {card.recipe.model}.mine, of at most 200 letters, digits, - and _, "
            f"not under {name[:100]!r}."
        )
    if name in RECIPES or (name in cards.names() and not cards.is_kept(name)):
        raise BadInput(f"{name} is the name of a model that comes with attnviz. Choose another word after the dot.")
    with alone():  # otherwise two users who choose the same name would write to one folder
        if name in cards.names():
            raise BadInput(f"A model is already kept as {name}. Choose another word after the dot, or remove that one.")
        home = kept() / name
        is_new = not home.exists()
        try:
            _write(home, model_state, card)
        except CheckpointError:
            if is_new:
                shutil.rmtree(home, ignore_errors=True)  # weights without a card are useless
            raise


@contextmanager
def alone() -> Iterator[None]:
    """Hold the lock of the folder of kept models, which is created if it does not exist."""
    try:
        paths.made(kept(), "the models that you keep", "ATTNVIZ_KEPT")
        with FileLock(kept() / ".lock", timeout=_PATIENCE):
            checkpoint_folder.changed()  # by the previous holder of the lock
            try:
                yield
            finally:
                checkpoint_folder.changed()
    except Timeout as error:  # a subclass of OSError, hence caught before it
        raise CheckpointError("Somebody else is keeping or removing a model. Try again in a moment.") from error
    except OSError as error:
        raise CheckpointError(f"The folder {kept()} cannot be written: {reason(error)}.") from error


def _write(home: Path, model_state: dict[str, Tensor] | None, card: Card) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
        if model_state is not None:
            write(home / "weights.safetensors", encode(model_state))
        write(home / "card.json", cards.text(card))
    except OSError as error:
        raise CheckpointError(f"The checkpoint {home} cannot be written: {reason(error)}.") from error
    finally:
        checkpoint_folder.changed()


def stored(model: nn.Module, state: Mapping[str, Tensor], weights: str | None) -> dict[str, Tensor]:
    """Return a state as it is stored: for "float16", the parameters but not the buffers are in half precision. Raise
    CheckpointError if a value is too large for that.
    """
    if weights != "float16":
        return dict(state)
    halved = {name: state[name].half() for name, _ in model.named_parameters()}
    for name, tensor in halved.items():
        if not tensor.is_meta and not torch.isfinite(tensor).all():
            raise CheckpointError(f"{name!r} holds a number too large for float16: give the recipe weights='float32'.")
    return {name: halved.get(name, tensor) for name, tensor in state.items()}


def encode(state: dict[str, Tensor]) -> bytes:
    """Return the bytes of a safetensors file with these tensors; equal tensors give equal bytes."""
    return save_tensors({name: tensor.cpu().contiguous() for name, tensor in state.items()})


def digest(content: bytes) -> str:
    """Return the sha256 of a file's content, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def outline(model: str, config: Mapping[str, Any], weights: str | None = None) -> dict[str, Tensor]:
    """Return the tensors, by name, that the weights file of a model with this config should hold. They are on torch's
    device "meta", which takes no memory.

    A wrong config could ask for more memory than there is, so the file is compared with this before a model is built.
    ArithmeticError, RuntimeError and ValueError also mean that no such model can be built.
    """
    with torch.device("meta"), _Undrawn():
        built = models.spec(model).build(config)
    return stored(built, built.state_dict(), weights)


class _Undrawn(TorchFunctionMode):
    """Skips initialising weights, which on the device "meta" would import torch's compiler and take a second."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func is nn.init.normal_:
            return kwargs["tensor"]
        if func is torch.randn:
            return torch.empty(*args, **{key: value for key, value in kwargs.items() if key != "generator"})
        if func in (Tensor.mul, Tensor.__rmul__) and isinstance(args[1], float) and args[0].is_floating_point():
            return args[0]
        return func(*args, **kwargs)


def read(path: Path, expected: Mapping[str, Tensor], restore: str) -> tuple[bytes, dict[str, Tensor]]:
    """Return the content of a regular safetensors file, no larger than the expected tensors (see `outline`) require,
    and its tensors by name.

    CheckpointError: it cannot be read, is truncated or foreign, or holds unexpected or non-finite tensors. `restore` is
    the sentence of the message that says what to do.
    """
    most = _NOTES + sum(tensor.nbytes + _HEAD + 6 * len(name) for name, tensor in expected.items())
    try:
        content = read_file(path, most)
        tensors = load_tensors(content)
    except OSError as error:
        raise CheckpointError(f"The weights {path} cannot be read: {reason(error)}.") from error
    except (SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(f"{path} is not a complete safetensors file. {restore}") from error
    check(f"{path}", expected, tensors)
    return content, tensors


def check(where: str, expected: Mapping[str, Tensor], loaded: Mapping[str, Tensor]) -> None:
    """Raise CheckpointError if a file's tensors differ from the expected ones in name, shape or dtype, or are not
    finite. The message begins with `where`.
    """
    for name, tensor in expected.items():
        if name not in loaded:
            raise CheckpointError(f"{where} lacks {name!r}: it belongs to another model.")
        if loaded[name].shape != tensor.shape:
            raise CheckpointError(
                f"{where}: {name!r} must have shape {tuple(tensor.shape)}, but has {tuple(loaded[name].shape)}."
            )
        if loaded[name].dtype != tensor.dtype:
            raise CheckpointError(f"{where}: {name!r} must hold {tensor.dtype}, but holds {loaded[name].dtype}.")
        if not torch.isfinite(loaded[name]).all():
            raise CheckpointError(f"{where}: {name!r} holds values that are not finite numbers.")
    if extra := sorted(set(loaded) - set(expected)):
        raise CheckpointError(
            f"{where} holds {extra[0]!r}, which the model does not have: it belongs to another model."
        )
