"""A net: a model with its weights, and all that views, the live channel and exports need to know of it.

Where its weights come from makes no difference to them. A key without a colon names a checkpoint; "run:ID@EPOCH" names
the weights of one epoch of a run, "history:NAME@EPOCH" those of one epoch of a checkpoint's history; other kinds of
keys are rows of `NETS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from attnviz import models
from attnviz.data.specs import DATASETS
from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.grids import Grid
from attnviz.models import Input

if TYPE_CHECKING:
    from torch import nn

    from attnviz.cards import Card
    from attnviz.recipes.recipe import Recipe


class Loaded(NamedTuple):
    """A torch module in evaluation mode and without gradients, and the net whose weights it has."""

    model: nn.Module
    net: Net


@dataclass(frozen=True, eq=False)
class Net:
    """A model with its weights.

    Args:
        key: its name in URLs, in requests of the live channel and in caches.
        title: its name for people.
        architecture: a name in `attnviz.models.MODELS`, by which mechanisms know their models.
        config: what the architecture was built from.
        classes: the names of the answers, in the order of the logits.
        input: the pictures that it takes.
        grid: where its tokens or cells lie on the picture; None where it has none.
        digest: of its weights: two nets with the same key and digest give the same answers.
        data: the data set that it was trained on; None if that is not known.
        labels: its classes as labels of that data set.
        recipe, seed: how it was trained; "" and 0 if that is not known.
        parameters: the number of learnt parameters; None if that is not known.
        takes: keyword arguments of its `forward` beside the pictures, such as "generator".
        differentiable: whether its logits have a gradient with respect to the picture.
        card: the model card of a checkpoint; None for every other kind of net.
        history: the key of the history that it belongs to, see `attnviz.subjects.history`; "" where it has none.
        epoch: of that history, or of a run; None for a checkpoint.
        build: returns the torch module in single precision, with its weights.
    """

    key: str
    title: str
    architecture: str
    config: Mapping[str, Any]
    classes: tuple[str, ...]
    input: Input
    digest: str
    build: Callable[[], nn.Module] = field(repr=False)
    grid: Grid | None = None
    data: str | None = None
    labels: tuple[int, ...] = ()
    recipe: str = ""
    seed: int = 0
    parameters: int | None = None
    takes: tuple[str, ...] = ()
    differentiable: bool = True
    card: Card | None = field(default=None, repr=False)
    history: str = ""
    epoch: int | None = None

    def load(self, *, double: bool = False) -> Loaded:
        """Return the torch module with its weights.

        Args:
            double: in double precision, so that what is shown is exact to far more digits than are shown.

        Raises:
            CheckpointError: the weights are missing, or are not those that the net describes.
        """
        model = self.build().eval().requires_grad_(False)
        return Loaded(model.double() if double else model, self)


class NetKind(Protocol):
    """A kind of net, for keys that begin with its name and a colon."""

    def __call__(self, key: str) -> Net:
        """Return the net with that key; the key begins with the name of the kind.

        Raises:
            UnknownName: there is no such net.
        """
        ...


def _run(key: str) -> Net:
    from attnviz.subjects.runs import epoch_of_run

    return epoch_of_run(key)


def _history(key: str) -> Net:
    from attnviz.subjects.history import epoch_of_history

    return epoch_of_history(key)


NETS: Table[NetKind] = Table("nets", {"run": _run, "history": _history})
"""Kinds of nets besides checkpoints, by what their keys begin with; other packages add rows (attnviz/extensions.py)."""


def net(key: str) -> Net:
    """Return the net with a key.

    Raises:
        UnknownName: there is no such net; the closest ones are listed.
        CheckpointError: it is a checkpoint whose card cannot be used.
    """
    kind, colon, _ = key.partition(":")
    if colon:
        if kind not in NETS:
            raise UnknownName("kind of net", kind, NETS)
        return NETS[kind](key)
    from attnviz import cards

    return of_card(cards.read(key))


def usable(among: Sequence[str] | None = None) -> dict[str, Net]:
    """Return those of several checkpoints, or of all, that can be shown: with a readable card, and with weights."""
    from attnviz import cards

    found = {}
    for name, card in cards.usable(cards.names() if among is None else among).items():
        with suppress(UnknownName):  # of its architecture
            found[name] = of_card(card)
    return found


def of_card(card: Card) -> Net:
    """Return the net of a checkpoint; the same one as long as its card and whether it has a history stay the same."""
    from attnviz.training import histories

    has_history = histories.there(card.name)
    known = _of_cards.get(card.name)
    if known is not None and known[0] is card and known[1] == has_history:
        return known[2]
    found = of_recipe(
        card.recipe,
        key=card.name,
        config=card.config,
        classes=card.classes,
        digest=card.weights_digest,
        seed=card.seed,
        parameters=card.parameters,
        card=card,
        history=card.name if has_history else "",
        build=lambda: _weights(card),
    )
    if len(_of_cards) >= _MOST:
        _of_cards.clear()
    _of_cards[card.name] = card, has_history, found
    return found


_of_cards: dict[str, tuple[Card, bool, Net]] = {}
_MOST = 512


def of_recipe(
    recipe: Recipe,
    *,
    key: str,
    config: Mapping[str, Any],
    classes: tuple[str, ...],
    digest: str,
    seed: int,
    build: Callable[[], nn.Module],
    title: str | None = None,
    parameters: int | None = None,
    card: Card | None = None,
    history: str = "",
    epoch: int | None = None,
) -> Net:
    """Return a net that was trained by a recipe.

    Args:
        recipe: that it was trained by; its title is that of the net, unless another one is given.
        key, config, classes, digest, seed, build, title, parameters, card, history, epoch: as of `Net`.

    Raises:
        UnknownName: there is no architecture of the recipe's name.
    """
    spec, known = models.spec(recipe.model), recipe.data in DATASETS  # not pictures that a visitor has brought
    return Net(
        key=key,
        title=title or recipe.title,
        architecture=recipe.model,
        config=config,
        classes=classes,
        input=spec.input(config),
        grid=spec.grid(config),
        digest=digest,
        data=recipe.data if known else None,
        labels=tuple(recipe.classes) if known else (),
        recipe=recipe.name,
        seed=seed,
        parameters=parameters,
        takes=spec.takes,
        differentiable=spec.differentiable,
        card=card,
        history=history,
        epoch=epoch,
        build=build,
    )


def _weights(card: Card) -> nn.Module:
    from attnviz import checkpoints

    return checkpoints.load(card.name).model
