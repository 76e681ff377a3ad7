"""A small checkpoint, its example, and that loading it is refused."""

import hashlib
import json
from typing import Any

import pytest
import torch

import attnviz
from attnviz.card import Card
from attnviz.errors import CheckpointError
from attnviz.training.examples import Examples
from attnviz.training.measuring import example_pictures

NAME = "pixel_attention.small"


def example_of(card: Card) -> Examples:
    """The pictures of a card's example, as its model takes them, and their labels."""
    example = card.example
    pictures = example_pictures(card.recipe, example.data, example.labels, example.seed)
    assert hashlib.sha256(pictures.numpy().tobytes()).hexdigest() == example.digest
    return Examples(pictures, torch.tensor(example.labels))


def one_sentence(message: str | None = None) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        attnviz.load(NAME)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def sealed(card: dict[str, Any]) -> str:
    """A card's file with the digest that belongs to it, as a foreign hand could write it."""
    card.pop("digest", None)
    return json.dumps({**card, "digest": hashlib.sha256(json.dumps(card, sort_keys=True).encode()).hexdigest()})
