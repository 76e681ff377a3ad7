"""The findings of the experiments, as sentences with the measured numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.charts import with_minus
from attnviz.ui.mechanisms.sequences.measured import LATE, Agreed, Steered
from attnviz.ui.shared.wording import share

if TYPE_CHECKING:
    from attnviz.ui.components.alignment import Curve

NOT_MEASURED = "The models of this comparison have not been trained here."
BIG, SMALL = 0.25, 0.01  # the least difference that counts as a bottleneck, the largest that counts as none

REPLACED = {
    "own": "as computed",
    "peak": "only the peak of each step",
    "uniform": "equal weights",
    "permuted": "columns permuted",
    "swapped": "all steps: those of the next",
}
METHODS = {
    "weights": "weights",
    "gradient": "gradient",
    "pixels": "erased pixels",
    "annotations": "masked columns",
}


def at(curve: Curve, length: int, exact: bool = False) -> float | None:
    """Return the accuracy of a curve at a length, or None if that length was not tested."""
    values = curve.exact if exact else curve.digits
    return values[list(curve.lengths).index(length)] if length in curve.lengths else None


def bottleneck(with_it: Curve, without: Curve, patient: Curve | None = None, vector: Curve | None = None) -> str:
    """Return the finding on whether one vector is a bottleneck at 5 and 15 digits, also with ten times the steps."""
    short, long = ((at(with_it, length) or 0.0) - (at(without, length) or 0.0) for length in (5, 15))
    numbers = (
        f"At 15 digits attention gets {share(at(with_it, 15) or 0)} of the digits right, one vector "
        f"{share(at(without, 15) or 0)}; at 5 digits {share(at(with_it, 5) or 0)} and {share(at(without, 5) or 0)}."
    )
    if long >= BIG and short <= SMALL:
        head, rest = "Yes, for long strips", " Up to 5 digits there is hardly a difference."
    elif long > short + SMALL:
        head, rest = "The longer the strip, the more attention helps", ""
    else:
        head, rest = "Not here", ""
    if patient is None or vector is None:
        return f"**{head}.** {numbers}{rest}"
    later = (at(patient, 15) or 0.0) - (at(vector, 15) or 0.0)
    longer = (
        f" With ten times as many training steps, the difference at 15 digits is {100 * later:.1f} points instead of "
        f"{100 * long:.1f}: one vector then gets {share(at(vector, 15) or 0)}."
    )
    if long >= BIG and later < long / 2:
        head += ", while the training is short"
        longer += " It can hold most of such a strip, but learning to do so takes much longer."
    return f"**{head}.** {numbers}{rest}{longer}"


INDEPENDENT = (
    "*Whole strips*: every digit is right, and the answer ends where it should; in brackets, the share that "
    "independent errors would give. "
)
BOTTLENECK = (
    "From the cards: 1,024 test strips of each length, the mean over seeds; the curves above show the range. "
    f"{INDEPENDENT}Hollow bars are controls. *Equal weights*: the same decoder, trained with the mean over all "
    "columns. Both kinds have the same number of weights within 2 %."
)


def steering(found: Steered) -> str:
    """Return the finding on whether the answer follows the weights."""
    late = f" ({share(found.late)} of these are among the last {LATE} steps)" if found.late >= 0.5 else ""
    numbers = (
        f"Given the weights of another step, a single step predicts that other step's digit in {share(found.follows)} "
        f"of the cases, its own in {share(found.stays)}, and ends the text in {share(found.ends)}{late}."
    )
    rest = (
        f" With equal weights {share(found.digits['uniform'])} of the digits are right, with permuted ones "
        f"{share(found.digits['permuted'])}; with only the peak {share(found.digits['peak'])}."
    )
    if found.follows >= 0.5:
        return f"**In {share(found.follows)} of the cases the weights steer the answer.** {numbers}{rest}"
    return f"**Here the answer does not follow the weights alone.** {numbers}{rest}"


def steering_caption(strips: int, length: int) -> str:
    """Return the caption that explains how the weights were replaced."""
    return (
        f"Measured on {strips} test strips of {length} digits; every step is given the right digits before it. Each "
        "single step is given the weights of one other step, drawn at random; only pairs with two different digits "
        "count. All heads and layers that attend to the strip are changed in the same way. *Change of the answer*: "
        "total variation between the probabilities before and after, 0 for none."
    )


def positions(
    right: float, somewhere: float, change: float, right_without: float, somewhere_without: float,
    change_without: float, length: int,
) -> str:  # fmt: skip
    """Return the finding on reading with and without positions, from the shares of digits in the right place and
    anywhere, and the largest change of a logit when the columns are permuted.
    """
    numbers = (
        f"Of {length} digits, {share(right)} are in the right place with positions and {share(right_without)} without; "
        f"{share(somewhere)} and {share(somewhere_without)} appear anywhere in the answer."
    )
    order = (
        " Without positions the order of the columns makes no difference: if they are permuted, no logit changes by "
        f"more than {of_a_logit(change_without)}."
        if change_without < 1e-3
        else ""
    )
    if right - right_without < 0.05:
        return f"**At this length positions hardly matter.** {numbers}{order}"
    lost = "the order, and more than that" if somewhere - somewhere_without > 0.05 else "the order"
    return f"**Without positions the Transformer loses {lost}.** {numbers}{order}"


def of_a_logit(change: float) -> str:
    """Return a change of a logit with two significant digits, without an exponent: 19, 0.31 or 0.000011."""
    return f"{change:.2g}" if change >= 1e-3 else f"{change:.6f}"


def positions_caption(length: int, strips: int) -> str:
    """Return the caption that explains how order was measured."""
    return (
        f"Measured on {strips} test strips of {length} digits, with the model's own output. *Largest change of a "
        "logit*: when the columns of features are permuted, with the right text given to all steps. A column covers "
        "15 pixels, half a digit: so even one digit can only be read if the order of its columns is known."
    )


def sorting(guess: Curve, additive: Curve | None, transformer: Curve | None, without: Curve | None) -> str:
    """Return the finding on how well digits are sorted, compared with a guess, at the longest tested length."""
    longest = guess.lengths[-1]
    kinds = {"additive attention": additive, "a Transformer": transformer, "one without positions": without}
    numbers = ", ".join(
        f"{name} gets {share(at(one, longest) or 0)} of the digits right"
        for name, one in kinds.items()
        if one is not None
    )
    said = f"With {longest} digits to sort, {numbers}; guessing without looking gets {share(guess.digits[-1])}."
    if transformer is None or without is None:
        return said
    if transformer.stops and without.stops:
        said += (
            f" Without positions the Transformer ends after the right number of digits in {share(without.stops[-1])} "
            f"of these strips, with positions in {share(transformer.stops[-1])}."
        )
    if min(transformer.seeds, without.seeds) < 2:
        return f"**Whether sorting needs positions is not decided: each model was trained once.** {said}"
    lost = (at(transformer, longest) or 0.0) - (at(without, longest) or 0.0)
    if lost > BIG:
        return f"**Sorting needs positions, too.** {said}"
    if lost > SMALL:
        return f"**Positions help to sort.** {said}"
    return f"**Sorting hardly needs positions.** {said}"


SORTING = (
    "From the cards. One digit too few shifts all later ones, so a nearly correct text can score worse than a "
    "guess: *changes* are the insertions, deletions and substitutions of a digit that would mend it."
)


def beyond(
    additive: Curve | None, transformer: Curve | None, long: Curve | None, long_transformer: Curve | None
) -> str:
    """Return the finding on how models fare beyond the length they were trained on."""
    said, falls = [], {}
    for name, short, longer in (
        ("additive attention", additive, long),
        ("the Transformer", transformer, long_transformer),
    ):
        if short is None:
            continue
        inside, next_one, far = (at(short, length, exact=True) for length in (15, 16, 20))
        if inside is None or next_one is None or far is None:
            continue
        falls[name] = inside - next_one
        sentence = (
            f"{name[0].upper()}{name[1:]}, trained up to 15 digits, reads {share(inside)} of the strips of 15 without "
            f"an error, {share(next_one)} of 16 and {share(far)} of 20"
        )
        there = None if longer is None else at(longer, 20, exact=True)
        said.append(sentence + ("." if there is None else f"; trained up to 30 it reads {share(there)} of 20."))
    if not said:
        return NOT_MEASURED
    for least, what in ((0.5, "The trained length is a cliff"), (0.02, "It falls off past the trained length")):
        if fallen := [name for name, fall in falls.items() if fall > least]:
            others = [name for name in falls if name not in fallen]
            but = f", but not for {others[0]}" if others else ""
            return f"**{what} for {' and '.join(fallen)}{but}.** {' '.join(said)}"
    return f"**One digit more does no harm.** {' '.join(said)}"


BEYOND = (
    f"From the cards: 1,024 test strips of each length, the mean over seeds. {INDEPENDENT}Failures past the trained "
    "length are often failures to go on, or to stop."
)


def agreement(found: Agreed) -> str:
    """Return the finding on how far weights agree with other methods, and how far these agree with each other."""
    gradient, pixels = found.mean["weights", "gradient"], found.mean["weights", "pixels"]
    yardstick = found.mean["gradient", "pixels"]
    numbers = (
        f"Weights and gradient agree with a Kendall correlation of {gradient:.2f}, weights and erased pixels with "
        f"{pixels:.2f}. The yardstick: gradient and erased pixels agree with {yardstick:.2f}."
    )
    if found.more is None:
        return f"**Fewer than two strips are ranked by all methods, so nothing is compared.** {numbers}"
    claim = {
        1: "more than the gradient does",
        0: f"as much as the gradient does, as far as {found.strips} strips can show",
        -1: "less than the gradient does",
    }[int(found.more.verdicts)]
    apart, low, high = (f"{float(value):+.2f}" for value in (found.more.mean, found.more.low, found.more.high))
    more = with_minus(f"{apart} (95 % interval {low} to {high})")
    return (
        f"**The weights agree with erasure {claim}.** {numbers} Strip by strip, the difference of the two correlations "
        f"with erased pixels is {more}."
    )


def hits(found: Agreed) -> str:
    """Return how often the digit that counts most is the predicted one, by each method."""
    parts = ", ".join(f"{METHODS[name]} {share(value)}" for name, value in found.hits.items())
    return f"How often the digit that counts most is the predicted one: {parts}."


def agreement_caption(found: Agreed, length: int) -> str:
    """Return the caption that explains how agreement was measured."""
    return (
        f"Measured on {found.strips} test strips of {length} digits; the digits are ranked for every step. *Masked "
        "columns*: no step may attend to the columns of the digit; their neighbours may still hold information on it. "
        f"The correlation of random maps with the weights is 0 ± {found.chance:.2f}. Hollow bars are the "
        "yardstick: two methods without the weights."
    )
