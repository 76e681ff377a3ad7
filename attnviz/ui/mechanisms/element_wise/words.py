"""The texts of the page of element-wise attention: the question, what to try, and the explanation with live numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from attnviz.ui.components.stage_grid import StageLayer, StageView
    from attnviz.ui.mechanisms.element_wise.stages import Measured

QUESTION = "What remains of a pixel after each step? Move over a picture to follow it."
NONE = (
    "No element-wise attention model has been trained here yet. "
    "`python -m attnviz train element_wise --recipe fashion-b` trains the paper's model B on Fashion-MNIST in a few "
    "minutes; this page then shows it."
)


def equations(layer: StageLayer) -> str:
    """Return what a layer computes, as LaTeX in Markdown: a line each, as a phone is wide enough for one."""
    relevance = r"r^x \odot r^y"
    if layer.norm is not None:
        relevance = rf"\text{{norm}}({relevance})"
    elif layer.factor != 1:
        relevance = f"{layer.factor:g}\\,({relevance})"
    added = "s + x" if layer.skip else "s"
    last = added if layer.output_norm is None else rf"\text{{norm}}({added})"
    lines = (
        r"r^x = \operatorname{softmax}_{\text{row}}(x \odot w^x)",
        r"r^y = \operatorname{softmax}_{\text{column}}(x \odot w^y)",
        rf"s = \operatorname{{conv}}\big(x \odot {relevance}\big)",
        rf"\text{{output}} = \operatorname{{ReLU}}\big({last}\big)",
    )
    return "\n\n".join(f"$$\n{line}\n$$" for line in lines)


def about(value: float) -> str:
    """Return a large number with two digits that count: 38,000."""
    return f"{float(f'{value:.2g}'):,.0f}" if 10 <= value < 1e9 else short(value, 2)


def percent(share: float) -> str:
    """Return a share as a percentage with two digits that count."""
    return f"{short(100 * share, 2)} %"


def of_values(share: float) -> str:
    """Return how many of several values, as a sentence says it: "nothing", "0.4 % of the values"."""
    if not share:
        return "nothing"
    return "fewer than 0.1 % of the values" if share < 0.001 else f"{percent(share)} of the values"


def means(view: StageView, measured: list[Measured]) -> str:
    """Return what the pictures mean, with the numbers of this model and this picture."""
    first, layer = measured[0], view.layers[0]
    heads, channels, rows, columns = layer.x_weights.shape
    text = (
        f"Every pixel is multiplied by its own **x weight**, and a {term('softmax')} along its row turns the products "
        "into shares that add up to 1. The same is done with its **y weight** along its column. The product of the "
        f"two shares is the pixel's {term('relevance map', '**relevance**')}. No pixel looks at another one through a "
        f"query or a key. An {term('even share')} is 1/{columns} × 1/{rows} = {short(1 / rows / columns)}."
        f"\n\n{equations(layer)}\n\n"
    )
    if view.block > 1:
        text += (
            f"This model takes each block of {view.block} × {view.block} pixels as one position with {channels} "
            f"channels: a row has {columns} positions, and neighbours are {view.block} pixels apart. "
        )
    if layer.fixed is not None:
        text += "In this control the relevance is not learnt: it is the same for every picture. "
    elif first.eps is not None and first.trained is not None:
        text += normalises(first.variance, first.trained, first.eps)
    elif layer.factor != 1:
        text += f"In place of a norm, this model multiplies its relevance by {layer.factor:g}: an even share is 1. "
    each = f"{heads} {term('heads' if heads > 1 else 'head')}" + (f" of {channels} channels" if channels > 1 else "")
    skip = term("skip connection")
    added = f"The {skip} adds the input again, and" if layer.skip else f"There is no {skip}:"
    return text + (
        f"What goes into the {term('convolution')}, {each}, has {percent(first.gain)} of the strength of the "
        f"layer's input; what comes out has {percent(first.convolved)}. {added} {term('ReLU')} sets "
        f"{of_values(first.cut)} to 0{'' if first.cut else ' here'}."
    )


def normalises(variance: float, stored: float, eps: float) -> str:
    """Return what the norm of the relevance does on a picture.

    Args:
        variance: of the relevance on the picture.
        stored: the variance that the norm has stored in training.
        eps: what the norm adds to it.
    """
    norm = term("batch normalisation", "norm")
    times = (stored + eps) / variance if variance else float("inf")
    if times >= 10:
        result = f"{about(times)} times as much, so it hardly normalises" if variance else "so it hardly normalises"
    elif times > 1.5:
        result = f"{about(times)} times as much, so it normalises only in part"
    else:
        result = "no more than that, so it does normalise"
    return (
        f"On this picture, in layer 1, the relevance has a variance of {short(variance, 2)}. The {norm} divides by the "
        f"square root of its stored variance plus eps, {short(stored, 2)} + {short(eps, 2)}: {result}. "
    )


def left(shares: Sequence[float]) -> str:
    """Return how much of the variances that the norms have stored is left of the value that they began with.

    Args:
        shares: of each layer, 0..1.
    """
    most = max(shares)
    if most < 0.005:
        return "hardly anything of the stored variance is left of its initial value, 1."
    least = min(shares)
    left = percent(most) if most - least < 0.005 else f"{percent(least)} to {percent(most)}"
    return f"{left} of the stored variance is what is left of its initial value, 1."


def one_is(means: Sequence[npt.NDArray[np.floating]]) -> str:
    """Return whether a relevance of 1 is neutral for a model, or far from what its layers are used to.

    Args:
        means: of each layer, the mean relevance over pictures as it is multiplied with, (head, channel, row, column).
    """
    usual = [float(np.sqrt(np.square(mean).mean())) for mean in means]
    if all(0.5 <= one <= 2 for one in usual):
        return "A relevance of 1 is an even share here: with it the layer passes its input on."
    size = short(max(usual), 2) if len(usual) == 1 else f"{short(min(usual), 2)} to {short(max(usual), 2)}"
    return (
        "*1 everywhere* is not neutral for this model: the norm subtracts the mean of the relevance, and the size of "
        f"the mean map (root mean square, by layer) is {size}. It says how the model answers when far more goes into "
        "the convolution than in training; the mean map is the fair test."
    )


def does_not_show(view: StageView) -> str:
    """Return what the pictures cannot tell."""
    zero = " and a pixel that was 0 stays 0." if view.input.min() >= 0 else " so its shapes remain."
    return (
        "A sharp picture *before conv* does not mean that the layer has recognised what it shows: the layer multiplies "
        f"the picture itself,{zero} *Copy or feature?* below tests the model with its relevance replaced.\n\n"
        "A large value in the last stage did not necessarily decide the answer: a linear layer follows, which this "
        "page does not draw. Each map has its own scale unless you choose *all maps*."
    )
