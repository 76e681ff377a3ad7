"""The experiments by name, in the order of the pages: those of the pixel page, and those of *The paper revisited*."""

from types import ModuleType
from typing import Any

from attnviz.subjects import Subject
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention.experiments import (
    compare,
    erase,
    heads,
    one_token,
    outputs,
    paper,
    parts,
    positions,
    qkv,
    shuffle,
    temperature,
)
from attnviz.ui.shared.experiments import Experiment


def _row(module: ModuleType) -> Experiment:
    def refusal(subject: Subject) -> str | None:
        why: str | None = module.refusal(subject.net) if hasattr(module, "refusal") else None
        return why

    return Experiment(module.TITLE, module.MEASURES, module.show, module.WORDS, refusal)


EXPERIMENTS = {
    "heads": _row(heads),
    "erase": _row(erase),
    "shuffle": _row(shuffle),
    "compare": _row(compare),
    "positions": _row(positions),
}
OF_THE_PAPER = {
    "paper": _row(paper),
    "qkv": _row(qkv),
    "outputs": _row(outputs),
    "temperature": _row(temperature),
    "parts": _row(parts),
    "one_token": _row(one_token),
}
_MODULES = (heads, erase, shuffle, compare, positions, paper, qkv, outputs, temperature, parts, one_token)
VIEWS: tuple[View[Any], ...] = tuple(view for module in _MODULES for view in module.VIEWS)
