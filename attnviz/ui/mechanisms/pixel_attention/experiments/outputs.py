"""The output of the attention for several pictures: the paper's figures 6 and 11."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Loaded, Net, Picture, Subject
from attnviz.subjects.subject import origin_of
from attnviz.ui.components.map_grid import chosen_map, map_grid, packed
from attnviz.ui.live.derived import View
from attnviz.ui.shared import cache, experiments, pickers, url_state
from attnviz.ui.shared.wording import short

TITLE = "What does attention turn a picture into?"
MEASURES = "Compares the layer's output for seven pictures with the pictures themselves, as the paper shows them."
WORDS = ("feature",)

COUNT = 7  # as many as in the paper's figures 6 and 11
LAYER = "attention"
ALIKE, UNLIKE = 0.7, 0.3  # absolute correlations of output and picture
PICTURES, OUTPUTS = "outputs_pictures", "outputs_maps"  # keys of the grids


def show(subject: Subject) -> None:
    """Draw the pictures with the output of the attention below each, and explain it."""
    say = experiments.finding()
    net = subject.net
    examples, pictures, found = shown(subject)
    count = found.shape[1]
    feature = choose_feature(count)
    say(finding(correlations(found[:, feature - 1], pictures)))
    chosen = next((place for place, one in enumerate(examples) if one == subject.example), None)
    for kind, key in (("pictures", PICTURES), ("outputs", OUTPUTS)):
        payload = OUTPUTS_VIEW.of(subject, maps=kind, feature=feature)
        map_grid(payload, key=key, chosen=chosen, on_change=partial(open_picture, key, examples))
    st.caption("Below each map are the picture's class and its number. A click opens it in the viewer above.")
    st.markdown(means(net, count))


class OfFeature(Strict):
    """The maps to show: the pictures or the attention's outputs; and the number of the feature, from 1."""

    maps: Literal["pictures", "outputs"] = "outputs"
    feature: Annotated[int, Field(ge=1, lt=1 << 31)] = 1


def maps_payload(subject: Subject, parameters: OfFeature) -> bytes:
    """Return maps of several pictures, or of the attention's output for each."""
    examples, pictures, found = shown(subject)
    count, feature = found.shape[1], parameters.feature
    if feature > count:
        raise BadInput(f"The output has {count} features, counted from 1; there is no number {feature}.")
    labels = [f"{one.target} ({one.number})" for one in examples]
    images = f"{pickers.tests(subject)}/test"
    origin = {**origin_of(subject.net), "images": images, "address": f"{LAYER}.output", "feature": feature}
    if parameters.maps == "pictures":
        return packed(pictures, labels, role="ink", title="Pictures", origin=origin)
    title = "Output of the attention" + (f", feature {feature}" if count > 1 else "")
    return packed(found[:, feature - 1], labels, title=title, picture=pictures, origin=origin)


def seven(parameters: OfFeature, net: Net) -> float:
    """Return the cost in forward passes."""
    return COUNT


OUTPUTS_VIEW = View("attention_outputs", OfFeature, maps_payload, seven)
VIEWS = (OUTPUTS_VIEW,)


def shown(subject: Subject) -> tuple[tuple[Picture, ...], Floats, Floats]:
    """Return pictures of a subject's data set, their intensities (picture, row, column), 0..1, and the outputs."""
    net = subject.net
    examples = in_turn(net, pickers.tests(subject), [net.classes[at % len(net.classes)] for at in range(COUNT)])
    pictures = np.stack([one.taken_by(net).mean(2) / 255 for one in examples])
    return examples, pictures, cache.of_net(outputs, net, examples)


def choose_feature(count: int) -> int:
    """Draw the choice of a feature, from 1, if the output has several, and return it."""
    if count == 1:
        return 1
    words = [str(number) for number in range(1, count + 1)]
    chosen = int(url_state.choice("feature", words, "1"))
    st.session_state["feature"] = chosen  # the widget holds a number
    st.number_input(
        f"Feature, of {count}", 1, count, key="feature", width=160, on_change=url_state.keep, args=("feature",)
    )
    return chosen


