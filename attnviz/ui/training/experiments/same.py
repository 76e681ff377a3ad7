"""Do two seeds learn the same heads? Their maps are matched one to one, beside what matching gives without learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from attnviz import subjects
from attnviz.errors import BadInput
from attnviz.figures.dots import Dot, dots
from attnviz.measures.paired import paired
from attnviz.roles import role_of
from attnviz.ui.components.map_grid import Table, map_grid
from attnviz.ui.live import trainings
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.over_many import over_many
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.shared.wording import MINUS
from attnviz.ui.training.experiments import choice
from attnviz.ui.training.experiments.matching import (
    BEFORE,
    SHUFFLED,
    TRAINED,
    Array,
    Matched,
    Pair,
    Part,
    common,
    matched,
    work,
)
from attnviz.ui.training.experiments.unseen import unseen

if TYPE_CHECKING:
    from attnviz.measures.switched_heads import HeadLayer
    from attnviz.subjects import Net
    from attnviz.work.jobs.seen import Seen

OF, SECOND, MEASURED = "of", "second", "matched"  # fields of the URL
PICTURES = 100
SHOWN = 8  # pairs of heads whose maps are drawn, the most alike first


def show(there: Sequence[Seen]) -> None:
    """Draw the choice of two trainings, and how alike their heads are."""
    options = choice.trainings(there)
    if not options:
        raise BadInput(
            "There is no training here whose model has heads. Choose a mechanism with heads above, and train it."
        )
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
        "is matched with one head of the other such that the matched maps correlate as much as they can; half of the "
        "pictures decide who is matched, the other half is measured."
    )
    over_many(
        MEASURED, len(pictures), lambda: work(its, other, found, pictures),
        lambda parts: _draw(parts, found, (options[key], options[second])),
    )  # fmt: skip


def beside(net: Net, options: Mapping[str, str]) -> dict[str, str]:
    """Return the trainings whose heads can be matched with those of a net: the same kind of net, with maps.

    Args:
        net: whose.
        options: key -> title, of all.

    Returns:
        Those of them; other seeds of the same settings first.
    """
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
    """Return whether matched heads are more alike than matching alone makes them."""
    trained, count = found.mean(TRAINED), len(found.unmatched)
    heads = len(found.pairs[TRAINED])
    said = (
        f"the maps of {'the matched heads' if heads > 1 else 'the two heads'} correlate by "
        f"{_signed(trained.mean())} on average over {count} pictures"
    )
    shuffled = f"with their places shuffled by {_signed(found.mean(SHUFFLED).mean())}"
    if BEFORE not in found.pairs:
        return f"After the training {said}, {shuffled}."
    before = found.mean(BEFORE)
    if count < 2:
        return (
            f"So far {said}; before their training, matched in the same way, by {_signed(before.mean())}, {shuffled}."
        )
    difference = paired(trained, before)
    verdict = {
        1: "The two have learnt heads that are more alike than those they began with",
        0: "The two have learnt heads that are no more alike, as far as these pictures can show, than those they began "
        "with",
        -1: "The two have learnt heads that are less alike than those they began with",
    }[int(difference.verdicts)]
    return (
        f"**{verdict}**: {said}; before their training, matched in the same way, by {_signed(before.mean())}, "
        f"{shuffled}. The difference to before is {_signed(difference.mean)} (95 % interval "
        f"{_signed(difference.low)} to {_signed(difference.high)})."
    )


def _signed(value: float | Array) -> str:
    return f"{float(value):+.2f}".replace("+0.00", "0.00").replace("-0.00", "0.00").replace("-", MINUS)


def _draw(parts: Sequence[Part], layers: Sequence[HeadLayer], titles: tuple[str, str]) -> None:
    found = matched(parts)
    if found is None:
        return
    finding()(in_words(found))  # here, since whatever is drawn anew again and again has to lie within
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
        "A dot is a mean over pictures, each of them a mean over the heads; its line spans the middle 80 % of the "
        "pictures. Heads of two trainings have no common order, so the third head of one may do the work of the first "
        "of the other: that is why they are matched. Two maps of the same picture are alike to some degree whatever "
        "was learnt, because both follow the picture: compare with the nets before their training. Where each query "
        "has a map of its own, 64 of them are compared, and their mean is drawn. One pair of trainings says nothing of "
        "other seeds."
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


def _dot(name: str, values: Array, *, control: bool = True) -> Dot:
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
    """Draw the maps of matched heads above one another, on the first picture."""
    shapes = {part.maps[pair.layer][side].shape[1:] for pair in pairs for side in (0, 1)}
    if len(shapes) > 1:
        return
    upper = [part.maps[pair.layer][0][pair.one] for pair in pairs]
    lower = [part.maps[pair.layer][1][pair.other] for pair in pairs]
    labels = [f"{titles[0]}: head {pair.one + 1}" for pair in pairs]
    labels += [f"{titles[1]}: head {pair.other + 1}" for pair in pairs]
    role = role_of(layers[0].maps)
    few = f"the {len(pairs)} most alike of {count} pairs" if count > len(pairs) else "the most alike first"
    map_grid(
        np.stack(upper + lower), labels, key="matched_maps", role=role.colouring,
        scale="share" if role.colouring == "share" else "all",
        title=f"Matched heads above one another on one picture, {few}",
        table=Table(["first", "second"], [_columns(pair, layers) for pair in pairs]),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "Do two seeds learn the same heads?",
    "Matches the heads of two trainings by their maps, and compares that with matching heads that have learnt nothing.",
    show,
    (OF, SECOND, MEASURED),
)
