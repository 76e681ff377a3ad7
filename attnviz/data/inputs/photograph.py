"""Finding the digit on a photograph of a sheet of paper, and placing it alone on the drawing canvas.

    found = find(upload.colours)          # uint8 (row, column) or (row, column, 3), 255 is white
    found.canvas, found.box, found.notes  # uint8 (280, 280); (top, left, bottom, right); the steps, in sentences

A scan or a screenshot has a clean border and is used whole, see `paper`. On a photograph, ink is darker than the paper
around it by a ratio. Shadows and the edge between sheet and table hardly change that ratio, because the level of the
paper is a closing that is wider than a stroke. Ruled lines are found as long, thin, straight lines and subtracted,
unless colour already separates them from the ink. The rest consists of pieces. The one with the most ink is the digit,
together with the pieces that belong to it. Strokes much thinner than MNIST's are thickened.

Source of closing and top-hat transform: Soille, "Morphological Image Analysis", 2nd edition, 2003, chapter 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from attnviz.data.inputs import paper
from attnviz.data.inputs.digit import BOX, CANVAS
from attnviz.data.inputs.morphology import extreme, pieces
from attnviz.data.inputs.paper import without_rules

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Box = tuple[int, int, int, int]
"""Top, left, bottom and right in pixels, bottom and right excluded."""

SIDE = 512  # longer side of the picture in which the digit is searched for
_FAINT = 0.055  # minimum darkness of ink relative to its paper, as a logarithm to base 10
_SMALLEST = 0.03  # minimum size of a digit, as a share of the picture's longer side
_NEAR = 0.16  # maximum distance of a piece of the digit, as a share of its height
_FAINTEST = 0.4  # minimum density of ink, as a share of the digit's
_UNLIKE = 0.8  # maximum difference of the paper under and around the digit, as a logarithm to base 2
_ALIKE = 0.3  # maximum share of the pixels around a piece that are as dark as the piece
_SPECK = 8  # minimum number of pixels of a piece
_RULED = 0.6  # maximum share of a piece that lies on ruled lines only
_CONTACT = 0.6  # maximum contact with the picture's edge, as a share of its longer side
_WEDGE = 0.12  # pieces at the edge that are smaller than this share of the picture's side are wedges of table
_HALF = 0.5  # maximum length of a piece with more contact on one edge, a cut digit, as a share of the picture's side
_LIGHT = 0.12  # minimum lightness of light ink, as a logarithm, if the user has not said that it is light
_GRAIN = 15.0  # and its minimum sum over the piece
_TRIED = 6  # the number of pieces to examine closely
_CERTAIN = 0.12  # darkness of a digit above which no other method is tried
_DENSE = 0.4  # higher densities do not count more
_AROUND = 0.17  # maximum distance of a frame, a box or a circle, from its own sides, as a share of them
_ENCLOSED = 0.3  # minimum size of a framed piece, as a share of the frame's longer side
_THIN = 1.4  # strokes thinner than this, in MNIST's 20 pixels, are thickened
_WIDTH = 2.0  # to this width

NOTHING = "Nothing in it stands out from its background, so the canvas is empty."
EDGE = (
    "Only parts that reach the edge of the picture stand out from its background, such as a table or a digit that is "
    "cut off, so the canvas is empty. Draw a box around the digit."
)
SEVERAL = "There is more than one thing on it that could be a digit; the largest was taken. Draw a box around another."
CUT = "The digit reaches the edge of the picture, so a part of it may be missing."
THICKENED = "Its strokes were thickened, because they are thinner than those the models were trained on."


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a search in a picture.

    Args:
        canvas: uint8 (280, 280), 0 is paper and 255 is ink; all paper if nothing was found.
        dark: whether the ink is darker than its paper.
        box: the part of the picture on the canvas, in the picture's pixels; all of it if nothing was cut out.
        notes: the steps, in sentences.
        searched: whether the picture is a photograph, in which the digit was searched for.
    """

    canvas: Bytes
    dark: bool
    box: Box
    notes: tuple[str, ...] = ()
    searched: bool = False


