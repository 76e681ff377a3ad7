"""The axes of a search, each a setting of a recipe (`attnviz.models.spec`) with the values that it can take."""

import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from attnviz.errors import BadInput
from attnviz.models.spec import Setting
from attnviz.recipes.altered import altered, own, varied
from attnviz.recipes.recipe import Recipe, Strict

Value = bool | int | float | str

_WORDS = {"no": False, "false": False, "yes": True, "true": True}


class Axis(Strict):
    """A setting to vary.

    Args:
        name: a setting that the recipe can vary, see `attnviz.recipes.altered.varied`.
        choices: the possible values; if empty, the values form a range.
        low, high: limits of the range, both inclusive.
        whole: whether the range holds whole numbers only.
        log: whether the logarithm of the value is spread evenly.
    """

    name: str = Field(pattern="^[a-z][a-z_]{0,40}$")
    choices: tuple[Value, ...] = Field(default=(), max_length=50)
    low: float | None = None
    high: float | None = None
    whole: bool = False
    log: bool = False

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.choices:
            if (self.low, self.high, self.whole, self.log) != (None, None, False, False):
                raise ValueError("it has either choices or a range")
            if len(set(self.choices)) < len(self.choices):
                raise ValueError("each of its choices must be given once")
        elif self.low is None or self.high is None or not self.low < self.high:
            raise ValueError("its range must go from a lower to a higher number")
        elif self.log and self.low <= 0:
            raise ValueError("a range whose logarithm is spread evenly must begin above 0")
        elif self.whole and (self.low % 1 or self.high % 1):
            raise ValueError("a range of whole numbers must begin and end with one")
        return self

    @property
    def title(self) -> str:
        """The name for people."""
        return self.name.replace("_", " ")

    @property
    def ends(self) -> tuple[Value, ...]:
        """All choices, or the two limits of the range."""
        if self.choices:
            return self.choices
        assert self.low is not None and self.high is not None
        return (int(self.low), int(self.high)) if self.whole else (self.low, self.high)

    def place(self, value: Value) -> float:
        """Return the position of a value on the axis, from 0 (first choice or low end) to 1 (last or high end)."""
        if self.choices:
            among = self.ordered
            return among.index(value) / max(1, len(among) - 1) if value in among else math.nan
        assert self.low is not None and self.high is not None
        if isinstance(value, str):
            return math.nan
        curve = math.log if self.log else float
        return (curve(value) - curve(self.low)) / (curve(self.high) - curve(self.low))

    @property
    def ordered(self) -> tuple[Value, ...]:
        """The choices, with numbers sorted by size."""
        numbers = all(isinstance(one, int | float) for one in self.choices)
        return tuple(sorted(self.choices)) if numbers else self.choices


def read(words: Iterable[str]) -> tuple[Axis, ...]:
    """Parse axes as people write them: "heads=1,8,25", "heads=1..25", "learning_rate=1e-4..1e-2:log", "skip=no"."""
    found = []
    for word in words:
        name, _, values = word.partition("=")
        values, _, how = values.partition(":")
        low, dots, high = values.partition("..")
        try:
            if dots and how in ("", "log"):
                ends = _value(low), _value(high)
                whole = all(isinstance(end, int) for end in ends)
                axis = Axis(name=name, low=float(ends[0]), high=float(ends[1]), whole=whole, log=how == "log")
            elif not dots and not how:
                axis = Axis(name=name, choices=tuple(map(_value, values.split(","))))
            else:
                raise ValueError("it is neither choices nor a range")
        except ValueError as error:  # including pydantic's
            why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise BadInput(
                f"What is varied must be given as NAME=1,8,25 or NAME=1..25 or NAME=1e-4..1e-2:log, not "
                f"{word[:100]!r}: {why}."
            ) from error
        found.append(axis)
    if len({axis.name for axis in found}) < len(found):
        raise BadInput("Each setting can be varied once.")
    return tuple(found)


def word(axis: Axis) -> str:
    """Return the text of an axis, which `read` parses."""
    if axis.choices:
        words = {False: "no", True: "yes"}
        return f"{axis.name}={','.join(words[one] if isinstance(one, bool) else str(one) for one in axis.choices)}"
    return f"{axis.name}={axis.ends[0]}..{axis.ends[1]}{':log' if axis.log else ''}"


def usual(recipe: Recipe) -> tuple[Axis, ...]:
    """Return the default axes of a recipe: the settings for which a search tries some values."""
    return tuple(_tried(one, own(recipe, one)) for one in varied(recipe).values() if one.tried)


def _tried(setting: Setting, value: Any) -> Axis:
    if setting.kind != "number":
        return Axis(name=setting.name, choices=setting.tried)
    if setting.log:
        (factor,) = setting.tried
        return Axis(name=setting.name, low=value / factor, high=value * factor, log=True)
    low, high = setting.tried
    return Axis(name=setting.name, low=low, high=high)


def applied(recipe: Recipe, values: Mapping[str, Value]) -> Recipe:
    """Return a recipe with the given values of some axes."""
    known = varied(recipe)
    words = {
        name: repr(value) if isinstance(value, float) else known[name].word(value) if name in known else str(value)
        for name, value in values.items()
    }  # a float with all its digits
    return altered(recipe, words)


def _value(word: str) -> Value:
    word = word.strip()
    if word in _WORDS:
        return _WORDS[word]
    for kind in (int, float):
        try:
            found = kind(word)
        except ValueError:
            continue
        if not abs(found) <= sys.float_info.max:  # isfinite fails if an integer is larger than any float
            raise ValueError(f"{word[:100]} is no number to train with")
        return found
    if not word:
        raise ValueError("a value is missing")
    return word
