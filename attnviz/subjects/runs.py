"""One epoch of a run, as a net: its key is "run:ID@EPOCH". Epoch 0 is before the training."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from attnviz.data import own
from attnviz.errors import RunError, UnknownName
from attnviz.subjects.net import Net, of_recipe

if TYPE_CHECKING:
    from torch import nn

    from attnviz.training.run_file import RunFile

_KEY = re.compile(r"run:(.+)@(0|[1-9][0-9]{0,6})")


def key_of(run_id: str, epoch: int) -> str:
    """Return the key of the net that a run was after an epoch, counted from 1; 0 is before its training."""
    return f"run:{run_id}@{epoch}"


def epoch_of_run(key: str) -> Net:
    """Return the net that a run was after an epoch; an error says which are kept, but never names a run on a visitor's
    own pictures.
    """
    from attnviz.training import run_file, runs

    found = _KEY.fullmatch(key)
    if found is None:
        raise UnknownName("net", key, [key_of(run_id, epoch) for run_id in _listed() for epoch in runs.epochs(run_id)])
    run_id, epoch = found[1], int(found[2])
    try:
        run = runs.read(run_id)
    except UnknownName as error:
        raise UnknownName("run", run_id, _listed()) from error
    return of_recipe(
        run.recipe,
        key=key,
        title=f"{run.recipe.title}, {f'epoch {epoch}' if epoch else 'before its training'}",
        config=run_file.config_of(run.recipe),
        classes=run_file.class_names(run.recipe),
        digest=runs.digest(run_id, epoch) if epoch else hashlib.sha256(key.encode()).hexdigest(),
        seed=run.seed,
        history=f"run:{run_id}",
        epoch=epoch,
        build=lambda: runs.load(run_id, epoch) if epoch else _untrained(run),
    )


def _listed() -> Iterator[str]:
    """Yield the IDs of the runs that everybody may know: a sentence about one that is not there lists them."""
    from attnviz.training import runs

    for run_id in runs.ids():
        with suppress(RunError, UnknownName):
            if not own.is_own(runs.read(run_id).recipe.data):
                yield run_id


def _untrained(run: RunFile) -> nn.Module:
    """Return the model with the weights that a run began with: its seed alone decides them."""
    import torch

    from attnviz.training.seeds import build

    return build(run.recipe, torch.Generator().manual_seed(run.seed)).eval().requires_grad_(False)
