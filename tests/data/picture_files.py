"""Picture files of every format and mode that show one known digit, made for the tests of reading them."""

import struct
import zlib
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from attnviz.data import strokes

DIGIT = strokes.draw([8], seed=3)[0, :, :, 0]
"""The known picture, uint8 (28, 28), 0 is paper and 255 is ink; it has both."""

TURNED: dict[int, Any] = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.T,
    6: np.rot90,
    7: lambda a: a[::-1, ::-1].T,
    8: lambda a: np.rot90(a, -1),
}
"""How a file stores an upright picture, by the orientation it notes: what notes 6 is to be turned right."""

LOSSLESS: dict[str, dict[str, Any]] = {"PNG": {}, "BMP": {}, "GIF": {}, "WEBP": {"lossless": True}}
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, settings) for name, settings in LOSSLESS.items()},
    "JPEG": ("JPEG", {"quality": 95, "subsampling": 0}),
    "progressive JPEG": ("JPEG", {"quality": 95, "progressive": True}),
    "lossy WebP": ("WEBP", {"quality": 100}),
}
MODES = {
    "PNG": ["1", "L", "P", "LA", "RGB", "RGBA", "I;16"],
    "BMP": ["1", "L", "P", "RGB", "RGBA"],
    "GIF": ["1", "L", "P", "RGB"],
    "WEBP": ["1", "L", "P", "LA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV", "F", "I"],
    "JPEG": ["1", "L", "RGB", "RGBX", "CMYK", "YCbCr"],
    "progressive JPEG": ["L", "RGB", "CMYK"],
    "lossy WebP": ["L", "RGB", "RGBA"],
}
"""What Pillow can write of each; in others it cannot, or writes something else than it was given."""


def enlarged(picture: np.ndarray, times: int) -> np.ndarray:
    return picture.repeat(times, 0).repeat(times, 1)


def image(mode: str, values: np.ndarray) -> Image.Image:
    """Make an image of any mode of Pillow whose grey is `values`, uint8 (row, column), and that is opaque."""
    grey = Image.fromarray(np.ascontiguousarray(values))
    full = Image.new("L", grey.size, 255)
    if mode == "1":
        return grey.point(lambda value: 255 if value > 127 else 0).convert("1")
    if mode == "P":  # a palette in another order than the greys, so that indices alone show nothing
        order = np.random.default_rng(0).permutation(256)
        made = Image.fromarray(np.argsort(order).astype(np.uint8)[values]).convert("P")
        made.putpalette([int(level) for level in order for _ in range(3)])
        return made
    if mode == "PA":
        made = Image.new("PA", grey.size)
        made.putpalette([level for level in range(256) for _ in range(3)])
        made.paste(Image.merge("LA", (grey, full)).convert("PA"))
        return made
    if mode in ("LA", "La"):
        return Image.merge(mode, (grey, full))
    if mode == "LAB":
        middle = Image.new("L", grey.size, 128)
        return Image.merge("LAB", (grey, middle, middle))
    if mode.startswith("I;16"):
        kind = ">u2" if mode == "I;16B" else "<u2"
        return Image.frombytes(mode, grey.size, (values.astype(np.uint16) * 257).astype(kind).tobytes())
    if mode in ("RGBA", "RGBa"):
        return Image.merge(mode, (grey, grey, grey, full))
    return grey.convert("RGB").convert(mode) if mode in ("HSV", "CMYK", "YCbCr", "RGBX") else grey.convert(mode)


def saved(made: Image.Image, kind: str = "PNG", **settings: Any) -> bytes:
    file = BytesIO()
    made.save(file, kind, **settings)
    return file.getvalue()


def written(name: str, mode: str, values: np.ndarray, **more: Any) -> bytes:
    """Return a file of one of SETTINGS that shows grey `values` in a mode."""
    kind, settings = SETTINGS[name]
    return saved(image(mode, values), kind, **settings, **more)


def noted(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif.tobytes()


def png(wide: int, high: int, *, depth: int = 8, colour: int = 0, row: bytes = b"") -> bytes:
    """Return a PNG that claims any size; every row of it holds the same bytes, or none."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", wide, high, depth, colour, 0, 0, 0)
    packer = zlib.compressobj(1)
    pixels = b"".join(packer.compress(b"\0" + row) for _ in range(high if row else 0)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@cache
def claiming(wide: int, high: int) -> dict[str, bytes]:
    """Return a small file of each format whose header claims a size, up to 65,535 a side; WebP up to 16,384."""
    small = image("RGB", enlarged(DIGIT, 1))
    jpeg = bytearray(saved(small, "JPEG"))
    frame = jpeg.index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = struct.pack(">HH", high, wide)
    bmp = bytearray(saved(small, "BMP"))
    bmp[18:26] = struct.pack("<ii", wide, high)
    gif = bytearray(saved(small, "GIF"))
    gif[6:10] = struct.pack("<HH", wide, high)
    webp = bytearray(saved(small, "WEBP", lossless=True))
    place = webp.index(b"VP8L") + 9  # two numbers of 14 bits
    webp[place : place + 4] = struct.pack("<I", wide - 1 & 0x3FFF | (high - 1 & 0x3FFF) << 14)
    return {
        "PNG": png(wide, high), "JPEG": bytes(jpeg), "BMP": bytes(bmp), "GIF": bytes(gif), "WEBP": bytes(webp),
    }  # fmt: skip
