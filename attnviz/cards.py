"""The model cards of checkpoints: their names, and reading and checking them. Needs no torch."""

import hashlib
import json
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from attnviz import checkpoint_folder, files
from attnviz.card import Card
from attnviz.checkpoint_folder import folder as folder
from attnviz.checkpoint_folder import is_name
from attnviz.checkpoint_folder import kept as kept_folder
from attnviz.data.own import is_own
from attnviz.data.specs import DATASETS
from attnviz.errors import CheckpointError, UnknownName, closest
from attnviz.files import reason

_FILE = checkpoint_folder.CARD
_LARGEST = 2**24  # bytes per file; our largest has 0.2 million


def names() -> list[str]:
    """Return the names of all checkpoints: ours in alphabetical order, then those kept by the user.

    Some may have a card but no weights. A kept checkpoint with the name of one of ours is left out.
    """
    return list(checkpoint_folder.snapshot().found)


def is_there(name: str) -> bool:
    """Return whether there is a checkpoint of that name, even if its card is damaged."""
    return name in checkpoint_folder.snapshot().found


def is_kept(name: str) -> bool:
    """Return whether the checkpoint of that name is kept by the user rather than shipped with attnviz."""
    found = checkpoint_folder.found(name)
    return found is not None and found.kept


def has_weights(name: str) -> bool:
    """Return whether the weights of a checkpoint are here."""
    found = checkpoint_folder.found(name)
    return found is not None and found.has_weights


def home(name: str) -> Path:
    """Return the folder of a checkpoint, ours before a kept one, or the folder that an unknown name would have."""
    if not is_name(name):
        raise UnknownName("checkpoint", name, names())
    found = checkpoint_folder.found(name)
    return found.home if found else folder() / name


def weights(name: str) -> Path:
    """Return the path of a checkpoint's weights; it need not exist. UnknownName: no checkpoint has that name."""
    return home(name) / checkpoint_folder.WEIGHTS


def usable(among: Sequence[str]) -> dict[str, Card]:
    """Return the cards of the checkpoints that can be shown: those with a readable card and with weights."""
    return readable([name for name in among if has_weights(name)])


def readable(among: Sequence[str]) -> dict[str, Card]:
    """Return the cards of the checkpoints that exist and whose card can be read; some may have no weights."""
    here, found = checkpoint_folder.snapshot().found, {}
    for name in among:
        if name in here:  # otherwise `read` would search for similar names, which is slow
            known = _read.known(here[name].home / _FILE, (here[name].card,))
            with suppress(CheckpointError, UnknownName):
                found[name] = known or read(name)
    return found


def text(card: Card) -> str:
    """Return the text of a card's file: its fields, and a digest of all of them."""
    fields = card.model_dump(mode="json")
    return json.dumps({**fields, "digest": _digest(fields)}, indent=1, ensure_ascii=False) + "\n"


_read = files.Remembered[Card](2**26)  # our cards have 4 million bytes in total


def read(name: str) -> Card:
    """Read a checkpoint's card. It is cached until its file changes."""
    for base in (folder, kept_folder) if is_name(name) else ():
        path = base() / name / _FILE
        stamp = files.stamp(path)
        if stamp is not None:
            break
    else:
        raise UnknownName("checkpoint", name, names())
    return _read.get(path, (stamp,), lambda: _card(name, path))


def _card(name: str, path: Path) -> Card:
    if name not in names():  # a case-insensitive file system finds other spellings too
        raise UnknownName("checkpoint", name, names())
    try:
        return parsed(files.read(path, _LARGEST), path)
    except OSError as error:
        raise CheckpointError(f"The card {path} cannot be read: {reason(error)}.") from error


def parsed(content: bytes, path: Path) -> Card:
    """Parse the content of a card's file. Raise CheckpointError, which names the path, if it is not a card, contradicts
    itself, or was changed afterwards.
    """
    try:
        fields = files.from_json(content)
        digest = fields.pop("digest", None) if isinstance(fields, dict) else None
        card = Card.model_validate(fields)
        finite, found = _finite(fields["config"]) and _finite(fields["recipe"]), _digest(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise _refused(path, f"{place}: {first['msg'].removeprefix('Value error, ')}") from error
    except (ValueError, RecursionError) as error:
        raise _refused(path, "it is not a complete JSON file") from error
    if not finite:
        raise _refused(path, "its config holds a value that is not a finite number")
    for known in {card.recipe.data, *(test.data for test in card.recipe.tests), *(f.data for f in card.figures)}:
        if known not in DATASETS and not is_own(known):
            raise _refused(path, f"there is no data set {known!r}. {closest(known, DATASETS)}".rstrip("."))
    if digest != found:
        raise _refused(path, "it was changed after it was written, or is damaged: its digest does not match")
    return card


def _refused(path: Path, why: str) -> CheckpointError:
    return CheckpointError(
        f"{path} is not a card of this version of attnviz: {why}. "
        "Train the checkpoint again, or restore the committed folder."
    )


def _digest(fields: dict[str, Any]) -> str:
    """Return the sha256 of a card's fields, independent of the layout of its file."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
