"""Does an ablation predict a retraining? Compares a part replaced in a trained model with trainings without it.

Both cost accuracy on the same test pictures. The cost of an ablation is computed seed by seed, the cost of a retraining
between means over seeds. Their 95 % intervals are Student's t over the seeds, the second with Welch's degrees of
freedom. The test pictures are the same throughout and do not contribute to the intervals.

Source: Welch, "The generalization of 'Student's' problem when several different population variances are involved",
1947. Kendall's tau, here and in `attnviz.measures.agreement`: Kendall, "A new measure of rank correlation", 1938.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attnviz import cards, formatting
from attnviz.card import Figure
from attnviz.charts import with_minus
from attnviz.comparisons import main_test
from attnviz.looks import one_look
from attnviz.measures.agreement import kendall
from attnviz.measures.difference import Difference, student
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.paper import Retraining

SEEDS = 3
"""The minimum number of trainings on each side for a pair to count."""


@dataclass(frozen=True)
class Pair:
    """The cost of replacing a part after training, and of training without it.

    Args:
        of: the part that is replaced.
        ablated, retrained: the loss of accuracy, as a share; None if not trained. With one seed, it has no interval.
    """

    of: Retraining
    ablated: Difference | None
    retrained: Difference | None

    @property
    def counts(self) -> bool:
        """Whether both sides have enough trainings."""
        return all(one is not None and min(one.seeds) >= SEEDS for one in (self.ablated, self.retrained))


@one_look()
def pairs() -> list[Pair]:
    """Return the pairs of all papers, starting with those that count."""
    found = [_pair(one) for paper in PAPERS.values() for one in paper.retrainings]
    return sorted(found, key=lambda pair: not pair.counts)


def _pair(of: Retraining) -> Pair:
    there = cards.readable([of.ablated, of.retrained])
    whole, without = (
        there[name].figure(main_test(there[name].recipe)) if name in there else None
        for name in (of.ablated, of.retrained)
    )
    if whole is None:
        return Pair(of, None, None)
    card = there[of.ablated]
    parts = [
        figure
        for one in card.ablations
        if (one.name, one.of) == (of.ablation.name, of.ablation.of)
        for figure in one.figures
        if figure.measures(main_test(card.recipe), "accuracy")
    ]
    part = max(parts, key=lambda one: one.count, default=None)
    return Pair(
        of,
        None if part is None else seed_by_seed(_seeds(whole), _seeds(part)),
        None if without is None else between(_seeds(whole), _seeds(without)),
    )


def _seeds(figure: Figure) -> Sequence[float]:
    return figure.per_seed or (figure.value,)


def seed_by_seed(whole: Sequence[float], part: Sequence[float]) -> Difference:
    """Return the loss of the same trainings, from the accuracies of each seed in the same order."""
    lost = [one - other for one, other in zip(whole, part, strict=True)]
    return _difference(lost, [0.0] * len(lost), len(lost) - 1)


def between(one: Sequence[float], other: Sequence[float]) -> Difference:
    """Return the loss of other trainings: the difference of the mean accuracies."""
    if min(len(one), len(other)) < 2:
        return _difference(one, other, 0)
    errors = [statistics.variance(side) / len(side) for side in (one, other)]
    below = sum(error**2 / (len(side) - 1) for error, side in zip(errors, (one, other), strict=True))
    return _difference(one, other, sum(errors) ** 2 / below if below else len(one) + len(other) - 2)


def _difference(one: Sequence[float], other: Sequence[float], freedom: float) -> Difference:
    value, seeds = statistics.fmean(one) - statistics.fmean(other), (len(one), len(other))
    if min(seeds) < 2:
        return Difference(value, None, seeds, missing="one seed")
    half = student(freedom) * math.sqrt(sum(statistics.variance(side) / len(side) for side in (one, other)))
    return Difference(value, (value - half, value + half), seeds)


def table(found: Iterable[Pair]) -> str:
    """Return a Markdown table with a row for each pair that counts, numbered from 1."""
    lines = [["", "Model", "Replaced in the trained model", "Points lost", "Trained without", "Points lost"]]
    for number, pair in enumerate((pair for pair in found if pair.counts), 1):
        of, (after, before) = pair.of, pair.of.instead
        lines.append(
            [str(number), f"{of.title} ({_marked(of.ablated)}", after, _lost(pair.ablated, of.ablated),
             f"{before} ({_marked(of.retrained)}", _lost(pair.retrained, of.retrained)]
        )  # fmt: skip
    return formatting.table(lines)


def _not_counted(found: Iterable[Pair]) -> list[str]:
    said = [
        f"{pair.of.title}, {pair.of.instead[0]}: {_lost(pair.ablated, pair.of.ablated)}, and {pair.of.instead[1]}: "
        f"{_lost(pair.retrained, pair.of.retrained)}"
        for pair in found
        if not pair.counts
    ]
    return [f"Not counted, with fewer than {SEEDS} trainings on a side. {'; '.join(said)}."] if said else []


def _marked(name: str) -> str:
    return ", ".join([f"`{name}`)", *formatting.marks(RECIPES[name])])


def _lost(cost: Difference | None, name: str) -> str:
    if cost is None:
        return f"*not trained* ({RECIPES[name].cost})" if RECIPES[name].cost else "*not trained*"
    seeds = " and ".join(str(count) for count in dict.fromkeys(cost.seeds))
    return formatting.points(cost) + ("" if cost.missing else f", {seeds} seeds")


@dataclass(frozen=True)
class Finding:
    """A summary of the pairs that count.

    Args:
        pairs: the number of pairs.
        ablated, retrained: the lowest and the highest cost of each side, as shares.
        above, below: the number of pairs whose interval of the ablation is entirely above, or below, the retraining's.
        tau: Kendall's tau b between the two costs, -1..1.
        as_much: the titles of pairs whose retraining costs at least as much as the ablation.
        gain: the titles of pairs with a better retraining, according to its interval.
    """

    pairs: int
    ablated: tuple[float, float]
    retrained: tuple[float, float]
    above: int
    below: int
    tau: float
    as_much: tuple[str, ...]
    gain: tuple[str, ...]


def find(found: Iterable[Pair]) -> Finding | None:
    """Return a summary of pairs, or None if fewer than two count."""
    known = [
        (pair.of.title, pair.ablated, pair.retrained)
        for pair in found
        if pair.counts and pair.ablated and pair.retrained
    ]
    if len(known) < 2:
        return None
    first, second = [one.value for _, one, _ in known], [other.value for _, _, other in known]
    ends = [(one.interval or (0, 0), other.interval or (0, 0)) for _, one, other in known]
    return Finding(
        len(known),
        (min(first), max(first)),
        (min(second), max(second)),
        sum(one[0] > other[1] for one, other in ends),
        sum(one[1] < other[0] for one, other in ends),
        float(kendall(np.array(first), np.array(second))),
        _once(title for title, one, other in known if one.value > 0 and other.value >= one.value),
        _once(title for title, _, other in known if other.interval and other.interval[1] < 0),
    )


def _once(titles: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(titles))


def conclusion(found: Iterable[Pair]) -> str:
    """Return the conclusion in Markdown."""
    told = find(found)
    if told is None:
        return f"**Not known yet**: it takes pairs with {SEEDS} trainings on both sides."
    most, rest = told.above > told.pairs / 2, told.pairs - told.above - told.below
    answer = "No, not how much." if most and abs(told.tau) < 0.5 else "Only in part."
    after, before = (with_minus(f"{100 * low:.1f} to {100 * high:.1f}") for low, high in (told.ablated, told.retrained))
    below = told.below or "none"
    parts = [
        f"**{answer}** In {told.pairs} pairs with at least {SEEDS} trainings on both sides, replacing a part of the "
        f"trained model costs {after} points of accuracy, and training without it {before}. In {told.above} pairs the "
        f"whole interval of the ablation lies above that of the retraining, in {below} below; in {rest} the two "
        f"overlap. The two orders agree {'weakly' if abs(told.tau) < 0.5 else 'well'}: Kendall's tau is "
        f"{with_minus(f'{told.tau:.2f}')}, without an interval, because pairs share models and data."
    ]
    if told.gain:
        parts.append(f"Training without the part is even better for {_named(told.gain)}.")
    if told.as_much:
        parts.append(f"It costs at least as much as the ablation for {_named(told.as_much)}.")
    parts.append(
        "An ablation shows that the trained model relies on a part, not that the task needs it: a model trained "
        "without it can learn the same by other means, and a replaced value is one that the rest of the model never "
        "encountered. To find out whether the task needs it, train again without it, with several seeds."
    )
    return " ".join(parts)


def _named(titles: Sequence[str]) -> str:
    *others, last = [f"*{title}*" for title in titles]
    return f"{', '.join(others)} and {last}" if others else last


def in_words(found: Sequence[Pair]) -> list[str]:
    """Return paragraphs in Markdown: the conclusion, the table, and how its intervals are computed."""
    return [
        conclusion(found),
        table(found),
        *_not_counted(found),
        "Points of accuracy on the same test pictures, as means over seeds; below 0 where the replacement is better. "
        "Intervals of 95 % over the seeds: Student's t of the differences seed by seed, and Welch's between trainings.",
    ]
