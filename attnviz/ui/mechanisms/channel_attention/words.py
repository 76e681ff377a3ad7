"""The texts for the page on attention over channels: the question, and the explanation with live numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from attnviz.formatting import signed
from attnviz.measures.difference import together
from attnviz.ui.components.stage_maps import fields_of
from attnviz.ui.shared import cache
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.results import costs
from attnviz.ui.shared.results.verdict import margin, undecided
from attnviz.ui.shared.wording import change_in_points, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from attnviz.measures.difference import Difference
    from attnviz.subjects import Subject
    from attnviz.ui.components.gates import GatesOfLayer

TITLES = {
    "input": "input",
    "conv": "after conv",
    "norm": "after norm",
    "relu": "after ReLU",
    "branch": "second conv, norm",
    "gate": "after the gate",
    "output": "plus skip, ReLU",
}
IN_BLOCK = tuple(TITLES)
BEHIND_BLOCK = ("input", "conv", "norm", "relu", "branch", "output", "gate")  # BAM has its gate after a block
STAGE_FIELDS = fields_of(TITLES, "gate")
"""The URL fields of the maps; layer and channel are shared with the gates, so that both show the same."""

QUESTION = "Which channels does a network let through for this picture? Choose a bar, then turn its gate."
NONE = (
    "No model with attention over channels has been trained here yet. "
    "`python -m attnviz train channel_attention --recipe digits` trains one on handwritten digits; this page then "
    "shows it."
)
_BLOCK = "What a block does to its maps: it convolves them, normalises, applies ReLU, convolves and normalises again, "
_SAME = (
    " A bar that is chosen above and a map that is chosen here belong to the same channel, except that the input of a "
    "block may have fewer channels. Where a gate is turned, the maps follow."
)
STAGES = {
    "gate": f"{_BLOCK}and multiplies each map by its gate. The input is then added.{_SAME}",
    "cbam": f"{_BLOCK}multiplies each map by its gate, and each position by the gate of that position. The input is "
    f"then added.{_SAME}",
    "bam": f"{_BLOCK}adds its input, and applies ReLU once more. The gates follow the last block of each "
    f"stage, which is drawn here: they multiply each map by 1 + its gate, which may differ between positions.{_SAME}",
}
"""The text above the maps of the blocks, by the kind of gates that `kind_of` returns."""
ABLATED = (
    "The trained model, with its gates replaced and nothing else changed; counted on test pictures. *At the mean*: "
    "each gate at its mean over 3,000 training pictures. *Of another picture*: every picture gets the gates of "
    "another one, block by block, which in turn uses those of a third. *At 1*: no gate closes, so later layers "
    "receive larger values than they were trained on; that shows nothing about attention."
)
PAYS = (
    "All were trained in the same way, for the same number of epochs. Filled bars: with gates; hollow bars: controls. "
    f"{costs.COUNTED} Intervals are 95 % intervals; if one includes zero, the difference may be chance."
)
NOTHING_TO_COMPARE = "No network with gates and no control have both been trained here yet, so nothing is compared."
# One line each, which fits on a phone.
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
    """Return the explanation of the bars, with the numbers of this model and this picture."""
    from attnviz.ui.mechanisms.channel_attention import gates

    view = cache.of_subject(gates.view, subject)
    layer, channel = farthest(view.layers)
    value, mean = float(layer.gate[channel]), float(layer.mean[channel])
    still = sum(kind != "varies" for one in view.layers for kind in one.kinds)
    count = sum(len(one.kinds) for one in view.layers)
    kind = kind_of(view.layers)
    gate = term("gate")
    factor = {
        "gate": f"It is multiplied as a whole by its {gate}, a number from 0 to 1 that a narrow layer computes from "
        "the means of all channels.",
        "cbam": f"It is multiplied as a whole by its {gate}, a number from 0 to 1 that a narrow layer computes from "
        "the means and the largest values of all channels. A second gate, at each position, scales all channels.",
        "bam": f"Each of its values is multiplied by 1 + a {gate}, a number from 0 to 1: the score of the channel, "
        "which a narrow layer computes from the means of all channels, and a score of the position are added before "
        "the sigmoid. A bar is the mean over all positions.",
    }[kind]
    return (
        f"A {term('channel')} is one map of features. {factor}\n\n{EQUATIONS[kind]}\n\n"
        f"Here the gate of channel {channel + 1} in {layer.title.lower()} is farthest from its mean: "
        f"{short(value, 3)} instead of {short(mean, 3)}. Of {count} gates, {still or 'none'} "
        f"{'are' if still > 1 else 'is'} *constant* (standard deviation below 0.01 over {view.many}) or *always open* "
        "(above 0.98 for 99 %)."
    )


def kind_of(layers: Sequence[GatesOfLayer]) -> str:
    """Return the kind of gates that a network has: "gate" for channels alone, "cbam" or "bam"."""
    return {"score": "bam", "gate": "cbam", "": "gate"}[layers[0].space_is]


def farthest(layers: Sequence[GatesOfLayer]) -> tuple[GatesOfLayer, int]:
    """Return the layer and the channel of the gate that is farthest from its mean."""
    found = [(layer, abs(layer.gate - layer.mean)) for layer in layers]
    layer, apart = max(found, key=lambda one: float(one[1].max()))
    return layer, int(apart.argmax())


def does_not_show(subject: Subject) -> str:
    """Return the conclusions that the bars do not support."""
    from attnviz.ui.mechanisms.channel_attention import gates

    layers = cache.of_subject(gates.view, subject).layers
    silent = (
        "A gate at 0 does not silence a channel either: its factor is then 1."
        if kind_of(layers) == "bam"
        else at_zero([(layer.title, len(layer.kinds)) for layer in layers])
    )
    return (
        "**A gate that never varies is not attention.** A factor that is the same for every picture is a weight like "
        "any other. So compare each bar with its line; *All at their mean* takes away exactly what depends on the "
        "picture.\n\n"
        "**An open gate is not importance.** The next layer can undo any factor, and a channel that is scaled down may "
        f"still decide the answer. {silent}\n\n"
        "A channel has no name: in a network trained from another seed it means something else."
    )


def at_zero(blocks: Sequence[tuple[str, int]]) -> str:
    """Return the effect of a gate at 0 when inputs are added after it; `blocks`: (title, channels), in order."""
    wider = [(title, own - of) for (_, of), (title, own) in pairwise(blocks) if own > of]
    if not wider:
        return "A gate at 0 silences no channel: all keep what the skip connection adds."
    where = " and ".join(title.lower() for title, _ in wider)
    return (
        f"A gate at 0 silences only the {sum(added for _, added in wider)} channels that begin in {where}: all others "
        "keep what the skip connection adds."
    )


_ALL = {"own": "as computed", "one": "all at 1", "mean": "all at their mean", "other": "those of another picture"}


def gates_of_maps(replaced: str, turned: str, other: str | None) -> str:
    """Return a sentence on the gates of the maps below, from the URL fields and the other picture in words."""
    count = turned.count("-")
    by_hand = f", and {count} set by hand" if count else ""
    which = f" ({other})" if replaced == "other" else ""
    return f"The gates of these maps: {_ALL[replaced]}{which}{by_hand}."


_REPLACED = {"mean": "at the mean", "shuffled": "of another picture", "one": "at 1"}


def replaced(name: str, of: str) -> str:
    """Return an ablation in words; `of` is a pattern of tap paths such as "blocks.3.attention.*gate"."""
    how, part = _REPLACED.get(name, name), of.split(".")
    if part[1] == "*":
        return f"all {how}"
    return f"block {int(part[1]) + 1} {how}" if part[0] == "blocks" else f"after block {int(part[1]) + 1} {how}"


def verdict(found: Difference) -> str:
    """Return the finding on whether constant gates would do: the model compared with all its gates at their mean."""
    change = f"with every gate at its mean the accuracy {change_in_points(found, 'falls by', 'rises by')}"
    return {
        "better": f"**Attention, on these pictures**: {change}.",
        "worse": f"**A constant is even better, on these pictures**: {change}.",
        "within the margin": f"**As good as a constant, on these pictures**: {change}, within {margin(found)}.",
        "not decided": f"**Not decided**: {change}; {undecided(found)}.",
    }[found.verdict]


def pays(found: Sequence[tuple[str, str, Difference]]) -> str:
    """Return the finding on whether networks with gates clearly differ from those without, all pairs judged together.

    Each item of `found` holds the titles of a pair and by how much its first network is better.
    """
    if not found:
        return NOTHING_TO_COMPARE
    judged = [each for each in found if each[2].interval is not None]
    rest = "" if len(judged) == len(found) else f" {_not_judged(found)}"
    if not judged:
        return f"**Not decided**:{rest}"
    verdicts = together([each for _, _, each in judged])
    many = f" The {len(judged)} comparisons are corrected for their number (Holm)." * (len(judged) > 1)
    sure = [
        f"{one} is {verdict} than {other.lower()} by {signed(abs(each.value)).removeprefix('+')} points"
        for (one, other, each), verdict in zip(judged, verdicts, strict=True)
        if verdict in ("better", "worse")
    ]
    if sure:
        return f"**Gates make a difference here**: {'; '.join(sure)}.{many}{rest}"
    least = min((each for _, _, each in judged), key=lambda each: each.margin)
    if not rest and all(each.interval is not None and each.interval[1] <= each.margin for _, _, each in judged):
        return (
            "**Gates do not pay here**: no network with gates is better than one without by more than the margin, "
            f"{100 * least.margin:.2g} points.{many}"
        )
    return (
        "**Not decided**: no network with gates clearly differs from one without, and a difference of more than "
        f"{100 * least.margin:.2g} points, a tenth of the errors, is not ruled out.{many}{rest}"
    )


def _not_judged(found: Sequence[tuple[str, str, Difference]]) -> str:
    why = dict.fromkeys(undecided(each) for _, _, each in found if each.interval is None)
    count = sum(each.interval is None for _, _, each in found)
    pairs = "1 pair is" if count == 1 else f"{count} pairs are"
    return f"{pairs} not judged: {'; '.join(why)}."


def spread(gates: np.ndarray) -> str:
    """Return the mean standard deviation of a layer's gates (picture, channel) over pictures, in words."""
    return short(float(gates.std(0).mean()), 2)


