"""The texts for the page on element-wise attention: the question, what to try, and live explanations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attnviz import comparisons
from attnviz.ui.shared.experiments import link
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.results.verdict import verdict
from attnviz.ui.shared.wording import share, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from attnviz.card import Figure
    from attnviz.ui.components.stage_grid import StageLayer, StageView
    from attnviz.ui.mechanisms.element_wise.stages import Measured

QUESTION = "What remains of a pixel after each step? Point at a picture to follow it."
NONE = (
    "No element-wise attention model has been trained here yet. `python -m attnviz train element_wise --recipe "
    "fashion-b` trains the paper's model B on Fashion-MNIST in about 20 minutes; this page then shows it."
)


def equations(layer: StageLayer) -> str:
    """Return the equations of a layer as LaTeX in Markdown, each on a line of its own so that it fits on a phone.

    A fixed relevance is written as a map m; the weights that would compute a relevance are not used then.
    """
    relevance = r"r^x \odot r^y"
    if layer.norm is not None:
        relevance = rf"\text{{norm}}({relevance})"
    elif layer.factor != 1:
        relevance = f"{layer.factor:g}\\,({relevance})"
    added = "s + x" if layer.skip else "s"
    last = added if layer.output_norm is None else rf"\text{{norm}}({added})"
    shares = (
        r"r^x = \operatorname{softmax}_{\text{row}}(x \odot w^x)",
        r"r^y = \operatorname{softmax}_{\text{column}}(x \odot w^y)",
    )
    fixed = layer.fixed is not None
    lines = (
        *(() if fixed else shares),
        rf"s = \operatorname{{conv}}\big(x \odot {'m' if fixed else relevance}\big)",
        rf"\text{{output}} = \operatorname{{ReLU}}\big({last}\big)",
    )
    return "\n\n".join(f"$$\n{line}\n$$" for line in lines)


def about(value: float) -> str:
    """Return a large number rounded to two significant digits: 38,000."""
    return f"{float(f'{value:.2g}'):,.0f}" if 10 <= value < 1e9 else short(value, 2)


def of_values(part: float) -> str:
    """Return a share of the values in words: "nothing", "0.4 % of the values"."""
    if not part:
        return "nothing"
    return (
        "fewer than 0.1 % of the values"
        if part < 0.001
        else f"{100 * part:.{1 if part < 0.0995 else 0}f} % of the values"
    )


def means(view: StageView, measured: list[Measured]) -> str:
    """Return the explanation of the pictures, with the numbers of this model and this picture."""
    first, layer = measured[0], view.layers[0]
    heads, channels, _, columns = layer.x_weights.shape
    text = begins(layer) + f"\n\n{equations(layer)}\n\n"
    if view.block > 1:
        text += (
            f"This model takes each box of {view.block} × {view.block} pixels as one position with {channels} "
            f"channels: a row has {columns} positions, and neighbours are {view.block} pixels apart. "
        )
    if layer.fixed is None:
        text += levelled(layer, first)
    each = f"{heads} {term('heads' if heads > 1 else 'head')}" + (f" of {channels} channels" if channels > 1 else "")
    skip = term("skip connection")
    added = f"The {skip} adds the input again, and" if layer.skip else f"There is no {skip}:"
    return text + (
        f"What goes into the {term('convolution')}, {each}, has {share(first.gain)} of the strength (root mean "
        f"square) of the layer's input; what comes out has {share(first.convolved)}. {added} {term('ReLU')} sets "
        f"{of_values(first.cut)} to 0{'' if first.cut else ' here'}."
    )


def begins(layer: StageLayer) -> str:
    """Return how a layer computes its relevance, or that it is a control with a fixed one."""
    *_, rows, columns = layer.x_weights.shape
    relevance = term("relevance map", "**relevance**")
    if layer.fixed is not None:
        value = float(layer.fixed.flat[0])
        of = f"it is {value:g} everywhere" if (layer.fixed == value).all() else "it is a mean over training pictures"
        return (
            f"In this control the {relevance} is not learnt: every pixel is multiplied by a map *m* that is the same "
            f"for every picture; {of}. The shares inside a head are drawn, but nothing that follows depends on them."
        )
    return (
        f"Every pixel is multiplied by its own **x weight**, and a {term('softmax')} along its row turns the products "
        "into shares that add up to 1. The same is done with its **y weight** along its column. The product of the "
        f"two shares is the pixel's {relevance}, without a query or a key. An {term('even share')} is "
        f"1/{columns} × 1/{rows} = {short(1 / rows / columns)}."
    )


def levelled(layer: StageLayer, measured: Measured) -> str:
    """Return how a layer rescales its relevance, by a norm or a factor, or "" if it does neither."""
    if measured.eps is not None and measured.trained is not None:
        return normalises(measured.variance, measured.trained, measured.eps)
    if layer.factor != 1:
        return f"In place of a norm, this model multiplies its relevance by {layer.factor:g}: an even share is then 1. "
    return ""


def normalises(variance: float, stored: float, eps: float) -> str:
    """Return the effect of the norm of the relevance on a picture, from its variance there and the stored one."""
    norm = term("batch normalisation", "norm")
    times = (stored + eps) / variance if variance else float("inf")
    much = f"{about(times)} times" if variance else "far more than"
    result = "hardly normalises" if times >= 10 else "normalises only in part" if times > 1.5 else "does normalise"
    return (
        f"In layer 1 the {norm} divides by the root of {much} the variance that the relevance has on this picture, so "
        f"it {result} ({link('norm', 'Does the norm normalise?')}). "
    )


def left(shares: Sequence[float]) -> str:
    """Return how much of the variances stored in the norms is still the initial value: `shares`, 0..1, by layer."""
    most = max(shares)
    if most < 0.005:
        return "the initial value, 1, hardly contributes to the stored variance any more."
    least = min(shares)
    said = share(most) if most - least < 0.005 else f"{share(least)} to {share(most)}"
    return f"the initial value, 1, still makes up {said} of the stored variance."


def one_is(means: Sequence[npt.NDArray[np.floating]]) -> str:
    """Return a sentence on whether a relevance of 1 is neutral for a model or far from its usual relevance.

    `means` holds the mean relevance over pictures for each layer, (head, channel, row, column).
    """
    usual = [float(np.sqrt(np.square(mean).mean())) for mean in means]
    if all(0.5 <= one <= 2 for one in usual):
        return "*1 everywhere* is an even share here, so the convolution gets the layer's input unchanged."
    said = short(max(usual), 2) if len(usual) == 1 else f"{short(min(usual), 2)} to {short(max(usual), 2)}"
    return (
        "*1 everywhere* is not neutral for this model: the norm subtracts the mean of the relevance, and the size of "
        f"the mean map (root mean square, by layer) is {said}. It shows how the model answers when far more goes into "
        "the convolution than in training; replacing the relevance by its mean map is the fair test."
    )


def finding_of_norm(divided: Sequence[float]) -> str:
    """Return the finding on whether norms normalise the relevance; each divides by `divided` times its variance."""
    *first, last = [about(one) if np.isfinite(one) else "infinitely many" for one in divided]
    numbers = f"{', '.join(first)} and {last}" if first else last
    hardly, fully = sum(one >= 10 for one in divided), sum(one <= 1.5 for one in divided)
    count = len(divided)
    if fully == count:
        claim = "**Yes, on this picture**"
    elif hardly == count:
        claim = "**Hardly, on this picture**"
    else:
        claim = f"**In part, on this picture**: fully in {fully} of {count} layers, hardly in {hardly}"
    return (
        f"{claim}: what the norm divides by is {numbers} times the variance of the relevance, by layer. A norm that "
        "normalises fully has a factor of about 1."
    )


def finding_of_copy(own: Figure | None, without: Figure | None, answers: int) -> str:
    """Return the finding on whether a model needs the relevance of each picture, or its mean map does as well."""
    return verdict(
        own, without,
        names=("with the relevance of each picture", "with the same mean map for all pictures"),
        better="The relevance of the picture matters",
        worse="The relevance of the picture does harm",
        same="One mean map does as well",
        unknown="**Not known for this model**: its card has no test with the relevance replaced.",
        answers=answers,
        paired=True,
    )  # fmt: skip


def finding_of_dying(dead: Mapping[int, int], seeds: int) -> str:
    """Return how often a simplified network dies; `dead`: number of layers -> number of seeds dead after 45 steps."""
    counts = " and ".join(f"{count} of {seeds} seeds with {layers} layers" for layers, count in dead.items())
    if not any(dead.values()):
        return f"**Not for this reason, as far as {seeds} seeds can show**: in a simplified network {counts} died."
    often = "always" if all(count == seeds for count in dead.values()) else "sometimes"
    return (
        f"**Possibly because their norm switched a layer off**: in a simplified network this {often} happens, to "
        f"{counts}."
    )


@dataclass(frozen=True)
class Rival:
    """A trained model among others of any size; a control has no learnt element-wise attention."""

    key: str
    title: str
    control: bool
    parameters: int
    accuracy: Figure


def finding_of_worth(models: Sequence[Rival], answers: int) -> str:
    """Return the finding on whether the best model with the mechanism beats the best control that is no larger."""
    ours = [one for one in models if not one.control]
    if not ours:
        return "**Not known yet**: no model with element-wise attention has been trained on these pictures."
    best = max(ours, key=lambda one: one.accuracy.mean)
    small = [one for one in models if one.control and one.parameters <= best.parameters]
    if not small:
        return (
            "**Not known yet**: no control with at most as many parameters as the best model with element-wise "
            f"attention, *{best.title}*, which has {best.parameters:,}, has been trained on these pictures."
        )
    control = max(small, key=lambda one: one.accuracy.mean)
    return verdict(
        best.accuracy, control.accuracy,
        names=(
            f"with *{best.title}*, the best with element-wise attention, which has {best.parameters:,} parameters",
            f"with *{control.title}*, the best control that is no larger, which has {control.parameters:,}",
        ),
        better="Yes, among the models here",
        worse="No",
        answers=answers,
        differs=comparisons.trained_differently(best.key, control.key),
    )  # fmt: skip


@dataclass(frozen=True)
class Size:
    """A trained model among others that differ in heads and layers; `others` is all other settings as one string."""

    heads: int
    layers: int
    others: str
    accuracy: Figure


def finding_of_sizes(models: Sequence[Size], answers: int) -> str:
    """Return the findings on whether more heads, and more layers, make the trained models better."""
    found = []
    for what, same in (("heads", "layers"), ("layers", "heads")):
        pairs = [
            (one, other)
            for one in models
            for other in models
            if getattr(one, what) > getattr(other, what)
            and (getattr(one, same), one.others) == (getattr(other, same), other.others)
        ]
        if not pairs:
            found.append(f"**Not known for {what}**: no two models trained on these pictures differ in {what} alone.")
            continue
        many, few = max(
            pairs,
            key=lambda pair: (min(one.accuracy.seeds for one in pair), getattr(pair[0], what) - getattr(pair[1], what)),
        )
        counts = [f"{getattr(one, what)} {what if getattr(one, what) > 1 else what[:-1]}" for one in (many, few)]
        found.append(
            verdict(
                many.accuracy,
                few.accuracy,
                names=(f"with {counts[0]}", f"with {counts[1]} and all else the same"),
                better=f"More {what} make it better",
                worse=f"More {what} make it worse",
                same=f"More {what} make hardly any difference",
                answers=answers,
            )  # fmt: skip
        )
    return "\n\n".join(found)


def does_not_show(view: StageView) -> str:
    """Return the conclusions that the pictures do not support."""
    zero = " and a pixel that was 0 stays 0." if view.input.min() >= 0 else " so its shapes remain."
    means = [layer.mean for layer in view.layers if layer.mean is not None]
    one = f"\n\nThe switch *Relevance*: {one_is(means)}" if means else ""
    return (
        "A sharp picture *before conv* does not mean that the layer has recognised what it shows: the layer multiplies "
        f"the picture itself,{zero} {link('copy', 'Does the layer need the relevance?')} tests the model with its "
        "relevance replaced.\n\n"
        "A large value in the last stage does not necessarily decide the answer: a linear layer follows, which this "
        f"page does not show.{one}"
    )
