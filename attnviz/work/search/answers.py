"""The effects of settings in a search: whether more of one is better, with an interval, and its importance.

    contrast(found, "heads")           # with more than one head the accuracy is 0.2 points higher, -0.3 to 0.8
    importances(found)                 # by two methods, which need not agree

The trials of a search are not sampled uniformly: TPE prefers good settings, so that a difference can appear larger or
smaller than it is. Random trials (`--random --no-prune`) have no such bias.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attnviz.errors import BadInput
from attnviz.recipes.axes import Axis
from attnviz.work.search.trials import Found, Trial

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

ENOUGH = 50
"""The minimum number of trials for PED-ANOVA according to its authors: it needs five in the best tenth."""

_DRAWS = 2000  # bootstrap samples
_GROUPS = 4  # number of groups for the values of a range, or of a choice among many numbers
_OF_EACH = 3  # minimum mean number of trials per value for each value to be its own group


@dataclass(frozen=True)
class Contrast:
    """The increase of the value if a setting is above its lowest value, with the other settings adjusted for linearly.

    Its 95 % interval is None if a side has fewer than three trials; `counts` are the numbers of trials at the lowest
    value and above it.
    """

    value: float
    interval: tuple[float, float] | None
    counts: tuple[int, int]

    @property
    def is_open(self) -> bool:
        """Whether the trials leave open if the setting matters."""
        return self.interval is None or self.interval[0] <= 0 <= self.interval[1]


def contrast(found: Found, name: str, first: bool = False) -> Contrast | None:
    """Compare the complete trials above the lowest value of an axis with those at it; a range is split in the middle.

    Pruned trials are not complete. Since they were poor, the others are not a fair sample; after the `first` epoch none
    has been pruned yet. Return None if all trials are on one side, or the search has no such axis.

    The difference is a least-squares coefficient, with a linear term for each other axis, and a quadratic term if it
    has more than two values. The interval comes from bootstrapping the trials (Efron, "Bootstrap methods: another look
    at the jackknife", 1979).
    """
    axis = next((axis for axis in found.axes if axis.name == name), None)
    trials = tuple(trial for trial in found.finished if trial.values) if first else found.complete
    if axis is None or not trials:
        return None
    places = _places(trials, axis)
    above = is_above(axis, places)
    counts = int((~above).sum()), int(above.sum())
    if not min(counts):
        return None
    values = np.array([trial.values[0] if first else trial.value for trial in trials], float)
    columns = [np.ones(len(trials)), above.astype(float)]
    for other in found.axes:
        own = _places(trials, other)
        if other.name != name and len(different := np.unique(own)) > 1:
            columns += [own, own**2] if len(different) > 2 else [own]
    design = np.stack(columns, 1)
    value = _coefficient(design, values)
    if min(counts) < 3:
        return Contrast(value, None, counts)
    drawn = _drawn_again(design, values, above)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Contrast(value, (float(low), float(high)), counts)


def importances(found: Found) -> dict[str, dict[str, float]]:
    """Return the importance of each axis, 0..1, by two methods: name of the method -> name of the axis -> share.

    "among the best tenth": how much an axis determines whether a complete trial is in the best tenth; the shares of all
    axes sum to 1 (Watanabe, Bansal and Hutter, "PED-ANOVA: efficiently quantifying hyperparameter importance in
    arbitrary subspaces", 2023). "over all trials": the share of the variance of the values that the axis alone
    explains, corrected for the number of its groups (omega squared: Hays, "Statistics for psychologists", 1963); these
    need not sum to 1. The values of a range are divided into four groups, as are numbers that few trials share; words
    that few trials share are left out, since they cannot be grouped by similarity.
    """
    trials = found.complete
    if len(trials) < 10 or len({trial.value for trial in trials}) < 2:
        raise BadInput(f"Importance needs at least 10 complete trials with different values; there are {len(trials)}.")
    varied = [axis for axis in found.axes if len({trial.params.get(axis.name) for trial in trials}) > 1]
    return {
        "among the best tenth": _ped_anova(found, varied),
        "over all trials": {axis.name: share for axis in varied if (share := _omega(trials, axis)) is not None},
    }


def is_above(axis: Axis, places: np.ndarray) -> np.ndarray:
    """Return which positions on an axis, 0..1, are above: all but the lowest choice, or the upper half of a range."""
    return places > (1e-9 if axis.choices else 0.5)


def _places(trials: tuple[Trial, ...], axis: Axis) -> np.ndarray:
    return np.array([axis.place(trial.params[axis.name]) for trial in trials])


def _coefficient(design: np.ndarray, values: np.ndarray) -> float:
    return float(np.linalg.lstsq(design, values, rcond=None)[0][1])


def _drawn_again(design: np.ndarray, values: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return the coefficient for bootstrap samples of the trials, for all samples with trials on both sides.

    Least squares with repeated rows equals weighted least squares, solved by the normal equations for all samples at
    once.
    """
    count, columns = design.shape
    which = np.random.default_rng(0).integers(0, count, (_DRAWS, count))
    sides = above[which].sum(1)
    which = which[(sides > 0) & (sides < count)]
    places = which + count * np.arange(len(which))[:, None]
    times = np.bincount(places.ravel(), minlength=which.size).reshape(which.shape).astype(float)
    squares = (times @ (design[:, :, None] * design[:, None, :]).reshape(count, -1)).reshape(-1, columns, columns)
    right = times @ (design * values[:, None])
    drawn: np.ndarray = (np.linalg.pinv(squares, rcond=1e-12, hermitian=True)[:, 1] * right).sum(1)
    return drawn


def _omega(trials: tuple[Trial, ...], axis: Axis) -> float | None:
    """Return the share of the variance that an axis explains, or None if its values cannot be grouped."""
    places = _places(trials, axis)
    # With nearly one group per trial, too little is left to correct for noise, which alone would explain much.
    are_few_alike = _OF_EACH * len(np.unique(places)) > len(places)
    if are_few_alike and not all(isinstance(choice, int | float) for choice in axis.choices):
        return None
    if are_few_alike or not axis.choices:
        edges = np.quantile(places, np.linspace(0, 1, _GROUPS + 1)[1:-1])
        places = np.searchsorted(edges, places).astype(float)
    values = np.array([trial.value for trial in trials], float)
    groups = [values[places == place] for place in np.unique(places)]
    total = float(((values - values.mean()) ** 2).sum())
    between = sum(len(group) * float(group.mean() - values.mean()) ** 2 for group in groups)
    within = (total - between) / max(1, len(values) - len(groups))
    return max(0.0, (between - (len(groups) - 1) * within) / (total + within))


def _ped_anova(found: Found, varied: list[Axis]) -> dict[str, float]:
    try:
        import optuna
    except ImportError as error:
        raise BadInput('Importance needs Optuna. Install it: pip install "attnviz[search]"') from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize" if found.better == "higher" else "minimize")
    kinds = {axis.name: _distribution(axis) for axis in varied}
    for trial in found.complete:
        params = {name: trial.params[name] for name in kinds}
        study.add_trial(optuna.trial.create_trial(params=params, distributions=kinds, value=trial.value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of few trials, as the page does
        evaluator = optuna.importance.PedAnovaImportanceEvaluator()
        shares: Mapping[str, float] = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return {axis.name: float(shares.get(axis.name, 0.0)) for axis in varied}


def _distribution(axis: Axis) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if axis.choices:
        return CategoricalDistribution(axis.choices)
    low, high = axis.ends
    return IntDistribution(int(low), int(high), axis.log) if axis.whole else FloatDistribution(low, high, axis.log)  # type: ignore[arg-type]
