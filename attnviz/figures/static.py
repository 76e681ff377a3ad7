"""Pictures by matplotlib: the photograph, a map for each layer and head, and a legend, in the viewer's colours."""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput
from attnviz.figures import wording
from attnviz.figures.colours import INFINITE, MASKED, NOT_A_NUMBER, TOP, Colours, Theme, theme_of
from attnviz.figures.maps import Choice, Head, Maps, cell_of, laid_out, maps_of
from attnviz.version import VERSION
from attnviz.views.attention import LayerView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

    from attnviz.figures.shown import Shown

POINTS = 72
TYPE = 7.0  # points; journals require at least six
SMALL = 6.0
MARGIN = 0.04  # inches
GAP = 0.07
LEAST = 0.7  # minimum size of a map, in inches
MOST = 1.6
DPI = 300
PARAMETERS = {
    "pdf.fonttype": 42,  # TrueType: submission systems reject Type 3
    "svg.fonttype": "none",
    "svg.hashsalt": "attnviz",
    "font.family": "DejaVu Sans",
    "font.size": TYPE,
}


class Panel(NamedTuple):
    """One map, of one head in a layer, with the layer's name, view and maps."""

    view: LayerView
    maps: Maps
    head: Head
    name: str

    @property
    def number(self) -> int:
        """The index of the map."""
        return self.view.heads if self.head == "mean" else self.head

    @property
    def colours(self) -> npt.NDArray[np.int64]:
        """The palette indices as laid out on the map; empty cells are marked as masked."""
        return laid_out(self.view, self.maps.indices[self.number], MASKED)


def panels(figure: Shown) -> list[Panel]:
    """Return the maps of a figure, in order."""
    found = []
    for name, view in zip(wording.names_of(figure), figure.views.values(), strict=True):
        maps = maps_of(view, figure.choice)
        found += [Panel(view, maps, head, name) for head in figure.choice.heads_of(view)]
    return found


def content(figure: Shown, kind: str) -> bytes:
    """Return the picture as a file: pdf, svg or png. Equal figures have equal bytes."""
    return file(lambda: whole(figure), kind, wording.shown(figure), wording.words_of(figure), figure.origin)


def file(drawn: Callable[[], Drawn], kind: str, title: str, words: str, origin: Mapping[str, Any]) -> bytes:
    """Return a matplotlib figure as a file that includes its origin: pdf, svg or png."""
    matplotlib = _matplotlib()
    about = json.dumps({**origin, "shows": words}, ensure_ascii=False)
    software = f"attnviz {VERSION}"
    known: dict[str, dict[str, Any]] = {
        "pdf": {
            "Title": title,
            "Subject": words,
            "Keywords": about,
            "Creator": software,
            "CreationDate": None,
        },
        "svg": {"Title": title, "Description": about, "Creator": software, "Date": None},
        "png": {"Title": title, "Description": about, "Software": software},
    }
    made = io.BytesIO()
    with matplotlib.rc_context(PARAMETERS):
        drawn().savefig(made, format=kind, dpi=DPI, metadata=known[kind])
    return made.getvalue()


def draw(figure: Shown, axes: Any) -> None:
    """Draw the maps into existing axes."""
    _matplotlib()
    given: list[Axes] = [*np.ravel(np.asarray(axes, dtype=object))]
    maps = panels(figure)
    if len(given) != len(maps):
        raise BadInput(f"This figure has {len(maps)} maps, and {len(given)} axes were given: one for each, in order.")
    for one, panel in zip(given, maps, strict=True):
        _draw_map(one, panel, figure.choice, theme_of(figure.theme))
        one.set_title(_caption(panel, maps).replace("\n", ", "))


@dataclass(frozen=True)
class Layout:
    """The layout of all parts, in inches from the top left.

    Args:
        width, height: size of the whole figure.
        side: width of a map.
        across: number of maps in a row.
        items: the picture and the maps, row by row; "" for an empty cell.
        step: distance from one row of maps to the next.
        caption: height of the captions above maps.
        words: the description below the maps, line by line.
    """

    width: float
    height: float
    side: float
    across: int
    items: Sequence[Panel | str]
    step: float
    caption: float
    words: Sequence[str]

    def places(self) -> Iterator[tuple[float, float]]:
        """Yield the left and top of each item."""
        for number in range(len(self.items)):
            row, column = divmod(number, self.across)
            yield MARGIN + column * (self.side + GAP), MARGIN + self.caption + row * self.step


