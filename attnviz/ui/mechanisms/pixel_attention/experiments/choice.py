"""The experiments by name, in the order they are offered: those of the pixel page, and those of *The paper "
"revisited*."""

from collections.abc import Callable
from types import ModuleType

import streamlit as st

from attnviz.subjects import Subject
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
    return Experiment(module.TITLE, module.MEASURES, _answered(module), module.WORDS)


def _answered(module: ModuleType) -> Callable[[Subject], None]:
    def show(subject: Subject) -> None:
        refused = module.refusal(subject.net)
        if refused:
            st.info(refused)
        else:
            module.show(subject)

    return show


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
