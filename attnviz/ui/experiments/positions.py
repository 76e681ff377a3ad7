"""Position codes as pictures: what tells a token where it is, and which places look alike to it."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz.cards import Card
from attnviz.ui import address, cache, page, pickers
from attnviz.ui.moving_maps import places, rested

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint

TITLE = "Position codes"
QUESTION = "How can a token know where it is, and which places are alike to it? Move over the picture."
WORDS = ("code", "longest", "likeness", "place")

KINDS = {
    "sinusoidal_2d": "Waves of row and column",
    "sinusoidal_1d": "Waves of the token's number",
    "learned": "Learned",
}
LIKENESS = {"cosine": "Cosine", "dot": "Dot product"}
LONGEST = (10_000.0, 100.0, 10.0)
FEATURES = 32  # where the model has no code of its own: as many as the models with positions here
HANDLE = "positions_place"

Array = npt.NDArray[np.float64]


def refusal(card: Card) -> str | None:
    """Return why this model cannot answer it; None where it can."""
    if card.config.get("patch", 1) * card.config.get("pool", 1) >= card.config.get("rows", 28):
        return "This model takes the whole picture as one token: there is only one place."
    return None


@st.fragment
def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the choice of a code, the code, and how alike its places are."""
    with page.sentences():
        own = card.config.get("positions")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            kind = address.choice("code", [*KINDS], own or "sinusoidal_2d")
            st.pills(
                "Code", [*KINDS], key="code", format_func=KINDS.__getitem__, required=True, on_change=address.keep,
                args=("code",),
            )  # fmt: skip
            longest = choose_longest(card, kind)
            likeness = address.choice("likeness", [*LIKENESS], "cosine")
            st.segmented_control(
                "Likeness", [*LIKENESS], key="likeness", format_func=LIKENESS.__getitem__, required=True,
                on_change=address.keep, args=("likeness",),
            )  # fmt: skip
        code = cache.kept(position_code, card, kind, longest)
        is_own = kind == own and longest == longest_of(card)
        st.markdown(whose(card, kind, is_own))
        view = cache.attention(card, picture.source, picture.number)
        middle = view.rows // 2 * view.columns + view.columns // 2
        places(
            code,
            view.picture,
            key=HANDLE,
            cosine=likeness == "cosine",
            start=middle,
            at=place_from_address(view.rows, view.columns),
            origin={**view.origin, "address": "positions.code", "code": kind, "longest": longest},
            on_change=lambda: keep_place(view.columns),
        )
        left, right = st.columns(2, gap="large")
        left.markdown(equation(kind, code.shape[1], longest))
        right.markdown(
            "**What it does not show.** Places that are alike need not attend to one another: the weights of "
            ":orange[query] and :blue[key] choose which numbers of the code count, and intensity counts beside them."
        )


def choose_longest(card: Card, kind: str) -> float:
    """Draw the choice of the longest wavelength, where there are waves, and return it, over 2 pi."""
    own = longest_of(card)
    if kind == "learned":
        return own
    options = [f"{longest:g}" for longest in sorted({*LONGEST, own}, reverse=True)]
    chosen = address.choice("longest", options, f"{own:g}")
    st.segmented_control(
        "Longest wave ÷ 2π", options, key="longest", required=True, on_change=address.keep, args=("longest",),
        format_func=lambda option: f"{float(option):,g}",
    )  # fmt: skip
    return float(chosen)


def longest_of(card: Card) -> float:
    """Return the longest wavelength of a model's own code, over 2 pi; the paper's where it has none."""
    return float(card.config.get("position_longest", LONGEST[0]))


def whose(card: Card, kind: str, is_own: bool) -> str:
    """Say whether this is the model's own code, and what an untrained one is."""
    if is_own:
        return "This is **this model's own code**: it is joined to each token's intensity."
    has = "has another code" if card.config.get("positions") else "has no code: nothing tells it where a token is"
    untrained = (
        " Nobody has trained this one: it is noise, and no place is alike to another." if kind == "learned" else ""
    )
    return f"This model {has}. This one **could be joined** to its tokens.{untrained}"


def equation(kind: str, features: int, longest: float) -> str:
    """Return the equation of a code, and what it means for likeness, in Markdown."""
    if kind == "learned":
        return (
            f"$$\nc_p \\in \\mathbb{{R}}^{{{features}}}\n$$\n\nOne vector a place $p$, drawn at random and then "
            "learned like any weight. Before training all places are equally strange to one another."
        )
    numbers = features // 2 if kind == "sinusoidal_2d" else features
    rate = f"{longest:g}^{{2i/{numbers}}}"
    waves = f"$$\nc_{{p,2i}} = \\sin\\frac{{p}}{{{rate}}}\n$$\n\n$$\nc_{{p,2i+1}} = \\cos\\frac{{p}}{{{rate}}}\n$$\n\n"
    likeness = f"$$\nc_p \\cdot c_r = \\sum_i \\cos\\frac{{p - r}}{{{rate}}}\n$$\n\n"
    if kind == "sinusoidal_1d":
        return (
            f"{waves}Here $p$ is the number of the token, row by row. How alike two places are depends on how far "
            f"apart they are in that order only:\n\n{likeness}So the pixel below is as far away as a whole row is long."
        )
    return (
        f"{waves}The first {numbers} numbers code the row $p$, the last {numbers} the column. How alike two places are "
        f"depends on how many rows and columns lie between them only, for each\n\n{likeness}"
    )


def position_code(checkpoint: "Checkpoint", kind: str, longest: float) -> Array:
    """Return a code of a model's places: its own where it has it, else one that could be joined: (place, feature)."""
    import torch

    from attnviz.layers.positions import PositionCode

    model: Any = checkpoint.model
    card = checkpoint.card
    if kind == card.config.get("positions") and longest == longest_of(card):
        code = model.positions.code
    else:
        code = PositionCode(
            kind=kind,  # type: ignore[arg-type]  # one of KINDS
            features=card.config.get("position_features") or FEATURES,
            grid=model.grid,
            longest=longest,
            generator=torch.Generator().manual_seed(0),
        ).code
    found: Array = code.detach().double().numpy()
    return found


def place_from_address(rows: int, columns: int) -> int | None:
    """Return the place that the address names as "row,column" from 1; None where it names none, or nonsense, of which
    a sentence is shown.
    """
    word = st.query_params.get("place")
    if word is None:
        return None
    numbers = word.split(",")
    if len(numbers) == 2 and all(number.isascii() and number.isdecimal() and len(number) < 6 for number in numbers):
        row, column = (int(number) - 1 for number in numbers)
        if 0 <= row < rows and 0 <= column < columns:
            return row * columns + column
    st.warning(
        page.verbatim(
            f"The address asks for the place {word!r} (row, column); rows are 1 to {rows}, columns 1 to {columns}."
        )
    )
    return None


def keep_place(columns: int) -> None:
    """Put the place that is held into the address."""
    at = rested(HANDLE)
    address.put(place=None if at is None else f"{int(at) // columns + 1},{int(at) % columns + 1}")
