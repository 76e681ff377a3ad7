"""What a comparison of two trained models says, in a sentence: the verdict, both accuracies, and the interval."""

from collections.abc import Sequence

from attnviz import formatting
from attnviz.cards import Figure
from attnviz.comparisons import difference
from attnviz.measures.difference import Difference

NEGLIGIBLE = 0.005
"""Half a point: so small a difference of accuracies counts for nothing, and only where no end of its interval is
farther from 0 do two models count as equally good. That an interval contains 0 does not show it: it may be wide."""


def alike(found: Difference) -> bool:
    """Return whether a difference of accuracies is surely negligible: its whole interval lies within half a point.

    Args:
        found: of two shares, -1..1.

    Source: the confidence interval inclusion rule, as in Westlake, "Symmetrical confidence intervals for
        bioequivalence trials", 1976; with 95 % instead of 90 %, which asks for more.
    """
    return found.interval is not None and all(abs(end) <= NEGLIGIBLE for end in found.interval)


def verdict(
    one: Figure,
    other: Figure,
    *,
    names: tuple[str, str],
    better: str,
    worse: str,
    neither: str,
    same: str = "",
    answers: int,
    differs: Sequence[str] = (),
    paired: bool = False,
) -> str:
    """Return which of three claims the test figures of two models support, with their numbers, in Markdown.

    Args:
        one, other: their shares of correct answers.
        names: what each of them is, as a part of a sentence, such as "with learnt locations".
        better: the claim that holds where the one is better; Markdown without a full stop.
        worse: likewise where it is worse.
        neither: likewise where the interval of the difference contains 0.
        same: likewise where it contains 0 and nothing that is not negligible, see `alike`; as `neither` if empty.
        answers: how many classes there are to choose from.
        differs: what else differs between their trainings, from `attnviz.comparisons.trained_differently`.
        paired: they are of the same trainings, with a part of the model replaced in the other.
    """
    found = difference(one, other, paired=paired)
    none = same if same and alike(found) else neither
    claim = {"better": better, "worse": worse, "no difference": none, "one seed": "One seed cannot tell"}
    ends = "; one of the two was trained only once"
    if found.interval is not None:
        ends = f" (95 % interval {' to '.join(map(formatting.signed, found.interval))})"
    also = f"They were not trained alike: {'; '.join(differs)}. " if differs else ""
    return (
        f"**{claim[found.verdict]}**: {names[0]}, {formatting.percent(one.mean)} of {one.count:,} answers are correct "
        f"({_seeds(one)}); {names[1]}, {formatting.percent(other.mean)} ({_seeds(other)}). The difference is "
        f"{formatting.signed(found.value)} points{ends}. {also}"
        f"Guessing among {answers} classes gives {formatting.percent(1 / answers)}."
    )


def _seeds(figure: Figure) -> str:
    return "one seed" if figure.seeds == 1 else f"{figure.seeds} seeds"
