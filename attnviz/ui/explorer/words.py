"""The sentences and tables of the explorer's experiments, written from their numbers without streamlit or torch."""

from collections.abc import Mapping, Sequence

import numpy as np

from attnviz.arrays import Floats
from attnviz.charts import with_minus
from attnviz.measures.difference import paired
from attnviz.ui.explorer.maps import CHANCE, ERASURE, JACOBIAN, OWN, PRODUCT, Kept, Ranked
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import listed

NONE = "This model has no attention map of its own over the picture, so only the two accepted methods are compared."
TAU = (
    "*Kendall's tau* compares two orders: the number of pairs of squares that two maps put in the same order, less the "
    "number that they put in the opposite order, divided by √(*a* × *b*), where *a* and *b* are the pairs that are not "
    "tied in one map and in the other (tau b). 1 is the same order, 0 is chance, −1 the reverse."
)
MAPS = (
    f"The {term('Jacobian')}: how steeply the {term('logit')} of the answer changes with a square's pixels. Erasure: "
    "how far that logit moves when the square is filled with the picture's mean. Both are accepted methods; neither is "
    "the truth."
)
SHOWN = (
    "Each row shows a mean over the pictures on which both maps rank the squares; its line spans the middle 80 % of "
    "the values."
)
STAYS = (
    "Random weights have the mean and the spread of the learnt ones. A map that stays as it was shows the picture, not "
    "what the network has learnt: picture × Jacobian is 0 wherever the picture is 0."
)
CURVES = (
    "The random weights are drawn anew for each picture. Lines are means over the pictures; coloured bands are one "
    "standard deviation wide on either side. The grey band is the same for random maps."
)
CONSTANT = (
    "The constant is added to every pixel and taken out again before the first layer, so the network computes what it "
    "did before: a map that changes depends on the constant."
)
FLAT = "none: a map is the same everywhere"
"""The table entry for a missing correlation."""


def titles(tap: str) -> dict[str, str]:
    """Return the title of each map, with a tap's map ("" for none) as the net's own."""
    own = tap.rpartition(".")[2].replace("_", " ")
    return {
        OWN: own, JACOBIAN: "Jacobian", PRODUCT: "picture × Jacobian", ERASURE: "erasure", CHANCE: "a random map"
    }  # fmt: skip


def pair_of(pair: tuple[str, str], tap: str) -> str:
    """Return the names of two maps, such as "weights and Jacobian"."""
    names = titles(tap)
    return f"{names[pair[0]]} and {names[pair[1]]}"


def tau(value: float) -> str:
    """Return a rank correlation with its sign, "+0.34" or "−0.05"; a value that rounds to 0 has no minus."""
    return with_minus(f"{round(value, 2) + 0.0:+.2f}")


def ends(values: Floats) -> tuple[float, float]:
    """Return the ends of the middle 80 % of values."""
    low, high = np.nanquantile(values, (0.1, 0.9))
    return float(low), float(high)


def one_picture(found: Ranked, tap: str) -> str:
    """Return the correlations on one picture, including the yardstick and chance, as a Markdown table."""
    rows = [f"| {pair_of(pair, tap)} | {_cell(values)} |" for pair, values in found.taus.items()]
    rows.append(f"| {found.chance.shape[1]} random maps and erasure | {_cell(found.chance)} |")
    return "\n".join(["| on this picture | Kendall's tau |", "| --- | ---: |", *rows])


