"""A recipe with a few of its settings changed, as a person asks for them in a word each: "epochs=3", "data=strokes"."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from attnviz.data.specs import DATASETS
from attnviz.errors import BadInput, UnknownName
from attnviz.recipes.recipe import Recipe, changed

ALTERABLE = {
    "epochs": "How often the training sees all pictures, at most.",
    "learning_rate": "How far each step moves the weights; groups of parameters with a rate of their own keep it.",
    "heads": "How many attention heads each layer has.",
    "data": "The pictures that it is trained on.",
}
"""The settings that may be changed -> what each does, in one sentence."""


def settings(words: Iterable[str]) -> dict[str, str]:
    """Read "NAME=VALUE" words.

    Args:
        words: one for each setting.

    Returns:
        Name -> value, both as they were written.

    Raises:
        BadInput: a word has no "=", or names a setting twice.
        UnknownName: there is no such setting.
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name in found:
            raise BadInput(f"Each setting must be given once, as NAME=VALUE, not {word[:100]!r}.")
        if name not in ALTERABLE:
            raise UnknownName("setting", name, ALTERABLE)
        found[name] = value
    return found


def altered(recipe: Recipe, changes: Mapping[str, str]) -> Recipe:
    """Return a recipe with some settings changed, checked like any other.

    Args:
        recipe: which.
        changes: name, of `ALTERABLE`, -> value in words.

    Returns:
        The recipe itself where nothing changes.

    Raises:
        BadInput: a value makes no sense, the recipe has no such setting, or the data are of another shape.
        UnknownName: there is no such setting or data set.
    """
    fields: dict[str, Any] = {}
    for name, word in changes.items():
        if name not in ALTERABLE:
            raise UnknownName("setting", name, ALTERABLE)
        if name == "data":
            fields[name] = _data(recipe, word)
        elif name == "heads":
            if "heads" not in recipe.config:
                raise BadInput(f"The recipe {recipe.key} has no number of heads to change.")
            fields["config"] = {**recipe.config, "heads": _number(name, word)}
        else:
            fields[name] = _number(name, word) if name == "epochs" else _rate(word)
    if "epochs" in fields and recipe.patience is not None:
        fields["patience"] = min(recipe.patience, fields["epochs"])
    try:
        made = changed(recipe, **fields)
    except ValidationError as error:
        raise BadInput(f"The recipe {recipe.key} cannot be changed so: {error.errors()[0]['msg']}.") from error
    return recipe if made == recipe else made


def suits(recipe: Recipe, name: str) -> bool:
    """Return whether a recipe can be trained on a data set: its pictures and classes are like those of its own.

    Args:
        recipe: which.
        name: of the data set.
    """
    own, other = DATASETS[recipe.data], DATASETS[name]
    alike = own.shape == other.shape and own.columns == other.columns and len(own.classes) == len(other.classes)
    split = recipe.validation != "validation" or "validation" in other.counts
    return alike and split and (own.batches is None) == (other.batches is None) and own.ink == other.ink


def _data(recipe: Recipe, name: str) -> str:
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    if not suits(recipe, name):
        raise BadInput(
            f"{recipe.key} cannot be trained on {name}: its pictures are of another kind than those of {recipe.data}."
        )
    return name


def _number(name: str, word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) < 7 and int(word)):
        raise BadInput(f"The setting {name} must be a whole number from 1 to 999,999, not {word[:100]!r}.")
    return int(word)


def _rate(word: str) -> float:
    try:
        rate = float(word)
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1000:
        raise BadInput(f"The learning rate must be a number above 0, at most 1,000, not {word[:100]!r}.")
    return rate
