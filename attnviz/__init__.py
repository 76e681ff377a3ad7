"""See attention in vision models.

    import attnviz

    model, card = attnviz.load("pixel_attention.1v8")
    with attnviz.trace(model, keep=["*.weights"]) as seen:
        logits = model(images)                    # float (batch, channel, row, column) in 0..1
    seen["attention.weights"].at(batch=0, head=0) # (query, key)

`load` gives a checkpoint's model and card, `trace` shows what happens inside any model whose layers have taps,
`Grid` says where tokens lie on the picture. Importing attnviz costs no torch: names resolve when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnviz.checkpoints import load as load
    from attnviz.tracing import Grid as Grid
    from attnviz.tracing import trace as trace

__version__ = "0.1.0"

_HOMES = {"load": "attnviz.checkpoints", "trace": "attnviz.tracing", "Grid": "attnviz.tracing"}

__all__ = ["Grid", "load", "trace"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'attnviz' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
