"""A figure: views of attention layers, and the choice of what to show."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.errors import BadInput
from attnviz.figures.colours import theme_of
from attnviz.figures.kinds import KINDS, Asked
from attnviz.figures.maps import Choice, Direction, Head, ScaleKind, Show, maps_of
from attnviz.figures.saved import SUFFIXES as SUFFIXES
from attnviz.figures.saved import Figure as Figure
from attnviz.figures.shown import Shown
from attnviz.figures.wording import words_of
from attnviz.views.attention import LayerView

if TYPE_CHECKING:
    from attnviz.figures.shown import Shown
    from attnviz.listening import Trace
    from attnviz.subjects import Subject


def csv(figure: Shown) -> bytes:
    """Return a table with one row per token of a layer, and columns for each head and the mean, preceded by its origin.

    Rows, columns and heads count from 1, since people read them. Tokens without a position have no row.
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
    """Return arrays: for each layer float64 (head, token) of the values shown, and its tokens' layout; and the origin.

    `names` has the layers. Layer I has `values_I`, and `grid_I`: rows, columns, number of preceding tokens without a
    position, and the chosen token.
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


UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72}


class AttentionFigure(Shown, Figure):
    """Views of attention layers of one picture, and the choice of what to show."""

    def draw(self, axes: Any) -> None:
        from attnviz.figures import static

        static.draw(self, axes)

    def words(self) -> str:
        """Return a description of the figure."""
        from attnviz.figures import wording

        return wording.words_of(self)

    def _numbers(self, kind: str) -> bytes:

        return csv(self) if kind == "csv" else npz(self)

    def _picture(self, kind: str) -> bytes:
        from attnviz.figures import static

        return static.content(self, kind)

    def _made_page(self) -> str:
        from attnviz.figures import page

        return page.page_of(self)


def figure(
    subject: Trace | Subject | str,
    picture: str | None = None,
    *,
    layers: Sequence[int | str] | int | str | None = None,
    query: tuple[int, int] | None = None,
    heads: Sequence[Head] | Head | None = None,
    over: Any = None,
    show: Show = "weights",
    direction: Direction = "from",
    scale: ScaleKind = "share",
    theme: str = "light",
    width: str | float = "3.25in",
    classes: Sequence[str] | None = None,
    batch: int = 0,
    grid: tuple[int, int] | None = None,
    seed: int | None = None,
    command: str = "",
) -> Figure:
    """Return a figure of attention: `figure.save("fig.pdf")`, `figure.draw(axes)`, or the viewer in a notebook.

    For a model that looks at parts of a picture one after the other, the figure shows that path.

        seen = attnviz.watch(model)(batch)
        attnviz.figure(seen, layers=[0, 5, 11], query=(5, 7), over=photo).save("fig.pdf")
        attnviz.figure("pixel_attention.1v8", "strokes:23").save("fig.html")

    Args:
        subject: the result of `watch` or `trace`; one of our subjects; or the name of one of our checkpoints.
        picture: for a checkpoint: DATASET:NUMBER, such as "strokes:23".
        layers: indices from 0 in the order of the pass, or paths; None for all that can be drawn.
        query: row and column of the token whose attention is shown, from 0; (-1, i) for the i-th token without a
            position, such as a class token; None for the middle of what is bright or inked. If layers have different
            grids, it refers to the grid of the first, and on the others the token at its centre is used.
        heads: indices from 0, and "mean" for the mean of all heads; "all" for every head and the mean; None for the
            mean, or the only head. The viewer always has all heads.
        over: the photograph: a path, a picture of Pillow, uint8 (row, column, colour) or floats 0..1 (colour, row,
            column). If transforms have cropped it to its centre, that part is shown. None for the model's input,
            stretched from black to white.
        show: "weights", or "scores" before the softmax.
        direction: "from": the weights of the query for each key; "to": its weights as a key for each query; "received":
            the mean weight of each key over all queries.
        scale: range of the colours: "share": weights as multiples of an even share, 1/16 to 16; "all": one scale for
            all heads of a layer; "map": each map its own.
        theme: "light" or "dark" as in the app, or "print" in greys.
        width: width of pictures, such as "3.25in" or "8.3cm"; a number is in inches.
        classes: names of the answers, if the model returns their logits.
        batch: index of the picture in the batch.
        grid: rows and columns of tokens, if the model does not reveal where they lie.
        seed: seed of the random numbers, for one of our nets that draws its locations; None for the most probable ones.
        command: the command that made the figure, recorded in the file.

    Raises:
        BadInput: something requested does not exist or cannot be drawn; the message states the reason.
    """
    theme_of(theme)
    if seed is not None and not 0 <= seed < 1 << 63:
        raise BadInput(f"seed: expected a whole number from 0 to 2^63 - 1, got {seed}.")
    subject = _subject(subject, picture)
    chosen = {"layers": layers, "query": query, "heads": heads, "grid": grid}
    chosen |= {"show": show != "weights", "direction": direction != "from", "scale": scale != "share"}
    asked = Asked(theme, inches(width), over, classes, batch, seed, command)
    views = _views(subject, layers, over, classes, batch, grid)
    if not views:
        made = next((one for kind in KINDS.values() if (one := kind(subject, asked))), None)
        if made is None:
            raise BadInput("In this model no token attends to another, so no figure of attention can be made.")
        if other := [name for name, value in chosen.items() if value not in (None, False)]:
            raise BadInput(f"In this model no token attends to another, so a figure of it has no {other[0]} to choose.")
        return made
    if seed is not None:
        raise BadInput("seed: this model draws nothing at random.")
    first = next(iter(views.values()))
    if heads == "all":
        heads = [*range(first.heads), "mean"] if first.heads > 1 else [0]
    elif isinstance(heads, int | str):
        heads = [heads]
    if query is not None:
        first.token(query)  # raises if it is not on the first layer
    choice = Choice(query, None if heads is None else tuple(heads), show, direction, scale, (first.rows, first.columns))
    for view in views.values():
        choice.heads_of(view)
        choice.token(view)
    origin = {name: value for name, value in first.origin.items() if name != "address"}
    if command:
        origin["command"] = command
    return AttentionFigure(views, choice, theme, inches(width), origin)


def _subject(subject: Any, picture: str | None) -> Trace | Subject:
    from attnviz.figures import ours
    from attnviz.listening import Trace
    from attnviz.subjects import Subject

    if isinstance(subject, Trace):
        if picture is not None:
            raise BadInput("picture belongs to a checkpoint of ours; the photograph of a trace is given as over=...")
        return subject
    if isinstance(subject, str):
        if picture is None:
            raise BadInput(f'Which picture should {subject} look at? Give one, such as "strokes:23".')
        subject = ours.subject_of(subject, picture)
    if not isinstance(subject, Subject):
        kind = type(subject).__name__
        raise BadInput(
            f"A figure is made from attnviz.watch(model)(batch), a subject, or a checkpoint's name, not {kind}."
        )
    return subject


def _views(
    subject: Trace | Subject, layers: Any, over: Any, classes: Any, batch: int, grid: Any
) -> dict[str, LayerView]:
    from attnviz.figures import captured, ours
    from attnviz.figures.photo import photo_of
    from attnviz.listening import Trace

    if isinstance(subject, Trace):
        if not subject.captured.calls:
            return {}
        return captured.views_of(subject, layers, photo_of(over), classes, batch, grid)
    return ours.views_of(subject, layers)


def inches(width: str | float) -> float:
    """Return a width in inches, or raise BadInput if it is not a length or is out of range."""
    found = float(width) if isinstance(width, int | float) else 0.0
    if isinstance(width, str):
        for unit, factor in UNITS.items():
            if width.endswith(unit) and width.removesuffix(unit).strip().replace(".", "", 1).isdigit():
                found = float(width.removesuffix(unit)) * factor
    if not 1 <= found <= 50:
        raise BadInput(f"width: expected 1 to 50 inches, such as 3.25in, 8.3cm or 240pt, got {width!r}.")
    return found
