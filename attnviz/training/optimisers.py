"""The optimiser of a recipe, and its learning rates in the course of a training."""

import math
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import nn

from attnviz.errors import BadInput, closest
from attnviz.recipes.recipe import Group, Recipe

TRAPEZOID_FALLS, TRAPEZOID_END = 0.6, 1 / 50  # the rate falls after this share of steps, to this share of the peak
ONE_CYCLE_START, ONE_CYCLE_END = 1 / 25, 1 / 250_000  # shares of the peak, as in torch's OneCycleLR


def optimiser(model: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Return the recipe's optimiser for a model. Each of its groups also holds its peak rate, under "peak"."""
    shared: dict[str, Any] = {"lr": recipe.learning_rate, "weight_decay": recipe.weight_decay}
    groups = list(_groups(model, recipe))
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(groups, **shared, momentum=recipe.momentum, nesterov=recipe.nesterov)
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    return kind(groups, **shared, betas=recipe.betas, eps=recipe.eps)


def rate(recipe: Recipe, peak: float, progress: float, lowered: int) -> float:
    """Return the learning rate after a share `progress` of all steps, 0..1, and `lowered` reductions by "plateau"."""
    rise = recipe.rise
    if recipe.schedule == "constant":
        return peak
    if recipe.schedule == "plateau":
        return min(peak, max(recipe.plateau.lowest, peak * recipe.plateau.factor**lowered))
    if recipe.schedule == "one_cycle":
        if progress < rise:
            return _half_cosine(peak * ONE_CYCLE_START, peak, progress / rise)
        return _half_cosine(peak, peak * ONE_CYCLE_END, (progress - rise) / (1 - rise))
    if progress < rise:
        return peak * progress / rise
    if recipe.schedule == "trapezoid":
        fallen = max(0.0, (progress - TRAPEZOID_FALLS) / (1 - TRAPEZOID_FALLS))
        return peak * (1 - (1 - TRAPEZOID_END) * fallen)
    return peak * (1 + math.cos(math.pi * (progress - rise) / (1 - rise))) / 2


def _half_cosine(start: float, end: float, progress: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * progress)) / 2


def _groups(model: nn.Module, recipe: Recipe) -> Iterator[dict[str, Any]]:
    named = dict(model.named_parameters())
    groups = recipe.groups or (Group(parameters=("*",)),)
    for name in named:
        matching = [group for group in groups if _matches(name, group.parameters)]
        if len(matching) != 1:
            how = "no group" if not matching else f"{len(matching)} groups"
            raise BadInput(
                f"The recipe {recipe.key} must train each parameter in exactly one group, but {how} of it "
                f"match{'es' * (not matching)} {name!r}. Change the patterns of its groups."
            )
    for group in groups:
        for pattern in group.parameters:
            if not any(fnmatchcase(name, pattern) for name in named):
                raise BadInput(
                    f"The recipe {recipe.key} has a group with the pattern {pattern!r}, which matches no parameter. "
                    f"{closest(pattern, named)}"
                )
        own = {"weight_decay": group.weight_decay, "eps": group.eps}
        peak = recipe.learning_rate if group.learning_rate is None else group.learning_rate
        yield {
            "params": [parameter for name, parameter in named.items() if _matches(name, group.parameters)],
            "lr": peak,
            "peak": peak,
            **{name: value for name, value in own.items() if value is not None},
        }


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
