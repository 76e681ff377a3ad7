"""A training that ends itself by SIGKILL at a chosen moment. test_runs.py runs it in processes of its own."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from attnviz.training.run import Run
from tests.training import kinds, small

CHOSEN = small.recipe(epochs=10, patience=10)
small.training(CHOSEN)  # digits are drawn and modules loaded now, so that a process forked from here starts at once


def train(root: Path, moment: int | None, kind: str | None = None) -> None:
    """Train, perhaps one of the kinds, and be killed at the given moment, counted from 1.

    A moment is before and after every sync, rename and removal of a file, and after every step and epoch.
    """
    torch.set_num_threads(1)
    passed = 0

    def tick() -> None:
        nonlocal passed
        passed += 1
        if passed == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def ticking(call: Callable[..., Any]) -> Callable[..., Any]:
        def ticked(*arguments: Any, **options: Any) -> Any:
            tick()
            result = call(*arguments, **options)
            tick()
            return result

        return ticked

    if moment is not None:
        os.fsync = ticking(os.fsync)
        for name in ("replace", "unlink"):
            setattr(Path, name, ticking(getattr(Path, name)))
    chosen = CHOSEN if kind is None else kinds.RECIPES[kind]
    training = small.training(CHOSEN) if kind is None else kinds.training(kind)
    for _ in Run(small.run_file(chosen), root).train(training):
        tick()
