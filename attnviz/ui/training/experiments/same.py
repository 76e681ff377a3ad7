"""Do two seeds learn the same heads? Their maps are matched one to one, and compared with matched untrained heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from attnviz import subjects
from attnviz.arrays import Floats
from attnviz.charts import with_minus
from attnviz.charts.dots import Dot, dots
from attnviz.measures.difference import paired
from attnviz.roles import role_of
from attnviz.ui.components.map_grid import Table, map_grid
from attnviz.ui.live import trainings
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.over_many import over_many
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.training.experiments import choice
from attnviz.ui.training.experiments.matching import (
    BEFORE,
    SHUFFLED,
    TRAINED,
    Matched,
    Pair,
    Part,
    common,
    matched,
    work,
)
from attnviz.ui.training.experiments.unseen import unseen

if TYPE_CHECKING:
    from attnviz.measures.switched import HeadLayer
    from attnviz.subjects import Net
    from attnviz.work.jobs.seen import Seen

OF, SECOND, MEASURED = "of", "second", "matched"  # URL fields
PICTURES = 100
SHOWN = 8  # pairs of heads whose maps are drawn, the most similar first


def show(there: Sequence[Seen]) -> None:
    """Draw the choice of two trainings, and the similarity of their heads."""
    options = choice.trainings(there)
    left, right = st.columns(2)
    with left:
        key = choice.pick(OF, "Training", options)
    its = trainings.history_of(key)
    net = subjects.net(its.points[-1].key)
    others = beside(net, options)
    if not others:
        st.info(
            "There is no second training of such a model here. Train it once more with another seed: choose the same "
            "settings above, write 0-1 under *Seeds*, and press *Train*."
        )
        return
    with right:
        second = choice.pick(SECOND, "Beside", others)
    other = trainings.history_of(second)
    found = common(net, subjects.net(other.points[-1].key))
    pictures = unseen(net, PICTURES)
    st.caption(
        f"On {pictures.said}, which neither was trained on, after the last epoch of both. Each {term('head')} of one "
        "training is matched with one head of the other, so that the maps of matched heads are as similar as possible. "
        "Half of the pictures decide which heads are matched; the numbers come from the other half."
    )
    over_many(
        MEASURED, len(pictures), lambda: work(its, other, found, pictures),
        lambda parts: _draw(parts, found, (options[key], options[second])),
    )  # fmt: skip


def beside(net: Net, options: Mapping[str, str]) -> dict[str, str]:
    """Return the trainings whose heads can be matched with a net's, starting with other seeds of the same settings."""
    found: dict[str, str] = {}
    same: dict[str, str] = {}
    for key, title in options.items():
        other = trainings.net_of(key)
        if other.history == net.history or (other.architecture, other.input) != (net.architecture, net.input):
            continue
        if not common(net, other):
            continue
        alike = (other.config, other.data, other.classes) == (net.config, net.data, net.classes)
        (same if alike and other.seed != net.seed else found)[key] = title
    return same | found


def in_words(found: Matched) -> str:
    """Return a finding on whether matched heads are more alike than matching alone makes them."""
    trained, count = found.mean(TRAINED), len(found.unmatched)
    heads = len(found.pairs[TRAINED])
    said = (
        f"the maps of {'matched heads' if heads > 1 else 'the two heads'} have a correlation of "
        f"{_signed(trained.mean())} (mean over {count} {'picture' if count == 1 else 'pictures'})"
    )
    shuffled = f"with the places of one map shuffled, it is {_signed(found.mean(SHUFFLED).mean())}"
    if BEFORE not in found.pairs:
        return f"After the training, {said}; {shuffled}."
    before = found.mean(BEFORE)
    compared = f"Before the training, matched in the same way, it is {_signed(before.mean())}; {shuffled}."
    if count < 2:
        return f"So far, {said}. {compared}"
    difference = paired(trained, before)
    digits = 2 if abs(difference.mean) >= 0.1 else 3
    change, low, high = (_signed(value, digits) for value in (difference.mean, difference.low, difference.high))
    verdict = {
        1: "The two have learnt heads that are more alike than those they began with",
        0: "The two have learnt heads that are no more alike, as far as these pictures can show, than those they began "
        "with",
        -1: "The two have learnt heads that are less alike than those they began with",
    }[int(difference.verdicts)]
    return f"**{verdict}**: {said}. {compared} The training changes it by {change} (95 % interval {low} to {high})."


def _signed(value: float | Floats, digits: int = 2) -> str:
    rounded = round(float(value), digits)
    return with_minus(f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}")


