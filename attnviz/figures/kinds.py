"""Figures of models without attention between tokens, in a table to which other packages can add rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnviz.extensions import Table
from attnviz.figures.saved import Figure

if TYPE_CHECKING:
    from attnviz.listening import Trace
    from attnviz.subjects import Subject


@dataclass(frozen=True)
class Asked:
    """The options of a figure, see `attnviz.figure`.

    Args:
        theme: theme of pictures: light, dark or print.
        width: width of pictures, in inches.
        over: the photograph, for a trace.
        classes: names of the answers, for a trace.
        batch: index of the picture in the batch, for a trace.
        seed: seed of the random numbers, for a subject.
        command: the command that makes the figure.
    """

    theme: str = "light"
    width: float = 3.25
    over: Any = None
    classes: Sequence[str] | None = None
    batch: int = 0
    seed: int | None = None
    command: str = ""


FigureKind = Callable[["Trace | Subject", Asked], Figure | None]
"""Return a figure of a trace or of a subject, or None if the model is of another kind."""


def _imported(module: str) -> FigureKind:
    def made(source: Trace | Subject, asked: Asked) -> Figure | None:
        found: Figure | None = import_module(module).figure_of(source, asked)
        return found

    return made


KINDS: Table[FigureKind] = Table("figures", {"path": _imported("attnviz.figures.glimpses")})
