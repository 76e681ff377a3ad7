"""Gates as a figure: the factor of each channel as a bar, and of each position as a map over the picture."""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.arrays import Bytes, Floats
from attnviz.errors import BadInput
from attnviz.figures.colours import TOP, Scale, indices, theme_of
from attnviz.figures.photo import photo_of
from attnviz.figures.saved import Figure
from attnviz.figures.shown import chosen

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

    from attnviz.listening import Trace
    from attnviz.subjects import Subject

TAPS = ("gate", "space_gate", "full_gate")
MANY = 100  # channels
UNIT = Scale("positive", 0.0, 1.0)
BARS, MAP, CAPTION = 0.55, 1.3, 0.17  # inches: the height of bars, the side of a map, the height of captions


@dataclass(frozen=True, eq=False)
class GateFigure(Figure):
    """The gates of a pass, as returned by `attnviz.gates`.

    Args:
        gates: tap path -> factors, float64 (channel,), (row, column), or (channel, row, column).
        photo: uint8 (row, column, colour), the picture that they belong to, or None.
        origin: origin of the gates, included in every file.
        theme: theme of pictures: light, dark or print.
        width: width of pictures, in inches.
        ink: whether the photograph is ink on paper.
    """

    gates: Mapping[str, Floats]
    photo: Bytes | None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    theme: str = "light"
    width: float = 3.25
    ink: bool = False

    def words(self) -> str:
        """Return a description of the figure."""
        kinds = {values.ndim for values in self.gates.values()}
        said = []
        if 1 in kinds:
            said.append("Each bar is the factor from 0 to 1 that a channel is multiplied by.")
        if 2 in kinds:
            said.append("Each map shows the factor of each place: paper is 0, the darkest colour is 1.")
        if 3 in kinds:
            said.append(
                "A gate of channels and places at once is shown as the mean over its channels, from 0 (paper) to 1."
            )
        return " ".join(said)

    def _numbers(self, kind: str) -> bytes:
        about = {**self.origin, "shows": self.words()}
        if kind == "npz":
            made = io.BytesIO()
            arrays = {f"values_{number}": values for number, values in enumerate(self.gates.values())}
            np.savez_compressed(
                made, allow_pickle=False, names=np.array([*self.gates]), about=np.array(json.dumps(about)), **arrays
            )
            return made.getvalue()
        lines = [f"# {name}: {' '.join(str(value).split())}" for name, value in about.items()]
        lines.append("gate,channel,row,column,factor")
        for name, values in self.gates.items():
            for place, value in np.ndenumerate(values):
                channels = 0 if values.ndim == 2 else 1
                channel, at = place[:channels], place[channels:]
                where = ",".join(str(one + 1) for one in channel) + "," + (",".join(str(one + 1) for one in at) or ",")
                lines.append(f"{name},{where},{float(value)!r}")
        return ("\n".join(lines) + "\n").encode()

    def _picture(self, kind: str) -> bytes:
        from attnviz.figures import static

        return static.file(lambda: _drawn(self), kind, "Gates", self.words(), self.origin)

    def _made_page(self) -> str:
        from attnviz.figures import page

        parts, kinds = [], []
        for name, values in self.gates.items():
            kind, part = part_of(name, values, self.photo, self.origin, self.ink)
            parts.append(page.told(part) if kind == "map_grid" else part)
            kinds.append(kind)
        return page.of_parts("Gates", self.words(), [*self.gates], kinds, parts, self.origin)


def part_of(
    name: str, values: Floats, photo: Bytes | None, origin: Mapping[str, Any], ink: bool = False
) -> tuple[str, bytes]:
    """Return the component for a gate, and its payload: bars of channels, or a map over the picture.

    `values` are factors, float64 (channel,), (row, column), or (channel, row, column), of the tap path `name`. `photo`
    is uint8 (row, column, colour), of ink on paper if `ink`.
    """
    from attnviz.views import bars, maps

    origin = {**origin, "address": name}
    if values.ndim == 1:
        return "value_bars", bars.packed(values, "channel", f"{len(values)} channels", "unit", origin=origin)
    looks: maps.Looks = {"role": "unit", "background": photo, "ink": ink, "origin": origin}
    several = values if values.ndim == 3 else values[None]
    named = [f"channel {at}" for at in range(1, len(several) + 1)] if values.ndim == 3 else [name]
    return "map_grid", maps.packed(several, named, **looks)