def on_this_picture(found: Ranked, tap: str) -> str:
    """Return a finding on how the maps of one picture agree, or which of them rank nothing."""
    yardstick = float(found.taus[JACOBIAN, ERASURE][0])
    chance = f", and random maps reach {_most(found.chance):.2f}." if np.isfinite(found.chance).any() else "."
    own = [float(found.taus[pair][0]) for pair in ((OWN, JACOBIAN), (OWN, ERASURE)) if pair in found.taus]
    named = f"the network's own map ({titles(tap)[OWN]})"
    if np.isnan(yardstick):
        # Only the pairs show which map is constant; if no tau exists, the network's own map may still rank positions.
        said = "**On this picture the Jacobian or erasure is the same everywhere, so the two cannot be compared.**"
        left = [
            f" Kendall's tau between {named} and {other} is {tau(value)}"
            for other, value in zip(("the Jacobian", "erasure"), own, strict=False)
            if np.isfinite(value)
        ]
        return said + "".join(left) + (chance if left else "")
    accepted = f"the Jacobian and erasure, two accepted methods, is {tau(yardstick)}{chance}"
    if not own:
        return f"**On this picture** Kendall's tau between {accepted}"
    if np.isnan(own).any():
        return (
            f"**On this picture {named} is the same everywhere, so it ranks nothing.** Kendall's tau between {accepted}"
        )
    return (
        f"**On this picture** Kendall's tau between {named} and the Jacobian is {tau(own[0])}, and with erasure it is "
        f"{tau(own[1])}. Between these two accepted methods it is {tau(yardstick)}{chance}"
    )


def verdict(found: Ranked, tap: str) -> str:
    """Return a finding, over several pictures, on whether a net's own map agrees less with erasure than the Jacobian.

    All numbers are over the same pictures: those on which all maps rank the squares.
    """
    yardstick = found.taus[JACOBIAN, ERASURE]
    own = found.taus.get((OWN, ERASURE))
    there = np.isfinite(yardstick) if own is None else np.isfinite(yardstick) & np.isfinite(own)
    if there.sum() < (1 if own is None else 2):
        return "Too few pictures have maps that rank the squares."
    over = _over(int(there.sum()), len(there))
    mean, chance = tau(_mean(yardstick[there])), f"Random maps give {tau(_mean(found.chance[there]))}."
    if own is None:
        return f"{over} tau between the Jacobian and erasure, two accepted methods, is {mean} on average. {chance}"
    difference = paired(own[there], yardstick[there])
    said = {
        -1: "**less than** the Jacobian does",
        1: "**more than** the Jacobian does",
        0: "**neither less nor more than** the Jacobian does, as far as these pictures can show",
    }[int(difference.verdicts)]
    interval = f"{tau(float(difference.low))} to {tau(float(difference.high))}"
    return (
        f"{over} the network's own map ({titles(tap)[OWN]}) agrees with erasure {said}: tau is "
        f"{tau(_mean(own[there]))} and {mean} on average, a difference of {tau(float(difference.mean))} (95 % "
        f"interval {interval}). {chance}"
    )


def stays(taus: Mapping[str, float], chance: Mapping[str, Floats], layers: int, tap: str) -> str:
    """Return a finding on which maps of one picture keep their order with all layers random, from each map's tau with
    the trained network's (NaN if one is constant), compared with those of random maps, (draw,).
    """
    ranked = {name: value for name, value in taus.items() if np.isfinite(value)}
    left_out = _left_out([name for name in taus if name not in ranked], tap, "with learnt or with random weights")
    if not ranked:
        return f"**On this picture no map can be compared.**{left_out}"
    most = {name: _most(chance[name]) for name in ranked}
    above = [name for name, value in ranked.items() if value > most[name]]
    kept, verb = _maps_of(above, tap), "keeps" if len(above) == 1 else "keep"
    if not above:
        kept, verb = "no map", "keeps"
    elif len(above) == len(taus) > 1:
        kept, verb = "every map", "keeps"
    each = ", ".join(f"{titles(tap)[name]} {tau(value)} ({most[name]:.2f})" for name, value in ranked.items())
    draws = len(next(iter(chance.values())))
    return (
        f"**On this picture {kept} {verb} more order than chance gives** when {_all(layers)} random, with one draw of "
        "random weights. Kendall's tau with the trained network's map, and in brackets the largest absolute value that "
        f"{draws} random maps reach with it: {each}.{left_out}"
    )


