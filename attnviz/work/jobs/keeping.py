"""Kept models: made from any epoch of a run under a chosen word, and packed as one portable file."""

import json
import os
import platform
import shutil
import tempfile
from pathlib import Path

from torch import Tensor

from attnviz import cards, checkpoints, files
from attnviz.card import Card, SeedRun
from attnviz.checkpoint_folder import is_name
from attnviz.errors import AttnvizError, BadInput, CheckpointError, RunError, UnknownName
from attnviz.recipes.recipe import changed
from attnviz.training import runs
from attnviz.version import VERSION
from attnviz.work import packing

LARGEST = 64 * 2**20
"""The maximum number of bytes of an imported file, packed and unpacked."""

_CARD, _WEIGHTS = "card.json", "weights.safetensors"


def keep(run_id: str, epoch: int, word: str) -> str:
    """Keep the weights of a run after an epoch as a model, which then appears on every page; return its name."""
    import torch

    from attnviz.training import seeds

    info = runs.read(run_id)
    name = f"{info.recipe.model}.{word}"
    if not is_name(name):
        raise BadInput("The name of a model is a word of letters, digits, - and _.")
    model = runs.load(run_id, epoch)
    recipe = changed(info.recipe, title=f"{info.recipe.title}, yours: {word}", weights=info.recipe.weights or "float32")
    weights = checkpoints.stored(model, model.state_dict(), recipe.weights)
    curve = runs.curve(run_id)
    if epoch > len(curve) or not curve[0].values:
        raise RunError(f"The curve of the run {run_id} ends before epoch {epoch}, so its model cannot be kept.")
    told = {column: tuple(one.values.get(column) for one in curve) for column in curve[0].values}
    card = Card(
        name=name,
        **seeds.described(recipe, model, weights),
        data_digest=info.data_digest,
        seed=info.seed,
        runs=(SeedRun(seed=info.seed, epoch=epoch, curve=told),),
        figures=(),
        seconds=0.0,
        device=info.device,
        threads=info.threads,
        versions={
            "attnviz": VERSION, "python": platform.python_version(), "torch": torch.__version__
        },
        command=info.command,
    )  # fmt: skip
    checkpoints.keep(weights, card)
    return name


def remove(name: str) -> None:
    """Remove a kept model; refuse to remove one of ours."""
    there = [one for one in cards.names() if cards.is_kept(one)]
    if name not in there:
        raise UnknownName("kept model", name, there)
    with checkpoints.alone():  # otherwise a model just kept under the same name could be removed too
        try:
            shutil.rmtree(cards.home(name))
        except OSError as error:
            raise CheckpointError(f"The model {name} cannot be removed: {files.reason(error)}.") from error


def packed(name: str) -> bytes:
    """Return a checkpoint as one file: a zip of its card and its weights."""
    checkpoints.load(name)  # an untrustworthy checkpoint is not exported
    try:
        return packing.packed({file: files.read(cards.home(name) / file, LARGEST) for file in (_CARD, _WEIGHTS)})
    except OSError as error:
        raise CheckpointError(f"The model {name} cannot be read: {files.reason(error)}.") from error


def bring(content: bytes, word: str) -> str:
    """Import a model that was `packed` elsewhere, keep it, and return its name, MODEL.WORD.

    Names in the file never become paths, nothing in it is executed, and only its two members are read, after their
    sizes have been checked.
    """
    if packing.names(content, LARGEST) != [_CARD, _WEIGHTS]:
        raise BadInput(f"The file must be a zip of {_CARD} and {_WEIGHTS} and nothing else.")
    card_bytes, weights_bytes = packing.members(content, (_CARD, _WEIGHTS), LARGEST).values()
    try:
        tensors, card = _trusted(card_bytes, weights_bytes)
    except OSError as error:
        raise CheckpointError(f"The model cannot be unpacked: {files.reason(error)}.") from error
    name = f"{card.recipe.model}.{word}"
    checkpoints.keep(tensors, Card.model_validate({**json.loads(card.model_dump_json()), "name": name}))
    return name


def _trusted(card_bytes: bytes, weights_bytes: bytes) -> tuple[dict[str, Tensor], Card]:
    """Return the stored weights and their card."""
    with tempfile.TemporaryDirectory(prefix="attnviz-") as place:
        path, weights = Path(place) / _CARD, Path(place) / _WEIGHTS
        path.write_bytes(card_bytes)
        weights.write_bytes(weights_bytes)
        try:
            card = cards.parsed(card_bytes, Path(_CARD))
            if card.config != {"classes": card.classes, **card.recipe.config}:
                raise CheckpointError("Its card contradicts itself.")
            expected = checkpoints.outline(card.recipe.model, card.config, card.recipe.weights)
            if sum(tensor.nbytes for tensor in expected.values()) > LARGEST:
                raise CheckpointError("Its card describes a model that is too large.")
            read, tensors = checkpoints.read(weights, expected, "Pack the model again.")
        except (AttnvizError, ArithmeticError, RuntimeError, ValueError, TypeError) as error:
            why = str(error).replace(f"{place}{os.sep}", "").partition("\n")[0][:300]
            raise BadInput(f"This file holds no model that attnviz can use. {why}") from error
    if checkpoints.digest(read) != card.weights_digest:
        raise BadInput("The weights in this file are not those that its card describes. Pack the model again.")
    return tensors, card