def find(picture: Bytes, dark: bool | None = None, box: Box | None = None) -> Found:
    """Find the digit in a picture, uint8 (row, column) or (row, column, 3), 255 is white, and place it on the canvas.

    `dark` is whether the ink is darker than the paper; None determines it. The search is limited to the user's `box`,
    or covers the whole picture if that is None.
    """
    top, left, bottom, right = box or (0, 0, *picture.shape[:2])
    part = picture[top:bottom, left:right]
    grey = part if part.ndim == 2 else np.asarray(Image.fromarray(part).convert("L"))
    if paper.clean(grey):
        inked, dark = paper.ink(grey, dark)
        return Found(paper.fitted(inked), dark, (top, left, bottom, right))
    # A box may be tight, so the paper is estimated from its surroundings too.
    room = 0 if box is None else max(grey.shape) // 2
    above, before = max(top - room, 0), max(left - room, 0)
    part = picture[above : bottom + room, before : right + room]
    inside = (top - above, left - before, bottom - above, right - before)
    prior = paper.ink(grey, dark)[1]
    ways = [(_within(ink, inside, part.shape), by, is_dark) for ink, by, is_dark in _inks(part, dark)]
    best = _best_of(ways, prior, dark is not None)
    only = NOTHING
    if best is None:  # a piece along an edge is more often a table than a digit, unless the user says otherwise
        best = _best_of(ways, prior, dark is not None, along=True)
        if best and box is None:
            best, only = None, EDGE
    if best is None:
        nothing = np.zeros((CANVAS, CANVAS), np.uint8)
        return Found(nothing, prior, (top, left, bottom, right), (only,), True)
    dark_found, piece = best
    canvas, cut = piece.on_canvas(part.shape)
    cut = (above + cut[0], before + cut[1], above + cut[2], before + cut[3])
    return Found(
        canvas, dark_found, cut, ("It was treated as a photograph: the digit was cut out.", *piece.notes), True
    )


def _within(ink: Floats, box: Box, shape: tuple[int, ...]) -> Floats:
    """Return the ink inside a box of a picture of the given shape, and 0 outside."""
    times = max(ink.shape) / max(shape[:2])
    top, left, bottom, right = (round(end * times) for end in box)
    inside = np.zeros_like(ink)
    inside[top:bottom, left:right] = ink[top:bottom, left:right]
    return inside


def _inks(picture: Bytes, dark: bool | None) -> Iterator[tuple[Floats, Floats, bool]]:
    """Yield, for each method to try, each pixel's difference from its paper, as a logarithm, and the paper's level."""
    small = _shrunk(picture)
    for its in (True, False) if dark is None else (dark,):
        values = small if its else 255 - small
        against, level = paper.against(values if values.ndim == 3 else values[..., None])
        if against.shape[2] == 3:
            yield against.min(2), level, its  # black and blue ink, but not blue or red lines
        yield against.mean(2), level, its


def _shrunk(picture: Bytes) -> Floats:
    share = SIDE / max(picture.shape[:2])
    image = Image.fromarray(picture)
    if share < 1:
        size = max(round(picture.shape[1] * share), 1), max(round(picture.shape[0] * share), 1)
        image = image.resize(size, Image.Resampling.BOX)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(0.8)), np.float32)


@dataclass(frozen=True, eq=False)
class _Piece:
    """The digit: its ink (row, column) in the small picture, 0 elsewhere, its sum, its density, and notes."""

    ink: Floats
    weight: float
    density: float
    notes: tuple[str, ...]

    def on_canvas(self, shape: tuple[int, ...]) -> tuple[Bytes, Box]:
        """Return the digit on the canvas, and its box in a picture of the given shape."""
        rows, columns = (np.flatnonzero(self.ink.any(axis)) for axis in (1, 0))
        top, left, bottom, right = rows[0], columns[0], rows[-1] + 1, columns[-1] + 1
        edge = max(round(0.15 * max(bottom - top, right - left)), 2)
        cut = np.pad(self.ink[top:bottom, left:right], edge)
        inked = np.rint(255 * cut).astype(np.uint8)
        times = max(shape) / max(self.ink.shape)
        ends = (top - edge, left - edge, bottom + edge, right + edge)
        most = (*shape[:2], *shape[:2])
        box = tuple(int(min(max(round(end * times), 0), limit)) for end, limit in zip(ends, most, strict=True))
        return paper.fitted(inked), box  # type: ignore[return-value]