def by_depth(
    shares: Sequence[float], chance: Sequence[float], halves: tuple[float, float, tuple[float, float]] | None
) -> str:
    """Return the finding on whether the share of variance between classes, 0..1 by depth, grows with depth.

    `chance` holds the largest shares with shuffled labels. `halves` is the result of
    `attnviz.measures.channel_attention.gates.gain_with_depth`, or None for a single layer.
    """
    above = sum(share > most for share, most in zip(shares, chance, strict=True))
    where = f"In {above} of {len(shares)} layers the share is larger than with any of 20 shuffles of the labels."
    if halves is None:
        return f"There is only one layer of gates, so depth cannot be judged. {where}"
    early, late, (low, high) = halves
    if not above:
        grows = "Neither is more than shuffled labels give"
    elif low > 0:
        grows = "In this network it grows with depth"
    elif high < 0:
        grows = "In this network it falls with depth"
    else:
        grows = "With other pictures it could be the other way round"
    return (
        f"{100 * early:.0f} % of the variance of the gates lies between classes in the first half of the layers, and "
        f"{100 * late:.0f} % in the second half: {signed(late - early)} points (95 % interval over pictures "
        f"{signed(low)} to {signed(high)}). {grows}. {where}"
    )


def classes(said: str) -> str:
    """Return the caption of the map of gates by class."""
    return (
        f"Computed from {said}. Violet: a class opens this gate more than the mean of all pictures; ochre: less. The "
        "layer is the one chosen above. A share of the variance does not show how large the variance is: read it "
        "together with the standard deviation."
    )
