"""What a derived value is: something that the live channel computes from a net besides the values of its taps.

`Derived` is computed from a forward pass on any pictures; a `View` is what a component shows of one subject. A
mechanism lists both in its row of `attnviz.ui.mechanisms.MECHANISMS`. Importing this loads no torch: functions that
compute import it themselves, because a request is read before a model is loaded.
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
"""What counts from 0: a head, a token."""


class NoParameters(Strict):
    """No parameters, for derived values that have none."""


@dataclass(frozen=True, eq=False)
class Context(Generic[P]):
    """What a derived value is computed from.

    Args:
        loaded: the torch module, in single precision, and its net.
        images: (picture, channel, row, column) in 0..1.
        parameters: those of the request, after `settle`.
        generator: seeded by the request; None where it names no seed, and then nothing is random.
        edited: paths of the taps that the request edits.
        seen: path -> value of the tap in this pass; empty in `Derived.run`, which makes the pass.
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
    """Return no taps, for derived values that need none."""
    return ()


def one_pass(parameters: Strict, net: Net) -> float:
    """Return no extra cost, for derived values that take no longer than the model's forward pass."""
    return 1.0


@dataclass(frozen=True)
class Derived(Generic[P]):
    """One derived value, which a request names: {"derived": NAME, "parameters": {...}}.

    Args:
        name: its name in requests.
        parameters: what can be chosen; requests are validated strictly.
        compute: returns a reading, or several by name, which come back as NAME.PART. A first axis "batch" counts the
            pictures; without it the value is the same for all pictures.
        taps: from the parameters to the paths of the taps that it needs.
        settle: replaces a parameter that depends on the model ("the least uniform head") by its value; the answer
            says which value was used.
        run: makes the forward pass in place of the ordinary one and returns logits (picture, column), for parameters
            that change the pass itself: an eps, a skip left out, forced locations. Taps are kept and edits are made in
            it.
        most: how many of them an answer may hold, counting every picture.
        cost: the work for one picture, in forward passes of the model.

    Raises:
        BadInput: the name is no text, or the parameters are no class of parameters.
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
    """What a component shows of a subject: one payload, for its page and for the live channel alike.

    A request names it, as for any derived value, and gets the payload as an array of bytes, or several one
    after the other where it is computed step by step.

    Args:
        name: its name in requests.
        parameters: what can be chosen; requests are validated strictly.
        payload: returns the payload of a subject, in the bytes that the component takes, or yields several.
        cost: the work, in forward passes of the model.
        lasts: whether the payload depends on nothing but the subject and the parameters, so that pages keep it.
        loads: whether its work is in passes of the net, which the live channel then loads to estimate it; a view that
            has its pass from elsewhere is light.

    Raises:
        BadInput: as of `Derived`.
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
        """Return the payload of a subject, the last one where there are several."""
        given = self.parameters(**parameters)
        if not self.lasts:
            return self._last(subject, given)
        from attnviz.ui.shared import cache

        return cache.of_view(self._last, subject, given, self.name, given.model_dump_json())

    def _last(self, subject: Subject, given: P) -> bytes:
        *_, last = self.payloads(subject, given)
        return last

    def payloads(self, subject: Subject, given: P) -> Iterator[bytes]:
        """Yield the payload of a subject, or several one after the other.

        Each says in its header, as "request", how the live channel is asked for the same of another net: the view, its
        parameters, and "checkpoint" and "picture" of the subject.
        """
        found = self.payload(subject, given)
        request = {"derived": self.name, "parameters": given.model_dump(mode="json"), **subject.asked}
        for payload in (found,) if isinstance(found, bytes) else found:
            yield with_header(payload, request=request)


def _check(name: object, parameters: object) -> None:
    if not isinstance(name, str):
        raise BadInput(f"A derived value has a name, not {name!r:.100}.")
    if not (isinstance(parameters, type) and issubclass(parameters, Strict)):
        raise BadInput(f"The parameters of {name} are a subclass of Strict, not {parameters!r:.100}.")
