"""Evaluations of a trained model with a part replaced, so that a card can record how much the part contributes.

    Recipe(..., ablations=(Ablation(name="mean", of="layers.*.relevance"),))

`EVALUATIONS` is a table. A mechanism's file, or another package, adds a row for a part that only its models have:
`EVALUATIONS["mine"] = Evaluation("with ... replaced", function)`, where the function returns a context manager in which
the model behaves differently.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.edits import Change, Edit, set_value, together
from attnviz.errors import BadInput, UnknownName
from attnviz.extensions import Table
from attnviz.recipes.recipe import Ablation, Recipe
from attnviz.tracing import trace
from attnviz.training.examples import TrainingSet, as_float
from attnviz.training.objectives import MEASURING_SEED, logits_of

PICTURES, BATCH = 3_000, 250  # the number of training pictures for a mean, and the size of a batch


@dataclass(frozen=True)
class Evaluation:
    """One way to replace a part of a model.

    Args:
        title: a description; `{of}` is replaced by the recipe's `of`.
        replaced: a function of a model in evaluation mode, its training pictures and the recipe's `of` that returns a
            context in which the model's forward pass is replaced.
    """

    title: str
    replaced: Callable[[nn.Module, TrainingSet, str], AbstractContextManager[None]]


@contextmanager
def edited(model: nn.Module, edits: dict[str, tuple[Edit, ...]]) -> Iterator[None]:
    """Edit every pass of a model in the block by replacing its `forward`; edits are by tap path, as in `trace`."""
    forward = model.forward

    @wraps(forward)
    def traced(*given: Any, **named: Any) -> Any:
        with trace(model, keep=(), edits=edits):
            return forward(*given, **named)

    model.forward = traced
    try:
        yield
    finally:
        del model.forward  # restores its class's method


def at_mean(model: nn.Module, train: TrainingSet, of: str) -> AbstractContextManager[None]:
    """Return a context in which every forward pass of a model in evaluation mode sets the taps that match a pattern to
    their mean over the first training pictures, so that they do not depend on the picture.
    """
    generator, sums, visits = (
        torch.Generator().manual_seed(MEASURING_SEED),
        dict[str, Tensor](),
        dict[str, str | None](),
    )
    few = train.first(PICTURES)
    for part in few.split(BATCH):
        with torch.no_grad(), trace(model, keep=of) as seen:
            logits_of(model, as_float(part.images), generator)
        for path, reading in seen.items():
            place = reading.axes.index("batch")
            if path in sums and sums[path].shape != reading.tensor.select(place, 0).shape:
                raise BadInput(f"{path} differs in size from picture to picture, so it has no mean over them.")
            sums[path] = sums.get(path, torch.zeros(())) + reading.tensor.double().sum(place)
            visits[path] = reading.axes[0] if place else None
    means = {path: total / len(few) for path, total in sums.items()}
    edits: list[dict[str, Edit]] = []
    for path, mean in means.items():
        per = visits[path]
        edits += (
            [{path: set_value(mean)}]
            if per is None
            else [{path: set_value(one, **{per: i})} for i, one in enumerate(mean)]
        )
    return edited(model, together(*edits))


def shuffled(model: nn.Module, train: TrainingSet, of: str) -> AbstractContextManager[None]:
    """Return a context like that of `at_mean` in which every picture gets the taps of the previous one in its batch.

    The first picture gets those of the last. All are replaced in the same pass, so from the second block or glimpse on,
    a picture gets the taps of one whose own earlier taps were replaced by those of a third.
    """
    change = Change(lambda path, tensor, axes: tensor.roll(1, axes.index("batch")), {})
    return edited(model, dict.fromkeys(_taps(model, train, of), (change,)))


def constant(value: float | Tensor) -> Callable[[nn.Module, TrainingSet, str], AbstractContextManager[None]]:
    """Return an evaluation that sets the taps to one value, or their last axes to one array, for all pictures."""
    return lambda model, train, of: edited(model, {path: (set_value(value),) for path in _taps(model, train, of)})


EVALUATIONS: Table[Evaluation] = Table(
    "evaluations",
    {
        "mean": Evaluation(f"{{of}} at its mean over {PICTURES:,} training pictures", at_mean),
        "shuffled": Evaluation("{of} of another picture", shuffled),
        "zero": Evaluation("{of} set to 0", constant(0.0)),
        "one": Evaluation("{of} set to 1", constant(1.0)),
        "identity": Evaluation("{of} set to the identity", constant(torch.eye(2, 3))),
    },
)


def evaluation(ablation: Ablation) -> Evaluation:
    """Return the evaluation named by a recipe's ablation."""
    if ablation.name not in EVALUATIONS:
        raise UnknownName("evaluation", ablation.name, EVALUATIONS)
    return EVALUATIONS[ablation.name]


def check(recipe: Recipe) -> None:
    """Check that all evaluations named by a recipe exist."""
    for ablation in recipe.ablations:
        evaluation(ablation)


def _taps(model: nn.Module, train: TrainingSet, of: str) -> list[str]:
    generator = torch.Generator().manual_seed(MEASURING_SEED)
    with torch.no_grad(), trace(model, keep=of) as seen:
        logits_of(model, as_float(next(train.first(2).split(2)).images), generator)
    return list(seen)
