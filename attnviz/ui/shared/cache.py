"""The only module that caches. Cached values are shared by all visitors, never changed, and limited in bytes.

Values that depend only on the checkpoints are kept until a checkpoint changes. Values that depend only on a net are
cached by net, and all others by subject, so that nothing about a net is computed again for every picture. Simultaneous
requests for the same value are computed once, in a queue that serves live answers first (attnviz/work). Torch is
imported only for a computation; by then the page has drawn its title and its question.

    cache.of_checkpoints(dots, names)            # dots(names)
    cache.of_net(mean_relevance, net)            # mean_relevance(loaded)
    cache.of_subject(measure, subject, "mean")   # measure(loaded, example, "mean")
"""

import os
from collections.abc import Callable, Hashable
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attnviz import checkpoint_folder, data
from attnviz.subjects import Example, Loaded, Net, Subject
from attnviz.work.kept import Kept
from attnviz.work.queue import QUEUE, Queue

P = ParamSpec("P")
Q = TypeVar("Q")
T = TypeVar("T")

NETS = 128 << 20  # bytes for models: single precision for the live channel, double for pages
VALUES = 128 << 20  # bytes for values computed from them
RENDERED = 16 << 20  # bytes for values derived from cards alone


def of_net(compute: Callable[Concatenate[Loaded, P], T], net: Net, *arguments: P.args, **named: P.kwargs) -> T:
    """Return the result of a function for a net, cached by its arguments.

    Args:
        compute: Called with the net, loaded in double precision, and the arguments. It must be a module-level function
            because its name is part of the key.
    """
    key = (_name(compute), net.key, net.digest, arguments, tuple(sorted(named.items())), data.downloaded())
    return _values.get(key, lambda: compute(exact(net), *arguments, **named), what=_name(compute), check=wanted)


def of_subject(
    compute: Callable[Concatenate[Loaded, Example, P], T], subject: Subject, *arguments: P.args, **named: P.kwargs
) -> T:
    """Return the result of a function for a net on an example, cached by its arguments.

    Args:
        compute: Called with the net, loaded in double precision, the example, and the arguments. It must be a
            module-level function because its name is part of the key.
    """
    net, example = subject
    key = (_name(compute), *_of(subject), arguments, tuple(sorted(named.items())))
    what = f"{_name(compute)} {net.key}"  # the time depends on the net, and hardly on the example
    return _values.get(key, lambda: compute(exact(net), example, *arguments, **named), what=what, check=wanted)


def of_view(payload: Callable[[Subject, Q], bytes], subject: Subject, given: Q, name: str, parameters: str) -> bytes:
    """Return the payload of a view, cached for the next page that shows it.

    Args:
        payload: Returns the payload, and loads the net only if it has to.
        name, parameters: The view's name, and `given` as text; both are parts of the key.
    """
    key = ("view", name, parameters, *_of(subject))
    return _values.get(key, lambda: payload(subject, given), what=f"{name} {subject.net.key}", check=wanted)


def _of(subject: Subject) -> tuple[Hashable, ...]:
    net, example = subject
    return net.key, net.digest, str(example.asked), data.downloaded()


def of_checkpoints(compute: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Return a result that depends only on the cards and files of the checkpoints, cached until one of them changes.

    Args:
        compute: Called with the arguments. It must be a module-level function because its name is part of the key.
        *arguments, **named: Plain values, none of them private to a visitor.
    """
    key = (_name(compute), checkpoint_folder.snapshot().generation, arguments, tuple(sorted(named.items())))
    return _rendered.get(key, lambda: compute(*arguments, **named), what=_name(compute), check=wanted)


def single(net: Net) -> Loaded:
    """Return a net in single precision, as it was trained, for the live channel, which must be fast.

    Raises:
        CheckpointError: Raised by `Net.load`.
    """
    return _nets.get(("single", net.key, net.digest), lambda: _loaded(net, double=False), check=wanted)


def exact(net: Net) -> Loaded:
    """Return a net in double precision, for pages, whose numbers must be exact to many more digits than they show.

    Raises:
        CheckpointError: Raised by `Net.load`.
    """
    return _nets.get(("exact", net.key, net.digest), lambda: _loaded(net, double=True), check=wanted)


def _loaded(net: Net, *, double: bool) -> Loaded:
    """Load a net onto a CUDA device if it computes faster there; ATTNVIZ_DEVICE=cpu keeps it on the CPU."""
    from attnviz import devices

    device = devices.device_of(os.environ.get("ATTNVIZ_DEVICE", "auto"))
    model, taken = net.load(double=double).model, net.input
    shape = (taken.channels, taken.rows, taken.columns)
    return Loaded(devices.computing_where_faster(model, device, shape), net)


def _name(compute: Callable[..., object]) -> str:
    return f"{compute.__module__}.{compute.__qualname__}"


def wanted() -> None:
    """End a page run that its visitor has left or restarted, since nobody is waiting for its result."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        _ = "attnviz" in st.session_state  # here Streamlit checks whether to continue the run


# The digest is part of every key, since a net that is trained again is a different one. So are the data sets present: a
# value computed from a few samples is not shown once all test pictures are there. Streamlit's own caches would count
# entries, give each visitor a copy, and can be emptied by anybody who opens a socket.
_nets = Kept(NETS, QUEUE)
_values = Kept(VALUES, QUEUE)
_rendered = Kept(RENDERED, Queue(2))  # no model runs for these, so nobody waits behind model runs
