"""Nets: models with weights, and everything that views, the live channel and exports need to know about them.

The origin of the weights makes no difference. A key without a colon names a checkpoint, "run:ID@EPOCH" the weights at
an epoch of a run, and "history:NAME@EPOCH" those at an epoch of a checkpoint's history. Other kinds of keys are rows of
`attnviz.subjects.NETS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from attnviz import models
from attnviz.arrays import Bytes
from attnviz.data import inputs
from attnviz.data.specs import DATASETS
from attnviz.grids import Grid
from attnviz.models import Input

if TYPE_CHECKING:
    from torch import nn

    from attnviz.card import Card
    from attnviz.recipes.recipe import Recipe


class Loaded(NamedTuple):
    """A torch module in evaluation mode and without gradients, and its net."""

    model: nn.Module
    net: Net


@dataclass(frozen=True, eq=False)
class Net:
    """A model with its weights.

    Args:
        key: its name in URLs, in requests of the live channel and in caches.
        title: its name for readers.
        architecture: a name in `attnviz.models.MODELS`, by which mechanisms recognise their models.
        config: the configuration of the architecture.
        classes: the names of the answers, in the order of the logits.
        input: the format of its pictures.
        grid: the positions of its tokens or cells on the picture, or None if it has none.
        digest: the digest of its weights: nets with the same key and digest give the same answers.
        data: the data set that it was trained on, or None if it is unknown.
        labels: its classes as labels of that data set.
        recipe, seed: the recipe and the seed of its training, or "" and 0 if they are unknown.
        parameters: the number of learnt parameters, or None if it is unknown.
        takes: the keyword arguments of its `forward` besides the pictures, such as "generator".
        differentiable: whether its logits have a gradient with respect to the picture.
        card: the model card of a checkpoint, or None for another kind of net.
        history: the key of its history, see `attnviz.subjects.history`, or "".
        epoch: its epoch in that history, or in a run; None for a checkpoint.
        build: a function that returns the torch module in single precision, with its weights.
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

    def fitted(self, picture: Bytes) -> Bytes:
        """Convert a finished picture, uint8 (row, column, channel), to the rows, columns and channels of the net."""
        return inputs.fitted(picture, **asdict(self.input))

    def load(self, *, double: bool = False) -> Loaded:
        """Return the torch module with its weights.

        Args:
            double: whether to use double precision, so that displayed numbers are exact to all their digits.

        Raises:
            CheckpointError: the weights are missing, or differ from the net's description.
        """
        model = self.build().eval().requires_grad_(False)
        return Loaded(model.double() if double else model, self)


class NetKind(Protocol):
    """A kind of net, for keys that start with its name and a colon."""

    def __call__(self, key: str) -> Net:
        """Return the net with that key, which begins with the name of the kind, or raise UnknownName."""
        ...


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
    """Return a net that was trained by a recipe."""
    spec, known = models.spec(recipe.model), recipe.data in DATASETS  # not a visitor's own pictures
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
