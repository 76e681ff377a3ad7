"""The texts of the page of attention over channels: the question, and the explanation with live numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.ui.shared import cache
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import short

if TYPE_CHECKING:
    from attnviz.subjects import Subject
    from attnviz.ui.components.gates import GatesOfLayer

QUESTION = "Which channels does a network let through for this picture? Click a bar, then turn its gate."
NONE = (
    "No model with attention over channels has been trained here yet. "
    "`python -m attnviz train channel_attention --recipe digits` trains one on handwritten digits; this page then "
    "shows it."
)
# A line each: a phone is wide enough for one.
EQUATIONS = {
    "gate": r"""$$
z_c = \operatorname{mean}_{ij}\, u_{cij}
$$

$$
s = \sigma\big(W_2 \operatorname{ReLU}(W_1 z + b_1) + b_2\big)
$$

$$
x_{cij} = s_c\, u_{cij}
$$
""",
    "cbam": r"""$$
s = \sigma\big(\operatorname{MLP}(\operatorname{mean}_{ij} u) + \operatorname{MLP}(\max_{ij} u)\big)
$$

$$
m = \sigma\big(\operatorname{conv}_{7 \times 7}[\operatorname{mean}_c, \max\nolimits_c]\big)
$$

$$
x_{cij} = m_{ij}\, s_c\, u_{cij}
$$
""",
    "bam": r"""$$
s_{cij} = \sigma\big(\text{score}_c + \text{score}_{ij}\big)
$$

$$
x_{cij} = (1 + s_{cij})\, u_{cij}
$$
""",
}


def means(subject: Subject) -> str:
    """Return what the bars mean, with the numbers of this model and this picture."""
    from attnviz.ui.mechanisms.channel_attention import gates

    view = cache.of_subject(gates.view, subject)
    layer, channel, apart = farthest(view.layers)
    value, mean = float(layer.gate[channel]), float(layer.many[:, channel].mean())
    still = sum(kind != "varies" for one in view.layers for kind in one.kinds)
    count = sum(len(one.kinds) for one in view.layers)
    kind = {"score": "bam", "gate": "cbam", "": "gate"}[layer.space_is]
    places = {
        "gate": "",
        "cbam": " A second gate, of places, then scales every place of all channels alike.",
        "bam": " A score of each place is added, so that a gate may differ from place to place; the factor is 1 + the "
        "gate and never silences a channel.",
    }[kind]
    return (
        f"A {term('channel')} is one map of features. Its {term('gate')} is a number from 0 to 1 by which the whole map "
        "is multiplied, computed from the means of all channels: they are squeezed to one number each, pass a narrow "
        f"layer, and come out as one gate for each channel.{places}\n\n{EQUATIONS[kind]}\n\n"
        f"On this picture the gate that is farthest from its mean is that of channel {channel + 1} in "
        f"{layer.title.lower()}: {short(value, 3)} instead of {short(mean, 3)}. Over {view.many}, {still} of {count} "
        "gates hardly vary: they are *constant* (a standard deviation below 0.01) or *always open* (above 0.98 for 99 % "
        "of the pictures)."
    )


def farthest(layers: tuple[GatesOfLayer, ...]) -> tuple[GatesOfLayer, int, float]:
    """Return layer, channel and distance of the gate that is farthest from its mean."""
    found = [(layer, abs(layer.gate - layer.many.mean(0))) for layer in layers]
    layer, apart = max(found, key=lambda one: float(one[1].max()))
    channel = int(apart.argmax())
    return layer, channel, float(apart[channel])


def does_not_show() -> str:
    """Return what the bars cannot tell."""
    return (
        "**A gate that never varies is no attention.** A factor that is the same for every picture could be multiplied "
        "into the weights of the next convolution, and nothing would change. Only what differs from the mean depends on "
        "the picture, so compare each bar with its line. *All at their mean* takes exactly that away.\n\n"
        "**An open gate is not importance.** The next layer can undo any factor, and a channel that is scaled down may "
        "still decide. Turn the gate and look at the answer.\n\n"
        "A channel has no name: nothing says what its map stands for, and the same channel means something else in a "
        "network that was trained from another seed."
    )
