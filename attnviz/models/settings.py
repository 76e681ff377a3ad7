"""Settings that may be varied: what each does, which values make sense, and which of them a search tries.

A `ModelSpec` lists those of its config; `attnviz.recipes.altered` adds those of every training, and gives the table of
a recipe to the page that trains, to the command line and to searches alike. Importing this costs no torch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from attnviz.errors import BadInput

NONE = "none"
"""The word for None."""


@dataclass(frozen=True)
class Setting:
    """One setting, as a person types or a search draws it.

    Args:
        name: of the recipe's field, or of the entry in its config.
        title: for people.
        about: what it does, as the end of a sentence that begins with the title.
        kind: "whole" and "number" lie between `lowest` and `highest`; "choice" is one of `values`.
        lowest, highest: the bounds of a number, both allowed.
        values: of a choice, word -> value.
        log: whether it is varied by factors and not by steps.
        default: the value of a config that does not name it.
        beside: word of a choice -> entries of the config that belong to it, and are set with it.
        tried: what a search tries where nobody says otherwise: each of these values; of a number everything between the
            two; of a number that is varied by factors, up to so many times the recipe's own value and down to that part
            of it. () where a search leaves it alone unless it is asked for.
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
        """Return the value that a word means.

        Args:
            word: from anywhere.

        Raises:
            BadInput: it means none; says which would.
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
        """Return the word that means a value."""
        if self.kind == "choice":
            return next((word for word, known in self.values.items() if known == value), str(value))
        return f"{value:g}" if self.kind == "number" else str(value)


def switch(name: str, title: str, about: str, default: bool = False, tried: tuple[bool, ...] = ()) -> Setting:
    """Return a setting that is on or off."""
    return Setting(name, title, about, "choice", values={"yes": True, "no": False}, default=default, tried=tried)


HEADS = Setting("heads", "Heads", "attention heads of each layer", "whole", 1, 64, log=True, tried=(1, 8, 15, 25))
SHARED = (1, 2, 4, 8)
"""Numbers of heads to try where they share the features of a layer evenly, so that they must divide these."""

HEAD_SIZE = Setting("head_size", "Head size", "numbers in the query and key of a head", "whole", 1, 64, log=True)
SKIP = switch("skip", "Skip connection", "adds what went into attention to what comes out", tried=(False, True))
DROPOUT = Setting(
    "dropout", "Dropout", "share of the numbers that training sets to 0 at random", "number", 0, 0.9, default=0.0,
    tried=(0.0, 0.8),
)  # fmt: skip
POSITIONS = Setting(
    "positions", "Positions", "what is appended to each token so that attention can tell places apart", "choice",
    values={NONE: None, "sinusoidal_2d": "sinusoidal_2d", "sinusoidal_1d": "sinusoidal_1d", "learned": "learned"},
    beside={
        NONE: {"position_features": 0},
        "learned": {"position_features": 16},
        **{kind: {"position_features": 16, "position_longest": 20.0} for kind in ("sinusoidal_2d", "sinusoidal_1d")},
    },
)  # fmt: skip
HIDDEN = Setting("hidden", "Hidden units", "of the layer before the answer", "whole", 1, 1024, log=True)
