"""Probes: values measured after every epoch, named by a recipe and kept in the curve with the losses.

    Recipe(..., probes=(Probe(name="loss_sum"), Probe(name="gradient_norm", of="conv1.weight")))

`PROBES` is a table. A mechanism's file, or another package, adds a row for its own models: `PROBES["mine"] = function`,
where the function takes a `Moment` and the word `of` and returns a number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput, UnknownName, closest
from attnviz.extensions import Table
from attnviz.readings import Reading
from attnviz.recipes.recipe import Recipe
from attnviz.tracing import trace
from attnviz.training.examples import TrainingSet, as_float
from attnviz.training.objectives import MEASURING_SEED, logits_of

PICTURES = 256  # the number of training pictures for a probe of a tap


@dataclass(frozen=True)
class Moment:
    """The input of a probe: the state at the end of an epoch.

    Args:
        model: after the epoch's last step; its parameters still hold the gradients of that step. It is in evaluation
            mode and may be run, without gradients.
        losses: the losses of the epoch's batches in order, (step,), each a mean over its batch.
        train: the training part, without variants.
        taps: the tap paths, or patterns, that the recipe's probes ask for.
    """

    model: nn.Module
    losses: Tensor
    train: TrainingSet
    taps: tuple[str, ...] = ()

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """The readings on the first training pictures, from one pass for all probes: tap path -> reading."""
        generator = torch.Generator().manual_seed(MEASURING_SEED)
        with trace(self.model, keep=self.taps) as seen:
            first = next(self.train.first(PICTURES).split(PICTURES))
            logits_of(self.model, as_float(first.images), generator)
        return seen


def loss_sum(moment: Moment, of: str) -> float:
    """Sum of the batches' mean losses."""
    return float(moment.losses.double().sum())


def gradient_mean(moment: Moment, of: str) -> float:
    """Signed mean of a parameter's gradient at the last step, or 0 without a gradient. `of` is the parameter's name, or
    selects along its first axis: "layers.0.x_weights[0]".
    """
    return float(_gradient(moment, of).double().mean())


def gradient_norm(moment: Moment, of: str) -> float:
    """Euclidean norm of a parameter's gradient at the last step, 0 or more."""
    return float(_gradient(moment, of).double().norm())


def gradient_zeros(moment: Moment, of: str) -> float:
    """Share of a parameter's gradient at the last step that is exactly 0, 0..1; 1 if it has no gradient."""
    return float((_gradient(moment, of) == 0).mean(dtype=torch.float64))


def parameter_std(moment: Moment, of: str) -> float:
    """Standard deviation of a parameter's numbers (without Bessel's correction). `of` is the parameter's name, or
    selects along its first axis: "layers.0.x_weights[0]".
    """
    return float(_parameter(moment, of).detach().double().std(correction=0))


def tap_variance(moment: Moment, of: str) -> float:
    """Variance of all values of the tap whose path matches a pattern, over the first training pictures."""
    return float(_tap(moment, of)[0].double().var(correction=0))


def tap_zeros(moment: Moment, of: str) -> float:
    """Share of the values of a tap that are exactly 0, over the first training pictures."""
    return float((_tap(moment, of)[0] == 0).mean(dtype=torch.float64))


def tap_negatives(moment: Moment, of: str) -> float:
    """Share of the values of a tap that are below 0, so that ReLU cuts them, over the first training pictures."""
    return float((_tap(moment, of)[0] < 0).mean(dtype=torch.float64))


def tap_spread(moment: Moment, of: str) -> float:
    """Dependence of a tap on the picture: its standard deviation over pictures, averaged over all other axes."""
    tensor, axes = _tap(moment, of)
    return float(tensor.double().std(axes.index("batch"), correction=0).mean())


PROBES: Table[Callable[[Moment, str], float]] = Table(
    "probes",
    {
        "loss_sum": loss_sum,
        "gradient_mean": gradient_mean,
        "gradient_norm": gradient_norm,
        "gradient_zeros": gradient_zeros,
        "parameter_std": parameter_std,
        "tap_variance": tap_variance,
        "tap_zeros": tap_zeros,
        "tap_negatives": tap_negatives,
        "tap_spread": tap_spread,
    },
)

_OF_TAPS = (tap_variance, tap_zeros, tap_negatives, tap_spread)


def probe(recipe: Recipe, moment: Moment) -> dict[str, float]:
    """Return a recipe's probes at the end of an epoch: name in the curve -> value, which may be NaN or infinite. The
    model is put into evaluation mode.
    """
    moment.model.eval()
    values = {}
    asked_of_taps = [asked.of for asked in recipe.probes if PROBES.get(asked.name) in _OF_TAPS]
    moment = replace(moment, taps=tuple(dict.fromkeys(asked_of_taps)))
    for asked in recipe.probes:
        if asked.name not in PROBES:
            raise UnknownName("probe", asked.name, PROBES)
        with torch.no_grad():
            values[asked.column] = PROBES[asked.name](moment, asked.of)
    return values


def _parameter(moment: Moment, of: str) -> Tensor:
    return _part(moment, of, lambda parameter: parameter.detach())


def _gradient(moment: Moment, of: str) -> Tensor:
    return _part(moment, of, lambda p: torch.zeros_like(p) if p.grad is None else p.grad)


def _part(moment: Moment, of: str, get: Callable[[nn.Parameter], Tensor]) -> Tensor:
    """Return `get` of the named parameter: for "layers.0.x_weights[0]", its first entry along the first axis."""
    parameters = dict(moment.model.named_parameters())
    name, _, index = of.removesuffix("]").partition("[")
    if name not in parameters:
        raise BadInput(f"A probe asks for the parameter {name!r}, which the model lacks. {closest(name, parameters)}")
    tensor = get(parameters[name])
    if not index:
        return tensor
    if not index.isdecimal() or int(index) >= len(tensor):
        raise BadInput(f"A probe asks for {of!r}; {name} has {len(tensor)} parts, counted from 0.")
    return tensor[int(index)]


def _tap(moment: Moment, of: str) -> tuple[Tensor, tuple[str, ...]]:
    found = [reading for path, reading in moment.readings.items() if fnmatchcase(path, of)]
    if len(found) != 1:
        paths = ", ".join(reading.path for reading in found)
        raise BadInput(f"A probe measures one tap, but {of!r} matches {len(found)}: {paths}.")
    (reading,) = found
    return reading.tensor, reading.axes
