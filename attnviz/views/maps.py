"""Maps of one grid, such as heads, channels or pictures, drawn by `frontend/map_grid/`.

Maps and cells count from 0 in arguments and from 1 in text for people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypedDict, Unpack

import numpy as np

from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.views.payload import pack

Role = Literal["signed", "unit", "positive", "share", "ink", "own"]
Scale = Literal["share", "all", "map", "pictures"]
ROLES: tuple[str, ...] = ("signed", "unit", "positive", "share", "ink", "own")


@dataclass(frozen=True)
class Table:
    """Maps laid out as a table, row by row; the labels determine the number of rows and columns."""

    rows: Sequence[str]
    columns: Sequence[str]


@dataclass(frozen=True)
class Names:
    """Names of the cells of a single map, if they are not pixels: "head" "3" next to "other head" "7"."""

    row: str
    rows: Sequence[str]
    column: str
    columns: Sequence[str]


class Looks(TypedDict, total=False):
    """How maps are drawn; missing keys have their defaults."""

    captions: Sequence[str] | None
    """Shown below the maps instead of the labels, which are read aloud and exported."""
    role: Role
    """The kind of values: "signed" (colours centred on zero), "unit" (0..1), "positive" (0 and above), "share"
    (attention weights: multiples of an even share, -4 to 4 in log2), "ink" (0..1, drawn as pictures), "own" (any
    numbers, each map from its minimum to its maximum in the picture's greys, as in papers). By default "signed"."""
    title: str | None
    """Shown above the maps; "N maps" by default."""
    scale: Scale | None
    """The initial range of the colours: "share" (role "share"), "all" maps, each "map" its own, or all "pictures". By
    default "share" for shares, "map" for "own", "all" otherwise."""
    fixed: bool
    """Whether to offer no other scale."""
    bounds: tuple[float, float] | None
    """Minimum and maximum over all pictures, which make the scale "pictures" available."""
    tokens: int | None
    """Number of tokens that share the attention (role "share"); by default the cells of one map."""
    picture: np.ndarray | None
    """(row, column) intensities 0..1, or (map, row, column), one per map. The edge of the ink is drawn on every map if
    it has the maps' shape."""
    colours: np.ndarray | None
    """uint8 (map, row, column, 3), the pictures of role "ink" in colour, whose intensities are then the maps."""
    background: np.ndarray | None
    """uint8 (row, column, 1 or 3), the picture that the maps belong to, at its own resolution. It is shown in front of
    them, with frames around the outlined and the current cell at their positions on the grid."""
    ink: bool
    """Whether the background is ink on paper (the default) or a photograph."""
    grid: Grid | None
    """Where the cells lie on the background; by default they divide it evenly."""
    table: Table | None
    """Labels of rows and columns in which to lay out the maps."""
    names: Names | None
    """Names of the rows and columns of a single map, written next to it."""
    outlined: Sequence[int] | None
    """A cell of each map, row by row from 0, to outline in the query's colour."""
    note: str | None
    """A description of the values below the legend; by default it names the scale."""
    origin: Mapping[str, str | int | float] | None
    """Software version, model, recipe, seed, digest, image, address; included in every export."""


def packed(maps: np.ndarray, labels: Sequence[str], **looks: Unpack[Looks]) -> bytes:
    """Return labelled maps, real numbers (map, row, column), in the format for the browser. NaN, infinity and minus
    infinity (masked) are marked.
    """
    captions, outlined = looks.get("captions"), looks.get("outlined")
    table, names = looks.get("table"), looks.get("names")
    picture, colours, background = looks.get("picture"), looks.get("colours"), looks.get("background")
    role, title, bounds = looks.get("role", "signed"), looks.get("title"), looks.get("bounds")
    maps = np.asarray(maps)
    if maps.ndim != 3 or 0 in maps.shape or not np.isrealobj(maps):
        raise BadInput(
            f"maps: expected real numbers (map, row, column), none of them 0, got {maps.dtype} of {maps.shape}."
        )
    count, rows, columns = maps.shape
    if len(labels) != count:
        raise BadInput(f"labels: expected {count}, one per map, got {len(labels)}.")
    if captions is not None and len(captions) != count:
        raise BadInput(f"captions: expected {count}, one per map, got {len(captions)}.")
    if role not in ROLES:
        raise BadInput(f"role: expected one of {', '.join(ROLES)}, got {role!r}.")
    if outlined is not None and (len(outlined) != count or not all(0 <= cell < rows * columns for cell in outlined)):
        raise BadInput(f"outlined: expected {count} cells below {rows * columns}, one per map, got {[*outlined]}.")
    if table is not None and len(table.rows) * len(table.columns) != count:
        raise BadInput(f"table: {len(table.rows)} x {len(table.columns)} labels do not fit {count} maps.")
    if names is not None and (1, len(names.rows), len(names.columns)) != maps.shape:
        raise BadInput(f"names: {len(names.rows)} x {len(names.columns)} do not fit one map of {maps.shape}.")
    arrays = {"maps": maps.astype(np.float64)}
    if picture is not None and picture.shape in ((rows, columns), maps.shape):
        arrays["picture"] = picture.astype(np.float64)
    if colours is not None:
        if role != "ink" or colours.shape != (*maps.shape, 3) or colours.dtype != np.uint8:
            found = f"{colours.dtype} of {colours.shape}"
            raise BadInput(f'colours: expected role "ink" and uint8 of {(*maps.shape, 3)}, got {role!r} and {found}.')
        arrays["colours"] = colours
    if background is not None:
        if background.dtype != np.uint8 or background.ndim != 3 or background.shape[2] not in (1, 3):
            found = f"{background.dtype} of {background.shape}"
            raise BadInput(f"background: expected uint8 (row, column, 1 or 3), got {found}.")
        arrays["background"] = background
    header = {
        "labels": [str(label) for label in labels],
        "captions": None if captions is None else list(captions),
        "role": role,
        "title": title or (f"{count} maps" if count > 1 else "One map"),
        "scale": looks.get("scale") or {"share": "share", "own": "map"}.get(role, "all"),
        "fixed": looks.get("fixed", False),
        "bounds": None if bounds is None else [float(bound) for bound in bounds],
        "tokens": looks.get("tokens") or rows * columns,
        "table": None if table is None else {"columns": len(table.columns), "rows": table.rows, "heads": table.columns},
        "names": None if names is None else asdict(names),
        "ink": looks.get("ink", True),
        "boxes": None if background is None else _boxes(maps.shape, background.shape, looks.get("grid")),
        "outlined": None if outlined is None else [int(cell) for cell in outlined],
        "note": looks.get("note"),
        "origin": dict(looks.get("origin") or {}),
    }
    return pack(header, arrays)


def _boxes(maps: Sequence[int], picture: Sequence[int], grid: Grid | None) -> list[float] | None:
    """Return the layout of cells on a picture, in its pixels: top, left, step down, step across, height, width.

    Return None for strips without a grid, or if the grid has another shape.
    """
    _, rows, columns = maps
    if grid is None:
        high, wide = picture[0] / rows, picture[1] / columns
        return None if rows == 1 else [0.0, 0.0, high, wide, high, wide]
    if (grid.rows, grid.columns) != (rows, columns):
        return None
    return grid.boxes