def whole(figure: Shown) -> Drawn:
    """Return the matplotlib figure."""
    from matplotlib.figure import Figure as Drawn

    theme, maps = theme_of(figure.theme), panels(figure)
    first = maps[0].view
    picture = first.background is not None or bool(first.picture.any())
    layout = _layout(figure, maps, picture)
    drawn = Drawn(figsize=(layout.width, layout.height), facecolor=hexed(theme.paper))
    for item, (left, top) in zip(layout.items, layout.places(), strict=True):
        if isinstance(item, str) and item != PICTURE:
            continue
        high = layout.side * _aspect(first, item)
        axes = _axes(drawn, layout, left, top, layout.side, high)
        if isinstance(item, str):
            _draw_picture(axes, first, figure.choice, theme)
        else:
            _draw_map(axes, item, figure.choice, theme)
        lines = (item if isinstance(item, str) else _caption(item, maps)).split("\n")
        for number, line in enumerate(reversed(lines)):
            _write(drawn, layout, theme, left, top - 0.05 - number * LINE, line)
    rows = -(-len(layout.items) // layout.across)
    _legend(drawn, layout, theme, figure, maps, MARGIN + rows * layout.step + 0.02)
    return drawn


def _layout(figure: Shown, maps: Sequence[Panel], picture: bool) -> Layout:
    room = figure.width - 2 * MARGIN
    most = max(1, int((room + GAP) / (LEAST + GAP)))
    items, across = _items(maps, picture, most)
    side = min((room + GAP) / across - GAP, MOST)
    lines = max(_caption(panel, maps).count("\n") for panel in maps) + 1
    caption = lines * LINE + 0.04
    step = side * max(_aspect(maps[0].view, item) for item in items) + caption + GAP / 2
    words = textwrap.wrap(wording.words_of(figure), int(room * POINTS / (SMALL * 0.54)))
    rows = -(-len(items) // across)
    height = MARGIN + rows * step + 0.02 + LEGEND + len(words) * LINE + MARGIN
    return Layout(figure.width, height, side, across, items, step, caption, words)


def _items(maps: Sequence[Panel], picture: bool, most: int) -> tuple[list[Panel | str], int]:
    """Return the items in rows, and the number per row; each layer has its own row if its heads fit into one."""
    layers = [*dict.fromkeys(panel.name for panel in maps)]
    heads = max(sum(panel.name == layer for panel in maps) for layer in layers)
    if len(layers) > 1 and 1 < heads <= most - picture:
        found: list[Panel | str] = []
        for number, layer in enumerate(layers):
            row = [panel for panel in maps if panel.name == layer]
            first = [PICTURE if number == 0 else ""] if picture else []
            found += [*first, *row, *[""] * (heads - len(row))]
        return found, heads + picture
    items: list[Panel | str] = [*([PICTURE] if picture else []), *maps]
    rows = -(-len(items) // most)
    return items, -(-len(items) // rows)


PICTURE = "the picture"
LINE = SMALL * 1.3 / POINTS
LEGEND = 0.25  # inches: the bar and its numbers


def _aspect(view: LayerView, item: Panel | str) -> float:
    """Return height divided by width of a map, or of the picture."""
    if isinstance(item, Panel):
        rows, columns = item.colours.shape
    else:
        rows, columns = (view.rows, view.columns) if view.background is None else view.background.shape[:2]
    return float(rows / columns)


def _caption(panel: Panel, maps: Sequence[Panel]) -> str:
    """Return the caption of a map: its layer, its head if there are several, the end of its scale if it has one."""
    several = len({one.head for one in maps}) > 1
    lines = [] if several and len({one.name for one in maps}) == 1 else [panel.name]
    if several:
        lines.append("mean of heads" if panel.head == "mean" else f"head {panel.head + 1}")
    scale = panel.maps.scales[panel.number]
    if scale.kind != "share":
        lines.append(f"{'±' if scale.kind == 'signed' else '0 to '}{scale.high:.3g}")
    return "\n".join(lines)


def _draw_map(axes: Axes, panel: Panel, choice: Choice, theme: Theme) -> None:
    found = panel.colours
    axes.imshow(theme.palettes[panel.maps.scales[panel.number].kind][found], interpolation="none", aspect="equal")
    for mark, sign in ((NOT_A_NUMBER, "x"), (INFINITE, "s"), (MASKED, ".")):
        rows, columns = np.nonzero((found == mark) & (laid_out(panel.view, np.ones(panel.view.tokens, int), 0) > 0))
        if len(rows):
            axes.plot(columns, rows, sign, color=hexed(theme.text), markersize=1.5, linestyle="none")
    framed(axes, theme)
    row, column = cell_of(panel.view, choice.token(panel.view))
    if choice.direction != "received":
        _outline(axes, (column - 0.5, row - 0.5, 1, 1), theme, choice)
    for token in range(panel.view.prefix):
        row, column = cell_of(panel.view, token)
        _rectangle(axes, (column - 0.5, row - 0.5, 1, 1), hexed(theme.line), 0.4)


def _draw_picture(axes: Axes, view: LayerView, choice: Choice, theme: Theme) -> None:
    if view.background is None:
        levels = np.floor(view.picture * TOP + 0.5).clip(0, TOP).astype(int)
        axes.imshow(theme.palettes["ink"][levels], interpolation="none")
    else:
        grey = view.background.shape[2] == 1
        inks = theme.palettes["ink"][np.floor(view.background[..., 0] * (TOP / 255) + 0.5).astype(int)]
        colours = inks if grey and view.ink else np.broadcast_to(view.background, (*view.background.shape[:2], 3))
        axes.imshow(colours, interpolation="none")
    framed(axes, theme)
    token = choice.token(view)
    if choice.direction == "received" or token < view.prefix:
        return
    row, column = divmod(token - view.prefix, view.columns)
    if view.boxes is not None:
        top, left, down, over, high, wide = view.boxes
        box = (left + column * over - 0.5, top + row * down - 0.5, wide, high)
    else:
        rows, columns = (view.rows, view.columns) if view.background is None else view.background.shape[:2]
        high, wide = rows / view.rows, columns / view.columns
        box = (column * wide - 0.5, row * high - 0.5, wide, high)
    _outline(axes, box, theme, choice)


def _outline(axes: Axes, box: tuple[float, float, float, float], theme: Theme, choice: Choice) -> None:
    """Outline the query, or the key whose column is shown, with a rim that separates it from the picture below."""
    colour = theme.query if choice.direction == "from" else theme.key
    _rectangle(axes, _grown(axes, box, 1.0), hexed(theme.paper), 2.0)
    _rectangle(axes, _grown(axes, box, 0.6), hexed(colour), 1.0)


Box = tuple[float, float, float, float]  # left, top, width, height, in cells


def _grown(axes: Axes, box: Box, points: float) -> Box:
    """Return a box enlarged by a number of points on each side, because an outline lies around a cell, not on it."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    inches = axes.get_position().width * figure.get_figwidth()
    by = points / POINTS / inches * abs(axes.get_xlim()[1] - axes.get_xlim()[0])
    left, top, wide, high = box
    return left - by, top - by, wide + 2 * by, high + 2 * by


def _rectangle(axes: Axes, box: Box, colour: str, width: float) -> None:
    from matplotlib.patches import Rectangle

    left, top, wide, high = box
    axes.add_patch(Rectangle((left, top), wide, high, fill=False, edgecolor=colour, linewidth=width, clip_on=False))


def framed(axes: Axes, theme: Theme) -> None:
    """Give axes a thin frame and no ticks."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(color=hexed(theme.line), linewidth=0.5)


def _legend(drawn: Drawn, layout: Layout, theme: Theme, figure: Shown, maps: Sequence[Panel], top: float) -> None:
    """Draw the colour bar with its numbers, followed by a description of the figure."""
    scale = maps[0].maps.scales[maps[0].number]
    wide = min(layout.width - 2 * MARGIN, 2.6)
    left = MARGIN
    axes = _axes(drawn, layout, left, top, wide, 0.07)
    axes.imshow(theme.palettes[scale.kind][: TOP + 1][None], aspect="auto", interpolation="none")
    framed(axes, theme)
    numbers = {
        "share": ["≤ 1/16", "1/4", "even share", "4 ×", "≥ 16 ×"],
        "signed": ["low", "", "0", "", "high"],
        "positive": ["0", "", "", "", "high"],
    }[scale.kind]
    for number, words in enumerate(numbers):
        side = {0: "left", 4: "right"}.get(number, "center")
        _write(drawn, layout, theme, left + wide * number / 4, top + 0.16, words, ha=side)
    for number, line in enumerate(layout.words):
        _write(drawn, layout, theme, MARGIN, top + LEGEND + 0.05 + number * LINE, line)


def _axes(drawn: Drawn, layout: Layout, left: float, top: float, wide: float, high: float) -> Axes:
    bottom = layout.height - top - high
    place = (left / layout.width, bottom / layout.height, wide / layout.width, high / layout.height)
    return drawn.add_axes(place)


def _write(drawn: Drawn, layout: Layout, theme: Theme, left: float, base: float, words: str, ha: str = "left") -> None:
    x, y = left / layout.width, 1 - base / layout.height
    drawn.text(x, y, words, fontsize=SMALL, color=hexed(theme.text), ha=ha, va="baseline")


def hexed(colour: Colours) -> str:
    """Return a colour in matplotlib's format."""
    return "#" + "".join(f"{part:02x}" for part in colour.tolist())


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise BadInput('Pictures are drawn by matplotlib: pip install "attnviz[figures]".') from error
    return matplotlib
