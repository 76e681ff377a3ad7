"""Components of query, key and value on the paper's scales and on a common one; their counts and their weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz import models
from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.measures.pixel_attention.representations import Count, Kind, count, kinds
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Loaded, Net, Subject
from attnviz.ui.components.map_grid import Table, chosen_map, map_grid, packed
from attnviz.ui.components.moving_maps import moving_maps, rested, turn_weight
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.shared import cache, url_state
from attnviz.ui.shared.wording import short, verbatim
from attnviz.views.attention import AttentionView
from attnviz.views.payload import header_of

PARTS = ("query", "key", "value")
COLOURS = {"query": "orange", "key": "blue", "value": "green"}
HANDLE = "paper_handle"
PLACED = (
    "This model receives the position of each pixel: a component is $w \\cdot \\text{intensity} + b$ and a number for "
    "the position. So its tiles can be anything."
)
PLACELESS = (
    "This model is not told where a pixel is: a component is $w \\cdot \\text{{intensity}} + b$, a linear function. "
    "Drawing a tile on its own scale hides $b$ and the size of $w$. What remains is the picture where $w > 0$ and "
    "its negative where $w < 0$, for any picture and before any training; training has reversed {turned} of the "
    "{count} signs. Such tiles show nothing that was learnt."
)


@dataclass(frozen=True, eq=False)
class Lines:
    """Functions w * intensity + b, both (part, head, component), of intensities standardised by `mean` and `std`."""

    weight: Floats
    bias: Floats
    mean: float
    std: float


Part = Literal["query", "key", "value"]
Scale = Literal["own", "common"]


class OnScale(Strict):
    """The scale of the tiles: one for each, as in the paper, or one for all."""

    scale: Scale = "own"


class OfTiles(OnScale):
    """The components to show: those of all heads for one part, or of the first head for all three parts."""

    part: Part | None = "query"


class OfTile(Strict):
    """The number of one of these tiles, from 1."""

    part: Part | None = "query"
    tile: Annotated[int, Field(ge=1, lt=1 << 31)] = 1


def on_scale(scale: Scale, common: Literal["signed", "share"]) -> dict[str, Any]:
    """Return the options for drawing tiles as in the paper, or on a common scale in the colours of a role."""
    if scale == "own":
        return {"role": "own", "title": "As in the paper: each tile on its own scale"}
    what = "multiples of an even share" if common == "share" else "one signed scale"
    return {"role": common, "fixed": True, "title": f"On a common scale: {what}"}


def twice(
    view: View[Any],
    subject: Subject,
    *,
    beside: bool,
    chosen: int | None = None,
    on_choice: Callable[[str], None] | None = None,
    **parameters: Any,
) -> None:
    """Draw maps as in the paper and, next to or below them, on a common scale, with a frame around the `chosen` map.

    `on_choice` is called with the key of the component in which a map was chosen.
    """
    places = st.columns(2, gap="large") if beside else (st.container(), st.container())
    for place, (key, scale) in zip(places, (("paper_own", "own"), ("paper_truly", "common")), strict=True):
        with place:
            change = (lambda key=key: on_choice(key)) if on_choice else None
            map_grid(view.of(subject, scale=scale, **parameters), key=key, chosen=chosen, on_change=change)


def show(subject: Subject, *, one_part: bool, say: Callable[[str], None]) -> None:
    """Draw components as tiles with their counts, and a slider for the weight of one of them.

    With `one_part` they are those of all heads for one part, else of the first head for all three.
    """
    net, view = subject.net, attention(subject)
    lines, before = cache.of_net(learnt, net), cache.of_net(at_first, net)
    part = choose_part() if one_part else None
    tiles, shown, _, _ = tiles_of(view, part)
    chosen = int(url_state.choice("tile", [str(i + 1) for i in range(len(shown))], "1")) - 1
    twice(COMPONENT_TILES, subject, beside=not one_part, chosen=chosen, on_choice=keep_tile, part=part)
    picture = view.picture.flatten()
    placed = bool(net.config.get("positions"))
    turned = int((np.sign(lines.weight) != np.sign(before.weight)).sum())
    first = None if placed else count(started(before, picture, shown))
    say(finding(count(kinds(tiles, picture)), first))
    st.markdown(PLACED if placed else PLACELESS.format(turned=turned, count=lines.weight.size))
    if not net.config.get("positions"):
        turn(subject, part, chosen)
        signs(subject, lines)


def choose_part() -> str:
    """Draw the choice of query, key or value."""
    return url_state.pick(
        st.segmented_control, "Components of", "part", PARTS, "query", required=True, then=start_again
    )


def tiles_of(
    view: AttentionView, part: str | None
) -> tuple[Floats, list[tuple[int, int, int]], list[str], Table | None]:
    """Return the tiles (tile, token), their components, their labels, and the table that arranges them."""
    maps = np.stack([view.query, view.key, view.value])[:, :, view.prefix :].swapaxes(2, 3)  # part, head, size, token
    shown, labels, table = laid_out(maps.shape, part)
    return np.stack([maps[at] for at in shown]), shown, labels, table


def tiles_payload(subject: Subject, parameters: OfTiles) -> bytes:
    """Return components as tiles, on one of the two scales."""
    view = attention(subject)
    tiles, _, labels, table = tiles_of(view, parameters.part)
    looks = on_scale(parameters.scale, "signed")
    maps = tiles.reshape(-1, view.rows, view.columns)
    return packed(maps, labels, table=table, picture=view.picture, origin=view.origin, **looks)


COMPONENT_TILES = View("component_tiles", OfTiles, tiles_payload)


def laid_out(shape: tuple[int, ...], part: str | None) -> tuple[list[tuple[int, int, int]], list[str], Table | None]:
    """Return the components (part, head, component) of the tiles, their labels, and the table that arranges them."""
    _, heads, size, _ = shape
    numbers = [str(i + 1) for i in range(size)]
    if part is not None:
        place = PARTS.index(part)
        shown = [(place, head, component) for component in range(size) for head in range(heads)]
        labels = [f"{part}, head {head + 1}, component {component + 1}" for _, head, component in shown]
        return shown, labels, Table(numbers, [str(head + 1) for head in range(heads)])
    shown = [(place, 0, component) for place in range(3) for component in range(size)]
    if size == 1:
        return shown, [*PARTS], None
    return shown, [f"{PARTS[place]}, component {component + 1}" for place, _, component in shown], Table(PARTS, numbers)


def start_again(word: str) -> None:
    """Write a choice into the URL, and reset the tile and its slider."""
    url_state.set_value(**{word: st.session_state[word]}, tile=None, turn=None)


def keep_tile(key: str) -> None:
    """Write the chosen tile into the URL."""
    chosen = chosen_map(key)
    if chosen is not None and str(chosen + 1) != st.query_params.get("tile", "1"):
        url_state.set_value(tile=chosen + 1, turn=None)


def finding(now: Count, first: Count | None) -> str:
    """Return how many tiles are the picture or its negative on their own scales, now and, if known, before training."""
    if now.other:
        what = "More than the picture and its negative"
    elif now.picture and now.negative:
        what = "The picture and its negative, and nothing else"
    else:
        what = "The picture, and nothing else" if now.picture else "The picture's negative, and nothing else"
    before = (
        f" Before the first training step these counts were {first.picture}, {first.negative} and {first.other}."
        if first
        else ""
    )
    return (
        f"**{what}**: on their own scales, {now.picture} of {now.all} tiles are the picture, {now.negative} are its "
        f"negative, and {now.other} are anything else.{before}"
    )


def started(before: Lines, picture: Floats, shown: Sequence[tuple[int, int, int]]) -> tuple[Kind, ...]:
    """Return the kinds of the same tiles before any training."""
    standard = (picture - before.mean) / before.std
    return kinds(np.stack([before.weight[at] * standard + before.bias[at] for at in shown]), picture)


def turn(subject: Subject, part: str | None, chosen: int) -> None:
    """Draw the slider that moves the weight of one component through zero."""
    _, _, labels, _ = tiles_of(attention(subject), part)
    label = labels[chosen]
    st.markdown(f"**Move one weight through zero**: the weight $w$ of {label}. Click another tile to choose that one.")
    payload = TURNED_WEIGHT.of(subject, part=part, tile=chosen + 1)
    limit = header_of(payload)["handle"]["high"]
    at = place_of_handle("turn", -limit, limit)
    moving_maps(payload, key=HANDLE, at=at, on_change=lambda: keep_handle(HANDLE, "turn"))


def turn_payload(subject: Subject, parameters: OfTile) -> bytes:
    """Return one component as maps that follow its weight."""
    view, lines = attention(subject), cache.of_net(learnt, subject.net)
    _, shown, _, _ = tiles_of(view, parameters.part)
    if parameters.tile > len(shown):
        raise BadInput(f"There are {len(shown)} tiles, counted from 1; there is no number {parameters.tile}.")
    at = shown[parameters.tile - 1]
    weight = float(lines.weight[at])
    limit = max(1.0, float(np.ceil(abs(weight))))
    picture = (view.picture - lines.mean) / lines.std
    return turn_weight(picture, float(lines.bias[at]), start=weight, limit=limit, origin=view.origin)


TURNED_WEIGHT = View("turned_weight", OfTile, turn_payload)


def keep_handle(key: str, word: str) -> None:
    """Write the position at which a slider rests into the URL."""
    at = rested(key)
    url_state.set_value(**{word: None if at is None else f"{at:.10g}"})


def place_of_handle(word: str, low: float, high: float) -> float | None:
    """Return the position of a handle in the URL, or None if there is none or it is invalid, with a warning."""
    written = st.query_params.get(word)
    if written is None:
        return None
    try:
        value = float(written)
    except ValueError:
        value = float("nan")
    if low <= value <= high:
        return value
    st.warning(verbatim(f"The URL asks for {word} {written!r}; it must be from {low:.4g} to {high:.4g}."))
    return None


def signs(subject: Subject, lines: Lines) -> None:
    """Draw the weights of the intensity, of which a tile on its own scale shows only the sign."""
    if lines.weight[0].size == 1:
        weights = ", ".join(
            f":{COLOURS[part]}[{part}] {short(float(lines.weight[i, 0, 0]))}" for i, part in enumerate(PARTS)
        )
        st.markdown(f"Its three weights $w$: {weights}.")
        return
    st.markdown("**The signs.** Above zero a tile is the picture, below zero its negative.")
    map_grid(SIGNS.of(subject), key="paper_signs")


def signs_payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the weights of the intensity of all components, as maps."""
    title = "All weights w: one column per head, one row per component"
    weight = cache.of_net(learnt, subject.net).weight.swapaxes(1, 2)
    return packed(weight, PARTS, scale="map", origin=attention(subject).origin, title=title)


