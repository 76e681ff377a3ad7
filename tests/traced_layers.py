"""Layers whose numbers can be told by hand, for the tests of traces."""

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn

from attnviz import tracing
from attnviz.errors import TraceError
from attnviz.tracing import Grid, Layer, trace


class Pair(Layer):
    """x -> query = 2 x -> key = query + 1, so that every number can be told by hand."""

    taps = ("query", "key")

    def __init__(self, grid: Grid | None = None) -> None:
        super().__init__()
        self.grid = grid

    def forward(self, values: Tensor) -> Tensor:
        query = self.tap("query", values * 2, axes="batch feature")
        return self.tap("key", query + 1, axes="batch feature")


class Two(nn.Module):
    """Two pairs, the second in a list, as models have them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = Pair(Grid(1, 3))
        self.blocks = nn.ModuleList([Pair()])

    def forward(self, values: Tensor) -> Tensor:
        return self.blocks[0](self.first(values))


class Free(Layer):
    """Taps whatever the test tells it to."""

    taps = ("query", "key", "value")

    def __init__(self, body: "Callable[[Free, Tensor], Tensor]") -> None:
        super().__init__()
        self.body = body

    def forward(self, values: Tensor) -> Tensor:
        return self.body(self, values)


def in_place(layer: Layer, values: Tensor) -> Tensor:
    """Tap, and then change in place what was tapped."""
    values = layer.tap("query", values * 2, axes="batch feature")
    return values.add_(1)


VALUES = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.fixture(autouse=True)
def nobody_listens_afterwards() -> Iterator[None]:
    """Every test ends with nobody listening."""
    yield
    assert tracing._listener.trace is None
    assert tracing._as_written._open == 0


def refused(message: str, model: nn.Module, values: Tensor = VALUES, runs: int = 1, **options: object) -> None:
    """Assert that a trace of some passes is refused with this message; options as of `trace`."""
    with pytest.raises(TraceError, match=message), trace(model, **options):
        for _ in range(runs):
            model(values)