@dataclass(frozen=True)
class _Part:
    """A connected piece of pixels darker than their paper."""

    number: int
    box: Box
    weight: float
    density: float
    touching: int  # its pixels on the edge of the picture

    @property
    def high(self) -> int:
        return self.box[2] - self.box[0]

    @property
    def wide(self) -> int:
        return self.box[3] - self.box[1]

    def lies_in(self, box: Box) -> bool:
        (top, left, bottom, right), (its_top, its_left, its_bottom, its_right) = box, self.box
        return top < its_top and left < its_left and its_bottom < bottom and its_right < right

    def away(self, other: "_Part") -> float:
        """Return the distance from another part, between their boxes."""
        (top, left, bottom, right), (its_top, its_left, its_bottom, its_right) = self.box, other.box
        return float(np.hypot(max(top - its_bottom, its_top - bottom, 0), max(left - its_right, its_left - right, 0)))


def _best_of(
    ways: Sequence[tuple[Floats, Floats, bool]], prior: bool, chosen: bool, along: bool = False
) -> tuple[bool, _Piece] | None:
    """Return the best piece among the methods of `_inks`, and whether it is darker than its paper: probably if `prior`,
    certainly if the user has `chosen` it.
    """
    best: tuple[bool, _Piece] | None = None
    for ink, level, its in ways:
        if best and best[0] == its and best[1].density > _CERTAIN:
            continue
        piece = _digit(ink, level, along)
        if piece is None or (not its and not chosen and (piece.density < _LIGHT or piece.weight < _GRAIN)):
            continue  # empty, or the grain of a table, or a crease
        if best is None or ((its == best[0] or not prior) and piece.weight > 1.5 * best[1].weight):
            best = its, piece
    return best


def _digit(ink: Floats, level: Floats, along: bool) -> _Piece | None:
    """Return the digit in the ink, or None if there is none; `along` as in `_parts`."""
    ink = ink - np.median(ink)
    noise = float(1.48 * np.median(np.abs(ink)))
    ink, lined = without_rules(ink, noise)
    least = max(_FAINT, 4 * noise)
    best = _best(ink, level, ink > least, lined, along)[0]
    if best is None:
        return None
    least = max(least, _FAINTEST * best.density)  # anything much fainter than the digit is not ink
    mask = ink > least
    best, parts = _best(ink, level, mask, lined, along)
    if best is None:
        return None
    group, others = _together(best, parts)
    label = pieces(mask)
    chosen = np.isin(label, [part.number for part in group])
    near = extreme(chosen, 5, np.maximum) & ((label == 0) | chosen)
    low, full = 0.7 * least, max(0.7 * best.density, least)
    inked = np.where(near, ((ink - low) / (full - low)).clip(0, 1), 0).astype(np.float32)
    inked, thickened = _thickened(inked, chosen)
    notes = ((SEVERAL,) if others else ()) + ((CUT,) if any(part.touching for part in group) else ()) + thickened
    return _Piece(inked, sum(part.weight for part in group), best.density, notes)


def _thickened(inked: Floats, chosen: Mask) -> tuple[Floats, tuple[str, ...]]:
    """Return the digit with strokes that are wide enough for its size, and notes."""
    longer = max(int(np.ptp(at)) + 1 for at in np.nonzero(chosen))
    inner = extreme(chosen, 3, np.minimum)
    width = 2 * chosen.sum() / max(chosen.sum() - inner.sum(), 1) * BOX / longer
    more = round((_WIDTH - width) * longer / BOX / 2) if width < _THIN else 0
    return (extreme(inked, 2 * more + 1, np.maximum), (THICKENED,)) if more else (inked, ())


