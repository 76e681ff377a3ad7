"""Figures of models in which no token attends to another: a table, to which other packages add rows."""

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
    """What is asked of a figure, as of `attnviz.figure`.

    Args:
        theme: light, dark or print, of pictures.
        width: of pictures, in inches.
        over: the photograph, of a trace.
        classes: the names of the answers, of a trace.
        batch: which picture of the batch, of a trace.
        seed: of random numbers, of a subject.
        command: that makes the figure.
    """

    theme: str = "light"
    width: float = 3.25
    over: Any = None
    classes: Sequence[str] | None = None
    batch: int = 0
    seed: int | None = None
    command: str = ""


FigureKind = Callable[["Trace | Subject", Asked], Figure | None]
"""Makes a figure of a trace or of a subject; None where the model is not of its kind."""


def _imported(module: str) -> FigureKind:
    def made(source: Trace | Subject, asked: Asked) -> Figure | None:
        found: Figure | None = import_module(module).figure_of(source, asked)
        return found

    return made


KINDS: Table[FigureKind] = Table("figures", {"path": _imported("attnviz.figures.glimpses")})
