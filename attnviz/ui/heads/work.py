"""The table of heads as one job: the net's parts, followed by those of the same net with random weights."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from attnviz.subjects import kinds, own
from attnviz.ui.heads.pictures import Asked, pictures
from attnviz.ui.shared import cache, jobs
from attnviz.ui.shared.own_models import is_own, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import numpy as np
    import numpy.typing as npt
    from torch import nn

    from attnviz.head_table.claims import ClaimWork, Outcome
    from attnviz.head_table.kept import Arrays
    from attnviz.head_table.table import Heads
    from attnviz.head_table.work import Work

    W = TypeVar("W", Work, ClaimWork)

OWN_PART = 1  # pictures per part for your own model: it is large, and others wait meanwhile


def model_of(asked: Asked) -> nn.Module:
    """Return the model, in single precision; the visitor's own model may run only within `alone`."""
    return own.own().model if asked.is_own else cache.single(asked.net).model


def alone(asked: Asked) -> AbstractContextManager[None]:
    """Hold the model exclusively, if it is the visitor's own."""
    return running(own.own()) if asked.is_own else nullcontext()


@lru_cache(maxsize=4)
def _random(key: str, digest: str) -> nn.Module:
    from attnviz.head_table.door import with_random_weights

    net = kinds.net(key)
    return with_random_weights(own.own().model if is_own(net) else cache.single(net).model)


@lru_cache(maxsize=8)
def works(asked: Asked) -> tuple[Work, Work]:
    """Return the work on the net, and on the net with random weights."""
    from attnviz.head_table.work import Work

    few, part = pictures(asked), OWN_PART if asked.is_own else None
    models = model_of(asked), _random(asked.key, asked.digest)
    first, second = (Work(one, few.images, few.mask, part=part) for one in models)
    return first, second


@lru_cache(maxsize=8)
def _claims(asked: Asked) -> tuple[ClaimWork, ClaimWork]:
    from attnviz.head_table.claims import ClaimWork

    first, second = (ClaimWork(one.model, one.images, one.mask, part=one.size) for one in works(asked))
    return first, second


def job(asked: Asked) -> jobs.Job[Arrays]:
    """Return the job, whose first half is for the net, and the second for the net with random weights."""
    return _job("heads", works, asked)


def claims_job(asked: Asked) -> jobs.Job[Arrays]:
    """Return the job that tests claims, with the same two halves."""
    return _job("claims", _claims, asked)


def _job(kind: str, both: Callable[[Asked], tuple[W, W]], asked: Asked) -> jobs.Job[Arrays]:
    from attnviz.head_table.work import PART

    few = -(-len(pictures(asked).images) // (OWN_PART if asked.is_own else PART))

    def step(number: int) -> Arrays:
        with alone(asked):
            first, second = both(asked)
            return first.part(number) if number < few else second.part(number - few)

    return jobs.job((kind, asked), step, 2 * few)


def table(asked: Asked, parts: list[Arrays]) -> Heads:
    """Return the table of the parts so far; random weights are included once all pictures are measured."""
    first, second = works(asked)
    labels, few = pictures(asked).labels, first.count
    found = first.table(parts[:few], labels)
    return found if len(parts) < 2 * few else replace(found, random=second.table(parts[few:], labels))


def outcomes(asked: Asked, parts: list[Arrays], chosen: npt.NDArray[np.bool_]) -> list[Outcome]:
    """Return the outcomes of the claims so far, over the `chosen` pictures, bool (picture,)."""
    first, _ = _claims(asked)
    return first.tested(parts[: first.count], parts[first.count :], chosen)