def _parts(ink: Floats, level: Floats, label: Numbers, lined: Mask, along: bool) -> list[_Part]:
    """Return the pieces that may be a digit or a part of one; with `along`, also those along one edge."""
    rows, columns = np.nonzero(label)
    its, count = label[rows, columns], int(label.max()) + 1
    dark, bright = ink[rows, columns], level[rows, columns]
    area, total = np.bincount(its, minlength=count), np.bincount(its, dark, count)
    weight = np.bincount(its, np.minimum(dark, _DENSE) * bright**2, count)
    density = np.bincount(its, dark**2, count) / np.maximum(total, 1e-6)
    on_rules = np.bincount(its, lined[rows, columns], count) / np.maximum(area, 1)
    edge = (rows == 0) | (rows == label.shape[0] - 1) | (columns == 0) | (columns == label.shape[1] - 1)
    touching = np.bincount(its, edge, count)
    top, left = np.full(count, label.shape[0]), np.full(count, label.shape[1])
    bottom, right = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.minimum.at(top, its, rows)
    np.minimum.at(left, its, columns)
    np.maximum.at(bottom, its, rows + 1)
    np.maximum.at(right, its, columns + 1)
    high, wide = bottom - top, right - left
    longer, shorter = np.maximum(high, wide), np.minimum(high, wide)
    strip = (longer > 0.5 * max(label.shape)) & (longer > 10 * shorter)
    held = (touching <= _CONTACT * longer) & ((touching == 0) | (longer >= _WEDGE * max(label.shape)))
    if along:
        sides = sum(
            np.where(on, 1, 0) for on in (top == 0, left == 0, bottom == label.shape[0], right == label.shape[1])
        )
        held |= (sides == 1) & (longer < _HALF * max(label.shape))
    kept = (area >= _SPECK) & (on_rules < _RULED) & held & ~strip
    return [
        _Part(
            int(number), (int(top[number]), int(left[number]), int(bottom[number]), int(right[number])),
            float(weight[number]), float(density[number]), int(touching[number]),
        )
        for number in np.flatnonzero(kept)
    ]  # fmt: skip


def _best(ink: Floats, level: Floats, mask: Mask, lined: Mask, along: bool) -> tuple[_Part | None, list[_Part]]:
    """Return the piece on paper with the most ink, and all pieces."""
    label = pieces(mask)
    parts = _parts(ink, level, label, lined, along)
    parts = [part for part in parts if not _is_frame(part, parts, label)]
    large = [part for part in parts if max(part.high, part.wide) >= _SMALLEST * SIDE]
    large.sort(key=lambda part: part.weight * (0.5 if part.touching else 1), reverse=True)
    for part in large[:_TRIED]:
        if _lies_on_paper(part, label == part.number, level, level / 10**ink):
            return part, parts
    return None, parts


def _is_frame(part: _Part, parts: list[_Part], label: Numbers) -> bool:
    """Return whether a piece is drawn around another one, like the box of a form."""
    top, left, bottom, right = part.box
    rows, columns = round(_AROUND * part.high), round(_AROUND * part.wide)
    least = _ENCLOSED * max(part.high, part.wide)
    around = any(max(one.high, one.wide) >= least and one.lies_in(part.box) for one in parts)
    its = label[top:bottom, left:right] == part.number
    return around and bool(its[rows:-rows, columns:-columns].sum() < 0.1 * its.sum())


def _lies_on_paper(part: _Part, its: Mask, level: Floats, seen: Floats) -> bool:
    """Return whether a piece is surrounded by the paper that it was compared with.

    This is false between the strokes of a light digit on a dark board, where everything farther away is as dark, and
    next to the corner of a sheet, which is as bright as the sheet.
    """
    size = max(part.high, part.wide)
    top, left, bottom, right = part.box
    window = slice(max(top - size, 0), bottom + size), slice(max(left - size, 0), right + size)
    its, level, seen = its[window], level[window], seen[window]
    close = extreme(its, 5, np.maximum)
    around = extreme(its, 2 * (size // 2) + 5, np.maximum) & ~close
    if np.log2(np.median(level[its]) / np.median(seen[around])) > _UNLIKE:
        return False
    ring = extreme(its, 11, np.maximum) & ~close
    its_own = extreme(np.where(its, seen, np.float32(9)), 2 * (size // 8) + 11, np.minimum)
    alike = np.abs(np.log10(np.maximum(seen[ring], 1e-3) / np.maximum(its_own[ring], 1e-3))) < 0.35 * part.density
    return bool(alike.mean() < _ALIKE)


def _together(best: _Part, parts: list[_Part]) -> tuple[list[_Part], list[_Part]]:
    """Return the pieces of the digit, and those that may be another digit."""
    size = max(best.high, best.wide)
    group, others = [best], []
    for part in parts:
        if part is best or part.density < 0.5 * best.density:
            continue
        apart = part.box[1] >= best.box[3] or best.box[1] >= part.box[3]
        another = part.high >= 0.75 * best.high and apart
        if best.away(part) <= _NEAR * size and not another:
            group.append(part)
        elif max(part.high, part.wide) >= 0.5 * size and part.weight >= 0.25 * best.weight:
            others.append(part)
    return group, others
