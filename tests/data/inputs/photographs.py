"""Photographs of handwritten digits on sheets of paper, drawn from a seed: what people with a phone give to the pad.

    taken = photograph("table", digit, seed=7)     # uint8 (row, column, 3)
    python -m tests.data.inputs.photographs        # how many of each kind are found and classified as what they are

The digits are MNIST's, or those of `strokes` where MNIST is not there. A digit is enlarged smoothly and drawn as ink
that absorbs light on paper that may have rules; the sheet may lie askew on a table; light, shadow, glare, the blur of
the lens, the noise of the sensor and JPEG follow. Each photograph is decoded by `pictures.read` as an upload is.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

COUNT = 60
HIGH, WIDE = 800, 640


@dataclass(frozen=True)
class Sheet:
    """How a sheet was made and photographed; densities are optical: 0.3 absorbs half of the light."""

    ink: tuple[float, float, float] = (0.9, 0.9, 0.8)  # density in red, green and blue
    grain: float = 0.0  # how unevenly a pencil or a stamp lays down its ink
    size: tuple[float, float] = (0.35, 0.6)  # of the digit, as a part of the sheet's width
    thin: int = 0  # pixels taken from each side of a stroke
    rules: tuple[float, float, float] | None = None  # their density
    margin: bool = False  # a red line at the left
    squared: bool = False
    step: tuple[int, int] = (30, 48)  # pixels between rules
    shadow: float = 0.0  # part of the light that a hand takes away
    table: bool = False
    glare: bool = False
    second: bool = False  # another digit beside the first
    cropped: bool = False  # the edge of the photograph goes through the digit
    framed: bool = False  # in the box of a form
    blank: bool = False  # no digit at all


BLUE, RED, GREY = (0.22, 0.12, 0.04), (0.04, 0.25, 0.2), (0.13, 0.12, 0.11)
PENCIL = Sheet(ink=(0.36, 0.36, 0.35), grain=0.35)
KINDS: dict[str, Sheet] = {
    "blank": Sheet(),
    "shadow": Sheet(shadow=0.55),
    "pencil": PENCIL,
    "ruled": Sheet(rules=GREY),
    "squared": Sheet(rules=GREY, squared=True, step=(24, 36)),
    "table": Sheet(table=True, size=(0.3, 0.5)),
    "pencil, ruled, shadow": replace(PENCIL, rules=GREY, shadow=0.5),
    "small, thin, coloured rules": Sheet(
        ink=(0.85, 0.75, 0.35), size=(0.14, 0.2), thin=1, rules=BLUE, margin=True, step=(30, 44)
    ),
    "stamp": Sheet(ink=(0.15, 0.75, 0.6), grain=0.9),
    "glare": Sheet(glare=True),
    "table, ruled, shadow": Sheet(table=True, rules=GREY, shadow=0.4, size=(0.3, 0.5)),
    "pencil, squared, table": replace(PENCIL, rules=BLUE, squared=True, table=True, size=(0.3, 0.5), step=(24, 36)),
    "in a box": Sheet(framed=True, size=(0.3, 0.42)),
    "two digits": Sheet(second=True, size=(0.3, 0.38)),
    "cropped": Sheet(cropped=True),
    "nothing": Sheet(blank=True),
    "nothing, ruled": Sheet(blank=True, rules=GREY),
    "nothing, dark rules": Sheet(blank=True, rules=(0.4, 0.4, 0.4)),
    "nothing, table": Sheet(blank=True, table=True),
}
"""The kinds; of the last six the answer is a sentence and not a digit."""
SAID = {
    "two digits": "more than one",
    "cropped": "reaches the edge",
    "nothing": "stands out",
    "nothing, ruled": "stands out",
    "nothing, dark rules": "stands out",
    "nothing, table": "stands out",
}


def photograph(kind: str, digit: Bytes, seed: int, other: Bytes | None = None) -> Bytes:
    """Return a photograph of a digit as a JPEG file is decoded.

    Args:
        kind: a name in `KINDS`.
        digit: uint8 (28, 28), 0 is paper.
        seed: of all that is drawn.
        other: the digit beside it, for "two digits".
    """
    sheet, chance = KINDS[kind], np.random.default_rng([seed, *kind.encode()])
    density = _rules(sheet, chance)
    if not sheet.blank:
        middle = (chance.uniform(0.4, 0.6), chance.uniform(0.42, 0.58))
        size = chance.uniform(*sheet.size)
        if sheet.second:
            middle = (middle[0], 0.28)
        if sheet.cropped:
            columns = np.flatnonzero((digit > 127).any(0))
            through = columns[0] + (columns[-1] - columns[0]) * chance.uniform(0.2, 0.5)
            middle = (middle[0], size * (14 - through) / 20)
        density += _drawn(sheet, digit, middle, size, chance)
        if sheet.framed:
            density += _framed(middle, size)
        if sheet.second:
            assert other is not None
            density += _drawn(sheet, other, (middle[0] + chance.uniform(-0.05, 0.05), 0.72), size, chance)
    paper = np.array([0.9, 0.89, 0.86]) * chance.uniform(0.9, 1.0)
    seen = paper * 10**-density * (1 + chance.normal(0, 0.008, (HIGH, WIDE, 1)))
    seen = _on_table(seen, chance) if sheet.table else _askew(seen, chance.uniform(-4, 4))
    seen *= _light(sheet, chance)[..., None]
    if sheet.glare:
        row, column = np.mgrid[:HIGH, :WIDE]
        at = chance.uniform(0.15, 0.85), chance.choice([0.1, 0.9])
        away = (row / HIGH - at[0]) ** 2 + ((column / WIDE - at[1]) * WIDE / HIGH) ** 2
        seen += (0.9 * np.exp(-away / 2 / chance.uniform(0.06, 0.1) ** 2))[..., None]
    seen = 255 * np.clip(seen * chance.uniform(0.85, 1.0), 0, 1) ** (1 / 2.2)
    image = Image.fromarray(seen.astype(np.uint8)).filter(ImageFilter.GaussianBlur(chance.uniform(0.6, 1.4)))
    noisy = np.clip(np.asarray(image) + chance.normal(0, chance.uniform(2, 4), seen.shape), 0, 255).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(noisy).save(file, "JPEG", quality=int(chance.integers(70, 92)))
    return np.asarray(Image.open(file))


def _drawn(sheet: Sheet, digit: Bytes, middle: tuple[float, float], size: float, chance: np.random.Generator) -> Floats:
    """Return the density that a digit adds; `size` is of its box of 20 pixels, as a part of the width."""
    side = round(size * WIDE * 28 / 20)
    smooth = Image.fromarray(digit).resize((side, side), Image.Resampling.BICUBIC)
    for _ in range(sheet.thin):
        smooth = smooth.filter(ImageFilter.MinFilter(3))
    covered = np.clip((np.asarray(smooth.filter(ImageFilter.GaussianBlur(1))) / 255 - 0.35) / 0.3, 0, 1)
    if sheet.grain:
        cells = chance.random((-(-side // 3), -(-side // 3)))
        rough = np.asarray(Image.fromarray(cells).resize((side, side), Image.Resampling.BILINEAR))
        covered = covered * (1 - sheet.grain * rough)
    placed = np.zeros((HIGH, WIDE))
    top, left = round(middle[0] * HIGH - side / 2), round(middle[1] * WIDE - side / 2)
    inside = covered[max(-top, 0) : HIGH - top, max(-left, 0) : WIDE - left]
    placed[max(top, 0) :, max(left, 0) :][: inside.shape[0], : inside.shape[1]] = inside
    return placed[..., None] * np.array(sheet.ink)


def _framed(middle: tuple[float, float], size: float) -> Floats:
    """Return the density of a printed box around a digit."""
    frame = Image.new("L", (WIDE, HIGH))
    down, across, room = middle[0] * HIGH, middle[1] * WIDE, 0.7 * size * WIDE
    ImageDraw.Draw(frame).rectangle((across - room, down - room, across + room, down + room), outline=1, width=4)
    return np.asarray(frame, float)[..., None] * np.array([0.8, 0.8, 0.8])


def _rules(sheet: Sheet, chance: np.random.Generator) -> Floats:
    density = np.zeros((HIGH, WIDE, 3))
    if sheet.rules is None:
        return density
    step, start = chance.uniform(*sheet.step), chance.uniform(0, 30)
    for direction in range(1 + sheet.squared):
        at = np.arange((HIGH, WIDE)[direction])
        line = np.clip(1.4 - np.abs((at - start) % step - step / 2), 0, 1)
        density += (line[:, None] if direction == 0 else line[None])[..., None] * np.array(sheet.rules)
    if sheet.margin:
        line = np.clip(1.6 - np.abs(np.arange(WIDE) - chance.uniform(0.1, 0.2) * WIDE), 0, 1)
        density += line[None, :, None] * np.array(RED)
    return density


def _askew(seen: Floats, degrees: float, fill: float = 0.85) -> Floats:
    turned = [
        Image.fromarray(seen[..., channel].astype(np.float32)).rotate(
            degrees, Image.Resampling.BILINEAR, fillcolor=float(seen[..., channel].max() * fill)
        )
        for channel in range(3)
    ]
    # The corners that turning leaves empty are cut off, and the rest enlarged again.
    edge = round(abs(np.sin(np.radians(degrees))) * HIGH / 2) + 1
    box = (edge, edge, WIDE - edge, HIGH - edge)
    return np.stack([np.asarray(one.resize((WIDE, HIGH), Image.Resampling.BILINEAR, box)) for one in turned], 2).astype(
        np.float64
    )


def _on_table(seen: Floats, chance: np.random.Generator) -> Floats:
    """Lay the sheet on a table, turned a little, so that the table is seen on two, three or all sides of it."""
    wood = np.array([[0.36, 0.22, 0.12], [0.1, 0.1, 0.11], [0.5, 0.42, 0.33], [0.2, 0.25, 0.22]][chance.integers(4)])
    along = np.cumsum(chance.normal(0, 0.02, WIDE)) * 0.3 + chance.normal(0, 0.06, WIDE)
    grain = 1 + np.broadcast_to(along, (HIGH, WIDE)) + chance.normal(0, 0.03, (HIGH, WIDE))
    table = np.clip(wood * grain[..., None], 0.01, 1)
    scale, angle = chance.uniform(0.72, 0.88), np.radians(chance.uniform(-9, 9))
    middle = np.array([HIGH * chance.uniform(0.42, 0.58), WIDE * chance.uniform(0.42, 0.58)])
    row, column = np.mgrid[:HIGH, :WIDE]
    away_row, away_column = row - middle[0], column - middle[1]
    from_row = (np.cos(angle) * away_row - np.sin(angle) * away_column) / scale + HIGH / 2
    from_column = (np.sin(angle) * away_row + np.cos(angle) * away_column) / scale + WIDE / 2
    inside = (from_row >= 0) & (from_row < HIGH - 1) & (from_column >= 0) & (from_column < WIDE - 1)
    whole_row, whole_column = from_row.clip(0, HIGH - 2).astype(int), from_column.clip(0, WIDE - 2).astype(int)
    part_row = (from_row - whole_row).clip(0, 1)[..., None]
    part_column = (from_column - whole_column).clip(0, 1)[..., None]
    upper = seen[whole_row, whole_column] * (1 - part_column) + seen[whole_row, whole_column + 1] * part_column
    lower = seen[whole_row + 1, whole_column] * (1 - part_column) + seen[whole_row + 1, whole_column + 1] * part_column
    laid: Floats = np.where(inside[..., None], upper * (1 - part_row) + lower * part_row, table)
    return laid


def _light(sheet: Sheet, chance: np.random.Generator) -> Floats:
    row, column = np.mgrid[:HIGH, :WIDE]
    turn = chance.uniform(0, 2 * np.pi)
    across = (np.cos(turn) * (row - HIGH / 2) + np.sin(turn) * (column - WIDE / 2)) / HIGH
    light: Floats = 1 - 0.25 * (across + 0.5)
    if sheet.shadow:
        turn, soft = chance.uniform(0, 2 * np.pi), chance.uniform(0.01, 0.05)
        edge = (np.cos(turn) * (row - HIGH / 2) + np.sin(turn) * (column - WIDE / 2)) / HIGH + chance.uniform(
            -0.15, 0.15
        )
        light = light * (1 - sheet.shadow / (1 + np.exp(-edge / soft)))
    return light


def digits(count: int, right: Callable[[Bytes], npt.NDArray[np.int64]] | None = None) -> tuple[Bytes, Bytes]:
    """Return test digits and their labels; with `right`, which classifies, only those that it classifies right."""
    from attnviz import data

    name = "mnist" if data.available("mnist") else "strokes"
    images, labels = data.load(name, split="test", count=6 * count)[:2]
    images = images[..., 0] if images.ndim == 4 else images
    kept = np.flatnonzero(right(images) == labels) if right else np.arange(len(labels))
    return images[kept[:count]], labels[kept[:count]].astype(np.uint8)


def pixel_attention() -> Callable[[Bytes], npt.NDArray[np.int64]]:
    """Return a function that classifies pictures (count, 28, 28) by pixel attention."""
    import torch

    from attnviz import checkpoints

    model = checkpoints.load("pixel_attention.digits").model.eval()

    def classify(pictures: Bytes) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            logits = model(torch.from_numpy(pictures.copy()).float()[:, None] / 255)
        return logits.argmax(1).numpy()

    return classify


def measure(kind: str, classify: Callable[[Bytes], npt.NDArray[np.int64]], count: int = COUNT) -> tuple[int, list[int]]:
    """Return how many photographs of a kind are answered as they should be, and the numbers of the others."""
    from attnviz.data.inputs import digit as mnist
    from attnviz.data.inputs.photograph import find

    images, labels = digits(count, classify)
    wrong = []
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        taken = photograph(kind, image, number, images[(number + 1) % count])
        found = find(taken)
        if kind in SAID:
            good = any(SAID[kind] in note for note in found.notes)
        else:
            good = int(classify(mnist.prepare(found.canvas).picture[None])[0]) == label
        if not good:
            wrong.append(number)
    return count - len(wrong), wrong


if __name__ == "__main__":
    classifier = pixel_attention()
    for each in sys.argv[1:] or KINDS:
        right, others = measure(each, classifier)
        sys.stdout.write(f"{each:30} {right} of {COUNT}   not: {others}\n")
