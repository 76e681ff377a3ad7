"""The comparison of two trained models in a sentence: the verdict, both accuracies, and the interval."""

from collections.abc import Sequence

from attnviz import data, formatting
from attnviz.card import Figure
from attnviz.comparisons import difference
from attnviz.measures.difference import Difference
from attnviz.subjects import Net

_MISSING = {
    "one seed": "one of the two was trained only once",
    "no answers of each seed": "the answers of each seed are not known",
}
NOT_TRAINED = "**Not known yet**: one of the two models that would be compared has not been trained."


def margin(found: Difference) -> str:
    """Return the margin of a difference in words: "0.5 points either way"."""
    return f"{100 * found.margin:.2g} points either way"


def undecided(found: Difference) -> str:
    """Return why a difference is inconclusive, as part of a sentence."""
    if found.interval is None:
        return _MISSING.get(found.missing, found.missing)
    return f"the interval contains 0 and more than {margin(found)}"


def verdict(
    one: Figure | None,
    other: Figure | None,
    *,
    names: tuple[str, str],
    better: str,
    worse: str,
    same: str = "Hardly any difference",
    unknown: str = NOT_TRAINED,
    answers: int,
    differs: Sequence[str] = (),
    paired: bool = False,
) -> str:
    """Return a Markdown sentence with the claim, if any, that two models' shares of correct answers support, and the
    numbers; or what is `unknown` if one of the two is None.

    `better`, `worse` and `same`, without a full stop, are the claims if `one` is better or worse than `other`, or the
    difference is certainly within the margin; otherwise the verdict is "Not decided". `names` are parts of a sentence,
    such as "with learnt locations". `answers` is the number of classes. `differs` comes from
    `attnviz.comparisons.trained_differently`. `paired` means that both figures come from the same trainings, with a
    part of the model replaced in the other.
    """
    if one is None or other is None:
        return unknown
    found = difference(one, other, paired=paired)
    claim = {"better": better, "worse": worse, "within the margin": same, "not decided": "Not decided"}
    ends = f" (95 % interval {' to '.join(map(formatting.signed, found.interval))})" if found.interval else ""
    ends += f"; {undecided(found)}" if found.verdict == "not decided" else ""
    ends += f", within {margin(found)}" if found.verdict == "within the margin" else ""
    also = f"They were trained differently: {'; '.join(differs)}. " if differs else ""
    return (
        f"**{claim[found.verdict]}**: {names[0]}, {formatting.percent(one.mean)} of {one.count:,} answers are correct "
        f"({_seeds(one)}); {names[1]}, {formatting.percent(other.mean)} ({_seeds(other)}). The difference is "
        f"{formatting.signed(found.value)} points{ends}. {also}"
        f"Guessing among {answers} classes gives {formatting.percent(1 / answers)}."
    )


def _seeds(figure: Figure) -> str:
    return "one seed" if figure.seeds == 1 else f"{figure.seeds} seeds"


def beside(finding: str, net: Net, source: str) -> str:
    """Return a finding in Markdown, below a caveat if its networks were trained on another data set than the net."""
    if net.data == source:
        return finding
    title = data.spec(source).title
    return f"Measured with networks that were trained on {title}, not on the data of the model above.\n\n{finding}"
