"""The numbers of a figure, in full precision."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import numpy as np

from attnviz.figures.maps import maps_of
from attnviz.figures.wording import words_of

if TYPE_CHECKING:
    from attnviz.figures.shown import Shown


def csv(figure: Shown) -> bytes:
    """Return a table: a line a token of a layer, a column a head and the mean of heads; its origin above it.

    Rows, columns and heads count from 1, as a person reads them; tokens that lie nowhere have no row.
    """
    about = {**figure.origin, "shows": words_of(figure), "counted": "rows, columns and heads from 1, from the top left"}
    lines = [f"# {name}: {' '.join(str(value).split())}" for name, value in about.items()]
    heads = max(view.heads for view in figure.views.values())
    names = [f"head {head + 1}" for head in range(heads)]
    lines.append(",".join([figure.steps, "row", "column", *names, *(["mean of heads"] if heads > 1 else [])]))
    for layer, view in figure.views.items():
        values = maps_of(view, figure.choice).values
        for token in range(view.tokens):
            row, column = divmod(token - view.prefix, view.columns)
            place = ["nowhere", str(token + 1)] if token < view.prefix else [str(row + 1), str(column + 1)]
            of_heads = [repr(float(value)) for value in values[: view.heads, token]]
            mean = [repr(float(values[-1, token]))] if heads > 1 else []
            lines.append(",".join([layer, *place, *of_heads, *[""] * (heads - view.heads), *mean]))
    return ("\n".join(lines) + "\n").encode()


def npz(figure: Shown) -> bytes:
    """Return arrays: for each layer float64 (head, token) of what is shown, and how its tokens lie; and the origin.

    `names` has the layers; layer I has `values_I`, and `grid_I`: rows, columns, tokens before them that lie nowhere,
    and the token that was chosen.
    """
    arrays: dict[str, np.ndarray] = {
        "names": np.array([*figure.views]),
        "about": np.array(json.dumps({**figure.origin, "shows": words_of(figure)}, sort_keys=True)),
    }
    for number, view in enumerate(figure.views.values()):
        arrays[f"values_{number}"] = maps_of(view, figure.choice).values[: view.heads]
        arrays[f"grid_{number}"] = np.array([view.rows, view.columns, view.prefix, figure.choice.token(view)])
    made = io.BytesIO()
    np.savez_compressed(made, allow_pickle=False, **arrays)
    return made.getvalue()