def gates(
    subject: Trace | Subject | str,
    picture: str | None = None,
    *,
    layers: Any = None,
    over: Any = None,
    theme: str = "light",
    width: str | float = "3.25in",
    batch: int = 0,
    command: str = "",
) -> GateFigure:
    """Return a figure of gates, such as those of squeeze-and-excitation, CBAM and BAM.

        attnviz.gates(attnviz.watch(model)(batch), layers=[0, -1], over=photo).save("gates.pdf")
        attnviz.gates("channel_attention.digits-cbam", "strokes:23").save("gates.html")

    Args:
        subject: the result of `watch` or `trace`; one of our subjects; or the name of one of our checkpoints.
        picture: for a checkpoint: DATASET:NUMBER, such as "strokes:23".
        layers: indices of gates from 0 in the order of the pass, or their tap paths; None for all.
        over, theme, width, batch, command: see `attnviz.figure`.

    Raises:
        BadInput: the gate does not exist, or the model has none.
    """
    import torch

    from attnviz.figures import captured, ours
    from attnviz.figures.figure import inches
    from attnviz.listening import Trace
    from attnviz.subjects import Subject
    from attnviz.tracing import trace

    theme_of(theme)
    photo, ink = photo_of(over), False
    if isinstance(subject, str):
        if picture is None:
            raise BadInput(f'Which picture should {subject} look at? Give one, such as "strokes:23".')
        subject = ours.subject_of(subject, picture)
    if isinstance(subject, Trace):
        seen = subject
        shown, origin = captured.picture_and_origin(seen, photo, batch)
    elif isinstance(subject, Subject):
        model, batch = subject.net.load(double=True).model, 0
        pixels = torch.from_numpy(subject.image.transpose(2, 0, 1)[None].copy()).double() / 255
        with torch.no_grad(), trace(model, keep=["*"]) as seen:
            model(pixels)
        shown, origin = (subject.image if photo is None else photo), dict(subject.origin())
        ink = photo is None and subject.example.ink
    else:
        kind = type(subject).__name__
        raise BadInput(f"A figure is made from a trace, a subject, or a checkpoint's name, not {kind}.")
    paths = [path for path in seen if path.rpartition(".")[2] in TAPS]
    if not paths:
        raise BadInput(
            "This model has no gates: no sigmoid of channels or of places that feature maps are multiplied by."
        )
    if command:
        origin["command"] = command
    found = {path: seen[path].at(batch=batch).double().cpu().numpy() for path in chosen(paths, layers)}
    return GateFigure(found, shown, origin, theme, inches(width), ink)


def _drawn(figure: GateFigure) -> Drawn:
    from matplotlib.figure import Figure as Drawn

    from attnviz.figures import static

    theme = theme_of(figure.theme)
    room = figure.width - 2 * static.MARGIN
    words = textwrap.wrap(figure.words(), int(room * static.POINTS / (static.SMALL * 0.54)))
    names = [*figure.gates]
    heights = [
        BARS if values.ndim == 1 else MAP * values.shape[-2] / values.shape[-1] for values in figure.gates.values()
    ]
    photo = None if figure.photo is None else MAP * figure.photo.shape[0] / figure.photo.shape[1]
    stacked = [*([] if photo is None else [photo]), *heights]
    total = sum(stacked) + len(stacked) * (CAPTION + 0.06) + len(words) * static.LINE + 3 * static.MARGIN
    drawn = Drawn(figsize=(figure.width, total), facecolor=static.hexed(theme.paper))
    top = static.MARGIN

    def axes_of(name: str, high: float, wide: float, left: float = static.MARGIN) -> Any:
        nonlocal top
        drawn.text(static.MARGIN / figure.width, 1 - (top + CAPTION - 0.05) / total, name, fontsize=static.SMALL,
                   color=static.hexed(theme.text))  # fmt: skip
        top += CAPTION
        axes = drawn.add_axes((left / figure.width, 1 - (top + high) / total, wide / figure.width, high / total))
        top += high + 0.06
        static.framed(axes, theme)
        return axes

    if figure.photo is not None and photo is not None:
        axes = axes_of("the picture", photo, MAP)
        colours = np.broadcast_to(figure.photo, (*figure.photo.shape[:2], 3))
        if figure.ink and figure.photo.shape[2] == 1:
            colours = theme.palettes["ink"][np.floor(figure.photo[..., 0] * (TOP / 255) + 0.5).astype(int)]
        axes.imshow(colours, interpolation="none", aspect="auto")
    for (name, values), high in zip(zip(names, figure.gates.values(), strict=True), heights, strict=True):
        if values.ndim > 1:
            axes = axes_of(name if values.ndim == 2 else f"{name}: mean of {len(values)} channels", high, MAP)
            shown = values if values.ndim == 2 else values.mean(0)
            axes.imshow(theme.palettes["positive"][indices(shown, UNIT)], interpolation="none", aspect="auto")
            continue
        axes = axes_of(f"{name}: {len(values)} channels", high, room - 0.14, static.MARGIN + 0.14)
        # Many bars are drawn as one shape, because gaps of less than a pixel would look like a pattern.
        colour = static.hexed(theme.palettes["positive"][200])
        if len(values) > MANY:
            axes.stairs(values, np.arange(len(values) + 1) - 0.5, fill=True, color=colour)
        else:
            axes.bar(np.arange(len(values)), values, width=0.9, color=colour)
        axes.set(xlim=(-0.6, len(values) - 0.4), ylim=(0, 1), yticks=[0, 1], facecolor=static.hexed(theme.paper))
        axes.tick_params(labelsize=static.SMALL, length=2, colors=static.hexed(theme.text), pad=1)
        for tick, place in zip(axes.get_yticklabels(), ("bottom", "top"), strict=True):  # clear of the caption
            tick.set_verticalalignment(place)
    for number, line in enumerate(words):
        y = 1 - (top + 0.08 + number * static.LINE) / total
        drawn.text(static.MARGIN / figure.width, y, line, fontsize=static.SMALL, color=static.hexed(theme.text))
    return drawn
