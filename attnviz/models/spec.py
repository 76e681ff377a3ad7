"""Descriptions of architectures that need no more than a config, and the settings that can be varied. Importing this
module does not import torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from attnviz.errors import BadInput
from attnviz.grids import Grid

if TYPE_CHECKING:
    import torch
    from torch import nn


NONE = "none"
"""The word for None."""


@dataclass(frozen=True)
class Setting:
    """A setting that a person can type or a search can draw.

    Args:
        name: name of the recipe's field, or of an entry in its config.
        title: title for people.
        about: what the setting does, as the end of a sentence that begins with the title.
        kind: "whole" and "number" lie between `lowest` and `highest`; "choice" is one of `values`.
        lowest, highest: bounds of a number, both inclusive.
        values: word -> value, for a choice.
        log: whether the setting is varied by factors instead of steps.
        default: the value if a config does not contain the setting.
        beside: word of a choice -> further entries of the config, which are set with it.
        tried: what a search tries by default: each of these values; for a number, everything between the two; for a
            number varied by factors, the recipe's own value divided or multiplied by up to this factor. If (), a search
            varies the setting only on request.
    """

    name: str
    title: str
    about: str
    kind: Literal["whole", "number", "choice"]
    lowest: float = 0
    highest: float = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    log: bool = False
    default: Any = None
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tried: tuple[Any, ...] = ()

    def read(self, word: str) -> Any:
        """Return the value of a word.

        Args:
            word: a word from any source.

        Raises:
            BadInput: the word has no value; the message lists valid ones.
        """
        if self.kind == "choice":
            if word not in self.values:
                raise BadInput(f"The setting {self.name} must be one of {', '.join(self.values)}, not {word[:100]!r}.")
            return self.values[word]
        try:
            value = int(word) if self.kind == "whole" and word.isascii() and word.isdecimal() else float(word)
        except ValueError:
            value = float("nan")
        right = isinstance(value, int) or self.kind == "number"
        if not (right and len(word) <= 30 and self.lowest <= value <= self.highest):
            what = "a whole number" if self.kind == "whole" else "a number"
            raise BadInput(
                f"The setting {self.name} must be {what} from {self.lowest:,} to {self.highest:,}, not {word[:100]!r}."
            )
        return value

    def word(self, value: Any) -> str:
        """Return the word for a value."""
        if self.kind == "choice":
            return next((word for word, known in self.values.items() if known == value), str(value))
        return f"{value:g}" if self.kind == "number" else str(value)


def switch(name: str, title: str, about: str, default: bool = False, tried: tuple[bool, ...] = ()) -> Setting:
    """Return a setting that is on or off."""
    return Setting(name, title, about, "choice", values={"yes": True, "no": False}, default=default, tried=tried)


HEADS = Setting("heads", "Heads", "number of attention heads per layer", "whole", 1, 64, log=True, tried=(1, 8, 15, 25))
SHARED = (1, 2, 4, 8)
"""Numbers of heads to try if they share the features of a layer evenly and must therefore divide them."""

HEAD_SIZE = Setting("head_size", "Head size", "features of the query and key of a head", "whole", 1, 64, log=True)
SKIP = switch("skip", "Skip connection", "adds the input of the attention to its output", tried=(False, True))
DROPOUT = Setting(
    "dropout", "Dropout", "share of the numbers that training sets to 0 at random", "number", 0, 0.9, default=0.0,
    tried=(0.0, 0.8),
)  # fmt: skip
POSITIONS = Setting(
    "positions", "Positions", "code appended to each token so that attention can distinguish positions", "choice",
    values={NONE: None, "sinusoidal_2d": "sinusoidal_2d", "sinusoidal_1d": "sinusoidal_1d", "learned": "learned"},
    beside={
        NONE: {"position_features": 0},
        "learned": {"position_features": 16},
        **{kind: {"position_features": 16, "position_longest": 20.0} for kind in ("sinusoidal_2d", "sinusoidal_1d")},
    },
)  # fmt: skip
HIDDEN = Setting("hidden", "Hidden units", "number of units of the layer before the answer", "whole", 1, 1024, log=True)


SIDE = 28
"""Default number of rows and columns of the pictures, for configs and for all constructors here."""
MOST_OF_A_STRIP = 30
"""Number of pictures side by side in the longest strip."""


@dataclass(frozen=True)
class Input:
    """The pictures that a built model takes.

    Args:
        channels, rows, columns: size of a picture; if the width varies, the columns of the widest picture.
        preparation: how a drawing or a picture of another shape is converted; a name in `data.inputs.PREPARATIONS`.
    """

    channels: int
    rows: int
    columns: int
    preparation: str = "mnist_style"


def no_grid(config: Mapping[str, Any]) -> Grid | None:
    """Return None, for a model without tokens or cells in the picture."""
    return None


@dataclass(frozen=True)
class ModelSpec:
    """One architecture. Pages that have not loaded torch call `input` and `grid`, so these must not need it.

    Args:
        title: title for people.
        constructor: takes the entries of a config as keyword arguments, and `generator`.
        source: title, authors, year and link of the paper.
        input: returns the pictures that the model takes, given a config.
        grid: returns where its tokens or cells lie in the picture, given a config; None if it has none.
        differentiable: whether the logits have a gradient with respect to the picture.
        takes: further keyword arguments of `forward`, such as "generator".
        per_step: whether the model returns a distribution over the classes per step, logits (batch, step, class),
            instead of a single one, (batch, class). Answers per step are displayed and compared as a text.
        settings: entries of its config that can be varied; those without a default, only if a recipe names them.
    """

    title: str
    constructor: "Callable[..., nn.Module]"
    source: str
    input: Callable[[Mapping[str, Any]], Input]
    grid: Callable[[Mapping[str, Any]], Grid | None] = no_grid
    differentiable: bool = True
    takes: tuple[str, ...] = ()
    per_step: bool = False
    settings: tuple[Setting, ...] = ()

    def build(self, config: Mapping[str, Any], generator: "torch.Generator | None" = None) -> "nn.Module":
        """Build the model of the given config, with new weights.

        Raises:
            BadInput: the config has an unknown entry, or lacks a required one.
        """
        try:
            return self.constructor(**config, generator=generator)
        except TypeError as error:
            raise BadInput(f"This config does not fit {self.title!r}: {error}.") from error


def imported(module: str, name: str) -> "Callable[..., nn.Module]":
    """Return a constructor that imports its module when it is first called, so that a table of them needs no torch."""

    def construct(**config: Any) -> "nn.Module":
        model: nn.Module = getattr(import_module(module), name)(**config)
        return model

    return construct


def grey(config: Mapping[str, Any]) -> Input:
    """Return the input of a model of grey pictures, with `rows` and `columns` from the config if present."""
    return Input(1, config.get("rows", SIDE), config.get("columns", SIDE))


def pictures(config: Mapping[str, Any]) -> Input:
    """Return the input of a model, with `channels`, `rows` and `columns` from the config; colour is only resized."""
    channels = config.get("channels", 1)
    preparation = "mnist_style" if channels == 1 else "resized"
    return Input(channels, config.get("rows", SIDE), config.get("columns", SIDE), preparation)


def strips(config: Mapping[str, Any]) -> Input:
    """Return the input of a model of strips: 1 to 30 grey pictures side by side."""
    return Input(1, SIDE, SIDE * MOST_OF_A_STRIP, "strip")


def boxes(config: Mapping[str, Any]) -> Grid:
    """Return the grid of a model whose tokens are adjacent boxes of `pool` x `patch` pixels a side.

    Raises:
        BadInput: the boxes do not tile the picture.
    """
    pool, patch, shape = config.get("pool", 1), config.get("patch", 1), grey(config)
    side = pool * patch
    if side < 1 or shape.rows % side or shape.columns % side:
        raise BadInput(
            f"Tokens of {pool} x {patch} pixels a side (pool, patch) do not tile {shape.rows} x {shape.columns}."
        )
    return Grid(shape.rows // side, shape.columns // side, stride=side, field=side)


def patches(config: Mapping[str, Any]) -> Grid:
    """Return the grid of a model whose tokens are patches, preceded by a class token and registers without a position.

    Raises:
        BadInput: the patches do not tile the picture.
    """
    patch, shape = config.get("patch", 4), pictures(config)
    if patch < 1 or shape.rows % patch or shape.columns % patch:
        raise BadInput(f"Patches of {patch} x {patch} pixels do not tile {shape.rows} x {shape.columns}.")
    prefix = (config.get("reading", "class") == "class") + config.get("registers", 0)
    return Grid(shape.rows // patch, shape.columns // patch, prefix, stride=patch, field=patch)


def receptive_fields(config: Mapping[str, Any]) -> Grid:
    """Return the grid of the blocks of `cnn_attention`, whose features see 11 x 11 pixels each.

    Raises:
        BadInput: the pictures are too small for a block.
    """
    shape = grey(config)
    rows, columns = (-(-(side // 2 - 1) // 2) - 1 for side in (shape.rows, shape.columns))
    if min(rows, columns) < 1:
        raise BadInput(f"Pictures need at least 10 x 10 pixels to make a block, not {shape.rows} x {shape.columns}.")
    return Grid(rows, columns, stride=4, field=11)
