"""Load a model named on the command line: a function in a file or a package, or a model of timm."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from attnviz.errors import AttnvizError, BadInput, closest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from torch import Tensor, nn

SIDE = 224  # pixels, if the model declares no preprocessing
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # ImageNet's
RANDOM = "random"  # instead of a weights file


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model, with the preprocessing from a picture to its input.

    Args:
        model: in evaluation mode.
        prepare: turns a PIL image into the model's input, (channel, row, column).
        classes: the names of its classes; empty if unknown.
        normalised: the mean and standard deviation per channel with which `prepare` normalises, if known.
    """

    model: nn.Module
    prepare: Callable[[Any], Tensor]
    classes: tuple[str, ...]
    normalised: tuple[Sequence[float], Sequence[float]] | None

    def batch(self, image: Any) -> Tensor:
        """Return a PIL image as a batch of one."""
        import torch

        taken = self.prepare(image)
        if not isinstance(taken, torch.Tensor) or taken.ndim not in (3, 4):
            raise BadInput("The preprocessing must return a tensor (channel, row, column).")
        return taken if taken.ndim == 4 else taken[None]

    def photo(self, batch: Tensor) -> npt.NDArray[np.uint8] | None:
        """Turn an input back into a photograph, uint8 (row, column, 3); None if the normalisation is unknown."""
        import torch

        if self.normalised is None:
            return None
        mean, deviation = (torch.tensor(one)[:, None, None] for one in self.normalised)
        levels = (batch[0] * deviation + mean).clamp(0, 1) * 255
        shown: npt.NDArray[np.uint8] = levels.round().byte().permute(1, 2, 0).numpy()
        return shown


def load_model(word: str, *, timm: bool = False, weights: str = "", side: int | None = None) -> Loaded:
    """Return the model with the given name.

    Args:
        word: FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION, where the function takes no arguments and returns a
            module or (module, preprocessing, class names), of which the last two may be None; the name may also be
            that of a module. With `timm`, a name that `timm.create_model` accepts. The named code is run.
        weights: for a model of timm: a .safetensors file, or "random"; "" for its pretrained weights, which timm
            downloads if they are not cached.
        side: the side of the model's pictures in pixels, if it names no preprocessing; 224 if None.
    """
    if weights and not timm:
        raise BadInput("Only models of timm take a weights file; your own function loads its weights itself.")
    try:
        if timm:
            return _of_timm(word, weights)
        with suppress(ImportError):  # the model may not need it
            _torchvision()
        made = made_by(word)
    except AttnvizError:
        raise
    except Exception as error:  # third-party code may raise anything
        raise BadInput(f"{word} cannot be built: {type(error).__name__}: {error}") from error
    return _of_function(word, made, side or SIDE)


def _of_function(word: str, made: Any, side: int) -> Loaded:
    from torch import nn

    model, prepare, classes = made if isinstance(made, tuple) and len(made) == 3 else (made, None, None)
    if not isinstance(model, nn.Module):
        raise BadInput(
            f"{word} returned {type(made).__name__}; expected a torch module, or (module, preprocessing, class names)."
        )
    if prepare is not None and not callable(prepare):
        raise BadInput(f"{word}: expected a function from a PIL image to a tensor as preprocessing.")
    names = tuple(str(one) for one in classes or ())
    if prepare is not None:
        return Loaded(model.eval(), prepare, names, None)
    return Loaded(model.eval(), lambda image: _as_imagenet(image, side), names, (MEAN, DEVIATION))


def made_by(word: str) -> Any:
    """Return the torch module that FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION names, or the function's result."""
    from torch import nn

    place, name = parted(word)
    module = _from_file(Path(place)) if place.endswith(".py") else _from_package(place)
    if not hasattr(module, name):
        raise BadInput(
            f"{place} has no function {name!r}. {closest(name, [one for one in vars(module) if one[0] != '_'])}"
        )
    made = getattr(module, name)
    if not isinstance(made, nn.Module):
        if not callable(made):
            raise BadInput(f"{word} is neither a torch module nor a function that returns one.")
        made = made()
    return made


