"""Are the codes of nearby positions similar? The position codes of tokens, as pictures."""

from typing import Annotated, Any, Literal, cast

import numpy as np
import streamlit as st
from pydantic import Field

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Loaded, Net, Subject
from attnviz.ui.components.moving_maps import moving_maps, places, rested
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention.selection import of_one_token
from attnviz.ui.shared import cache, experiments, page, url_state
from attnviz.ui.shared.wording import short, verbatim
from attnviz.views import url_fields

TITLE = "Are the codes of nearby positions similar?"
MEASURES = "Compares the code of each position with the codes of its neighbours and of all others."
WORDS = ("code", "longest", "likeness", "place")

KINDS = {
    "sinusoidal_2d": "Waves over rows and columns",
    "sinusoidal_1d": "Waves over the token's number",
    "learned": "Learned",
}
LIKENESS = {"cosine": "Cosine", "dot": "Dot product"}
LONGEST = (10_000.0, 100.0, 10.0)
FEATURES = 32  # for models without a position code: the number of features in the models with one
HANDLE = "positions_place"
DIFFERS = 0.05  # cosine: a smaller difference between means does not count

refusal = of_one_token("This model takes the whole picture as one token: there is only one position.")


@st.fragment
def show(subject: Subject) -> None:
    """Draw the choice of a code, the code, and how similar its positions are."""
    say = experiments.finding()
    with page.sentences():
        net = subject.net
        own = net.config.get("positions")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            kind = url_state.pick(st.pills, "Code", "code", KINDS, own or "sinusoidal_2d", required=True)
            longest = choose_longest(net, kind)
            likeness = url_state.pick(st.segmented_control, "Likeness", "likeness", LIKENESS, "cosine", required=True)
        code = cache.of_net(position_code, net, kind, longest)
        is_own = kind == own and longest == longest_of(net)
        st.markdown(whose(net, kind, is_own))
        view = attention(subject)
        say(finding(*closeness(code, view.rows, view.columns)))
        moving_maps(
            POSITION_CODE.of(subject, kind=kind, longest=longest, likeness=likeness),
            key=HANDLE,
            at=place_from_url(view.rows, view.columns),
            on_change=lambda: keep_place(view.columns),
        )
        left, right = st.columns(2, gap="large")
        left.markdown(equation(kind, code.shape[1], longest))
        right.markdown(
            "**What it does not show.** Similar positions need not attend to each other: the weights of "
            ":orange[query] and :blue[key] decide which numbers of the code count, and the intensity counts too."
        )


def closeness(code: Floats, rows: int, columns: int) -> tuple[float, float]:
    """Return a position's mean cosine with its neighbours and with all others, from a code (position, feature)."""
    unit = code / np.linalg.norm(code, axis=1, keepdims=True)
    grid = unit.reshape(rows, columns, -1)
    down, across = (grid[1:] * grid[:-1]).sum(2).ravel(), (grid[:, 1:] * grid[:, :-1]).sum(2).ravel()
    count = len(unit)
    others = (np.square(unit.sum(0)).sum() - count) / (count * (count - 1))
    return float(np.concatenate([down, across]).mean()), float(others)


def finding(near: float, others: float) -> str:
    """Return the finding on whether neighbouring positions have similar codes."""
    numbers = (
        f"the mean cosine of a position's code with those of its neighbours is {short(near, 2)}, with those of all "
    )
    numbers += f"others {short(others, 2)}"
    if abs(near - others) < DIFFERS:
        return f"**Neighbours are no more similar than other positions**: {numbers}."
    if near > others:
        return f"**Neighbours are similar**: {numbers}."
    return f"**Neighbours are less similar than other positions**: {numbers}."


class OfCode(Strict):
    """A kind of position code, its longest wavelength divided by 2 pi, and the comparison of its vectors."""

    kind: Literal["sinusoidal_2d", "sinusoidal_1d", "learned"] = "sinusoidal_2d"
    longest: Annotated[float, Field(ge=1, le=1e6)] = LONGEST[0]
    likeness: Literal["cosine", "dot"] = "cosine"


def payload(subject: Subject, parameters: OfCode) -> bytes:
    """Return maps of a position code that follow the position under the pointer."""
    view, kind, longest = attention(subject), parameters.kind, parameters.longest
    return places(
        cache.of_net(position_code, subject.net, kind, longest),
        view.picture,
        cosine=parameters.likeness == "cosine",
        start=view.rows // 2 * view.columns + view.columns // 2,
        origin={**view.origin, "address": "positions.code", "code": kind, "longest": longest},
    )


