"""A model by the words of a command line: a function in a file or a package, or a name of timm."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from attnviz.errors import BadInput, closest


def load_model(word: str, *, timm: bool = False) -> nn.Module:
    """Return the model that a word names, in evaluation mode.

    Args:
        word: FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION, where the function takes nothing and returns a module, or is
            a name of one; with `timm`, a name that `timm.create_model` knows. The code that it names is run.
        timm: whether the word is a name of timm. Its pretrained weights are used where they are here already or can be
            downloaded.

    Raises:
        BadInput: there is no such model.
    """
    if timm:
        return _of_timm(word)
    made = made_by(word)
    if not isinstance(made, nn.Module):
        raise BadInput(f"{word} returned {type(made).__name__}; expected a torch module.")
    return made.eval()


def made_by(word: str) -> Any:
    """Return the torch module that FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION names, or what the function returns.

    Raises:
        BadInput: there is no such file, module or function.
    """
    place, colon, name = word.rpartition(":")
    if not colon or not name.isidentifier():
        raise BadInput(f"A model is FILE.py:FUNCTION or package.module:FUNCTION, not {word!r}.")
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


def _from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise BadInput(f"There is no file {path}.")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.absolute()))  # so that it can import its neighbours
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


def _of_timm(name: str) -> nn.Module:
    from attnviz.data import vision

    vision.torchvision()  # timm imports it
    try:
        import timm
    except ModuleNotFoundError as error:
        raise BadInput("Models of timm need timm: pip install timm.") from error
    try:
        made: nn.Module = timm.create_model(name, pretrained=True)
    except RuntimeError as error:  # of an unknown name
        raise BadInput(f"timm: {error}.") from error
    return made.eval()
