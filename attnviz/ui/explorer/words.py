"""The sentences and tables of the explorer's experiments, made of their numbers, without streamlit or torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attnviz.figures.minus import with_minus
from attnviz.measures.paired import paired
from attnviz.ui.explorer.maps import CHANCE, ERASURE, JACOBIAN, OWN, PRODUCT
from attnviz.ui.shared.glossary import term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from attnviz.ui.explorer.maps import Array, Kept, Ranked

NONE = (
    "This model has no map of its own that says, place by place, what it attends to: only the two accepted methods "
    "are compared."
)
TAU = (
    "*Kendall's tau* compares two orders: of all pairs of squares, the share that two maps put in the same order, less "
    "the share that they put in the opposite order. 1 is the same order, 0 is chance, −1 the reverse."
)
MAPS = (
    f"The {term('Jacobian')}: how steeply the {term('logit')} of the answer changes with a square's pixels. Erasure: "
    "how far the logit moves when the square gets the picture's mean. Both are accepted methods; neither is the truth."
)
SHOWN = "Each row is a mean over the pictures; its line spans the middle 80 % of them, for random maps of all maps."
STAYS = (
    "Random weights have the mean and the spread of the learnt ones, and are drawn anew for each picture. Lines are "
    "means, bands one standard deviation, over the pictures. A map that stays as it was shows the picture, not what "
    "the network has learnt: picture × Jacobian is 0 wherever the picture is."
)
CONSTANT = (
    "The constant is added to every pixel, and taken out again before the first layer, as a changed bias would do. So "
    "the network computes what it did before, and a map that changes depends on the constant."
)


def titles(tap: str) -> dict[str, str]:
    """Return what each map is called.

    Args:
        tap: path of the tap whose map is the net's own; "" for none.
    """
    own = tap.rpartition(".")[2].replace("_", " ")
    return {
        OWN: own, JACOBIAN: "Jacobian", PRODUCT: "picture × Jacobian", ERASURE: "erasure", CHANCE: "a random map"
    }  # fmt: skip


def pair_of(pair: tuple[str, str], tap: str) -> str:
    """Return two maps in words, such as "weights and Jacobian"."""
    names = titles(tap)
    return f"{names[pair[0]]} and {names[pair[1]]}"


def tau(value: float) -> str:
    """Return a rank correlation with its sign: "+0.34", "−0.05"."""
    if np.isnan(value):
        return "not there, as one of them is the same everywhere"
    return with_minus(f"{value:+.2f}")


def ends(values: Array) -> tuple[float, float]:
    """Return between which values the middle 80 % of some lie."""
    low, high = np.nanquantile(values, (0.1, 0.9))
    return float(low), float(high)


def one_picture(found: Ranked, tap: str) -> str:
    """Return the correlations on one picture as a table in Markdown, the yardstick and chance among them."""
    rows = [f"| {pair_of(pair, tap)} | {tau(float(values[0]))} |" for pair, values in found.taus.items()]
    low, high = np.min(found.chance), np.max(found.chance)
    rows.append(f"| {found.chance.shape[1]} random maps and erasure | {tau(float(low))} to {tau(float(high))} |")
    return "\n".join(["| on this picture | Kendall's tau |", "| --- | ---: |", *rows])


def on_this_picture(found: Ranked, tap: str) -> str:
    """Say how the maps of one picture agree."""
    yardstick = float(found.taus[JACOBIAN, ERASURE][0])
    most = float(np.nanmax(np.abs(found.chance))) if np.isfinite(found.chance).any() else np.nan
    chance = f"random maps reach {most:.2f}"
    if (OWN, ERASURE) not in found.taus:
        return (
            "**On this picture** Kendall's tau of the Jacobian and erasure, two accepted methods, is "
            f"{tau(yardstick)}, and {chance}."
        )
    own = [float(found.taus[OWN, other][0]) for other in (JACOBIAN, ERASURE)]
    return (
        f"**On this picture** Kendall's tau of its own map ({titles(tap)[OWN]}) is {tau(own[0])} with the Jacobian and "
        f"{tau(own[1])} with erasure. That of these two accepted methods is {tau(yardstick)}, and {chance}."
    )


def verdict(found: Ranked, tap: str) -> str:
    """Say over several pictures whether a net's own map agrees less with erasure than the Jacobian does."""
    yardstick = found.taus[JACOBIAN, ERASURE]
    count = len(yardstick)
    mean = tau(_mean(yardstick))
    if (OWN, ERASURE) not in found.taus:
        return f"Over {count} pictures tau of the Jacobian and erasure, two accepted methods, is {mean} on average."
    own = found.taus[OWN, ERASURE]
    both = np.isfinite(own) & np.isfinite(yardstick)
    if both.sum() < 2:
        return "Too few pictures have maps that rank their places."
    difference = paired(own[both], yardstick[both])
    said = {-1: "less than", 1: "more than", 0: "as much, as far as these pictures can show, as"}[
        int(difference.verdicts)
    ]
    name = titles(tap)[OWN]
    interval = f"{tau(float(difference.low))} to {tau(float(difference.high))}"
    return (
        f"Over {count} pictures its own map ({name}) agrees with erasure **{said}** the Jacobian does: tau is "
        f"{tau(_mean(own))} and {mean} on average, a difference of {tau(float(difference.mean))} (95 % "
        f"interval {interval}). Random maps give {tau(_mean(found.chance))}."
    )


