"""See attention in vision models.

    import attnviz

    model, card = attnviz.load("pixel_attention.1v8")
    with attnviz.trace(model, keep=["*.weights"]) as seen:
        logits = model(images)                    # float (batch, channel, row, column) in 0..1
    seen["attention.weights"].at(batch=0, head=0) # (query, key)

`names()` lists the checkpoints, and `load` returns a model and its model card. `trace` records what happens inside any
model whose layers have taps, `edits` change it, and `tap_paths` lists those taps. Derive your own layers from `Layer`.
`watch` records the attention of any other model: `seen = attnviz.watch(model)(batch)`. `heads` measures every attention
head over many pictures. A trace keeps `Reading`s, whose `Grid` locates tokens on the picture. `figure` renders a trace
as a picture, a table or an HTML page: `attnviz.figure(seen).save("fig.pdf")`; `gates` does the same for gates. Every
error raised on purpose is an `AttnvizError`; a trace that would have been empty or wrong raises a `TraceError`.
Importing attnviz does not import torch: names are resolved on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnviz.version import VERSION

if TYPE_CHECKING:
    from attnviz import edits as edits
    from attnviz.capture.watching import watch as watch
    from attnviz.cards import names as names
    from attnviz.checkpoints import load as load
    from attnviz.errors import AttnvizError as AttnvizError
    from attnviz.errors import BadInput as BadInput
    from attnviz.errors import CheckpointError as CheckpointError
    from attnviz.errors import DataError as DataError
    from attnviz.errors import RunError as RunError
    from attnviz.errors import TraceError as TraceError
    from attnviz.errors import UnknownName as UnknownName
    from attnviz.figures.figure import figure as figure
    from attnviz.figures.gates import gates as gates
    from attnviz.figures.record import record as record
    from attnviz.figures.saved import Figure as Figure
    from attnviz.head_table.door import heads as heads
    from attnviz.readings import Grid as Grid
    from attnviz.readings import Reading as Reading
    from attnviz.tracing import Layer as Layer
    from attnviz.tracing import tap_paths as tap_paths
    from attnviz.tracing import trace as trace

__version__ = VERSION

_ERRORS = ("AttnvizError", "BadInput", "CheckpointError", "DataError", "RunError", "TraceError", "UnknownName")
_HOMES = {
    **dict.fromkeys(_ERRORS, "attnviz.errors"),
    "Figure": "attnviz.figures.saved",
    "Grid": "attnviz.readings",
    "Layer": "attnviz.tracing",
    "Reading": "attnviz.readings",
    "figure": "attnviz.figures.figure",
    "gates": "attnviz.figures.gates",
    "heads": "attnviz.head_table.door",
    "load": "attnviz.checkpoints",
    "names": "attnviz.cards",
    "record": "attnviz.figures.record",
    "tap_paths": "attnviz.tracing",
    "trace": "attnviz.tracing",
    "watch": "attnviz.capture.watching",
}

__all__ = [
    "AttnvizError", "BadInput", "CheckpointError", "DataError", "Figure", "Grid", "Layer", "Reading", "RunError",
    "TraceError", "UnknownName", "edits", "figure", "gates", "heads", "load", "names", "record", "tap_paths",
    "trace", "watch",
]  # fmt: skip

if not TYPE_CHECKING:  # with it, a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name == "edits":
            return import_module("attnviz.edits")
        if name not in _HOMES:
            raise AttributeError(f"module 'attnviz' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
