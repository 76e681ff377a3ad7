"""Picture files that are small, and made to take much memory; read in a process of their own, so that it can be told.

python -W error -m tests.data.crafted_pictures

Prints as JSON by how many megabytes the highest use of memory grew until each of them was read or refused.
"""

import json
import struct
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from attnviz.data.inputs.pictures import read
from attnviz.errors import BadInput
from tests.data.damaged_pictures import good, highest
from tests.data.picture_files import DIGIT, enlarged, image, png, saved

LONG = 50_000_000
MANY = 2_000_000


def bmp(wide: int, high: int, bits: int = 1) -> bytes:
    """Return the header of a BMP."""
    info = struct.pack("<IiiHHIIiiII", 40, wide, high, 1, bits, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + info + bytes(8)


def chunk(name: bytes, body: bytes) -> bytes:
    """Return a part of a PNG."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def with_chunks(data: bytes, *chunks: bytes, last: bool = False) -> bytes:
    """Return a PNG with more parts, after its header or at its end."""
    at = len(data) - 12 if last else 33
    return data[:at] + b"".join(chunks) + data[at:]


def text(number: int) -> bytes:
    """Return a text of a thousand bytes that unpacks to a million characters of four bytes."""
    packed = zlib.compress(b"a" * 999_000 + "\U0001f600".encode(), 9)
    return chunk(b"iTXt", b"text%d\0\1\0\0\0" % number + packed)


def animation(wide: int, high: int) -> bytes:
    """Return an animated PNG that is to be cleared after its first picture."""
    frame = struct.pack(">IIIIIHHBB", 0, wide, high, 0, 0, 1, 1, 1, 0)
    beginning = chunk(b"acTL", struct.pack(">II", 2, 0)), chunk(b"fcTL", frame)
    return with_chunks(png(wide, high, colour=6, row=bytes(4 * wide)), *beginning)


def commented(last: bool, blocks: int = MANY) -> bytes:
    """Return a GIF with a comment in very many blocks, before its picture or behind it."""
    data = saved(image("L", DIGIT), "GIF")
    at = len(data) - 1 if last else data.index(b",\0\0\0\0")
    return data[:at] + b"!\xfe" + b"\2ab" * blocks + b"\0" + data[at:]


def crafted() -> dict[str, Callable[[], bytes]]:
    """Return what makes each file."""
    small, large = saved(image("L", DIGIT)), lambda: png(7_000, 7_000, colour=6, row=bytes(28_000))
    note = bytes(6 << 20)
    jpeg = saved(image("L", DIGIT), "JPEG")
    return {
        **{f"BMP {wide} x {high}, {bits} bits": partial(bmp, wide, high, bits)
           for wide, high in ((1, LONG), (2, LONG // 2), (LONG, 1)) for bits in (1, 8, 24, 32)},
        "PNG 65,535 x 762": lambda: png(65_535, 762, colour=6, row=bytes(4 * 65_535)),
        "PNG 762 x 65,535": lambda: png(762, 65_535, colour=6, row=bytes(4 * 762)),
        "PNG 7,000 x 7,000, 16 bits": lambda: png(7_000, 7_000, depth=16, row=bytes(14_000)),
        "PNG with texts": lambda: with_chunks(large(), *map(text, range(63))),
        "PNG with texts at the end": lambda: with_chunks(large(), *map(text, range(63)), last=True),
        "PNG of many parts": lambda: with_chunks(small, *[chunk(b"abCd", b""), chunk(b"AbCd", b"")] * (MANY // 4)),
        "animated PNG": lambda: animation(7_000, 7_000),
        "GIF with a comment": lambda: commented(last=False),
        "GIF with a comment at the end": lambda: commented(last=True),
        "JPEG of many parts": lambda: jpeg[:2] + b"\xff\xe5\0\2" * MANY + jpeg[2:],
        "WebP with notes": lambda: saved(image("RGBA", enlarged(DIGIT, 124)), "WEBP", lossless=True, method=0,
                                         quality=0, exif=note, xmp=note, icc_profile=note),
    }  # fmt: skip


def main() -> None:
    for data in good():
        read(data)
    grown: dict[str, float] = {}
    for name, make in crafted().items():
        data = make()
        with suppress(OSError):  # where there is no such file, what making them took counts from the start
            Path("/proc/self/clear_refs").write_text("5")  # the highest use of memory is the present one
        before = highest()
        for colours in (False, True):
            with suppress(BadInput):
                read(data, colours=colours)
        grown[name] = highest() - before
    sys.stdout.write(json.dumps(grown))


if __name__ == "__main__":
    main()
