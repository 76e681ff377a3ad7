"""Ask a net about an example. Loads torch."""

import torch
from torch import Tensor

from attnviz.answers import as_batch
from attnviz.subjects.example import Example
from attnviz.subjects.net import Loaded


def ask(loaded: Loaded, batch: Tensor, seed: int = 0) -> Tensor:
    """Return the logits of a batch; a model that draws random numbers gets a generator of that seed.

    Taps, answers and Jacobians that do not name a draw are all of seed 0, the draw that pages open with.
    """
    model, net = loaded
    drawn = "generator" in net.takes
    logits: Tensor = model(batch, **({"generator": torch.Generator().manual_seed(seed)} if drawn else {}))
    return logits


def batch_of(loaded: Loaded, example: Example) -> Tensor:
    """Return an example as a net takes it, a batch of one in double precision."""
    return as_batch(example.taken_by(loaded.net), double=True)
