"""A recipe with some of its settings changed, given as words such as "epochs=3" or "data=strokes".

for name, setting in varied(recipe).items():        # the settings that can be varied, for a form or for a search
    print(setting.title, setting.about, own(recipe, setting), setting.lowest, setting.highest)
altered(recipe, {"epochs": "3", "heads": "2"})
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from attnviz import data, models
from attnviz.data.own import is_own
from attnviz.data.specs import DATASETS
from attnviz.errors import BadInput, UnknownName
from attnviz.models.spec import Setting
from attnviz.recipes.recipe import Recipe, changed

_MOST = 999_999
_SEEDS = 1000  # the maximum number of seeds in a list: a link can name millions in a few letters
_SCHEDULES = ("constant", "cosine", "trapezoid", "one_cycle", "plateau")

TRAINING = {
    one.name: one
    for one in (
        Setting("epochs", "Epochs", "how often it sees all pictures, at most", "whole", 1, _MOST, log=True),
        Setting(
            "learning_rate", "Learning rate",
            "size of a step, for all weights without a rate of their own",
            "number", 1e-9, 1000, log=True, tried=(10,),
        ),
        Setting("batch", "Batch", "pictures that each step sees", "whole", 1, 16_384, log=True),
        Setting("weight_decay", "Weight decay", "how strongly weights are drawn towards 0", "number", 0, 10),
        Setting(
            "optimiser", "Optimiser", "how a step is made of the gradients", "choice",
            values={word: word for word in ("sgd", "adam", "adamw")},
        ),
        Setting(
            "schedule", "Schedule", "how the learning rate changes as the training goes on", "choice",
            values={word: word for word in _SCHEDULES},
        ),
        Setting(
            "patience", "Patience",
            "training ends after this many epochs without improvement; at the number of epochs or more, never early",
            "whole", 1, _MOST, log=True,
        ),
    )
}  # fmt: skip
"""The settings of every training that can be varied, except its data; those of a model are in its `ModelSpec`."""

DATA = "data"
OWN_VALIDATION = 0.1
"""The share of a visitor's pictures to hold out, if the recipe's data have a validation part of their own."""


def varied(recipe: Recipe) -> dict[str, Setting]:
    """Return the settings of a recipe that can be varied, except its data: those of training, then its model's."""
    training = dict(TRAINING)
    if recipe.validation is None:  # then there is no figure to watch
        del training["patience"]
        schedule = training["schedule"]
        values = {word: value for word, value in schedule.values.items() if word != "plateau"}
        training["schedule"] = Setting(schedule.name, schedule.title, schedule.about, "choice", values=values)
    own = {one.name: one for one in models.spec(recipe.model).settings}
    return training | {
        name: one for name, one in own.items() if name in recipe.config or one.default is not None or one.beside
    }


def own(recipe: Recipe, setting: Setting) -> Any:
    """Return the recipe's own value of one of its `varied` settings."""
    if setting.name == "patience":
        return recipe.patience or recipe.epochs
    if setting.name in TRAINING:
        return getattr(recipe, setting.name)
    return recipe.config.get(setting.name, setting.default)


def names() -> list[str]:
    """Return the names of all settings that any recipe can vary."""
    found = [DATA, *TRAINING, *(one.name for spec in models.MODELS.values() for one in spec.settings)]
    return list(dict.fromkeys(found))


def settings(words: Iterable[str]) -> dict[str, str]:
    """Parse "NAME=VALUE" words: name -> value, both unchanged."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name in found:
            raise BadInput(f"Each setting must be given once, as NAME=VALUE, not {word[:100]!r}.")
        if name not in (known := names()):
            raise UnknownName("setting", name, known)
        found[name] = value
    return found


def seeds(word: str) -> list[int]:
    """Parse "3", "0-4" or "0-2,5" as a list of seeds, in the order of the word."""
    read = [re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part) for part in word.split(",")]
    ranges = [range(int(part[1]), int(part[2] or part[1]) + 1) for part in read if part]
    if (count := sum(map(len, ranges))) > _SEEDS:
        raise BadInput(f"At most {_SEEDS:,} seeds can be named, not {count:,} as by {word!r}. Name fewer.")
    chosen = [seed for part in ranges for seed in part]
    if None in read or not all(ranges) or len(set(chosen)) < len(chosen):
        raise BadInput(f"Seeds must be distinct numbers below a million, such as 3, 0-4 or 0-2,5, not {word!r}.")
    return chosen


def altered(recipe: Recipe, changes: Mapping[str, str]) -> Recipe:
    """Return a recipe with changed settings, checked like any other, or itself if nothing changes. The changes map
    "data" or one of `varied` to a value in words.

    If the architecture changes, probes of single parts of the model are removed, since the parts may differ.
    """
    known = varied(recipe)
    fields: dict[str, Any] = {}
    config: dict[str, Any] = {}
    for name, word in changes.items():
        if name == DATA:
            fields |= _data(recipe, word)
            continue
        if name not in known:
            if name not in names():
                raise UnknownName("setting", name, [DATA, *known])
            raise BadInput(f"The recipe {recipe.key} has no setting {name} to change.")
        value = known[name].read(word)
        if value == own(recipe, known[name]):
            continue
        if name in TRAINING:
            fields[name] = value
        else:
            config |= {name: value, **known[name].beside.get(word, {})}
    if config:
        fields["config"] = {**recipe.config, **config}
        fields["probes"] = [one for one in recipe.model_dump()["probes"] if not one["of"]]
    if recipe.patience is not None and fields.keys() & {"epochs", "patience"}:
        fields["patience"] = min(fields.get("patience", recipe.patience), fields.get("epochs", recipe.epochs))
    if fields.get("optimiser", "sgd") != "sgd":
        fields |= {"momentum": 0.0, "nesterov": False}
    if recipe.accumulate > fields.get("batch", recipe.batch):
        fields["accumulate"] = fields["batch"]
    try:
        made = changed(recipe, **fields)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise BadInput(f"The recipe {recipe.key} cannot be changed so: {why}.") from error
    return recipe if made == recipe else made


def suits(recipe: Recipe, name: str) -> bool:
    """Return whether a recipe can be trained on a data set, with pictures and classes like its own. A visitor's own
    pictures may have other classes.
    """
    own, other = data.spec(recipe.data), data.spec(name)
    alike = own.shape == other.shape and own.columns == other.columns and own.ink == other.ink
    if is_own(name):
        return alike and own.batches is None and not own.target.per_step
    alike = alike and len(own.classes) == len(other.classes) and (own.batches is None) == (other.batches is None)
    return alike and (recipe.validation != "validation" or "validation" in other.counts)


def _data(recipe: Recipe, name: str) -> dict[str, Any]:
    """Return the changes of a recipe for other data; a visitor's data have all their classes and no tests."""
    if name not in DATASETS and not is_own(name):
        raise UnknownName("data set", name, DATASETS)
    if not suits(recipe, name):
        raise BadInput(
            f"{recipe.key} cannot be trained on {name}: its pictures are of another kind than those of {recipe.data}."
        )
    if not is_own(name):
        return {DATA: name}
    held_out = OWN_VALIDATION if recipe.validation == "validation" else recipe.validation
    classes = tuple(range(len(data.spec(name).classes)))
    return {DATA: name, "classes": classes, "validation": held_out, "tests": (), "ablations": ()}
