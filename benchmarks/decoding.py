"""How long does a picture file take from its bytes to the canvas? Against a bare decode by Pillow.

python -m benchmarks.decoding

A sheet of drawn digits with the grain of a camera, in every format and at sizes from a sample's to the largest that
is read. `bare` opens the file and loads all its pixels; `read` is what an upload goes through, which refuses, decodes
large JPEGs small, turns into grey and scales down; then `canvas` finds the ink and fits it. All in turn.
"""

import statistics
from collections.abc import Callable
from io import BytesIO

import numpy as np
from PIL import Image

from attnviz.data import strokes
from attnviz.data.inputs import pictures
from attnviz.data.inputs.photograph import find
from benchmarks.clock import amount, in_turn

SIZES = {
    "0.1 megapixels": (320, 240),
    **amount({"1 megapixel": (1152, 864), "12 megapixels": (4032, 3024), "48 megapixels": (8064, 6048)}, {}),
}
FORMATS: dict[str, tuple[str, dict[str, object]]] = {
    "JPEG": ("JPEG", {"quality": 85}),
    "progressive JPEG": ("JPEG", {"quality": 85, "progressive": True}),
    "WebP": ("WEBP", {"quality": 80, "method": 0}),
    "PNG": ("PNG", {"compress_level": 1}),
    "GIF": ("GIF", {}),
    "BMP": ("BMP", {}),
}
ROUNDS = {name: amount(rounds, 1) for name, rounds in zip(SIZES, (15, 9, 5, 3), strict=False)}


def sheet(wide: int, high: int) -> Image.Image:
    """Return a sheet of digits, dark on light, with grain, in colour."""
    digits = strokes.draw(np.arange(12) % 10, seed=1)[..., 0].reshape(3, 4, 28, 28)
    page = Image.fromarray(255 - digits.transpose(0, 2, 1, 3).reshape(84, 112)).resize((wide, high))
    grain = np.random.default_rng(0).integers(0, 25, (256, 256, 3)).astype(np.uint8)
    grain = np.tile(grain, (-(-high // 256), -(-wide // 256), 1))[:high, :wide]
    return Image.fromarray(np.asarray(page.convert("RGB")) // 10 * 9 + grain)


def steps(data: bytes) -> dict[str, Callable[[], object]]:
    """Return what is timed of one file."""

    def bare() -> None:
        Image.open(BytesIO(data)).load()

    grey = pictures.read(data).grey
    return {
        "bare": bare,
        "read": lambda: pictures.read(data),
        "canvas": lambda: find(grey),
    }


def main() -> None:
    Image.MAX_IMAGE_PIXELS = None
    print("| file | MB | bare, ms | read, ms | times bare | canvas, ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size, (wide, high) in SIZES.items():
        made = sheet(wide, high)
        for name, (kind, settings) in [*FORMATS.items()][: amount(None, 2)]:
            file = BytesIO()
            (made.convert("L") if kind in ("GIF", "BMP") else made).save(file, kind, **settings)
            data = file.getvalue()
            start = f"| {name}, {size} | {len(data) / (1 << 20):.2f} |"
            if len(data) > pictures.MOST_BYTES:
                print(start, "too many bytes: refused unread | | | |")
                continue
            seconds = in_turn(steps(data), ROUNDS[size])
            bare, read, canvas = (1e3 * statistics.median(seconds[step]) for step in ("bare", "read", "canvas"))
            times = statistics.median(r / b for r, b in zip(seconds["read"], seconds["bare"], strict=True))
            print(start, f"{bare:.3g} | {read:.3g} | {times:.2f} | {canvas:.3g} |")


if __name__ == "__main__":
    main()
