"""Derived values: values that the live channel computes from a net, besides those of its taps.

A `Derived` is computed from a forward pass on any pictures; a `View` is the data that a component shows for one
subject. A mechanism lists both in its row of `attnviz.ui.mechanisms.MECHANISMS`. Importing this does not import torch:
functions that compute import it themselves because a request is read before a model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.views.payload import with_header

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from attnviz.readings import Reading
    from attnviz.subjects import Loaded, Net, Subject

P = TypeVar("P", bound=Strict)

Address = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.]{0,199}$")]
"""A tap path."""

Index = Annotated[int, Field(ge=0, lt=1 << 31)]
"""An index from 0: a head, a token."""


class NoParameters(Strict):
    """The empty parameters, for derived values without any."""


@dataclass(frozen=True, eq=False)
class Context(Generic[P]):
    """The inputs of a derived value's functions.

    Args:
        loaded: The torch module, in single precision, and its net.
        images: (picture, channel, row, column) in 0..1.
        parameters: The request's parameters, after `settle`.
        generator: Seeded by the request; None if it has no seed, in which case nothing is random.
        edited: The paths of the taps that the request edits.
        seen: Path -> value of the tap in this pass; empty in `Derived.run`, which makes the pass.
        logits: (picture, column), of this pass; None in `Derived.run`.
    """

    loaded: Loaded
    images: Tensor
    parameters: P
    generator: torch.Generator | None = None
    edited: tuple[str, ...] = ()
    seen: Mapping[str, Reading] = field(default_factory=dict)
    logits: Tensor | None = None


def no_taps(parameters: Strict) -> tuple[str, ...]:
    """Return (), for derived values that need no taps."""
    return ()


def one_pass(parameters: Strict, net: Net) -> float:
    """Return 1.0, for derived values that take no longer than the model's forward pass."""
    return 1.0


@dataclass(frozen=True)
class Derived(Generic[P]):
    """One derived value, which a request names: {"derived": NAME, "parameters": {...}}.

    Args:
        name: Its name in requests.
        parameters: The class of its parameters; requests are validated strictly.
        compute: Returns a reading, or several by name, which come back as NAME.PART. A first axis "batch" counts the
            pictures; without it the value is the same for all pictures.
        taps: Returns the paths of the taps that it needs, from the parameters.
        settle: Replaces a parameter that depends on the model ("the least uniform head") by its value; the answer
            contains the value that was used.
        run: Makes the forward pass in place of the ordinary one and returns logits (picture, column), for parameters
            that change the pass itself: an eps, an omitted skip connection, forced locations. Taps are kept and edits
            are made in it.
        most: The maximum number of these values in an answer, counting every picture.
        cost: The work for one picture, in forward passes of the model.

    Raises:
        BadInput: The name is not text, or the parameters are not a class of parameters.
    """

    name: str
    parameters: type[P]
    compute: Callable[[Context[P]], Reading | Mapping[str, Reading]]
    taps: Callable[[P], tuple[str, ...]] = no_taps
    settle: Callable[[Loaded, P], P] | None = None
    run: Callable[[Context[P]], Tensor] | None = None
    most: int = 256
    cost: Callable[[P, Net], float] = one_pass

    def __post_init__(self) -> None:
        _check(self.name, self.parameters)


@dataclass(frozen=True)
class View(Generic[P]):
    """The data that a component shows for a subject: one payload, for both its page and the live channel.

    A request names it like any derived value, and gets the payload as an array of bytes, or several in sequence if it
    is computed step by step.

    Args:
        name: Its name in requests.
        parameters: The class of its parameters; requests are validated strictly.
        payload: Returns the payload of a subject, as the bytes that the component takes, or yields several.
        cost: The work, in forward passes of the model.
        lasts: Whether the payload depends only on the subject and the parameters, so that pages can cache it.
        loads: Whether its work consists of passes of the net, which the live channel then loads to estimate the work; a
            view whose pass is computed elsewhere is light.

    Raises:
        BadInput: As for `Derived`.
    """

    name: str
    parameters: type[P]
    payload: Callable[[Subject, P], bytes | Iterator[bytes]]
    cost: Callable[[P, Net], float] = one_pass
    lasts: bool = False
    loads: bool = True

    def __post_init__(self) -> None:
        _check(self.name, self.parameters)

    def of(self, subject: Subject, **parameters: Any) -> bytes:
        """Return the payload of a subject, or the last one if there are several."""
        given = self.parameters(**parameters)
        if not self.lasts:
            return self._last(subject, given)
        from attnviz.ui.shared import cache

        return cache.of_view(self._last, subject, given, self.name, given.model_dump_json())

    def _last(self, subject: Subject, given: P) -> bytes:
        *_, last = self.payloads(subject, given)
        return last

    def payloads(self, subject: Subject, given: P) -> Iterator[bytes]:
        """Yield the payload of a subject, or several in sequence.

        Each header holds a "request", from which the browser can request the same view of another net: the view, its
        parameters, and the subject's "checkpoint" and "picture".
        """
        found = self.payload(subject, given)
        request = {"derived": self.name, "parameters": given.model_dump(mode="json"), **subject.asked}
        for payload in (found,) if isinstance(found, bytes) else found:
            yield with_header(payload, request=request)


def _check(name: object, parameters: object) -> None:
    if not isinstance(name, str):
        raise BadInput(f"A derived value needs a name, not {name!r:.100}.")
    if not (isinstance(parameters, type) and issubclass(parameters, Strict)):
        raise BadInput(f"The parameters of {name} must be a subclass of Strict, not {parameters!r:.100}.")
