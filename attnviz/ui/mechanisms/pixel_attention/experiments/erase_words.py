"""The sentences and tables of the experiment *Does it matter?*, written without streamlit or torch."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attnviz.arrays import Floats
from attnviz.measures.difference import paired

if TYPE_CHECKING:
    from attnviz.measures.erasure import Curve


def one_picture(changes: Floats, logit: float, answer: str, count: int, unit: str) -> str:
    """Return the effect of removals on the logit of one picture, from its changes (2 + draw,): see `Removal`."""
    attended, draws = changes[0], changes[2:]
    return (
        f"The model answers **{answer}**, with a logit of {signed(logit, plus=False)}. Without {_most(count, unit)} "
        f"the logit is {signed(logit + attended, plus=False)}, after {len(draws)} random removals of as much ink "
        f"{signed(logit + draws.mean(), plus=False)} on average."
    )


def finding(changes: Floats, count: int, unit: str) -> str:
    """Return the finding on whether the most attended pixels matter more for one answer than expected by chance."""
    attended, jacobian, draws = changes[0], changes[1], changes[2:]
    below, above, several = int((attended < draws).sum()), int((attended > draws).sum()), len(draws)
    without = f"without {_most(count, unit)} the model is"
    removals = f"{several} random removals of as much ink"
    if below == several:
        said = f"**Yes, on this picture**: {without} less sure of its answer than after any of {removals}."
    elif above == several:
        said = (
            f"**No, on this picture the opposite holds**: {without} surer of its answer than after any of {removals}."
        )
    else:
        said = (
            f"**No clear difference on this picture**: {without} less sure of its answer than after {below} of "
            f"{removals}; pixels that matter no more than others would give about {round(several / 2)}."
        )
    if jacobian < min(attended, float(draws.min())):
        said += (
            " Without the pixels that the Jacobian chooses, it is the least sure: these are chosen by what changes the "
            "answer, not by attention."
        )
    return said


def _most(count: int, unit: str) -> str:
    number = "" if count == 1 else f"{count} "
    return f"the {number}most attended {_unit(count, unit)}"


def _unit(count: int, unit: str) -> str:
    if count != 1:
        return unit
    return "pixel" if unit == "pixels" else unit.replace("boxes", "box", 1)


def table(changes: Floats, answers: Sequence[str], ink: int, jacobian_ink: int, count: int, unit: str) -> str:
    """Return the changes of one picture and its answers after removals, both (2 + draw,), as a Markdown table."""
    draws = changes[2:]
    (usual, times), *others = Counter(answers[2:]).most_common()
    drawn = f"{usual} ({times} of {len(draws)})" if others else usual
    return "\n".join(
        [
            f"| {count} {_unit(count, unit)} | of these, ink | answer without them | change of the logit |",
            "| --- | ---: | ---: | ---: |",
            f"| most attended | {ink} | {answers[0]} | {signed(changes[0])} |",
            f"| chosen by the Jacobian | {jacobian_ink} | {answers[1]} | {signed(changes[1])} |",
            f"| at random, mean (range) of {len(draws)} draws | {ink} | {drawn} | {signed(draws.mean())} "
            f"({signed(draws.min())} to {signed(draws.max())}) |",
        ]
    )


def verdict(curve: "Curve", unit: str) -> str:
    """Return the finding on whether the attended pixels matter more than random ones with as much ink."""
    if len(curve.logits) < 2:
        return "One picture alone is not enough for a conclusion."
    found = paired(curve.attended, curve.random.mean(2))
    at = len(curve.counts) // 2
    verdicts = found.verdicts
    sign = int(verdicts[at])
    sure_of = {-1: "less sure", 1: "surer", 0: "as sure"}[sign]
    matter = {-1: "matter more than chance", 1: "matter less than chance", 0: "do not matter more than chance"}[sign]
    others = "random ones with as much ink"
    than = f"than without {others}" if sign else f"as without {others}, as far as {len(curve.logits)} pictures can show"
    lines = {name: curve.line(name) for name in ("attended", "random", "jacobian")}
    same = int((verdicts == sign).sum())
    also = (
        f"The same holds for {same} of the {len(verdicts)} numbers of removed {unit.partition(' ')[0]}."
        if len(verdicts) > 1
        else ""
    )
    return (
        f"Without the most attended {unit} this model is **{sure_of}** of its answer {than}: they {matter}. Without "
        f"{curve.counts[at]} of {curve.places} the logit changes by {signed(lines['attended'].mean[at])} on average, "
        f"without random ones by {signed(lines['random'].mean[at])}: a difference of {signed(found.mean[at])} (95 % "
        f"interval {signed(found.low[at])} to {signed(found.high[at])}, {len(curve.logits)} pictures), below 0 on "
        f"{round(found.below[at] * len(curve.logits))} of them; chance would give about "
        f"{round(len(curve.logits) / 2)}. Without the pixels that the Jacobian chooses, it changes by "
        f"{signed(lines['jacobian'].mean[at])}. {also}"
    ).rstrip()


def csv(curve: "Curve", numbers: Sequence[int], origin: Mapping[str, str]) -> str:
    """Return all changes in full precision as CSV: a line for each picture (test number), count and choice."""
    lines = [f"# {name}: {value}" for name, value in origin.items()]
    lines.append("picture,removed,chosen by,draw,removed pixels with ink,change of the logit")
    for picture, number in enumerate(numbers):
        for at, count in enumerate(curve.counts):
            ink, steep = curve.attended_ink[picture, at], curve.jacobian_ink[picture, at]
            lines.append(f"{number},{count},attention,,{ink},{float(curve.attended[picture, at])!r}")
            lines.append(f"{number},{count},Jacobian,,{steep},{float(curve.jacobian[picture, at])!r}")
            for draw, change in enumerate(curve.random[picture, at]):
                lines.append(f"{number},{count},random,{draw + 1},{ink},{float(change)!r}")
    return "\n".join(lines) + "\n"


def signed(value: float, *, plus: bool = True) -> str:
    """Return a number with its sign, rounded for reading."""
    text = f"{value:+#.3g}" if plus else f"{value:#.3g}"
    return text.rstrip(".").replace("-", "−")
