"""The paper's pictures: each tile on its own scale, as in the paper, and all tiles on a common scale."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from attnviz import subjects
from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.pixel_attention.representations import needed
from attnviz.subjects import Loaded, Net, Picture, Subject
from attnviz.subjects.subject import origin_of
from attnviz.ui.components.map_grid import packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention import paper_tiles
from attnviz.ui.mechanisms.pixel_attention.experiments.outputs import correlations, in_turn
from attnviz.ui.mechanisms.pixel_attention.experiments.outputs import finding as finding_of_outputs
from attnviz.ui.mechanisms.pixel_attention.paper_tiles import OnScale, on_scale, twice
from attnviz.ui.shared import cache, experiments, page, pickers, url_state
from attnviz.ui.shared.wording import short
from attnviz.views.attention import AttentionView

TITLE = "What remains of the paper's pictures?"
MEASURES = "Draws the tiles of a figure on the paper's scales and on one scale for all, and counts what they show."
WORDS = ("figure", "part", "tile", "turn")

ONE, SEVERAL, UNSCALED = "pixel_attention.1v8", "pixel_attention.1v8-augmented", "pixel_attention.1v8-unscaled"
INPUTS = ("8", "1", "8", "1", "8", "1", "8")

FEW = 0.05  # if this share of the pixels holds half of the attention, the others are black


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: whether its model has several heads, the kind of its tiles, and a description of it."""

    several: bool
    draws: Literal["components", "weights", "outputs"]
    shows: str


FIGURES = {
    "4": Figure(False, "components", "a digit's query, dark on light, and its key and value, light on dark."),
    "5": Figure(
        False, "weights",
        "what five pixels attend to. For four on the background the digit is dark on light, for one on the ink it is "
        "light on dark; every map is almost black and white.",
    ),
    "6": Figure(False, "outputs", "the output for seven digits, 8 1 8 1 8 1 8: light on dark, all similar."),
    "8": Figure(True, "components", "query, key and value of the first head, all dark on light."),
    "9": Figure(
        True, "weights",
        "what seven pixels attend to: five maps dark with a light digit, one light with scattered dark specks, one in "
        "between.",
    ),
    "10": Figure(True, "components", "24 heads by 6 components, every tile dark on light or light on dark."),
    "11": Figure(True, "outputs", "the output for seven digits, with tones in between and specks."),
}  # fmt: skip


@st.fragment
def show(subject: Subject) -> None:
    """Draw the choice of a figure, and the figure twice."""
    say = experiments.finding()
    with page.sentences():
        name = url_state.pick(
            st.segmented_control, "Figure of the paper", "figure", [*FIGURES], "10" if several(subject.net) else "4",
            required=True, then=paper_tiles.start_again,
        )  # fmt: skip
        figure = FIGURES[name]
        net = drawn_by(subject.net, figure.several)
        heads = "several heads" if figure.several else "one head, and pixels as tokens"
        why = "" if net.key == subject.net.key else f", because the figure needs {heads}"
        st.markdown(f"The paper's figure {name} shows {figure.shows} Here it is drawn from *{net.title}*{why}.")
        if figure.draws == "components":
            paper_tiles.show(Subject(net, subject.example), one_part=name == "10", say=say)
        elif figure.draws == "weights":
            show_weights(name, Subject(net, subject.example), say)
        else:
            show_outputs(Subject(net, subject.example), say)


def several(net: Net) -> bool:
    """Return whether a net has several heads."""
    return int(net.config.get("heads", 1)) > 1


def drawn_by(net: Net, heads: bool) -> Net:
    """Return the net that a figure is drawn from: the chosen one if its heads and tokens fit."""
    fits = several(net) == heads and net.config.get("patch", 1) == 1
    return net if fits else subjects.net(SEVERAL if heads else ONE)


def show_weights(name: str, subject: Subject, say: Callable[[str], None]) -> None:
    """Draw the attention of some pixels in the first head, and explain why their maps look black and white."""
    chosen, scores, weights = weights_of(attention(subject), name)
    twice(PAPER_WEIGHTS, subject, beside=True, figure=name)
    say(finding_of_weights(dict(zip(chosen, needed(weights), strict=True)), weights.shape[1]))
    st.markdown(
        f"The outlined pixel is the :orange[query]. Scores reach {short(float(np.abs(scores).max()))} in size.\n\n"
        "The softmax raises $e$ to the power of each score. With intensities of 0 to 255, scores reach tens of "
        "thousands, and all attention goes to the pixels of one extreme intensity. But on its own scale, even a nearly "
        "uniform map looks black and white."
    )
    if name == "5" and subject.net.key != UNSCALED and st.button("Draw it with intensities of 0 to 255"):
        url_state.set_value(model=UNSCALED, figure="5")
        st.rerun()


def finding_of_weights(held: Mapping[str, int], pixels: int) -> str:
    """Return the finding on black and white maps, from how many pixels hold half of each query's attention."""
    few = [number for number in held.values() if number <= FEW * pixels]
    each = ", ".join(f"{name}: {number}" for name, number in held.items())
    if len(few) == len(held):
        what = "Maps that are black and white"
    elif few:
        what = f"{len(few)} of {len(held)} maps are black and white"
    else:
        what = "Maps that are black and white only on their own scales"
    return (
        f"**{what}**: half of the attention lies on this many of {pixels} pixels ({each}), where uniform attention "
        f"would take {pixels // 2}."
    )


