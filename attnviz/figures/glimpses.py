"""A path of glimpses as a figure: where a model looked, what it saw there, and its belief after each glimpse."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.figures.colours import THEMES, TOP, Colours, Theme, theme_of
from attnviz.figures.kinds import Asked
from attnviz.figures.saved import Figure
from attnviz.views.declared import arrays_of
from attnviz.views.glimpses import FIELDS, GlimpsePath, GlimpseView, layer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

    from attnviz.listening import Trace
    from attnviz.subjects import Subject

MOST_ACROSS, MOST_CLASSES = 8, 10  # maximum number of patches per row, and of classes with bars (largest belief first)
PARTS = ("player", "retina", "belief", "saves")
HOW = (
    "Play the path, or choose a glimpse: its box on the picture, what the retina sees there, and the belief after it. "
    "Rows, columns and glimpses count from 1."
)


@dataclass(frozen=True, eq=False)
class GlimpseFigure(Figure):
    """A model's path over a picture, with its origin, a theme, and the width of pictures in inches, as returned by
    `attnviz.figure`.
    """

    view: GlimpseView
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    theme: str = "light"
    width: float = 3.25

    def draw(self, axes: Any) -> None:
        """Draw the picture with the path into a single matplotlib axes."""
        given: list[Axes] = [*np.ravel(np.asarray(axes, dtype=object))]
        if len(given) != 1:
            raise BadInput(f"A path is drawn into one pair of axes, and {len(given)} were given.")
        _draw_path(given[0], self.view, theme_of(self.theme))

    def words(self) -> str:
        """Return a description of the figure."""
        view = self.view
        how = "as it was traced" if view.draw == -1 else f"drawn with seed {view.draw}"
        if view.draw is None:
            how = "at the means of its policy"
        if view.policy == "fixed":
            how = "along the same path for every picture"
        count, scales, size = view.patches.shape[:3]
        at = int(view.belief[-1].argmax())
        sharp = "at one scale" if scales == 1 else f"at {scales} scales, the sharp one first"
        said = (
            f"The path of {count} glimpses, {how}: each box is a sharp patch of {size}\u00a0\u00d7\u00a0{size} pixels."
        )
        said += f" Below: what the retina saw, {sharp}. Bars: the belief after each glimpse, from 0 to 1."
        known = "" if view.label is None else f"; the picture shows {view.label}"
        return f"{said} Last answer: {view.classes[at]}, {100 * view.belief[-1, at]:.1f}\u00a0%{known}."

    def _numbers(self, kind: str) -> bytes:
        about = {**self.origin, "shows": self.words()}
        view = self.view
        if kind == "npz":
            made = io.BytesIO()
            classes = np.array(self.view.classes)
            arrays = {
                "picture": view.picture,
                "classes": classes,
                **{name: getattr(view, name) for name in arrays_of(GlimpsePath)},
            }
            np.savez_compressed(made, allow_pickle=False, about=np.array(json.dumps(about)), **arrays)
            return made.getvalue()
        about["counted"] = "glimpses, rows and columns from 1, from the top left; locations from -1 to 1"
        text = io.StringIO()
        text.writelines(f"# {name}: {' '.join(str(value).split())}\n" for name, value in about.items())
        table = csv.writer(text, lineterminator="\n")
        corners = [f"{side} {scale + 1}" for scale in range(view.corner.shape[1]) for side in ("top", "left")]
        places = ("row", "column", "location row", "location column", "mean row", "mean column")
        beliefs = [f"belief {name}" for name in self.view.classes]
        table.writerow(["glimpse", *places, *corners, *beliefs, "expected reward"])
        for glimpse, (row, column) in enumerate(pixels_of(self.view)):
            numbers = (view.location[glimpse], view.location_mean[glimpse], view.corner[glimpse].ravel() + 1)
            values = [value.item() for part in (*numbers, view.belief[glimpse]) for value in part]
            table.writerow([glimpse + 1, row + 1, column + 1, *values, view.baseline[glimpse].item()])
        return text.getvalue().encode()

    def _picture(self, kind: str) -> bytes:
        from attnviz.figures import static

        return static.file(lambda: _drawn(self), kind, "The path of glimpses", self.words(), self.origin)

    def _made_page(self) -> str:
        from attnviz.figures import page

        recipe = self.origin.get("recipe")
        title = f"Glimpses of {self.origin.get('model', 'a model')}{f', {recipe}' if recipe else ''}"
        return page.of_one(
            "figure/glimpses.js", "glimpse_player", self.view.packed(), FIELDS, title, HOW, self.origin, parts=[*PARTS]
        )


def figure_of(source: Trace | Subject, asked: Asked) -> GlimpseFigure | None:
    """Return the figure of a model that looks in glimpses, or None for another model."""
    from attnviz.listening import Trace

    model = source.captured.mode.model if isinstance(source, Trace) else source.net.build()
    try:
        layer_of(model)
    except BadInput:
        return None
    view = _traced(source, asked) if isinstance(source, Trace) else _looked(source, asked)
    origin = {name: value for name, value in view.origin.items() if name != "address"}
    if asked.command:
        origin["command"] = asked.command
    return GlimpseFigure(view, origin, asked.theme, asked.width)


def _looked(subject: Subject, asked: Asked) -> GlimpseView:
    from dataclasses import replace

    from attnviz.views import looking

    return replace(looking.view(subject.net.load(), subject.example, asked.seed), checkpoint=None)


def _traced(seen: Trace, asked: Asked) -> GlimpseView:
    from attnviz.figures import captured
    from attnviz.figures.photo import photo_of
    from attnviz.views import looking

    if asked.seed is not None:
        raise BadInput("seed: the path of a trace is fixed; pass the model a generator when you trace it.")
    path, layer = layer_of(seen.captured.mode.model)
    try:
        found = looking.path_of(seen, path, layer, asked.batch)
    except KeyError as error:
        raise BadInput(f"{error.args[0]} was not kept: attnviz.watch(model) keeps all.") from error
    except IndexError as error:
        raise BadInput(f"There is no picture {asked.batch} in the batch.") from error
    count = found.belief.shape[1]
    classes = [str(number) for number in range(count)] if asked.classes is None else [*asked.classes]
    if len(classes) != count:
        raise BadInput(f"classes: {len(classes)} names do not fit the {count} classes of the belief.")
    picture, origin = captured.picture_and_origin(seen, photo_of(asked.over), asked.batch)
    if picture is None:
        raise BadInput("There is no picture to draw the path on: give it as over=...")
    grey = picture if picture.shape[2] == 1 else picture.mean(2, keepdims=True).round().astype(np.uint8)
    means = np.tanh(found.location_mean) if layer.squash == "tanh" else found.location_mean
    drawn = layer.policy != "fixed" and not np.allclose(found.location, means, atol=1e-6)
    return GlimpseView(
        **vars(found),
        picture=grey,
        draw=-1 if drawn else None,
        policy=layer.policy,
        std=layer.location_std,
        squash=layer.squash,
        centre=layer.first == "centre",
        classes=tuple(map(str, classes)),
        label=None,
        checkpoint=None,
        ask={},
        origin={**origin, "address": path},
    )


def pixels_of(view: GlimpseView) -> np.ndarray:
    """Return row and column of the pixel of each glimpse, which is right below the middle of its sharp patch."""
    pixels: np.ndarray = view.corner[:, 0] + view.patches.shape[-1] // 2
    return pixels


def _drawn(figure: GlimpseFigure) -> Drawn:
    from matplotlib.figure import Figure as Drawn

    from attnviz.figures import static

    view, theme = figure.view, theme_of(figure.theme)
    margin, gap, line = static.MARGIN, static.GAP, static.LINE
    room = figure.width - 2 * margin
    count, scales = view.patches.shape[:2]
    across = min(count, MOST_ACROSS)
    bands = -(-count // across)
    side = min((room + gap) / across - gap, 0.6)
    shown = np.sort(np.argsort(-view.belief.max(0), kind="stable")[:MOST_CLASSES])
    names = [textwrap.shorten(view.classes[which], 12, placeholder="\u2026") for which in shown]
    first_row, first_column, last_row, last_column = extent(view)
    shape = (last_row - first_row) / (last_column - first_column)
    wide = min(room * 0.52, static.MOST + 0.3) / max(shape, 1)
    high = wide * shape
    band = line + 0.04 + scales * (side + gap / 2) + gap
    words = textwrap.wrap(figure.words(), int(room * static.POINTS / (static.SMALL * 0.54)))
    top_of_patches = margin + line + 0.04 + max(high, len(shown) * line + line) + gap + 0.06
    total = top_of_patches + bands * band + len(words) * line + 2 * margin
    drawn = Drawn(figsize=(figure.width, total), facecolor=static.hexed(theme.paper))

    def axes_of(left: float, top: float, width: float, height: float) -> Axes:
        place = (left / figure.width, 1 - (top + height) / total, width / figure.width, height / total)
        return drawn.add_axes(place)

    def write(left: float, base: float, text: str, ha: str = "left") -> None:
        drawn.text(left / figure.width, 1 - base / total, text, fontsize=static.SMALL, ha=ha, va="baseline",
                   color=static.hexed(theme.text))  # fmt: skip

    top = margin + line + 0.04
    write(margin, top - 0.05, "the path")
    _draw_path(axes_of(margin, top, wide, high), view, theme)
    names_wide = max(map(len, names)) * static.SMALL * 0.62 / static.POINTS + 0.05
    left = margin + wide + gap + names_wide
    step = (figure.width - margin - left) / count
    tall = min(line * 1.25, max(high - line, len(shown) * line) / len(shown))
    write(left, top - 0.05, "belief")
    for place, name in enumerate(names):
        write(left - 0.05, top + line + tall * (place + 0.5) + 0.03, name, ha="right")
    for glimpse in range(count):
        if step > 0.13 or glimpse % 2 == 0:
            write(left + step * (glimpse + 0.45), top + line - 0.04, str(glimpse + 1), ha="center")
        _draw_belief(
            axes_of(left + step * glimpse, top + line, step * 0.9, tall * len(shown)),
            view.belief[glimpse, shown],
            theme,
        )
    for glimpse in range(count):
        row, column = divmod(glimpse, across)
        at = margin + column * (side + gap), top_of_patches + row * band + line + 0.04
        write(at[0], at[1] - 0.05, str(glimpse + 1))
        for scale in range(scales):
            axes = axes_of(at[0], at[1] + scale * (side + gap / 2), side, side)
            axes.imshow(inks(view.patches[glimpse, scale], theme), interpolation="none", aspect="auto")
            static.framed(axes, theme)
    for number, text in enumerate(words):
        write(margin, top_of_patches + bands * band + 0.06 + number * line, text)
    return drawn


def inks(values: Floats, theme: Theme) -> Colours:
    """Return the colours of intensities from 0 to 1."""
    found: Colours = theme.palettes["ink"][np.floor(values.clip(0, 1) * TOP + 0.5).astype(int)]
    return found


def _draw_belief(axes: Axes, values: Floats, theme: Theme) -> None:
    from attnviz.figures import static

    places = np.arange(len(values))
    colour = THEMES[theme.name]["green-color"] if theme.name in THEMES else static.hexed(theme.text)
    best = values.argmax()
    for which, alpha in ((places == best, 1.0), (places != best, 0.6)):
        axes.barh(places[which], values[which], height=0.8, color=colour, alpha=alpha)
    axes.set(xlim=(0, 1), ylim=(len(values) - 0.5, -0.5), facecolor=static.hexed(theme.paper))
    static.framed(axes, theme)


def _draw_path(axes: Axes, view: GlimpseView, theme: Theme) -> None:
    """Draw the picture, the sharp patch of each glimpse, and lines between them, with numbers that do not overlap."""
    from matplotlib.patches import Rectangle

    from attnviz.figures import static

    top, left, bottom, right = extent(view)
    size = view.patches.shape[-1]
    axes.imshow(inks(view.picture[..., 0] / 255, theme), interpolation="none", aspect="equal")
    points = pixels_of(view)[:, ::-1].astype(float)  # (glimpse, x and y)
    query, paper, text = (static.hexed(one) for one in (theme.query, theme.paper, theme.text))
    for row, column in view.corner[:, 0]:
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), size, size, fill=False, edgecolor=query, linewidth=0.7))
    for colour, width in ((paper, 2.2), (query, 1.0)):
        axes.plot(*points.T, color=colour, linewidth=width, solid_joinstyle="round")
    axes.plot(*points.T, "o", color=query, markersize=2, markeredgecolor=paper, markeredgewidth=0.4)
    axes.set(xlim=(left - 0.5, right - 0.5), ylim=(bottom - 0.5, top - 0.5), facecolor=paper)
    static.framed(axes, theme)
    figure = axes.get_figure(root=True)
    assert figure is not None
    inches = axes.get_position().width * figure.get_figwidth()
    apart = (static.SMALL + 3) / static.POINTS * (right - left) / inches  # minimum distance of two numbers, in pixels
    for number, (own, place) in enumerate(zip(points, spread(points, apart), strict=True)):
        axes.plot(*zip(own, place, strict=True), color=query, linewidth=0.5)
        rim = {"boxstyle": "circle,pad=0.12", "facecolor": paper, "edgecolor": query, "linewidth": 0.6}
        words = str(number + 1)
        axes.text(
            place[0], place[1], words, fontsize=static.SMALL, color=text, bbox=rim, ha="center", va="center_baseline"
        )


def extent(view: GlimpseView) -> tuple[float, float, float, float]:
    """Return top, left, bottom and right of the picture and of all sharp patches, in pixels, with a margin."""
    corners, size = view.corner[:, 0], view.patches.shape[-1]
    first = np.minimum(corners.min(0), 0) - 1
    last = np.maximum(corners.max(0) + size, view.picture.shape[:2]) + 1
    return float(first[0]), float(first[1]), float(last[0]), float(last[1])


def spread(points: Floats, apart: float) -> Floats:
    """Return positions near points, (point, 2), at least `apart` from each other as far as possible."""
    places = points + 0.35 * apart * np.array([[np.cos(at), np.sin(at)] for at in 2.4 * np.arange(len(points))])
    for _ in range(200):
        between = places[:, None] - places[None]
        far = np.linalg.norm(between, axis=-1) + np.eye(len(places)) * 1e9
        near = np.maximum(apart - far, 0)
        if not near.any():
            break
        places = places + 0.55 * (between / np.maximum(far, 1e-9)[..., None] * near[..., None]).sum(1)
    return places
