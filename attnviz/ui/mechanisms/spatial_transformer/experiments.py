"""The experiments on the page, each a question."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from attnviz import cards, comparisons, data
from attnviz.charts.bars import Row, bars
from attnviz.data.moved import MOVED
from attnviz.recipes import RECIPES
from attnviz.subjects import Net, Subject
from attnviz.ui.mechanisms.spatial_transformer import MECHANISM, words
from attnviz.ui.shared import cache, pickers
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.shared.results import ablated, costs

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from attnviz.card import Card
    from attnviz.measures.difference import Difference
    from attnviz.measures.spatial_transformer.by_angle import Band

TICK = 45.0  # degrees between the ticks of the plot of angles, as in frontend/sampling_grid/theta.js
BANDS = 6  # the number of bands of angles, all equally wide


def undoes(subject: Subject) -> None:
    """Draw the rotations of many grids against those of their pictures."""
    from attnviz.charts.plots import Line, scatter
    from attnviz.ui.mechanisms.spatial_transformer.grids import by_class, over

    say = finding()
    net = subject.net
    source = pickers.stand_in(net)
    many = cache.of_net(over, net, source)
    fit = many.undone
    if fit is None or many.picture is None:
        say(f"The rotations of the pictures of {data.DATASETS[source].title} are not known.")
        return
    say(words.verdict(fit))
    lines = [Line("undone", 1.0, dash="dash"), Line("not at all", 0.0, dash="dot")]
    if fit.slope is not None and fit.offset is not None:
        lines.insert(0, Line("best fit", fit.slope, fit.offset))
    drawn = scatter(
        many.picture, -many.grid, lines, dots="a picture", step=TICK,
        axes=("the picture is rotated by, degrees", "its grid is rotated by, degrees"),
    )  # fmt: skip
    left, right = st.columns(2, gap="medium")
    left.plotly_chart(drawn, key="undone_chart", theme="streamlit", config={"displayModeBar": False})
    parts = cache.of_net(by_class, net, source)
    rows = [Row(name, (part.spread,), words.slope_of(part)) for name, part in parts.items()]
    with right, st.container(key=container_key(len(rows), "undone")):
        table = bars(rows, "digit", ("spread left, degrees",), "slope, and upright", whole=fit.before, decimals=1)
        st.markdown(table, unsafe_allow_html=True)
    st.caption(words.undone_caption(many.said, fit))


def trap(subject: Subject) -> None:
    """Draw the accuracies with a theta that does not depend on the picture."""
    none = "The card of this model has no test with another theta; only the answer above is known."
    card, transform = subject.net.card, subject.net.config.get("transform", "affine")
    constant = words.constant_of(transform)

    def verdict(at_mean: Difference) -> str:
        found = lost(subject.net, constant)
        return words.trapped(at_mean) if found is None else words.trapped(found, constant)

    named = partial(words.replaced, transform=transform)
    ablated.show(card, finding(), kind="theta", named=named, verdict=verdict, none=none)
    st.caption(words.trap_caption(transform))


def lost(net: Net, name: str) -> Difference | None:
    """Return the difference on the main test between a net and the same with theta replaced, or None if unknown."""
    card = net.card
    whole = None if card is None else card.figure(comparisons.main_test(card.recipe))
    if card is None or whole is None:
        return None
    for one in card.ablations:
        for figure in one.figures:
            same = (figure.name, figure.data, figure.count) == (whole.name, whole.data, whole.count)
            if one.name == name and same:
                return comparisons.difference(whole, figure, paired=True)
    return None


def gains(subject: Subject) -> None:
    """Draw the errors of the net and of each control on its task, by the angle of the picture."""
    say = finding()
    net = subject.net
    known = cards.readable(task_of(net))
    own = net.card
    absent = [RECIPES[key].title for key in task_of(net) if key not in known]
    found = []
    for key in controls_of(net, known):
        pair = None if own is None else cache.of_checkpoints(errors, own.name, key)
        if pair is not None:
            found.append((RECIPES[key].title, *pair))
    if not found:
        say(words.nothing_to_compare(absent))
        return
    say(words.gained(*found[0]))
    for number, (title, source, bands) in enumerate(found):
        rows = [Row(words.band(one), tuple(100 * error for error in one.errors), words.gain_of(one)) for one in bands]
        st.markdown(f"**Compared with {title.lower()}**, on {data.DATASETS[source].title}")
        with st.container(key=container_key(len(rows), f"gains{number}")):
            heads = ("errors, %", "errors without, %")
            table = bars(rows, "rotated by", heads, "fewer, in points", whole=_most(rows), decimals=2)
            st.markdown(table, unsafe_allow_html=True)
    st.caption(words.gains_caption(absent))
    titles = {key: RECIPES[key].title for key in task_of(net)}
    costs.table(titles, [key for key in titles if MECHANISM.is_control(RECIPES[key].config)], key="gains_costs")
    st.caption(f"Filled bars: with a transformer; hollow bars: without. {costs.COUNTED}")


def errors(one: str, other: str) -> tuple[str, list[Band]] | None:
    """Return a data set with known angles and two checkpoints' errors by angle, or None if the cards lack them."""
    from attnviz.measures.spatial_transformer.by_angle import by_angle

    known = cards.readable([one, other])
    pair = answers(known[one], known[other])
    if pair is None:
        return None
    source, right, other_right, angles = pair
    reach = MOVED[source].rotation
    return source, by_angle(right, other_right, angles, [reach * band / BANDS for band in range(BANDS + 1)])


def controls_of(net: Net, known: Iterable[str]) -> list[str]:
    """Return the networks without a transformer to compare a net with, first the control named in its recipe."""
    chosen = None if net.card is None else net.card.recipe.control
    controls = [key for key in known if MECHANISM.is_control(RECIPES[key].config) and key != net.key]
    return sorted(controls, key=lambda key: key != chosen)


def _most(rows: list[Row]) -> float:
    return max(value or 0 for row in rows for value in row.values) or 1.0


def task_of(net: Net) -> list[str]:
    """Return the checkpoints that were, or can be, trained on the data of a net."""
    return [key for key, one in RECIPES.items() if one.model == net.architecture and one.data == net.data]


def answers(one: Card, other: Card) -> tuple[str, np.ndarray, np.ndarray, np.ndarray] | None:
    """Return a data set with known angles, which of its test pictures each of two models answered correctly, and the
    angles, or None if the cards lack them."""
    test = comparisons.main_test(one.recipe)
    figures = one.figure(test), other.figure(test)
    if figures[0] is None or figures[1] is None or test.data not in MOVED:
        return None
    if figures[0].right is None or figures[1].right is None or figures[0].count != figures[1].count:
        return None
    angles = MOVED[test.data].moves("test").angles[: figures[0].count]
    return test.data, figures[0].unpacked(), figures[1].unpacked(), angles


EXPERIMENTS = {
    "undone": Experiment(
        "Does it undo what was done?",
        "Compares by how much a picture was rotated and by how much its grid is, over 1,000 pictures.",
        undoes,
    ),
    "trap": Experiment(
        "The identity trap: does theta depend on the picture?",
        "Holds theta at its mean, at that of another picture and at the identity, and counts the correct answers.",
        trap,
    ),
    "gains": Experiment(
        "Who gains?",
        "Counts the errors by the angle of the picture, with a transformer and without.",
        gains,
    ),
}