class OfFigure(OnScale):
    """One of the figures that show weights."""

    figure: Literal["5", "9"] = "5"


def weights_payload(subject: Subject, parameters: OfFigure) -> bytes:
    """Return the attention of some pixels, as tiles on one of the two scales."""
    view = attention(subject)
    chosen, _, weights = weights_of(view, parameters.figure)
    maps = weights[:, view.prefix :].reshape(-1, view.rows, view.columns)
    places = [place - view.prefix for place in chosen.values()]
    looks = on_scale(parameters.scale, "share")
    return packed(maps, [*chosen], outlined=places, picture=view.picture, origin=view.origin, **looks)


PAPER_WEIGHTS = View("paper_weights", OfFigure, weights_payload)


def weights_of(view: AttentionView, figure: str) -> tuple[dict[str, int], Floats, Floats]:
    """Return some pixels by name, and their scores and weights in the first head, (pixel, token)."""
    chosen = some_pixels(view, 4, 0) if figure == "5" else some_pixels(view, 5, 1)
    places = [*chosen.values()]
    scores = view.query[0, places] @ view.key[0].T / np.sqrt(view.query.shape[-1])
    return chosen, scores, np.exp(scores - view.log_normaliser[0, places, None])


def some_pixels(view: AttentionView, background: int, between: int) -> dict[str, int]:
    """Return tokens by name: some on the background, one of half ink if `between`, and the one with the most ink."""
    picture = view.picture.flatten()
    paper = np.flatnonzero(picture == picture.min())
    chosen = {
        f"background {i + 1}": int(paper[(2 * i + 1) * len(paper) // (2 * background)]) for i in range(background)
    }
    if between:
        chosen["half ink"] = int(np.abs(picture - picture.max() / 2).argmin())
    return {name: view.prefix + token for name, token in {**chosen, "ink": int(picture.argmax())}.items()}


def outputs_payload(subject: Subject, parameters: OnScale) -> bytes:
    """Return the output of the layer for seven digits, as tiles on one of the two scales."""
    net, source = subject.net, pickers.tests(subject)
    examples, maps, pictures = seven_digits(subject)
    names = [f"{digit} · {one.number}" for digit, one in zip(INPUTS, examples, strict=True)]
    image = f"{source}/test/{','.join(str(one.number) for one in examples)}"
    origin = {**origin_of(net), "image": image, "address": "attention.output"}
    return packed(maps, names, picture=pictures, origin=origin, **on_scale(parameters.scale, "signed"))


def seven(parameters: OnScale, net: Net) -> float:
    """Return the cost in forward passes."""
    return len(INPUTS)


PAPER_OUTPUTS = View("paper_outputs", OnScale, outputs_payload, seven)
VIEWS = (*paper_tiles.VIEWS, PAPER_WEIGHTS, PAPER_OUTPUTS)


def seven_digits(subject: Subject) -> tuple[tuple[Picture, ...], Floats, Floats]:
    """Return the digits of the paper's figures, the outputs of the layer for them, and their intensities."""
    net = subject.net
    if not {*INPUTS} <= {*net.classes}:
        raise BadInput(f"{net.key} has no classes for the digits 8 and 1.")
    examples = in_turn(net, pickers.tests(subject), INPUTS)
    return examples, *cache.of_net(outputs, net, examples)


def show_outputs(subject: Subject, say: Callable[[str], None]) -> None:
    """Draw the output of the layer for seven digits: the first number of each pixel."""
    _, maps, pictures = seven_digits(subject)
    say(finding_of_outputs(correlations(maps, pictures)))
    twice(PAPER_OUTPUTS, subject, beside=True)
    if subject.net.config.get("positions"):
        st.markdown("This model receives the position of each pixel, so its output can differ from pixel to pixel.")
        return
    st.markdown(
        "Below each tile are the digit and the number of the picture. Without positions, the output for a pixel "
        "depends only on its own intensity and on how often each intensity occurs in the picture. So each tile is the "
        "picture with its grey levels changed by one curve: tones and specks show intensities, not positions."
    )


def outputs(loaded: "Loaded", examples: tuple[Picture, ...]) -> tuple[Floats, Floats]:
    """Return the first number of the layer's output on some test pictures, and the pictures, (picture, row, column)."""
    import torch

    from attnviz.tracing import trace
    from attnviz.ui.shared import inference
    from attnviz.views import attending

    pixels = torch.cat([inference.batch_of(loaded, one) for one in examples])
    with torch.no_grad(), trace(loaded.model, ["attention.output"]) as seen:
        loaded.model(pixels)
    reading = seen["attention.output"]
    assert reading.grid is not None
    pictures = np.stack([attending.pooled(one[None], reading.grid).numpy() for one in pixels])
    found: Floats = reading.tensor[:, reading.grid.prefix :, 0].reshape(pictures.shape).numpy()
    return found, pictures
