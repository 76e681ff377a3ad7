"""How wide should the pen be? Drawings over most of the pad and small ones, with pens of several widths.

python -m benchmarks.pen [COUNT]

The drawings are others than those of `benchmarks.drawn`, so that the width which is chosen here can be tested there: of
our generator with other seeds, and other pictures of those that were held out. No browser draws them, but Pillow.
"""

import sys

import numpy as np
import torch
from PIL import Image, ImageDraw

from attnviz import cards, checkpoints, data
from attnviz.answers import as_batch
from attnviz.data.inputs.digit import prepare
from attnviz.training.examples import split
from benchmarks.clock import amount
from benchmarks.drawn import EVERY, PLACES, SHIPPED
from benchmarks.tracing import Line, traced, written

COUNT = amount(400, 2)  # of each source
SEED, AFTER = 50_000, 1000  # of the generator; how many held-out pictures are left to others
WIDTHS = (12, 16, 20, 22, 24, 28)  # in pixels of the canvas, which has 280
FINE = 4  # times as fine as the canvas the lines are drawn


def drawings(count: int) -> dict[str, list[tuple[int, list[Line]]]]:
    """Return where digits come from -> which each is, and its lines."""
    found = {"strokes": [(number % 10, [written(number % 10, SEED + number)]) for number in range(count)]}
    if data.available("mnist"):
        images, labels = data.load("mnist", "train")
        held_out = split(len(labels), cards.read(SHIPPED).recipe)[0][AFTER : AFTER + count].numpy()
        found["MNIST, traced"] = [(int(labels[one]), traced(np.array(images[one, :, :, 0]))) for one in held_out]
    return found


def canvas(lines: list[Line], left: float, top: float, side: float, width: int) -> np.ndarray:
    """Return lines in a square of the canvas, drawn with round ends: uint8 (280, 280)."""
    points = np.concatenate(lines)
    low, high = points.min(0), points.max(0)
    scale = side / max((high - low).max(), 1e-9)
    start = np.array([left, top]) + (side - scale * (high - low)) / 2
    sheet = Image.new("L", (280 * FINE, 280 * FINE))
    pen, half = ImageDraw.Draw(sheet), width * FINE / 2
    for line in lines:
        way = (start + scale * (line[[*range(0, len(line) - 1, EVERY), -1]] - low)) * FINE
        pen.line([tuple(point) for point in way], 255, width * FINE, "curve")
        for x, y in (way[0], way[-1]):
            pen.ellipse((x - half, y - half, x + half, y + half), fill=255)
    return np.asarray(sheet.resize((280, 280), Image.Resampling.BOX))


def main() -> None:
    model, _ = checkpoints.load(SHIPPED)
    sources = drawings(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT)
    groups = [(source, place) for source in sources for place in PLACES]
    print(f"| {SHIPPED} right, % | " + " | ".join(f"{source}, {place}" for source, place in groups) + " |")
    print("| --- " * (len(groups) + 1) + "|")
    for width in WIDTHS:
        shares = []
        for source, place in groups:
            digits = np.array([digit for digit, _ in sources[source]])
            seen = [prepare(canvas(lines, *PLACES[place], width)).picture for _, lines in sources[source]]
            with torch.no_grad():
                said = model(as_batch(np.stack(seen)[..., None])).argmax(1).numpy()
            shares.append(f"{100 * (said == digits).mean():.1f}")
        print(f"| a pen of {width} | " + " | ".join(shares) + " |")


if __name__ == "__main__":
    main()
