"""Running a net on an example. Imports torch."""

import torch
from torch import Tensor

from attnviz.answers import as_batch
from attnviz.subjects.example import Example
from attnviz.subjects.net import Loaded


def ask(loaded: Loaded, batch: Tensor, seed: int = 0) -> Tensor:
    """Return the logits of a batch; a model that draws random numbers gets a generator with this seed.

    Taps, answers and Jacobians use seed 0, the default draw of pages, unless they name another one.
    """
    model, net = loaded
    drawn = "generator" in net.takes
    logits: Tensor = model(batch, **({"generator": torch.Generator().manual_seed(seed)} if drawn else {}))
    return logits


def batch_of(loaded: Loaded, example: Example) -> Tensor:
    """Return an example as a net's input, a batch of one in double precision."""
    return as_batch(example.taken_by(loaded.net), double=True)
