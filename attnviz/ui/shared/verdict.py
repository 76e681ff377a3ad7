"""What a comparison of two trained models says, in a sentence: the verdict, both accuracies, and the interval."""

from collections.abc import Sequence

from attnviz import formatting
from attnviz.cards import Figure
from attnviz.comparisons import difference


def verdict(
    one: Figure,
    other: Figure,
    *,
    names: tuple[str, str],
    better: str,
    worse: str,
    neither: str,
    answers: int,
    differs: Sequence[str] = (),
) -> str:
    """Return which of three claims the test figures of two models support, with their numbers, in Markdown.

    Args:
        one, other: their shares of correct answers.
        names: what each of them is, as a part of a sentence, such as "with learnt locations".
        better: the claim that holds where the one is better; Markdown without a full stop.
        worse: likewise where it is worse.
        neither: likewise where the interval of the difference contains 0.
        answers: how many classes there are to choose from.
        differs: what else differs between their trainings, from `attnviz.comparisons.trained_differently`.
    """
    found = difference(one, other)
    claim = {"better": better, "worse": worse, "no difference": neither, "one seed": "One seed cannot tell"}
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
