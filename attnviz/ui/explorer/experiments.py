"""The explorer's experiments, for every net: rank correlations between maps, and checks of what the maps depend on.

Source: "Attention is not Explanation", Jain and Wallace, 2019, https://arxiv.org/abs/1902.10186; "Sanity Checks for
Saliency Maps", Adebayo et al., 2018, https://arxiv.org/abs/1810.03292; "The (Un)reliability of Saliency Methods",
Kindermans et al., 2019, https://arxiv.org/abs/1711.00867.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from attnviz import data
from attnviz.arrays import Floats
from attnviz.charts.dots import Dot, dots
from attnviz.subjects import Loaded, Net, Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.explorer import maps, words
from attnviz.ui.explorer.views import RANDOM, RANKED, SHIFTED
from attnviz.ui.shared import cache, jobs, pickers, url_state
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.over_many import over_many
from attnviz.ui.shared.reserved import container_key

T = TypeVar("T")

TAP = "ranked"  # URL field: the tap whose map is shown with the others
AGREE, RANDOMISE, LAYERS = "agree", "randomise", "random_layers"
PICTURES, TOGETHER = 100, 2  # for the agreement: the number of pictures in all, and per batch
FEWER = 12  # pictures for the random layers, each of which takes a pass over all maps at every step


def agreement(subject: Subject) -> None:
    """Draw the maps of this picture and their rank correlations and, on demand, those of many pictures."""
    say = finding()
    tap = _tap(subject.net)
    found = maps.ranked_on(cache.of_subject(maps.of_example, subject, tap), seed=0)
    say(words.on_this_picture(found, tap))
    map_grid(RANKED.of(subject, tap=tap), key=f"place_maps {subject.net.key} {tap}")
    left, right = st.columns([2, 3], gap="medium")
    left.markdown(words.one_picture(found, tap))
    right.caption("  \n".join([*([] if tap else [words.NONE]), words.TAU, words.MAPS]))
    _many(subject, AGREE, PICTURES, TOGETHER, maps.ranked, tap, lambda parts: _draw_agreement(parts, tap))


def _draw_agreement(parts: list[maps.Ranked], tap: str) -> None:
    found = maps.together(parts)
    every = [dot(words.pair_of(pair, tap), values, maps.OWN not in pair) for pair, values in found.taus.items()]
    every.append(dot("random maps and erasure", found.chance, True))
    rows = [one for one in every if one is not None]
    if rows:
        kinds = {"mechanism": "its own map", "control": "two accepted methods; chance"}
        with st.container(key=container_key(len(rows), "agreement")):
            st.markdown(dots(rows, axis="Kendall's tau", chance=0.0, kinds=kinds), unsafe_allow_html=True)
    st.markdown(words.verdict(found, tap))
    st.caption(words.SHOWN)


def dot(name: str, values: Floats, control: bool) -> Dot | None:
    """Return a plot row of correlations, (picture,) or (picture, draw), or None if nothing is ranked."""
    there = values[np.isfinite(values)]
    if not len(there):
        return None
    pictures = int(np.isfinite(values).reshape(len(values), -1).any(1).sum())
    return Dot(name, float(there.mean()), *words.ends(there), seeds=pictures, control=control, counted="pictures")


def randomised(subject: Subject) -> None:
    """Draw the maps of this picture before and after layers are made random and, on demand, of several pictures."""
    say = finding()
    tap = _tap(subject.net)
    paths = cache.of_net(maps.layers_of, subject.net)
    trained = cache.of_subject(maps.of_example, subject, tap)
    last = cache.of_subject(maps.with_random_layers, subject, tap, len(paths))
    taus = {name: maps.alike(trained.maps[name], values) for name, values in last.maps.items()}
    chance = {name: maps.chance_of(values, seed=0) for name, values in trained.maps.items()}
    say(words.stays(taus, chance, len(paths), tap))
    count = url_state.number(LAYERS, len(paths) + 1, 1)
    if len(paths) > 1:
        st.slider(
            f"How many of the {len(paths)} layers are random, from the answer down", 0, len(paths), key=LAYERS,
            on_change=url_state.keep, args=(LAYERS,),
        )  # fmt: skip
    map_grid(RANDOM.of(subject, tap=tap, layers=count), key=f"random_layers {subject.net.key} {tap}")
    last_one = f"The last layer made random: `{paths[count - 1]}`." if count else "No layer is random."
    st.caption(f"{last_one}  \n{words.STAYS}")
    _many(subject, RANDOMISE, FEWER, 1, maps.kept, tap, lambda parts: _draw_kept(parts, paths, tap))


def _draw_kept(parts: list[maps.Kept], paths: list[str], tap: str) -> None:
    from attnviz.charts.plots import likeness

    found, titles = maps.all_kept(parts), words.titles(tap)
    lines = {titles[name]: values for name, values in found.taus.items() if np.isfinite(values).any()}
    if lines:
        figure = likeness(found.layers, lines, found.by_chance, paths)
        st.plotly_chart(figure, key="random_layers_curve", config={"displayModeBar": False})
    st.markdown(words.survives(found, tap))
    st.caption(words.CURVES)


def shifted(subject: Subject) -> None:
    """Draw the maps of this picture with and without a constant that the network subtracts again."""
    say = finding()
    tap = _tap(subject.net)
    plain = cache.of_subject(maps.of_example, subject, tap)
    moved = cache.of_subject(maps.shifted, subject, tap)
    taus = {name: maps.alike(plain.maps[name], values) for name, values in moved.maps.items()}
    say(words.constant(taus, (plain.logit, moved.logit), tap))
    map_grid(SHIFTED.of(subject, tap=tap), key=f"shifted {subject.net.key} {tap}")
    st.caption(words.CONSTANT)


def _tap(net: Net) -> str:
    """Draw the choice of the tap whose map is compared with the others, if there are several, and return it."""
    known = maps.taps_of(net)
    if not known:
        return ""
    chosen = url_state.choice(TAP, known, known[0])
    if len(known) > 1:
        st.selectbox("Its own map", known, key=TAP, width=420, on_change=url_state.keep, args=(TAP,))
    return chosen


def _many(
    subject: Subject,
    word: str,
    most: int,
    together: int,
    measure: Callable[[Loaded, str, str, int, int], T],
    tap: str,
    draw: Callable[[list[T]], None],
) -> None:
    """Draw a measure over many test pictures, a few in each part, or a sentence if there are none."""
    net = subject.net
    if not pickers.sources(net):
        st.caption(
            "There are no test pictures of this model's size and classes here, so the maps are compared on this one "
            "picture only."
        )
        return
    source = pickers.tests(subject)
    source = source if source in pickers.sources(net) else pickers.default_source(net)
    count = len(maps.fitting(net, source, most))

    def job() -> jobs.Job[T]:
        key: tuple[Any, ...] = (word, net.key, net.digest, source, tap, count)
        parts = -(-count // together)
        return jobs.job(
            key, lambda number: measure(cache.single(net), source, tap, together * number, _left(number)), parts
        )

    def _left(number: int) -> int:
        return min(together, count - together * number)

    st.subheader(f"On {count} test pictures of {data.DATASETS[source].title}", anchor=False)
    over_many(word, count, job, draw)


EXPERIMENTS = {
    "agreement": Experiment(
        "Do maps of what counts agree?",
        "Ranks the squares of a picture by the network's own map, by the Jacobian, by erasing them, and at random.",
        agreement,
        (TAP, AGREE),
        maps.refusal,
    ),
    "random_layers": Experiment(
        "Does a map depend on what was learnt?",
        "Makes the layers random, from the answer down, and compares each map with that of the trained network.",
        randomised,
        (TAP, RANDOMISE, LAYERS),
        maps.refusal,
    ),
    "constant": Experiment(
        "Does a map change where nothing else does?",
        "Adds a constant to the picture, takes it out again before the first layer, and compares the maps with those "
        "of the picture as it is.",
        shifted,
        (TAP,),
        maps.refusal,
    ),
}
"""The experiments of the page, by their names in the URL."""
