"""Do two seeds learn the same heads? Their maps are matched one to one, beside what matching gives without learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import subjects
from attnviz.errors import BadInput
from attnviz.figures.dots import Dot, dots
from attnviz.measures.paired import paired
from attnviz.roles import role_of
from attnviz.ui.components.map_grid import Table, map_grid
from attnviz.ui.live import trainings
from attnviz.ui.shared import cache, jobs
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.over_many import over_many
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.shared.wording import MINUS
from attnviz.ui.training.experiments import choice
from attnviz.ui.training.experiments.unseen import Unseen, unseen

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.measures.switched_heads import HeadLayer
    from attnviz.readings import Reading
    from attnviz.subjects import Loaded, Net
    from attnviz.subjects.history import History
    from attnviz.work.jobs.seen import Seen

OF, SECOND, MEASURED = "of", "second", "matched"  # fields of the URL
PICTURES, TOGETHER = 100, 2  # how many, and how many in one part of the work
SHOWN = 8  # pairs of heads whose maps are drawn, the most alike first

Array = npt.NDArray[np.float64]
TRAINED, BEFORE, SHUFFLED = "trained", "before", "shuffled"


class Part(NamedTuple):
    """What some pictures say.

    Args:
        alike: "trained", "before" (the same two before their training; only where both are kept) and "shuffled" -> for
            each layer, (picture, head, other head), the correlation of the maps of two heads.
        maps: of the first picture, for each layer, of both nets, (head, row, column); empty in all parts but the first.
    """

    alike: Mapping[str, tuple[Array, ...]]
    maps: tuple[tuple[Array, Array], ...] = ()


@dataclass(frozen=True, eq=False)
class Pair:
    """Two heads that were matched.

    Args:
        layer: its number, from 0.
        one, other: the heads, from 0.
        alike: (picture,), the correlation of their maps on pictures that they were not matched by.
    """

    layer: int
    one: int
    other: int
    alike: Array


@dataclass(frozen=True, eq=False)
class Matched:
    """What is known of the heads of two trainings.

    Args:
        pairs: of each kind, as in `Part`, the heads that were matched, each kind by itself.
        unmatched: (picture,), the mean correlation of any two trained heads of a layer.
        by: how many pictures they were matched by; as many others, or one fewer, were measured.
    """

    pairs: Mapping[str, list[Pair]]
    unmatched: Array
    by: int

    def mean(self, kind: str) -> Array:
        """Return (picture,), the mean over the matched heads of a kind."""
        found: Array = np.mean([pair.alike for pair in self.pairs[kind]], 0)
        return found


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


def common(one: Net, other: Net) -> list[HeadLayer]:
    """Return the layers that both nets have, and whose heads have maps of the same places; those of the first."""
    paths = {layer.path: layer for layer in choice.layers(other)}
    found = []
    for layer in choice.layers(one):
        its = paths.get(layer.path)
        if its is not None and layer.maps and layer.maps == its.maps:
            found.append(layer)
    return found


def work(one: History, other: History, found: Sequence[HeadLayer], pictures: Unseen) -> jobs.Job[Part]:
    """Return the work: two pictures in each part."""
    last = [subjects.net(its.points[-1].key) for its in (one, other)]
    first = [subjects.net(its.points[0].key) for its in (one, other) if not its.points[0].epoch]

    def step(number: int) -> Part:
        some = pictures.pictures[number * TOGETHER : (number + 1) * TOGETHER]
        return compare([cache.single(net) for net in last], [cache.single(net) for net in first], found, some, number)

    key = "matched", *((net.key, net.digest) for net in (*last, *first)), pictures.said
    return jobs.job(key, step, -(-len(pictures) // TOGETHER))


def compare(
    last: Sequence[Loaded],
    first: Sequence[Loaded],
    found: Sequence[HeadLayer],
    pictures: npt.NDArray[np.uint8],
    number: int,
) -> Part:
    """Compare the maps of every two heads.

    Args:
        last: both nets after their training.
        first: both before it; fewer than two are not compared.
        found: the layers.
        pictures: uint8 (picture, row, column, channel), as the nets take them.
        number: of the part: it decides how places are shuffled, and the first one keeps maps.
    """
    import torch

    from attnviz.measures.matched_heads import shuffled, similarity

    maps = [maps_of(net, found, pictures) for net in last]
    before = [maps_of(net, found, pictures) for net in first]
    draw = torch.Generator().manual_seed(number)
    alike = {
        TRAINED: [similarity(_flat(ours), _flat(theirs)) for ours, theirs in zip(*maps, strict=True)],
        SHUFFLED: [similarity(_flat(ours), shuffled(_flat(theirs), draw)) for ours, theirs in zip(*maps, strict=True)],
    }
    if len(before) == 2:
        alike[BEFORE] = [similarity(_flat(ours), _flat(theirs)) for ours, theirs in zip(*before, strict=True)]
    shown = () if number else tuple((_shown(ours), _shown(theirs)) for ours, theirs in zip(*maps, strict=True))
    return Part({kind: tuple(one.numpy() for one in some) for kind, some in alike.items()}, shown)


def maps_of(loaded: Loaded, found: Sequence[HeadLayer], pictures: npt.NDArray[np.uint8]) -> list[Reading]:
    """Return the maps of each layer's heads; where each query has a row of its own, those of some queries.

    Args:
        loaded: the net.
        found: its layers.
        pictures: as the net takes them.
    """
    import torch

    from attnviz.answers import as_batch
    from attnviz.tracing import trace
    from attnviz.ui.shared import inference

    with torch.no_grad(), trace(loaded.model, [layer.maps for layer in found]) as seen:
        inference.ask(loaded, as_batch(pictures))
    return [_sampled(seen[layer.maps]) for layer in found]


def _sampled(reading: Reading) -> Reading:
    """Return a reading with a few of its queries, if it has queries: their rows stand for all."""
    import torch

    from attnviz.measures.heads import sampled

    if "query" not in reading.axes:
        return reading
    axis = reading.axes.index("query")
    chosen = torch.from_numpy(sampled(reading.tensor.shape[axis]))
    return replace(reading, tensor=reading.tensor.index_select(axis, chosen))


def _flat(reading: Reading) -> Tensor:
    """Return maps as (picture, head, place)."""
    order = [reading.axes.index("batch"), reading.axes.index("head")]
    rest = [axis for axis in range(len(reading.axes)) if axis not in order]
    flat: Tensor = reading.tensor.permute(*order, *rest).flatten(2)
    return flat


def _shown(reading: Reading) -> Array:
    """Return the map of each head for the first picture, (head, row, column): a mean over queries and channels."""
    means = [axis for axis in reading.axes if axis in ("query", "channel", "step")]
    tensor = reading.tensor.select(reading.axes.index("batch"), 0)
    left = [axis for axis in reading.axes if axis != "batch"]
    tensor = tensor.mean([left.index(axis) for axis in means]).double() if means else tensor.double()
    grid, count = reading.grid, len(tensor)
    if tensor.ndim == 2:
        tensor = tensor[:, grid.prefix :].reshape(count, grid.rows, grid.columns) if grid else tensor[:, None]
    found: Array = tensor.numpy()
    return found


def matched(parts: Sequence[Part]) -> Matched | None:
    """Match the heads by the pictures of every other part, and measure them on the others.

    Args:
        parts: in the order of `work`.

    Returns:
        The matched heads; None while there is only one part.
    """
    import torch

    from attnviz.measures.matched_heads import match

    if len(parts) < 2:
        return None
    pairs: dict[str, list[Pair]] = {}
    unmatched: list[Array] = []
    for kind in parts[0].alike:
        pairs[kind] = []
        for layer in range(len(parts[0].alike[kind])):
            by, measured = (np.concatenate([part.alike[kind][layer] for part in parts[start::2]]) for start in (0, 1))
            for one, other in match(torch.from_numpy(by.mean(0))):
                pairs[kind].append(Pair(layer, one, other, measured[:, one, other]))
            if kind == TRAINED:
                unmatched.append(measured.mean((1, 2)))
    return Matched(pairs, np.mean(unmatched, 0), len(by))


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
