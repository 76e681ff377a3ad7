"""A finished run as one portable file: its settings, curve and weights, but no state to resume it from."""

import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from attnviz import checkpoints, files
from attnviz.checkpoint_folder import is_name
from attnviz.errors import AttnvizError, BadInput, RunError
from attnviz.training import durations, mistakes, runs
from attnviz.training.run import LIMIT
from attnviz.training.run_file import RunFile, config_of
from attnviz.work import packing

LARGEST = LIMIT + 2**26
"""The maximum number of bytes of an imported file: the weights of all epochs, and the other files."""

_NEEDED = {"run.json", "curve.jsonl"}
_FILES = re.compile(
    rf"run\.json|curve\.jsonl|log\.txt|{re.escape(mistakes.FILE)}|weights-[1-9][0-9]{{0,6}}\.safetensors"
)
_COLUMN = re.compile(r"[\w .\[\]*-]{1,200}")  # a probe's column is "gradient_norm of layers.0.x_weights[0]"


def is_run(names: list[str]) -> bool:
    """Return whether files with these names are a packed run."""
    return set(names) >= _NEEDED


def packed(run_id: str) -> bytes:
    """Return a run as one file."""
    home = runs.home(run_id)
    if runs.status(run_id).get("state") != "finished":
        raise BadInput(f"The run {run_id} is not finished. Wait for it, or keep one of its epochs as a model.")
    _checked(home)  # an untrustworthy run is not exported
    try:
        there = sorted(one.name for one in home.iterdir() if _FILES.fullmatch(one.name))
        return packing.packed({name: files.read(home / name, LARGEST) for name in there})
    except OSError as error:
        raise RunError(f"The run {home} cannot be read: {files.reason(error)}.") from error


def bring(content: bytes) -> str:
    """Import a run that was `packed` elsewhere, and return its name, even if the same run is here already.

    The only path from the file is the run's own name, which follows from its settings; nothing in the file is executed.
    """
    names = packing.names(content, LARGEST)
    if not is_run(names) or (others := [name for name in names if not _FILES.fullmatch(name)]):
        what = f", not {others[0][:100]!r}" if is_run(names) else ""
        raise BadInput(f"The file must hold a run's settings, curve, log, answers and weights and nothing else{what}.")
    found = packing.members(content, names, LARGEST)
    place = None
    try:
        place = Path(tempfile.mkdtemp(prefix=".carried-", dir=runs.made()))
        for name, one in found.items():
            files.write(place / name, one)
        try:
            info, epochs = _checked(place)
        except (AttnvizError, ArithmeticError, RuntimeError, ValueError, TypeError) as error:
            why = str(error).replace(f"{place}{os.sep}", "").partition("\n")[0].partition(". ")[0].rstrip(".")[:300]
            raise BadInput(f"This file holds no run that attnviz can use: {why}.") from error
        home = runs.folder() / info.id
        if home.exists():
            if _is_same(home, found):
                return home.name
            raise BadInput(
                f"Another run with these settings, {info.id}, is here already, with other results or unfinished. "
                f"Finish it, or remove its folder to bring in the other one."
            )
        status = {"state": "finished", "epoch": epochs, "share": 0.0}
        files.write(place / "status.json", json.dumps(status) + "\n")
        place.chmod(0o755)  # like any other run; mkdtemp lets no other user read it
        place.rename(home)
    except OSError as error:
        raise RunError(f"The folder {runs.folder()} cannot be written: {files.reason(error)}.") from error
    finally:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
    return home.name


def _is_same(home: Path, found: Mapping[str, bytes]) -> bool:
    """Return whether an existing run is finished and has a packed run's curve, and its weights if both keep them. Their
    names, and so their settings, are the same."""
    if runs.status_in(home).get("state") != "finished":
        return False
    compared = [name for name in found if name == "curve.jsonl" or name.startswith("weights-")]
    try:
        here = {name: files.read(home / name, LARGEST) for name in compared if (home / name).exists()}
    except OSError:
        return False
    return "curve.jsonl" in here and all(found[name] == content for name, content in here.items())


def _checked(home: Path) -> tuple[RunFile, int]:
    """Return the settings of a run and its number of epochs, after reading all of it and checking its consistency."""
    info = runs.parsed(home / "run.json")
    if not is_name(info.id):
        raise BadInput("Its recipe has no name that a folder could have.")
    curve = runs.curve_in(home)
    if not curve or [one.epoch for one in curve] != [*range(1, len(curve) + 1)] or len(curve) > info.recipe.epochs:
        raise BadInput("Its curve does not have the epochs of its recipe.")
    if not all(_is_figures(one.values) for one in curve):
        raise BadInput("Its curve contains values that are not numbers.")
    expected = checkpoints.outline(info.recipe.model, config_of(info.recipe))
    if sum(tensor.nbytes for tensor in expected.values()) > LIMIT:
        raise BadInput("Its settings describe a model that is too large.")
    for epoch in runs.epochs_in(home):
        if epoch > len(curve):
            raise BadInput(f"It holds weights of epoch {epoch}, which its curve does not have.")
        runs.weights_in(home, info, epoch)
    _checked_notes(home)
    return info, len(curve)


def _checked_notes(home: Path) -> None:
    """Check the files on which nothing depends: the log and the answers."""
    if (home / "log.txt").exists():
        lines = files.read(home / "log.txt", LARGEST).decode(errors="replace").splitlines()
        if not all(durations.LINE.fullmatch(line) for line in lines):
            raise BadInput("Its log contains more than the seconds of its epochs.")
    if (home / mistakes.FILE).exists():
        try:
            mistakes.Mistakes.model_validate_json(files.read(home / mistakes.FILE, LARGEST), strict=False)
        except ValidationError as error:
            raise BadInput(f"Its {mistakes.FILE} cannot be read.") from error


def _is_figures(values: Mapping[str, object]) -> bool:
    return all(
        isinstance(name, str) and _COLUMN.fullmatch(name)
        and (value is None or (type(value) in (int, float) and math.isfinite(value)))  # type: ignore[arg-type]
        for name, value in values.items()
    )  # fmt: skip
