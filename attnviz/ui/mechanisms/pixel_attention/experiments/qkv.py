"""Query, key and value: every component of every head as a map of the picture, the paper's figure 10."""

from typing import TYPE_CHECKING, Literal

import numpy as np
import streamlit as st

from attnviz.errors import BadInput
from attnviz.formatting import counted
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import Table, chosen_map, map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention.selection import of_one_token
from attnviz.ui.shared import cache, experiments, findings, page, url_state
from attnviz.ui.shared.wording import short, verbatim

if TYPE_CHECKING:
    from attnviz.measures.pixel_attention.linear import Lines
    from attnviz.subjects import Loaded
    from attnviz.views.attention import AttentionView

TITLE = "What does each head compute from a pixel?"
MEASURES = (
    "Draws every component of query, key and value, and counts how many rise with the pixel's intensity. Each row of "
    "maps is a component, each column a head."
)
WORDS = ("qkv", "qkv_tile")

PARTS = {"query": ":orange[Query]", "key": ":blue[Key]", "value": ":green[Value]", "mixed": "Mixed"}
TITLES = {"query": "Query", "key": "Key", "value": "Value", "mixed": "Mixed values"}
LAYER = "attention"
GRID = "qkv_grid"
ROUNDING = 1e-9  # of the largest value: a smaller spread comes from the order in which numbers were added

refusal = of_one_token(
    "This model takes many pixels as one token: its components are single numbers, not maps of pixels."
)


@st.fragment
def show(subject: Subject) -> None:
    """Draw the choice of a part, all maps, and their explanation."""
    say = experiments.finding()
    with page.sentences():
        part = url_state.pick(
            st.segmented_control, "What", "qkv", PARTS, "query", required=True, label_visibility="collapsed"
        )
        view = attention(subject)
        heads, _, size = view.value.shape
        tile = tile_of(st.query_params.get("qkv_tile"), heads, size)
        lines = cache.of_net(of_intensity, subject.net)
        say(finding_of_mixed(components(subject, part, view)) if part == "mixed" else finding(lines[part], part))
        map_grid(
            COMPONENTS.of(subject, part=part),
            key=GRID,
            chosen=None if tile is None else tile[1] * heads + tile[0],
            on_change=lambda: keep_tile(heads),
        )
        st.markdown(means(part, lines))
        if tile is not None and part != "mixed":
            st.markdown(line_of(lines[part], *tile))


class OfPart(Strict):
    """The part whose maps are shown for all heads."""

    part: Literal["query", "key", "value", "mixed"] = "query"


def payload(subject: Subject, parameters: OfPart) -> bytes:
    """Return maps of the query, key, value or mixed value of all heads."""
    view, part = attention(subject), parameters.part
    heads, _, size = view.value.shape
    reach = cache.of_net(of_intensity, subject.net)["value" if part == "mixed" else part]
    return packed(
        components(subject, part, view).reshape(-1, view.rows, view.columns),
        [f"head {head + 1}, component {row + 1}" for row in range(size) for head in range(heads)],
        title=f"{TITLES[part]} of {counted(heads, 'head')}, {counted(size, 'component')}",
        table=Table([str(row + 1) for row in range(size)], [str(head + 1) for head in range(heads)]),
        picture=view.picture,
        bounds=(reach.lowest, reach.highest),
        origin={**view.origin, "address": f"{LAYER}.{part}"},
    )


COMPONENTS = View("components_of_heads", OfPart, payload)
VIEWS = (COMPONENTS,)


def components(subject: Subject, part: str, view: "AttentionView") -> np.ndarray:
    """Return the query, key, value or mixed value of all heads at every pixel, (component, head, token)."""
    if part != "mixed":
        values: np.ndarray = getattr(view, part)[:, view.prefix :]  # (head, token, component)
        return values.transpose(2, 0, 1)
    heads, _, size = view.value.shape
    found = findings.tap(subject, f"{LAYER}.mixed", None).values
    return found.reshape(heads, size, -1).transpose(1, 0, 2)