def survives(found: Kept, tap: str) -> str:
    """Return a finding over several pictures on how similar each map remains with all layers random."""
    count = len(next(iter(found.taus.values())))
    each = ", ".join(f"{titles(tap)[name]} {_on_average(values[:, -1])}" for name, values in found.taus.items())
    return (
        f"Kendall's tau over {_pictures(count)}, when {_all(int(found.layers[-1]))} random: {each}; "
        f"random maps {_on_average(found.by_chance)}."
    )


def constant(taus: Mapping[str, float], logits: tuple[float, float], tap: str) -> str:
    """Return a finding on which maps a neutral constant changes, from each map's tau with that without it (NaN if one
    is constant) and the answer's logits without and with it.
    """
    changed = [name for name, value in taus.items() if value < 1 - 1e-6]
    same = [name for name, value in taus.items() if value >= 1 - 1e-6]
    flat = [name for name, value in taus.items() if np.isnan(value)]
    left_out = _left_out(flat, tap, "without the constant or with it")
    moved = abs(logits[1] - logits[0])
    if moved < 1e-9:
        kept = f", and so {'does' if len(same) == 1 else 'do'} {_maps_of(same, tap)}" if same else ""
        answer = f"The logit of the answer stays the same{kept}."
    else:
        kept = f", but {_maps_of(same, tap)} {'stays' if len(same) == 1 else 'stay'} the same" if same else ""
        answer = f"The logit of the answer moves by {moved:.2g}{kept}."
    if not changed:
        far = ", as far as they can be compared" if flat else ""
        return f"**No map depends on the constant{far}.** {answer}{left_out}"
    maps, verb = _maps_of(changed, tap), "depends" if len(changed) == 1 else "depend"
    others = ", ".join(f"{titles(tap)[name]} {tau(taus[name])}" for name in changed)
    return (
        f"**{maps[0].upper()}{maps[1:]} {verb} on the constant, not on the network alone.** {answer} "
        f"Kendall's tau between the maps without and with it: {others}.{left_out}"
    )


def _maps_of(maps: Sequence[str], tap: str) -> str:
    """Return some maps as the subject of a sentence: "the maps of weights and the Jacobian"."""
    names = {**titles(tap), JACOBIAN: "the Jacobian"}
    return f"the {'map' if len(maps) == 1 else 'maps'} of {listed([names[name] for name in maps])}" if maps else ""


def _left_out(maps: Sequence[str], tap: str, where: str) -> str:
    if not maps:
        return ""
    named = _maps_of(maps, tap)
    one = len(maps) == 1
    return (
        f" {named[0].upper()}{named[1:]} {'is' if one else 'are'} the same everywhere, {where}, so "
        f"{'it ranks' if one else 'they rank'} nothing there."
    )


def _cell(values: Floats) -> str:
    """Return a table cell with a correlation, or the range of several."""
    there = values[np.isfinite(values)]
    if not len(there):
        return FLAT
    low, high = tau(float(there.min())), tau(float(there.max()))
    return low if values.size == 1 else f"{low} to {high}"


def _on_average(values: Floats) -> str:
    """Return the mean correlation over pictures, (picture, ...), and the number of pictures if some have none."""
    there = int(np.isfinite(values).reshape(len(values), -1).any(1).sum())
    if not there:
        return "none, because it is the same everywhere"
    return tau(_mean(values)) + (f" ({_pictures(there)} of them)" if there < len(values) else "")


def _over(count: int, of: int) -> str:
    if count == of:
        return f"Over {_pictures(count)}"
    others = "other" if of - count == 1 else "others"
    return f"Over {count} of {_pictures(of)} (on the {others} a map is the same everywhere)"


def _pictures(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def _most(chance: Floats) -> float:
    """Return the largest absolute correlation of random maps."""
    return float(np.nanmax(np.abs(chance)))


def _all(layers: int) -> str:
    return "its only layer is" if layers == 1 else f"all {layers} layers are"


def _mean(values: Floats) -> float:
    return float(np.nanmean(values))
