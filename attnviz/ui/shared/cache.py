"""The only module that caches. What is cached is shared by all visitors, never changed, and limited in number.

What depends on a net alone is kept by net, all else by subject, so that nothing about a net is computed again for
every picture. It loads torch only where something is computed; by then the page has drawn its title and its question.

    cache.of_net(mean_relevance, net)            # mean_relevance(loaded)
    cache.of_subject(measure, subject, "mean")   # measure(loaded, example, "mean")
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from attnviz.subjects import Example, Loaded, Net, Subject

P = ParamSpec("P")
T = TypeVar("T")


def of_net(compute: Callable[Concatenate[Loaded, P], T], net: Net, *arguments: P.args, **named: P.kwargs) -> T:
    """Return the result of a function for a net, kept for the next request with the same arguments.

    Args:
        compute: called with the net loaded in double precision, and the arguments. A function at module level: its
            name is part of the key.
        net: that is asked.
        *arguments, **named: plain values.
    """
    found: T = _of_net(_name(compute), net.key, net.digest, (arguments, tuple(sorted(named.items()))), compute, net)
    return found


def of_subject(
    compute: Callable[Concatenate[Loaded, Example, P], T], subject: Subject, *arguments: P.args, **named: P.kwargs
) -> T:
    """Return the result of a function for a net on an example, kept for the next request with the same arguments.

    Args:
        compute: called with the net loaded in double precision, the example, and the arguments. A function at module
            level: its name is part of the key.
        subject: the net and the example.
        *arguments, **named: plain values.
    """
    net, example = subject
    given = arguments, tuple(sorted(named.items()))
    found: T = _of_subject(_name(compute), net.key, net.digest, str(example.asked), given, compute, subject)
    return found


def single(net: Net) -> Loaded:
    """Return a net in single precision, as it was trained, for the live channel, which must be fast.

    Raises:
        CheckpointError: as `Net.load` does.
    """
    return _single(net.key, net.digest, _Unhashed(net))


# The digest is part of every key: a net that is trained again is a different one.


class _Unhashed:
    """Carries a net past `lru_cache`, whose key is the net's key and digest."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unhashed)

    def __hash__(self) -> int:
        return 0


def _name(compute: Callable[..., object]) -> str:
    return f"{compute.__module__}.{compute.__qualname__}"


@st.cache_resource(max_entries=4, show_spinner=False)
def _exact(key: str, digest: str, _net: Net) -> Loaded:
    return _net.load(double=True)


# What the live channel needs at every movement is in Python's own cache: a look into Streamlit's takes 0.2 ms,
# as long as a small model.
@lru_cache(maxsize=16)
def _single(key: str, digest: str, carried: _Unhashed) -> Loaded:
    return carried.net.load()


@st.cache_data(max_entries=1024, show_spinner=False)
def _of_net(name: str, key: str, digest: str, given: tuple[Hashable, ...], _compute: Callable[..., T], _net: Net) -> T:
    arguments, named = given
    return _compute(_exact(key, digest, _net), *arguments, **dict(named))  # type: ignore[call-overload,misc]


@st.cache_data(max_entries=256, show_spinner=False)
def _of_subject(
    name: str,
    key: str,
    digest: str,
    example: str,
    given: tuple[Hashable, ...],
    _compute: Callable[..., T],
    _subject: Subject,
) -> T:
    arguments, named = given
    loaded = _exact(key, digest, _subject.net)
    return _compute(loaded, _subject.example, *arguments, **dict(named))  # type: ignore[call-overload,misc]