POSITION_CODE = View("position_code", OfCode, payload)
VIEWS = (POSITION_CODE,)


def choose_longest(net: Net, kind: str) -> float:
    """Draw the choice of the longest wavelength, if the code has waves, and return it divided by 2 pi."""
    own = longest_of(net)
    if kind == "learned":
        return own
    options = [f"{longest:g}" for longest in sorted({*LONGEST, own}, reverse=True)]
    titles = {one: f"{float(one):,g}" for one in options}
    return float(
        url_state.pick(st.segmented_control, "Longest wave ÷ 2π", "longest", titles, f"{own:g}", required=True)
    )


def longest_of(net: Net) -> float:
    """Return the longest wavelength of a model's own code, or else the paper's, divided by 2 pi."""
    return float(net.config.get("position_longest", LONGEST[0]))


def whose(net: Net, kind: str, is_own: bool) -> str:
    """Return whether this is the model's own code, with a remark on untrained codes."""
    if is_own:
        return "This is **this model's own code**: it is joined to each token's intensity."
    has = (
        "has another code"
        if net.config.get("positions")
        else "has no code, so it has no information on where a token is"
    )
    untrained = (
        " This one is not trained: it is noise, and no position is similar to another." if kind == "learned" else ""
    )
    return f"This model {has}. This one **could be joined** to its tokens.{untrained}"


def equation(kind: str, features: int, longest: float) -> str:
    """Return the equation of a code and its consequence for similarity, in Markdown."""
    if kind == "learned":
        return (
            f"$$\nc_p \\in \\mathbb{{R}}^{{{features}}}\n$$\n\nOne vector per position $p$, drawn at random and then "
            "learnt like any weight. Before training, no position is more similar to one position than to another."
        )
    numbers = features // 2 if kind == "sinusoidal_2d" else features
    rate = f"{longest:g}^{{2i/{numbers}}}"
    waves = f"$$\nc_{{p,2i}} = \\sin\\frac{{p}}{{{rate}}}\n$$\n\n$$\nc_{{p,2i+1}} = \\cos\\frac{{p}}{{{rate}}}\n$$\n\n"
    likeness = f"$$\nc_p \\cdot c_r = \\sum_i \\cos\\frac{{p - r}}{{{rate}}}\n$$\n\n"
    if kind == "sinusoidal_1d":
        return (
            f"{waves}Here $p$ is the number of the token, row by row. How similar two positions are depends only on "
            f"how far apart they are in that order:\n\n{likeness}So the pixel directly below is as far away as a whole "
            "row is long."
        )
    return (
        f"{waves}The first {numbers} numbers encode the row $p$, the last {numbers} the column. How similar two "
        f"positions are depends only on how many rows and columns lie between them; for each of the two\n\n{likeness}"
    )


def position_code(loaded: "Loaded", kind: str, longest: float) -> Floats:
    """Return a code of a net's positions, its own or one that could be joined: (position, feature)."""
    import torch

    from attnviz.layers.positions import PositionCode
    from attnviz.models.pixel_attention import PixelAttention

    if not isinstance(loaded.model, PixelAttention):
        raise BadInput(f"The tokens of {loaded.net.key} have no place for a position code.")
    net, model = loaded.net, cast("Any", loaded.model)
    if kind == net.config.get("positions") and longest == longest_of(net):
        code = model.positions.code
    else:
        code = PositionCode(
            kind=kind,  # type: ignore[arg-type]  # one of KINDS
            features=net.config.get("position_features") or FEATURES,
            grid=model.grid,
            longest=longest,
            generator=torch.Generator().manual_seed(0),
        ).code
    found: Floats = code.detach().double().numpy()
    return found


def place_from_url(rows: int, columns: int) -> int | None:
    """Return the position in the URL field "row,column", from 1, or None if missing or, with a warning, invalid."""
    word = st.query_params.get("place")
    if word is None:
        return None
    place = url_fields.place(word)
    if place and 0 <= place[0] < rows and 0 <= place[1] < columns:
        return place[0] * columns + place[1]
    st.warning(
        verbatim(
            f"The URL asks for the position {word!r} (row, column); rows run from 1 to {rows}, columns from 1 to "
            f"{columns}."
        )
    )
    return None


def keep_place(columns: int) -> None:
    """Write the held position into the URL."""
    at = rested(HANDLE)
    url_state.set_value(place=None if at is None else f"{int(at) // columns + 1},{int(at) % columns + 1}")
