"""Update the cards of an earlier version. Weights, figures and logits stay the same, to the bit.

Version 0.1 wrote cards without a digest, with curves as rows of three numbers, and with examples of strokes alone.
"""

import hashlib
from typing import Any

import numpy as np
from pydantic import ValidationError

from attnviz import cards, files
from attnviz.card import Card
from attnviz.data import strokes
from attnviz.errors import CheckpointError
from attnviz.recipes import RECIPES
from attnviz.recipes.recipe import DESCRIPTIVE

_CURVES = ("train_loss", "validation_loss", "validation_accuracy")


def migrate() -> list[str]:
    """Rewrite all cards of an earlier version, update the descriptions of recipes on all cards, and return the names of
    the rewritten cards.
    """
    rewritten = []
    for name in cards.names():
        path = cards.home(name) / "card.json"
        try:
            fields = files.from_json(files.read(path, 2**24))
            card = Card.model_validate(migrated(fields)) if "digest" not in fields else cards.read(name)
            if "digest" not in fields or card != _titled(card):
                files.write(path, cards.text(_titled(card)))
                rewritten.append(name)
        except OSError as error:
            raise CheckpointError(f"The card {path} cannot be updated: {files.reason(error)}.") from error
        except (ValidationError, ValueError, KeyError, TypeError, IndexError) as error:
            raise CheckpointError(
                f"{path} is not a card of any version of attnviz. Restore the committed one."
            ) from error
    return rewritten


def migrated(fields: dict[str, Any]) -> dict[str, Any]:
    """Convert the fields of a card of version 0.1 to this version.

    CheckpointError: its example consists of drawn digits that this version draws differently. KeyError, TypeError,
    IndexError: it is not a card of version 0.1.
    """
    example = fields["example"]
    if example["version"] != strokes.VERSION:
        raise CheckpointError(
            f"The example of {fields['name']} was drawn by another version of strokes. Train it again."
        )
    drawn = strokes.draw(np.asarray(example["digits"]), seed=example["seed"]).transpose(0, 3, 1, 2)
    return {
        **fields,
        "recipe": {name: value for name, value in fields["recipe"].items() if name != "loss"},
        "runs": [
            {
                "seed": run["seed"],
                "epoch": run["best_epoch"],
                "curve": dict(zip(_CURVES, zip(*run["curve"], strict=True), strict=True)),
            }
            for run in fields["runs"]
        ],
        "example": {
            "data": "strokes",
            "labels": example["digits"],
            "seed": example["seed"],
            "digest": hashlib.sha256(np.ascontiguousarray(drawn).tobytes()).hexdigest(),
            "logits": example["logits"],
        },
    }


def _titled(card: Card) -> Card:
    """Return a card with the title, reason, cost and control of its recipe, which do not affect the training."""
    known = RECIPES.get(card.name)
    if known is None:
        return card
    words = {name: getattr(known, name) for name in DESCRIPTIVE}
    return card.model_copy(update={"recipe": card.recipe.model_copy(update=words)})