def open_picture(key: str, examples: tuple[Picture, ...]) -> None:
    """Put the picture of the chosen tile into the URL; a locked cell is not a choice."""
    chosen = chosen_map(key)
    if chosen is not None and chosen != st.session_state.get(f"{key}.opened"):
        st.session_state[f"{key}.opened"] = chosen
        pickers.open_picture(examples[chosen])


def in_turn(net: Net, source: str, names: Sequence[str]) -> tuple[Picture, ...]:
    """Return a test picture of each named class in order, and the next one each time a class is repeated."""
    numbers = {name: iter(pickers.Fitting(net, source, name, wrong=False).numbers) for name in {*names}}
    found = [next(numbers[name], None) for name in names]
    for name, number in zip(names, found, strict=True):
        if number is None:
            raise BadInput(f"{source} has too few test pictures of {name!r} for this. Choose another model.")
    return tuple(Picture(source, int(number)) for number in found if number is not None)


def outputs(loaded: "Loaded", examples: tuple[Picture, ...]) -> Floats:
    """Return the output of the attention: (picture, feature, row, column).

    If a token is a patch of pixels, its features are arranged as those pixels.
    """
    import torch
    from torch.nn.functional import pixel_shuffle

    from attnviz.tracing import trace
    from attnviz.ui.shared import inference

    tap_path = f"{LAYER}.output"
    batch = torch.cat([inference.batch_of(loaded, one) for one in examples])
    with torch.no_grad(), trace(loaded.model, [tap_path]) as seen:
        loaded.model(batch)
    reading = seen[tap_path]  # (batch, token, feature)
    assert reading.grid is not None, "the attention of every model of pictures has a grid"
    maps = reading.tensor[:, reading.grid.prefix :].mT.unflatten(2, (reading.grid.rows, reading.grid.columns))
    patch = loaded.net.config.get("patch", 1)
    found: Floats = (pixel_shuffle(maps[:, : patch**2], patch) if patch > 1 else maps).numpy()
    return found


def correlations(maps: Floats, pictures: Floats) -> list[float]:
    """Return the correlation of each map with its picture, both (picture, row, column), without uniform ones."""
    size = pictures.shape[1] // maps.shape[1]
    seen = pictures.reshape(len(maps), maps.shape[1], size, maps.shape[2], size).mean((2, 4))
    return [float(np.corrcoef(one.ravel(), other.ravel())[0, 1]) for one, other in zip(maps, seen, strict=True)
            if np.ptp(one) > 0 and np.ptp(other) > 0]  # fmt: skip


def finding(alike: Sequence[float]) -> str:
    """Return the finding on how similar outputs and pictures are, from their correlations; empty if all are uniform."""
    if not alike:
        return "**A uniform map**: the output is the same everywhere, and nothing is left of the picture."
    least, most = min(alike), max(alike)
    size = min(map(abs, alike))
    if least >= ALIKE:
        what = "The same picture with other grey levels"
    elif most <= -ALIKE:
        what = "The picture's negative, with other grey levels"
    elif size >= ALIKE:
        what = "The picture or its negative, with other grey levels"
    elif max(map(abs, alike)) < UNLIKE:
        what = "Something that is not similar to the picture"
    else:
        what = "Something that only partly resembles the picture"
    return (
        f"**{what}**: the correlation of output and picture is {short(least, 2)} to {short(most, 2)} over "
        f"{len(alike)} pictures (1: the picture itself, −1: its negative, 0: unrelated)."
    )


def means(net: Net, count: int) -> str:
    """Return the explanation of the maps and of their limits."""
    if net.config.get("positions"):
        what = (
            f"A token goes in as {count} numbers, first the intensity, then the position code, and comes out as the "
            "same number of them. Feature 1 is where the intensity was, but the layer may put anything there, and the "
            "classifier reads all of them."
        )
    elif net.config.get("patch", 1) > 1:
        what = (
            "The picture goes in as one token and comes out as one: its numbers are arranged here like the pixels. "
            "With one token the attention is the constant 1, so this is a linear map of the picture."
        )
    else:
        what = (
            "A pixel goes in as one number, its intensity, and comes out as one. Without positions, pixels of the same "
            "intensity come out the same: each map is its picture with other grey levels, and nothing else can appear."
        )
    return (
        f"{what} The maps do not show how much a pixel counts for the answer: the classifier gives each one a weight "
        "of its own."
    )