def parted(word: str) -> tuple[str, str]:
    """Split FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION into file or module and name, without importing torch."""
    place, colon, name = word.rpartition(":")
    if not colon or not name.isidentifier():
        raise BadInput(f"A model is FILE.py:FUNCTION or package.module:FUNCTION, not {word!r}.")
    if place.endswith(".py") and not Path(place).is_file():
        raise BadInput(f"There is no file {place}.")
    return place, name


def _from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # true for every file that ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.absolute()))  # so that it can import modules next to it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def _from_package(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            raise BadInput(f"There is no module {name!r}: {error}.") from error
        raise


def require(weights: str) -> None:
    """Raise BadInput if the weights of a timm model are a file that does not exist."""
    if weights not in ("", RANDOM) and not Path(weights).is_file():
        raise BadInput(f"There is no file {weights}.")


def _of_timm(name: str, weights: str) -> Loaded:
    import torch

    _torchvision()  # timm imports torchvision
    try:
        import timm
    except ModuleNotFoundError as error:
        raise BadInput("Models of timm need timm: pip install timm.") from error
    require(weights)
    known, there = name.partition(".")[0], timm.list_models()
    if ":" not in name and known not in there:
        raise BadInput(f"timm has no model {name!r}. {closest(known, there)}")
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # makes random weights reproducible
            model = timm.create_model(name, pretrained=not weights)
    except Exception as error:
        if weights or ":" in name:
            raise
        raise BadInput(
            f"The pretrained weights of {name} are not here and could not be downloaded: {type(error).__name__}: "
            f"{error} Give a file as --weights FILE.safetensors, or --weights {RANDOM} for random ones."
        ) from error
    if weights not in ("", RANDOM):
        _take(model, name, weights)
    settings = timm.data.resolve_model_data_config(model)  # type: ignore[attr-defined, no-untyped-call]
    prepare = timm.data.create_transform(**settings, is_training=False)  # type: ignore[attr-defined]
    names = _imagenet() if getattr(model, "num_classes", 0) == 1000 else ()
    return Loaded(model.eval(), prepare, names, (settings["mean"], settings["std"]))


def _take(model: nn.Module, name: str, path: str) -> None:
    """Load the weights in a file into a model; raise BadInput if they do not fit its architecture."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        found = load_file(path)
    except SafetensorError as error:
        raise BadInput(f"{path} is not a file of safetensors: {error}.") from error
    try:
        model.load_state_dict(found)
    except RuntimeError as error:
        shapes = {key: tuple(one.shape) for key, one in found.items()}
        wanted = {key: tuple(one.shape) for key, one in model.state_dict().items()}
        other = [key for key, shape in wanted.items() if shapes.get(key, shape) != shape]
        lacks, more = [key for key in wanted if key not in shapes], [key for key in shapes if key not in wanted]
        parts = [f"{one} has the shape {shapes[one]} instead of {wanted[one]}" for one in other[:1]]
        for what, keys in (("missing", lacks), ("not the model's", more)):
            parts += [f"tensors are {what} ({len(keys):,}, such as {one})" for one in keys[:1]]
        raise BadInput(f"{path} does not hold the weights of {name}: {'; '.join(parts) or error}.") from error


def _torchvision() -> None:
    from attnviz.data import vision

    vision.torchvision()  # with torch's CPU build and the ordinary wheel, a plain `import torchvision` fails


def _imagenet() -> tuple[str, ...]:
    """Return the names of ImageNet's 1,000 classes, which timm ships."""
    from timm.data import ImageNetInfo  # type: ignore[attr-defined]

    info = ImageNetInfo()
    return tuple(info.index_to_description(number).partition(",")[0] for number in range(1000))


def _as_imagenet(image: Any, side: int) -> Tensor:
    """Return the centre crop of a picture, normalised with the usual ImageNet statistics."""
    import numpy as np
    import torch
    from PIL import Image, ImageOps

    pixels = np.asarray(ImageOps.fit(image.convert("RGB"), (side, side), Image.Resampling.BICUBIC))
    mean, deviation = torch.tensor(MEAN)[:, None, None], torch.tensor(DEVIATION)[:, None, None]
    return (torch.from_numpy(pixels.copy()).permute(2, 0, 1) / 255 - mean) / deviation
