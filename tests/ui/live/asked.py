"""Asking the live channel without a socket, about a small model."""

from typing import Any

import numpy as np
import pytest

from attnviz import cards
from attnviz.checkpoints import Checkpoint
from attnviz.ui.components.payload import unpack
from attnviz.ui.live import answer as live_answer
from attnviz.ui.live.request import read
from attnviz.ui.shared import cache

from .live_server import NAME, request

HEADS, SIDE, TOKENS = 3, 6, 36
Header = dict[str, Any]
Arrays = dict[str, np.ndarray]


def given(monkeypatch: pytest.MonkeyPatch, model: Any) -> Any:
    checkpoint = Checkpoint(
        model.eval().requires_grad_(False), cards.read(NAME).model_copy(update={"weights_digest": "abc"})
    )
    monkeypatch.setattr(cache, "single", lambda name: checkpoint)
    return model


def ask(images: np.ndarray, **asked: Any) -> tuple[Header, Arrays]:
    """Return what the channel answers, without a socket."""
    message = request(1, {"pictures": images}, asks=[{"checkpoint": "any", **asked}])
    return unpack(live_answer.answer(read(message), 0))


CANVAS = np.zeros((280, 280, 1), np.uint8)
CANVAS[30:90, 40:60] = 255
