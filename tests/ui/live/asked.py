"""Asking the live channel without a socket, about a small model."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attnviz import subjects
from attnviz.subjects import Loaded
from attnviz.ui.derived_values import find
from attnviz.ui.live import answer as live_answer
from attnviz.ui.live import request as live_request
from attnviz.ui.live.request import Request
from attnviz.ui.shared import cache
from attnviz.views.payload import unpack

from .live_server import NAME, request

HEADS, SIDE, TOKENS = 3, 6, 36
Header = dict[str, Any]
Arrays = dict[str, np.ndarray]


def given(monkeypatch: pytest.MonkeyPatch, model: Any) -> Any:
    """Give the channel a model for every key of a net, and return the model."""
    loaded = Loaded(model.eval().requires_grad_(False), replace(subjects.net(NAME), digest="abc"))
    monkeypatch.setattr(subjects, "net", lambda key: loaded.net)
    monkeypatch.setattr(cache, "single", lambda net: loaded)
    return model


def read(message: bytes) -> Request:
    """Read a request as the channel of the app does."""
    return live_request.read(message, find)


def answers(asked: Request | bytes, place: int = 0) -> list[tuple[Header, Arrays]]:
    """Return the answers to one ask of a request, without a socket."""
    request = read(asked) if isinstance(asked, bytes) else asked
    return [unpack(one) for one in live_answer.plan(request)[place].answers()]


def answer(asked: Request | bytes, place: int = 0) -> tuple[Header, Arrays]:
    """Return the only answer to one ask of a request, without a socket."""
    (found,) = answers(asked, place)
    return found


def ask(images: np.ndarray, **asked: Any) -> tuple[Header, Arrays]:
    """Return what the channel answers, without a socket."""
    return answer(request(1, {"pictures": images}, asks=[{"checkpoint": "any", **asked}]))


CANVAS = np.zeros((280, 280, 1), np.uint8)
CANVAS[30:90, 40:60] = 255