SIGNS = View("signs_of_components", NoParameters, signs_payload)
VIEWS = (COMPONENT_TILES, TURNED_WEIGHT, SIGNS)


def learnt(loaded: "Loaded") -> Lines:
    """Return the linear functions of a net's components."""
    from attnviz.models.pixel_attention import PixelAttention

    if not isinstance(loaded.model, PixelAttention):
        raise BadInput(f"The components of {loaded.net.key} are not functions of a single intensity.")
    return _lines(loaded.model)


def at_first(loaded: "Loaded") -> Lines:
    """Return the linear functions of the same net before any training."""
    return _lines(untrained(loaded.net))


def untrained(net: Net) -> Any:
    """Return a net's module before any training, in double precision, built from its config and seed."""
    import torch

    spec = models.spec(net.architecture)
    return spec.build(net.config, torch.Generator().manual_seed(net.seed)).double().requires_grad_(False)


def _lines(model: Any) -> Lines:
    layers = [getattr(model.attention, part) for part in PARTS]
    shape = len(PARTS), model.attention.heads, model.attention.head_size
    weight, bias = (np.stack([tensor.detach().numpy() for tensor in several]).reshape(shape) for several in (
        [layer.weight[:, 0] for layer in layers], [layer.bias for layer in layers]
    ))  # fmt: skip
    return Lines(weight, bias, model.standardise.mean, model.standardise.std)
