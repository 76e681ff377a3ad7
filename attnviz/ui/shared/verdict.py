"""What a comparison of two trained models says, in a sentence: the verdict, both accuracies, and the interval."""

from attnviz import results
from attnviz.cards import Figure
from attnviz.comparisons import difference
from attnviz.ui.shared.wording import MINUS


def verdict(
    one: Figure,
    other: Figure,
    *,
    names: tuple[str, str],
    better: str,
    worse: str,
    neither: str,
    answers: int,
) -> str:
    """Return which of three claims the test figures of two models support, with their numbers, in Markdown.

    Args:
        one, other: their shares of correct answers.
        names: what each of them is, as a part of a sentence, such as "with learnt locations".
        better: the claim that holds where the one is better; Markdown without a full stop.
        worse: likewise where it is worse.
        neither: likewise where the interval of the difference contains 0.
        answers: how many classes there are to choose from.
    """
    found = difference(one, other)
    claim = {"better": better, "worse": worse, "no difference": neither, "one seed": "One seed cannot tell"}
    ends = "; one of the two was trained only once"
    if found.interval is not None:
        ends = f" (95 % interval {' to '.join(map(_points, found.interval))})"
    return (
        f"**{claim[found.verdict]}**: {names[0]}, {results.percent(one.mean)} of {one.count:,} answers are correct; "
        f"{names[1]}, {results.percent(other.mean)}. The difference is {_points(found.value)} points{ends}. "
        f"Guessing among {answers} classes gives {results.percent(1 / answers)}."
    )


def _points(share: float) -> str:
    return f"{100 * share:+.2f}".replace("-", MINUS)
