"""The experiments of the page, each a question."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.formatting import table
from attnviz.subjects import Example, Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.mechanisms.vision_transformer import words
from attnviz.ui.mechanisms.vision_transformer.derived import COMBINED, KEYS_OFF, layers_of
from attnviz.ui.shared import cache
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.wording import verbatim


def near(subject: Subject) -> None:
    """Draw the attention distance of each layer's heads, on a picture of each class."""
    from attnviz.ui.mechanisms.vision_transformer import answers

    say = finding()
    found = cache.of_net(answers.heads, subject.net)
    say(words.near(found))
    st.markdown(_by_head(found.distance, lambda one: f"{one:.1f}", "pixels"))
    st.caption(words.NEAR.format(even=f"{found.even_distance:.1f}", pictures=found.pictures))


def position(subject: Subject) -> None:
    """Draw how much of each head's attention is the same on a picture of each class."""
    from attnviz.ui.mechanisms.vision_transformer import answers

    say = finding()
    found = cache.of_net(answers.heads, subject.net)
    say(words.position(found))
    st.markdown(_by_head(found.position, lambda one: f"{100 * one:.0f} %", "the same on all pictures"))
    st.caption(words.POSITION.format(pictures=found.pictures))


def reads(subject: Subject) -> None:
    """Draw maps combined over all layers in several ways, compared with erasing, chance and random weights."""
    from attnviz.ui.mechanisms.vision_transformer import answers

    say = finding()
    found = cache.of_subject(answers.combine, subject)
    say(words.reads(found, subject.net.classes))
    map_grid(COMBINED.of(subject), key="combined_maps")
    st.markdown(words.agreements(found))
    st.caption(words.READS)


def off(subject: Subject) -> None:
    """Draw the probability lost without each head, each layer's attention, and each patch as a key."""
    from attnviz.ui.mechanisms.vision_transformer import answers

    say = finding()
    found = cache.of_subject(answers.switch, subject)
    names = layers_of(subject).names
    say(words.off(found, subject.net.classes, names))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(_by_head(found.heads, words.points, "points lost", [words.points(x) for x in found.layers]))
        st.caption(words.HEADS_OFF)
    with right:
        map_grid(KEYS_OFF.of(subject), key="keys_off")
        st.caption(words.KEYS_OFF)


def normal(subject: Subject) -> None:
    """Draw the sinks, outliers and parts shared by all queries in the maps, compared with random weights."""
    from attnviz.ui.mechanisms.vision_transformer import answers

    say = finding()
    found = cache.of_subject(answers.look, subject)
    say(words.normal(found, layers_of(subject)))
    st.markdown(words.beside_random(found))
    st.markdown(words.register(found, subject.net.classes))
    st.caption(words.NORMAL)


def captured_normal(subject: Subject, kept: Callable[[Example, str, Callable[[], object]], Any]) -> None:
    """Draw the same for the visitor's own model. `kept` caches what depends on the model and an example, by name."""
    from attnviz.ui.mechanisms.vision_transformer import captured

    say = finding()
    try:
        looked = kept(subject.example, "normal", lambda: captured.look(subject))
    except AttnvizError as error:
        st.info(verbatim(f"This is not measured for this model: {error}."))
        return
    found, classes = looked.found, subject.net.classes
    known = len(classes) == looked.outputs
    names = [verbatim(classes[one]) if known else f"class {one}" for one in range(looked.outputs)]
    say(words.normal(found, looked.tokens))
    st.markdown(words.beside_random(found))
    st.markdown(words.no_register(looked.why) if looked.why else words.register(found, names))
    st.caption(words.NORMAL)


def _by_head(values: np.ndarray, write: Callable[[float], str], what: str, of_layers: Sequence[str] = ()) -> str:
    heads = [f"head {number + 1}" for number in range(values.shape[1])]
    first = [what, *heads, *(["all heads"] if of_layers else [])]
    rows = [
        [f"layer {layer + 1}", *map(write, row), *([of_layers[layer]] if of_layers else [])]
        for layer, row in enumerate(values)
    ]
    return table([first, *rows])


EXPERIMENTS = {
    "near": Experiment(
        "Do early layers look near, late ones far?",
        "Measures the mean distance from each query to the keys that a head attends to.",
        near,
    ),
    "position": Experiment(
        "Does a head depend on content or on position?",
        "Measures how much of its attention is the same on all pictures.",
        position,
    ),
    "reads": Experiment(
        "What does the answer read, over all layers?",
        "Combines the layers in three ways, and compares the maps with the effect of erasing each patch.",
        reads,
    ),
    "off": Experiment(
        "What if a head, a layer or a patch is switched off?",
        "Measures how much probability the answer loses.",
        off,
    ),
    "normal": Experiment(
        "Is this map normal?",
        "Looks for sinks, large norms and maps that are the same for all queries.",
        normal,
    ),
}
CAPTURED = {"normal": replace(EXPERIMENTS["normal"], show=captured_normal)}
"""The experiments on the visitor's own model."""
