"""The table of heads as one job: its parts, and after them those of the same net with random weights."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from attnviz.subjects import Net
from attnviz.ui.shared import cache, jobs

if TYPE_CHECKING:
    from attnviz.head_table.claims import ClaimWork, Outcome
    from attnviz.head_table.door import Pictures
    from attnviz.head_table.kept import Arrays
    from attnviz.head_table.table import Heads
    from attnviz.head_table.work import Work


@lru_cache(maxsize=8)
def _pictures(key: str, digest: str, source: str, count: int) -> Pictures:
    from attnviz.head_table.door import pictures_of
    from attnviz.subjects import nets

    return pictures_of(nets.net(key), source, count)


def pictures(net: Net, source: str, count: int) -> Pictures:
    """Return the first test pictures of a data set that show a class of a net."""
    return _pictures(net.key, net.digest, source, count)


@lru_cache(maxsize=8)
def _works(key: str, digest: str, source: str, count: int) -> tuple[Work, Work]:
    from attnviz.head_table.door import with_random_weights
    from attnviz.head_table.work import Work
    from attnviz.subjects import nets

    net = nets.net(key)
    few, model = _pictures(key, digest, source, count), cache.single(net).model
    return Work(model, few.images, few.mask), Work(with_random_weights(model), few.images, few.mask)


def job(net: Net, source: str, count: int) -> jobs.Job[Arrays]:
    """Return the work, whose first half is of the net, and whose second is of the net with random weights."""
    few = -(-len(pictures(net, source, count).images) // _part())

    def step(number: int) -> Arrays:
        own, random = _works(net.key, net.digest, source, count)
        return own.part(number) if number < few else random.part(number - few)

    return jobs.job(("heads", net.key, net.digest, source, count), step, 2 * few)


def table(net: Net, source: str, count: int, parts: list[Arrays]) -> Heads:
    """Return the table of the parts that there are; random weights stand beside once all pictures are measured."""
    own, random = _works(net.key, net.digest, source, count)
    labels, few = pictures(net, source, count).labels, own.count
    found = own.table(parts[:few], labels)
    return found if len(parts) < 2 * few else replace(found, random=random.table(parts[few:], labels))


@lru_cache(maxsize=8)
def _claims(key: str, digest: str, source: str, count: int) -> tuple[ClaimWork, ClaimWork]:
    from attnviz.head_table.claims import ClaimWork

    own, random = _works(key, digest, source, count)
    return tuple(ClaimWork(one.model, one.images, one.mask) for one in (own, random))  # type: ignore[return-value]


def claims_job(net: Net, source: str, count: int) -> jobs.Job[Arrays]:
    """Return the work of testing claims, in the same two halves."""
    few = -(-len(pictures(net, source, count).images) // _part())

    def step(number: int) -> Arrays:
        own, random = _claims(net.key, net.digest, source, count)
        return own.part(number) if number < few else random.part(number - few)

    return jobs.job(("claims", net.key, net.digest, source, count), step, 2 * few)


def outcomes(net: Net, source: str, count: int, parts: list[Arrays]) -> list[Outcome]:
    """Return what came out of the claims so far."""
    own, _ = _claims(net.key, net.digest, source, count)
    return own.tested(parts[: own.count], parts[own.count :])


def _part() -> int:
    from attnviz.head_table.work import PART

    return PART
