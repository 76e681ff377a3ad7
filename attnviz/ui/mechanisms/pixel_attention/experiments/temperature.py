"""Temperature: divide the scores, and a softmax that was a hard maximum becomes soft again."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.errors import BadInput
from attnviz.recipes.schwarz import MNIST_STD
from attnviz.subjects import Subject
from attnviz.ui.components.moving_maps import moving_maps, temperature
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention import selection
from attnviz.ui.mechanisms.pixel_attention.experiments.parts import OfRow
from attnviz.ui.mechanisms.pixel_attention.paper_tiles import keep_handle, place_of_handle
from attnviz.ui.mechanisms.pixel_attention.selection import Token, of_one_token
from attnviz.ui.shared import experiments
from attnviz.ui.shared.wording import short
from attnviz.views.attention import AttentionView

TITLE = "What becomes visible when scores are divided?"
MEASURES = "Measures how many pixels hold the weights of a few queries, with scores as they would be at other scales."
WORDS = ("temperature",)

HANDLE = "temperature_handle"
UNSCALED = 1 / 255  # intensities of 0..1 are divided by this to become 0 to 255
BEYOND = 2.0  # powers of ten on either side of the marks

refusal = of_one_token("This model takes the whole picture as one token: its only weight is 1 at any temperature.")


def show(subject: Subject) -> None:
    """Draw the weights of a few queries, with a slider for the number that divides their scores."""
    say = experiments.finding()
    view = attention(subject)
    head = selection.head(len(view.query)) or 0
    query = selection.token(view, "query")
    queries = chosen(view, query)
    marks = stops(subject.net.config["std"])
    places = [token.number for token in queries.values()]
    scores = view.query[head, places] @ view.key[head, view.prefix :].T / np.sqrt(view.query.shape[-1])
    say(finding({name: effective(scores / 10**at) for name, at in marks.items()}, scores.shape[1]))
    moving_maps(
        TEMPERATURE_VIEW.of(subject, head=head, query=query.number if query else None),
        key=HANDLE,
        at=place_of_handle("temperature", *ends(marks)),
        on_change=lambda: keep_handle(HANDLE, "temperature"),
    )
    ratio = (MNIST_STD / UNSCALED) ** 2
    st.markdown(
        "A weight is $e$ to the power of a score, divided by the sum of these over all pixels. Here the scores are "
        "first divided by the *temperature*. The smaller it is, the more the largest score takes, in the end "
        "everything. The larger it is, the closer each weight comes to an even share. *Bits* is the entropy: 0 if "
        f"one pixel gets everything, {np.log2(view.rows * view.columns):.2f} if all get the same.\n\n"
        f"Intensities of 0 to 255 are {MNIST_STD / UNSCALED:.1f} times as far apart as standardised ones, and a score "
        f"is a product of two of them, so it is {ratio:,.0f} times as large."
    )
    st.markdown(
        "**What it does not show.** The weights were learnt at the scale of this model. At another temperature its "
        "answer would differ, and a model trained at that temperature would have learnt other weights. The slider "
        "changes nothing in the viewer above."
    )


def effective(scores: npt.NDArray[np.float64]) -> float:
    """Return how many pixels hold the weights of a row of scores (query, key): 2 to the power of the mean entropy."""
    shifted = scores - scores.max(1, keepdims=True)
    weights = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    logs = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return float(2 ** -(weights * logs).sum(1).mean())


def finding(held: Mapping[str, float], pixels: int) -> str:
    """Return the finding on dividing scores, from how many of all `pixels` hold the weights at each mark."""
    least, most = min(held.values()), max(held.values())
    numbers = "; ".join(f"{name}: {short(count, 2)}" for name, count in held.items())
    what = "**Weights on more pixels**" if most >= 2 * least else "**Hardly anything more**"
    return (
        f"{what}: the weights of these queries are effectively spread over this many pixels ({numbers}); uniform "
        f"attention would cover all {pixels}."
    )


def payload(subject: Subject, parameters: OfRow) -> bytes:
    """Return maps of the weights of a few queries that follow the number that divides their scores."""
    if "std" not in subject.net.config:
        raise BadInput(f"{subject.net.key} does not record the number by which it divides intensities.")
    view, head = attention(subject), parameters.head
    selection.check(view, head, parameters.query)
    queries = chosen(view, None if parameters.query is None else selection.at(view, parameters.query))
    marks = stops(subject.net.config["std"])
    low, high = ends(marks)
    places = [token.number for token in queries.values()]
    return temperature(
        view.query[head, places],
        view.key[head, view.prefix :],
        [f"{name}, {token.place}" for name, token in queries.items()],
        [place - view.prefix for place in places],
        view.picture,
        stops=[(name, at) for name, at in marks.items()],
        low=low,
        high=high,
        origin={**view.origin, "address": "attention.weights", "head": head + 1},
    )


TEMPERATURE_VIEW = View("temperature_view", OfRow, payload)
VIEWS = (TEMPERATURE_VIEW,)


def ends(marks: dict[str, float]) -> tuple[float, float]:
    """Return the ends of the slider, as log10 of the divisor."""
    return min(marks.values()) - BEYOND, max(marks.values()) + BEYOND


def chosen(view: AttentionView, query: Token | None) -> dict[str, Token]:
    """Return the queries to show by name: the locked one or the middle of the ink, half ink, and background."""
    flat = view.picture.flatten()
    half = int(np.abs(flat - flat.max() / 2).argmin())
    first = (
        {"locked": query} if query is not None and query.ink is not None else {"ink": selection.middle_of_the_ink(view)}
    )
    others = {"half ink": half, "background": int(flat.argmin())}
    return {**first, **{name: selection.at(view, view.prefix + place) for name, place in others.items()}}


def stops(std: float) -> dict[str, float]:
    """Return the marks of the slider, as log10 of the divisor.

    They bring the scores of a model that divides intensities by `std` to their size at other intensities.
    """
    marks = {"as trained": 0.0}
    for name, other in (("0 to 255", UNSCALED), ("standardised", MNIST_STD)):
        at = 2 * float(np.log10(other / std))
        if abs(at) < 0.01:
            marks = {f"as trained, {name}": 0.0, **{key: value for key, value in marks.items() if value}}
        else:
            marks[f"as if {name}"] = at
    return dict(sorted(marks.items(), key=lambda mark: mark[1]))
