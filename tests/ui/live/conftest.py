"""A small model and pictures for it, and a running channel whose model answers when it is told to."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from attnviz.models.pixel_attention import PixelAttention
from attnviz.ui.derived_values import find
from attnviz.ui.live.channel import Channel
from attnviz.work.queue import Queue

from .asked import HEADS, SIDE, given
from .live_server import SEATS, Server, Slow, planning, serving


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> PixelAttention:
    """Give the channel a small model of several heads for every name, and return it."""
    made = PixelAttention(
        classes=("1", "8"), heads=HEADS, head_size=2, rows=SIDE, columns=SIDE, mean=0.1, std=0.3,
        generator=torch.Generator().manual_seed(3),
    )  # fmt: skip
    return given(monkeypatch, made)


@pytest.fixture
def images() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (3, SIDE, SIDE, 1), dtype=np.uint8)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def server(slow: Slow) -> Iterator[Server]:
    with serving(Channel(planning(slow), find, Queue(SEATS + 1), quick=0.0)) as running:
        yield running
        slow.may.release(1000)  # a test that failed half-way must not leave a model waiting
