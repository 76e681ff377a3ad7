"""From values to colours, with the same indices and colours as `frontend/core/colours.js`.

OKLab: Bjorn Ottosson, "A perceptual color space for image processing", 2020, https://bottosson.github.io/posts/oklab/
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.errors import BadInput, closest

Colours = npt.NDArray[np.uint8]

TOP = 254
NOT_A_NUMBER, INFINITE, MASKED = 255, 256, 257  # indices of values that are not on a scale
SHARE = 4.0  # the scale of shares ends at 2 to the power of this, and at its inverse

# Copied from .streamlit/config.toml, under Streamlit's names in CSS; a test compares them.
THEMES = {
    "light": {
        "primary-color": "#a8481a", "background-color": "#fdfcf9", "secondary-background-color": "#f4f1ea",
        "text-color": "#1f2328", "border-color": "#e3ddd0", "orange-color": "#b34a0c", "blue-color": "#1f6fb2",
        "green-color": "#05694a", "violet-color": "#3d1a6e", "violet-background-color": "#a98bd0",
        "gray-color": "#dedbd4", "gray-background-color": "#ecebe6", "yellow-color": "#a67c1f",
        "yellow-background-color": "#dfc78d", "link-color": "#a8481a",
    },
    "dark": {
        "primary-color": "#f08a4b", "background-color": "#131417", "secondary-background-color": "#1d1f24",
        "text-color": "#eceae4", "border-color": "#33363d", "orange-color": "#f49a5c", "blue-color": "#79b8f2",
        "green-color": "#74dbb3", "violet-color": "#d9c2ff", "violet-background-color": "#7a57b0",
        "gray-color": "#2b2d31", "gray-background-color": "#1f2125", "yellow-color": "#b98d2c",
        "yellow-background-color": "#66501f", "link-color": "#f08a4b",
    },
}  # fmt: skip
PRINT_MIDDLE = 205.0  # the grey of an even share, and of zero
PRINT = {"background-color": "#ffffff", "text-color": "#000000", "border-color": "#b0b0b0", "orange-color": "#000000"}


@dataclass(frozen=True)
class Scale:
    """The limits of a scale: share (log2 of the multiple of an even share), signed (centred on zero) or positive (from
    zero).
    """

    kind: str
    low: float
    high: float


def scale_of(kind: str, bound: float = 1.0) -> Scale:
    """Return a scale of this kind, up to the largest absolute value `bound` unless it is a scale of shares."""
    if kind == "share":
        return Scale(kind, -SHARE, SHARE)
    return Scale(kind, -(bound or 1.0) if kind == "signed" else 0.0, bound or 1.0)


def indices(values: Floats, scale: Scale, shift: float = 0.0) -> npt.NDArray[np.int64]:
    """Return the positions of values plus `shift` on their scale: 0 to TOP, or a mark for values that are not on it.

    On a scale of shares a value is the natural logarithm of the multiple of an even share, minus `shift`.
    """
    factor = TOP / (scale.high - scale.low) / (np.log(2) if scale.kind == "share" else 1)
    zero = shift * factor - scale.low * (TOP / (scale.high - scale.low)) + 0.5
    with np.errstate(invalid="ignore", over="ignore"):
        places = values * factor + zero
        found = np.clip(np.floor(places), 0, TOP)
    found[np.isnan(values)] = NOT_A_NUMBER
    found[values == np.inf] = INFINITE
    found[values == -np.inf] = 0 if scale.kind == "share" else MASKED
    return found.astype(np.int64)


class Theme(NamedTuple):
    """The colours of a figure.

    Args:
        name: light, dark or print.
        paper, text, line, query, key: red, green, blue, 0..255.
        palettes: kind of scale -> uint8 (index, 3), for the results of `indices`; "ink" for a picture of intensities.
    """

    name: str
    paper: Colours
    text: Colours
    line: Colours
    query: Colours
    key: Colours
    palettes: dict[str, Colours]


def theme_of(name: str) -> Theme:
    """Return the colours of a theme: "light" or "dark" as in the app, or "print" in greys, darker for larger values."""
    if name == "print":
        white, black = np.array([255.0] * 3), np.array([0.0] * 3)
        rising = _path(white, np.array([PRINT_MIDDLE] * 3), black)
        ramp = _palette(white, lambda at: rising(at / TOP))
        found = {one: _rgb(colour) for one, colour in PRINT.items()}
        palettes = dict.fromkeys(("share", "signed", "positive", "ink"), ramp)
    elif name in THEMES:
        found = {one: _rgb(colour) for one, colour in THEMES[name].items()}
        paper = found["background-color"]
        more, less, below = (
            _path(paper, found[f"{hue}-background-color"], found[f"{hue}-color"])
            for hue in ("violet", "gray", "yellow")
        )
        ink = _path(
            found["secondary-background-color"] if name == "dark" else np.array([255.0] * 3), found["text-color"]
        )
        half = TOP / 2
        palettes = {
            "share": _palette(paper, lambda at: less(1 - at / half) if at < half else more(at / half - 1)),
            "signed": _palette(paper, lambda at: below(1 - at / half) if at < half else more(at / half - 1)),
            "positive": _palette(paper, lambda at: more(at / TOP)),
            "ink": _palette(paper, lambda at: ink(at / TOP)),
        }
    else:
        raise BadInput(f"There is no theme {name!r}. {closest(name, [*THEMES, 'print'])}")
    found.setdefault("blue-color", found["orange-color"])
    names = ("background-color", "text-color", "border-color", "orange-color", "blue-color")
    plain, text, line, query, key = (_round(found[one]) for one in names)
    return Theme(name, plain, text, line, query, key, palettes)


def _palette(paper: Floats, colour_at: Callable[[float], Floats]) -> Colours:
    marks = [paper] * 3
    return _round(np.array([*(colour_at(at) for at in range(TOP + 1)), *marks]))


def _round(colours: Floats) -> Colours:
    return np.floor(colours + 0.5).astype(np.uint8)  # like Math.round


def _rgb(colour: str) -> Floats:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], float)


def _path(*colours: Floats) -> Callable[[float], Floats]:
    """Return the path from the first colour (0) through the others to the last (1), in straight lines in OKLab."""
    stops = [_lab(colour) for colour in colours]

    def at(t: float) -> Floats:
        place = t * (len(stops) - 1)
        start = min(len(stops) - 2, int(place))
        return _light(stops[start] + (place - start) * (stops[start + 1] - stops[start]))

    return at


_TO_CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
_TO_LAB = np.array([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.808675766]])  # fmt: skip
_FROM_LAB = np.array([[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728],
                      [1, -0.0894841775, -1.291485548]])  # fmt: skip
_FROM_CONES = np.array([[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
                        [-0.0041960863, -0.7034186147, 1.707614701]])  # fmt: skip


def _lab(colour: Floats) -> Floats:
    parts = colour / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    found: Floats = _TO_LAB @ np.cbrt(_TO_CONES @ linear)
    return found


def _light(colour: Floats) -> Floats:
    linear = np.clip(_FROM_CONES @ (_FROM_LAB @ colour) ** 3, 0, 1)
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
