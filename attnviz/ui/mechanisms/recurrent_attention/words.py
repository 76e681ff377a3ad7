"""The texts for the page on recurrent attention: the question, and the explanation with live numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.recipes import RECIPES
from attnviz.ui.shared.experiments import link
from attnviz.ui.shared.results.verdict import verdict
from attnviz.ui.shared.wording import share, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from attnviz.card import Figure
    from attnviz.subjects import Net
    from attnviz.views.glimpses import GlimpseView

QUESTION = "Where does the model look? Press play, then drag a numbered glimpse elsewhere."
NONE = (
    "No recurrent attention model has been trained here yet. `python -m attnviz train recurrent_attention --recipe "
    "cluttered` trains one on cluttered digits in about 20 minutes; this page then shows it."
)
COLLAPSED = 0.15  # as in attnviz/training/objectives/reinforcement.py, which imports torch
EQUATION = r"""$$
\ell_t \sim \mathcal{N}\big(\mu(h_{t-1}), \sigma^2\big)
$$

$$
g_t = \text{what}\big(\text{patches}(x, \ell_t)\big) + \text{where}(\ell_t)
$$

$$
h_t = \operatorname{ReLU}\big(W_g \operatorname{ReLU}(g_t) + W_h h_{t-1}\big)
$$

$$
\text{belief}_t = \operatorname{softmax}(W h_t)
$$
"""


def means(view: GlimpseView, net: Net, *, moved: bool = False) -> str:
    """Return the explanation of the pictures with live numbers, which are those without any `moved` glimpse."""
    here = "on this picture, with no glimpse moved," if moved else "on this picture"
    rows, columns = view.picture.shape[:2]
    glimpses, scales, size = len(view.location), view.patches.shape[1], view.patches.shape[2]
    each = scales * size * size
    text = (
        "The model never sees the whole picture at once. A **glimpse** is "
        + (f"a patch of {size} × {size} pixels" if scales == 1 else f"{scales} square patches around one location: ")
        + ("" if scales == 1 else _patches(size, scales))
        + ". A recurrent network adds each glimpse to what it remembers, the hidden state *h*, updates its **belief**, "
        f"and gives the mean of the next location.\n\n{EQUATION}\n\n"
    )
    text += {
        "learnt": f"The next location is drawn around that mean with a standard deviation of {_pixels(view)}. No "
        "gradient can tell whether looking elsewhere would have been better, so the policy is trained by reward alone "
        "(REINFORCE): 1 if the last answer is correct, else 0. ",
        "random": "The locations of this model are drawn at random: it is a control. ",
        "fixed": "The locations of this model are the same for every picture: it is a control. ",
    }[view.policy]
    if view.policy == "learnt" and net.config.get("squash") == "tanh":
        text += squashed(view, here)
    first, last = view.belief[0], view.belief[-1]
    total = glimpses * each
    than = "more than" if total > rows * columns else "fewer than"
    if total == rows * columns:
        than = "as many as"
    return (
        text
        + (
            f"{here.capitalize()} it predicts {_answer(view, first)} after the first glimpse and {_answer(view, last)} "
            f"after the last. It reads {each:,} numbers per glimpse, {total:,} in all: {than} the {rows * columns:,} "
            "pixels of the picture."
            + (" So here the glimpses read no less than the whole picture. " if total >= rows * columns else " ")
        )
        + spread(net)
    )


def squashed(view: GlimpseView, here: str = "on this picture") -> str:
    """Return how far from the means the locations of a model with tanh lie; `here` names the path in words."""
    rows, columns = view.picture.shape[:2]
    means = np.asarray(view.location_mean[1:], float)  # the first location is not drawn around a mean
    away = np.hypot(*((means - np.tanh(means)) * (rows / 2, columns / 2)).T)
    return (
        "This model then squashes what it has drawn with tanh, as does the implementation that the paper very likely "
        "used. So its locations lie around a point nearer to the centre, "
        f"{here} {short(float(away.mean()), 2)} pixels from the mean on average; cross and circle are drawn there. "
    )


def spread(net: Net) -> str:
    """Return how much the locations depend on the picture, as measured in the tests, or "" if that was not measured."""
    figures = () if net.card is None else net.card.figures
    found = next((figure.value for figure in figures if figure.name == "spread"), None)
    if found is None or net.config.get("policy", "learnt") != "learnt":
        return ""
    varies = (
        f"From test picture to test picture, the mean of a location varies by at least {short(found, 2)} (1 is half "
        "a picture)"
    )
    if found < COLLAPSED:
        return f"{varies}: **this policy has collapsed**. It looks at all pictures in nearly the same way."
    return f"{varies}."


def does_not_show(net: Net) -> str:
    """Return the conclusions that the pictures do not support."""
    coarse = "With several scales the coarse patches see most of the picture from nearly anywhere, and a"
    text = (
        "A path that follows the object does not prove that the model chose it because of the object. "
        + (coarse if net.config.get("scales", 3) > 1 else "A")
        + " model that always looks at the same places can be almost as accurate. "
        + f"{link('depends', 'Does it depend on the picture?')} tests this.\n\n"
    )
    if not _objective(net).get("every_glimpse", False):
        text += (
            "This model was trained on its last answer only, so its belief after the first glimpses means little: it "
            "was never trained to be right so early.\n\n"
        )
    return text + (
        "The boxes show what the retina read, not what the network used of it. The expected reward is a guess that "
        "helps training; the answer does not depend on it."
    )


BORROWED = (
    "*At places chosen for another picture*: each glimpse goes where the model would look next in another picture, "
    "which it views, in turn, at the places chosen for a third one."
)


def finding_of_path(own: Figure | None, borrowed: Figure | None, said: Sequence[str], answers: int) -> str:
    """Return the finding on whether each picture needs a path of its own.

    It compares the accuracy along the paths that the model chooses with that at places chosen for other pictures.
    `said` holds the answers to one picture along its own path and along that of another picture.
    """
    if own is None or borrowed is None:
        same = "the same answer" if said[0] == said[1] else "another answer"
        return (
            f"**Known only for the picture below**: along the path of another picture the model gives {same} "
            f"(*{said[0]}* along its own path, *{said[1]}* along the other). Its card has no test over many pictures."
        )
    return verdict(
        own, borrowed,
        names=("along the path that it chooses", "at places chosen for another picture"),
        better="Yes, the path has to fit the picture",
        worse="No, it even answers better at places chosen for another picture",
        answers=answers,
        paired=True,
    )  # fmt: skip


def finding_of_learning(
    learnt: Figure | None, other: Figure | None, locations: str, answers: int, differs: Sequence[str] = ()
) -> str:
    """Return the finding on whether learnt locations are more accurate; None stands for a model that is not trained."""
    return verdict(
        learnt, other,
        names=("with learnt locations", f"with locations {locations}"),
        better="Yes, learnt locations are better",
        worse="No, learnt locations are worse",
        answers=answers,
        differs=differs,
    )  # fmt: skip


def finding_of_choosing(own: Figure | None, fixed: Figure | None, answers: int) -> str:
    """Return the finding on whether a net needs to choose paths, or does as well along their mean, a fixed path."""
    return verdict(
        own, fixed,
        names=(
            "along the paths that it chooses", "along the mean of them, one fixed path for all pictures",
        ),
        better="The same network also needs a path for each picture",
        worse="The same network is better along one path for all pictures",
        same="For the same network, choosing a path makes hardly any difference",
        unknown="**Not known**: the card of this network has no test along one path for all pictures.",
        answers=answers,
        paired=True,
    )  # fmt: skip


def finding_of_gradient(broken: Figure | None, correct: Figure | None, answers: int) -> str:
    """Return the finding on whether the broken gradient costs accuracy; None stands for a model that is not trained."""
    return verdict(
        correct, broken,
        names=("with the correct gradient", "with the broken one"),
        better="Yes, the correct gradient is better",
        worse="No, the broken gradient is even better",
        answers=answers,
    )  # fmt: skip


def finding_of_fewer(
    least: tuple[int, Figure | None], most: tuple[int, Figure | None], *, answers: int, differs: Sequence[str] = ()
) -> str:
    """Return the finding on whether reading more helps; `least` and `most` are (numbers read, accuracy)."""
    (few, one), (many, other) = least, most
    return verdict(
        other, one,
        names=(f"reading {many:,} numbers of a picture", f"reading {few:,}"),
        better="Seeing more helps",
        worse="Seeing more does harm",
        same="Seeing more makes hardly any difference",
        answers=answers,
        differs=differs,
    )  # fmt: skip


def _objective(net: Net) -> Mapping[str, Any]:
    """Return the settings of the objective that a net was trained with."""
    if net.card is not None:
        return net.card.recipe.objective_config
    recipe = RECIPES.get(f"{net.architecture}.{net.recipe}")
    return {} if recipe is None else recipe.objective_config


def _patches(size: int, scales: int) -> str:
    each = [f"{size << scale} × {size << scale} pixels" for scale in range(scales)]
    seen = f"{each[0]} as they are, then {' and '.join(each[1:])}, averaged down to {size} × {size} numbers"
    return f"{seen}{' each' if scales > 2 else ''}"


def _pixels(view: GlimpseView) -> str:
    rows, columns = view.picture.shape[:2]
    down, across = (short(view.std * side / 2, 2) for side in (rows, columns))
    return f"{down} pixels" if rows == columns else f"{down} rows and {across} columns"


def _answer(view: GlimpseView, belief: object) -> str:
    values = list(belief)  # type: ignore[call-overload]
    which = values.index(max(values))
    return f"*{view.classes[which]}* with {share(float(values[which]))}"