def of_intensity(loaded: "Loaded") -> "dict[str, Lines]":
    """Return query, key and value as linear functions of the intensity, computed from a black and a white picture."""
    import torch

    from attnviz.measures.pixel_attention.linear import lines
    from attnviz.models.pixel_attention import PixelAttention
    from attnviz.tracing import trace

    if not isinstance(loaded.model, PixelAttention):
        raise BadInput(f"The tokens of {loaded.net.key} are more than an intensity and a position.")
    pictures = torch.zeros(2, 1, *loaded.model.shape, dtype=torch.float64)
    pictures[1] = 1
    with torch.no_grad(), trace(loaded.model, [f"{LAYER}.{part}" for part in ("query", "key", "value")]) as seen:
        loaded.model(pictures)
    return {
        tap_path.rpartition(".")[2]: lines(reading.at(batch=0).numpy(), reading.at(batch=1).numpy())
        for tap_path, reading in seen.items()
    }


def tile_of(word: str | None, heads: int, size: int) -> tuple[int, int] | None:
    """Return head and component, from 0, of the URL field, or None if it is missing or, with a warning, invalid."""
    if word is None:
        return None
    numbers = word.split(",")
    if len(numbers) == 2 and all(number.isascii() and number.isdecimal() and len(number) < 6 for number in numbers):
        head, row = (int(number) - 1 for number in numbers)
        if 0 <= head < heads and 0 <= row < size:
            return head, row
    asked = f"The URL asks for the map {word!r} (head, component); heads run from 1 to {heads}, components from 1 to "
    st.warning(verbatim(f"{asked}{size}. None is chosen."))
    return None


def keep_tile(heads: int) -> None:
    """Write the chosen map into the URL."""
    chosen = chosen_map(GRID)
    if chosen is not None:
        row, head = divmod(chosen, heads)
        url_state.set_value(qkv_tile=f"{head + 1},{row + 1}")


def means(part: str, lines: "dict[str, Lines]") -> str:
    """Return the explanation of the maps and of their limits."""
    if part == "mixed":
        return (
            "The output of each head: the :green[values], averaged with the weights of its attention. Where these are "
            "uniform, it is the same at every pixel. The layer then adds up all heads, each component times a weight "
            "of its own, so a pale map can count more than a strong one."
        )
    added = "what the position adds" if lines[part].placed else "an intercept"
    return (
        f"A component is a linear function of the pixel's intensity: slope × intensity + {added}. A single component "
        "says little: what counts is the sum of the products of :orange[query] and :blue[key]."
    )


def finding(line: "Lines", part: str) -> str:
    """Return the finding on what the components of query, key or value contain."""
    up, count = int((line.slope > 0).sum()), line.slope.size
    rises = (
        f"{counted(up, 'component')} of the {part} {'rises' if up == 1 else 'rise'} with the pixel's intensity, "
        f"{count - up} {'falls' if count - up == 1 else 'fall'}"
    )
    if count > 1:
        rises += f" (random signs would give {count / 2:g} of each on average)"
    if line.placed:
        return (
            f"**The intensity, and where the pixel is**: {rises}. Whatever in a map is not the digit comes from the "
            "position."
        )
    return (
        f"**Nothing but its intensity**: {rises}. Where a component rises, its map is the digit; where it falls, "
        "its map is the digit's negative. Nothing else can appear, trained or not; the scale *This map* shows just "
        "these two, like the paper's figure 10."
    )


def finding_of_mixed(maps: np.ndarray) -> str:
    """Return the finding on how many mixed values, (component, head, token), differ between pixels."""
    spread = np.ptp(maps, axis=2) > ROUNDING * np.abs(maps).max(axis=2)
    varies, count = int(spread.sum()), spread.size
    same = "the same at every pixel"
    if not varies:
        return f"**A single number for the whole picture**: all {count} mixed values are {same}."
    others = f"; the other {count - varies} are {same}" if varies < count else ""
    return f"**Something different for each pixel**: {varies} of {count} mixed values differ between pixels{others}."


def line_of(line: "Lines", head: int, row: int) -> str:
    """Return the linear function of one map in numbers."""
    slope, start = line.slope[head, row], line.start[head, row]
    added = "and, on average, what the position adds" if line.placed else ""
    return (
        f"Head {head + 1}, component {row + 1}: {short(slope)} × intensity {'−' if start < 0 else '+'} "
        f"{short(abs(start))} {added}".rstrip()
        + ". The intensity is 0 on the background and 1 where the ink is darkest."
    )
