"""Derived values of vision transformers: the board of layers, and the tokens from which the answer is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Context, Derived, Index, NoParameters, View
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.readings import Reading
    from attnviz.subjects import Subject
    from attnviz.ui.components.layer_board import LayersView


def layers_of(subject: Subject) -> LayersView:
    """Return the board's view of a subject; torch is loaded only if the view is not cached."""
    from attnviz.ui.mechanisms.vision_transformer import layers

    return cache.of_subject(layers.view, subject)


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return all layers in the format of the component."""
    return layers_of(subject).packed()


LAYERS_VIEW = View("layers_view", NoParameters, payload, lasts=True)


def combined_payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the maps over all layers, of the net and with random weights, in the format of the map grid."""
    import numpy as np

    from attnviz.ui.components.map_grid import Table, packed
    from attnviz.ui.mechanisms.vision_transformer import answers
    from attnviz.ui.mechanisms.vision_transformer.words import NAMES

    found = cache.of_subject(answers.combine, subject)
    rows = {"this net": found.maps, "random weights": found.drawn}
    names = [NAMES[name] for name in found.maps]
    return packed(
        np.stack([one for row in rows.values() for one in row.values()]),
        [f"{name}, {row}" for row in rows for name in names],
        role="positive", scale="map", title="What the answer reads, over all layers", table=Table([*rows], names),
        background=subject.image, ink=subject.example.ink, origin=subject.origin(),
    )  # fmt: skip


def keys_off_payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the probability lost with each patch masked as a key, in the format of the map grid."""
    from attnviz.ui.components.map_grid import packed
    from attnviz.ui.mechanisms.vision_transformer import answers

    found = cache.of_subject(answers.switch, subject)
    return packed(
        found.keys[None], ["probability that the answer loses"], role="signed", title="This patch masked as a key",
        background=subject.image, ink=subject.example.ink, origin=subject.origin(),
    )  # fmt: skip


class OfHead(Strict):
    """One head of the attention at the given path."""

    layer: Annotated[str, Field(pattern=r"^layers\.\d{1,3}\.attention$")]
    head: Index = 0


def taps_of(parameters: OfHead) -> tuple[str, str]:
    """Return the taps from which the weights are computed, so that the layer need not compute them explicitly."""
    return f"{parameters.layer}.query", f"{parameters.layer}.key"


def answer_row(context: Context[OfHead]) -> Reading:
    """Return the weights of the token from which the answer is read, (batch, key), as multiples of an even share. If
    the answer is read from all patches, return the mean over them.
    """
    import torch

    from attnviz.measures.attention import mean_row
    from attnviz.models.vision_transformer import VisionTransformer
    from attnviz.readings import Reading

    given, model = context.parameters, context.loaded.model
    query, key = (context.seen[tap] for tap in taps_of(given))
    if not isinstance(model, VisionTransformer) or query.grid is None:
        raise BadInput("Only a vision transformer has a token that the answer is read from.")
    if given.head >= query.size("head"):
        raise BadInput(f"{given.layer} has {query.size('head')} heads, counted from 0; there is no head {given.head}.")
    chosen = torch.zeros(query.grid.tokens, dtype=torch.bool)
    chosen[slice(query.grid.prefix, None) if model.answer.mean else slice(0, 1)] = True
    rows = mean_row(query.at(head=given.head), key.at(head=given.head), chosen)
    return Reading(f"{given.layer}.weights", rows, ("batch", "key"), query.grid)


ANSWER_ROW = Derived("answer_row", OfHead, answer_row, taps_of)
COMBINED = View("layers_combined", NoParameters, combined_payload, lasts=True)
KEYS_OFF = View("keys_off", NoParameters, keys_off_payload, lasts=True)
DERIVED: tuple[Derived[Any] | View[Any], ...] = (LAYERS_VIEW, ANSWER_ROW, COMBINED, KEYS_OFF)


LAYERS, HEADS = 4, 4  # the defaults if the config has none


def panel_of(net: Net) -> Panel:
    """Return the panel's contents: the weights behind the answer in the last layer, or the picture for the control."""
    layers, heads = net.config.get("layers", LAYERS), net.config.get("heads", HEADS)
    if net.config.get("mixing") == "even":
        says = "every patch takes the mean of all: its input"
        return Panel("Attention even", net.title, "ink", says, page="explorer")
    grid = net.grid
    assert grid is not None, "patches always lie on the picture"
    reads = "the class token" if net.config.get("reading", "class") == "class" else "the patches together"
    return Panel(
        "Vision transformer",
        f"{layers} layers, {heads} heads",
        "share",
        f"what {reads} attend{'s' if reads.endswith('token') else ''} to in the last layer",
        {"derived": ANSWER_ROW.name, "parameters": {"layer": f"layers.{layers - 1}.attention", "head": 0}},
        grid.rows,
        grid.columns,
        grid.prefix,
        heads=heads,
        page="vision_transformer",
    )