def stays(taus: Mapping[str, float], chance: Array, layers: int, tap: str) -> str:
    """Say which maps of one picture remain as they were with all layers random.

    Args:
        taus: name of a map -> its tau with the map of the trained network.
        chance: taus of random maps, (draw,).
        layers: how many are random.
        tap: of the net's own map.
    """
    most = float(np.nanmax(np.abs(chance))) if np.isfinite(chance).any() else 0.0
    alike = [name for name, value in taus.items() if value > most]
    each = ", ".join(f"{titles(tap)[name]} {tau(value)}" for name, value in taus.items())
    if not alike:
        said = "**No map of this picture keeps more order than chance gives**"
    elif len(alike) == len(taus):
        said = "**Every map of this picture keeps more order than chance gives,**"
    else:
        kept = _listed([titles(tap)[name] for name in alike])
        said = f"**On this picture {kept} {'keeps' if len(alike) == 1 else 'keep'} more order than chance gives,**"
    return (
        f"{said} when {_all(layers)} random. Kendall's tau with the trained network's map: {each}; "
        f"{len(chance)} random maps reach {most:.2f}."
    )


def survives(found: Kept, tap: str) -> str:
    """Say over several pictures how alike each map remains with all layers random."""
    count = len(found.chance)
    each = ", ".join(f"{titles(tap)[name]} {tau(_mean(values[:, -1]))}" for name, values in found.taus.items())
    return (
        f"Over {count} {'picture' if count == 1 else 'pictures'}, when {_all(int(found.layers[-1]))} random: {each}; "
        f"random maps {tau(_mean(found.chance))}."
    )


def constant(taus: Mapping[str, float], logits: tuple[float, float], tap: str) -> str:
    """Say which maps a constant changes that changes nothing else.

    Args:
        taus: name of a map -> its tau with the map without the constant.
        logits: of the answer, without and with it.
        tap: of the net's own map.
    """
    names = titles(tap)
    changed = [names[name] for name, value in taus.items() if value < 1 - 1e-6]
    same = [names[name] for name, value in taus.items() if not value < 1 - 1e-6]
    moved = abs(logits[1] - logits[0])
    answer = (
        "The logit of the answer stays the same" if moved < 1e-9 else f"The logit of the answer moves by {moved:.2g}"
    )
    if not changed:
        return f"**No map depends on the constant.** {answer}, and so do the maps of {_listed(same)}."
    kept = f", and so do the maps of {_listed(same)}" if same else ""
    others = ", ".join(f"{names[name]} {tau(value)}" for name, value in taus.items() if value < 1 - 1e-6)
    maps, verb = ("map", "depends") if len(changed) == 1 else ("maps", "depend")
    return (
        f"**The {maps} of {_listed(changed)} {verb} on the constant, not on the network alone.** {answer}{kept}. "
        f"Kendall's tau of before and after: {others}."
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _all(layers: int) -> str:
    return "its only layer is" if layers == 1 else f"all {layers} layers are"


def _mean(values: Array) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