def _draw(parts: Sequence[Part], layers: Sequence[HeadLayer], titles: tuple[str, str]) -> None:
    found = matched(parts)
    if found is None:
        return
    finding()(in_words(found))  # inside the fragment, because it is redrawn with every part
    heads = len(found.pairs[TRAINED])
    rows = [_dot("matched heads" if heads > 1 else "the two heads", found.mean(TRAINED), control=False)]
    if heads > 1:
        rows.append(_dot("any two heads, not matched", found.unmatched))
    if BEFORE in found.pairs:
        rows.append(_dot("matched before the training", found.mean(BEFORE)))
    rows.append(_dot("matched, places shuffled", found.mean(SHUFFLED)))
    with st.container(key=container_key(len(rows), "matched")):
        st.markdown(
            dots(rows, axis="correlation of two maps",
                 kinds={"mechanism": "two trained nets", "control": "what matching gives without learning"}),
            unsafe_allow_html=True,
        )  # fmt: skip
    best = sorted(found.pairs[TRAINED], key=lambda pair: -pair.alike.mean())
    _maps(parts[0], layers, best[:SHOWN], titles, len(best))
    st.caption(
        "A correlation of 1 means that two maps are strong and weak at the same places; 0, that they have nothing to "
        "do with each other; below 0, that one is strong where the other is weak. Each dot is a mean over pictures and "
        "matched heads; its line spans the middle 80 % of the pictures. Heads of two trainings have no common order, "
        "so the third head of one may do the work of the first of the other: that is why they are matched. Two maps of "
        "the same picture are always somewhat similar, because both follow the picture: compare with the nets before "
        "their training. Above a column are the head of the first training and that of the second. If each query has "
        "its own map, 64 of them are compared, and their mean is drawn. Two trainings say nothing about other seeds."
    )
    with st.expander("The matched heads in numbers", key="matched_numbers"):
        names = choice.names(layers)
        first = np.cumsum([0, *(layer.heads for layer in layers)])
        st.dataframe(
            {
                "one": [names[first[pair.layer] + pair.one] for pair in best],
                "other": [_name(pair, layers) for pair in best],
                "alike": [float(pair.alike.mean()) for pair in best],
                "low": [float(np.quantile(pair.alike, 0.1)) for pair in best],
                "high": [float(np.quantile(pair.alike, 0.9)) for pair in best],
            },
            hide_index=True,
            height=min(38 + 35 * len(best), 388),
            column_config={
                "one": st.column_config.TextColumn("Of the first"),
                "other": st.column_config.TextColumn("Of the second"),
                "alike": st.column_config.NumberColumn("Correlation", format="%.3f"),
                "low": st.column_config.NumberColumn("10 % of pictures below", format="%.3f"),
                "high": st.column_config.NumberColumn("10 % of pictures above", format="%.3f"),
            },
        )


def _name(pair: Pair, layers: Sequence[HeadLayer]) -> str:
    return f"layer {pair.layer + 1}, head {pair.other + 1}" if len(layers) > 1 else f"head {pair.other + 1}"


def _columns(pair: Pair, layers: Sequence[HeadLayer]) -> str:
    return f"layer {pair.layer + 1}: " * (len(layers) > 1) + f"{pair.one + 1} and {pair.other + 1}"


def _dot(name: str, values: Floats, *, control: bool = True) -> Dot:
    low, high = np.quantile(values, (0.1, 0.9))
    mean = float(values.mean())
    return Dot(
        name,
        mean if abs(mean) >= 0.005 else 0.0,
        float(low),
        float(high),
        len(values),
        control=control,
        counted="pictures",
    )


def _maps(part: Part, layers: Sequence[HeadLayer], pairs: Sequence[Pair], titles: tuple[str, str], count: int) -> None:
    """Draw the maps of matched heads, one above the other, on the first picture."""
    shapes = {part.maps[pair.layer][side].shape[1:] for pair in pairs for side in (0, 1)}
    if len(shapes) > 1:
        return
    upper = [part.maps[pair.layer][0][pair.one] for pair in pairs]
    lower = [part.maps[pair.layer][1][pair.other] for pair in pairs]
    labels = [f"{titles[0]}: head {pair.one + 1}" for pair in pairs]
    labels += [f"{titles[1]}: head {pair.other + 1}" for pair in pairs]
    role = role_of(layers[0].maps)
    few = f"the {len(pairs)} most alike of {count} pairs" if count > len(pairs) else "the most alike first"
    title = f"Matched heads above one another on one picture, {few}" if len(pairs) > 1 else "Both heads on one picture"
    map_grid(
        np.stack(upper + lower), labels, key="matched_maps", role=role.colouring,
        scale="share" if role.colouring == "share" else "all",
        title=title,
        table=Table(["first", "second"], [_columns(pair, layers) for pair in pairs])
        if len(pairs) > 1
        else Table([""], ["first", "second"]),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "Do two seeds learn the same heads?",
    "Matches the heads of two trainings by their maps, and compares that with matching heads that have learnt nothing.",
    show,
    (OF, SECOND, MEASURED),
)
