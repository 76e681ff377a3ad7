"""Reducing a picture file to the parts that its first picture needs, before Pillow reads it.

Besides pixels, a file can hold texts that expand to 64 times their size, and hundreds of thousands of parts of a few
bytes, for each of which Pillow allocates a hundred bytes. For an animation, Pillow keeps three pictures in memory.
"""

import re
import struct

from attnviz.errors import BadInput

MOST_PARTS = {"PNG": 20_000, "JPEG": 10_000, "GIF": 400_000}
"""The maximum number of parts in a file: of chunks in a PNG, which has 2,500 for 20 MB of pixels; of segments and stray
bytes before a JPEG's pixels, of which cameras write about thirty; of blocks in a GIF, which has 80,000 in 20 MB."""

# The chunks of a PNG that define its pixels, and the first of each kind that can hold its orientation.
_CHUNK = re.compile(rb"\w{4}")
_PIXELS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_NOTES = (b"Raw profile type exif\0", b"XML:com.adobe.xmp\0")


def first_picture(kind: str, data: bytes) -> tuple[bytes, bool]:
    """Return a file with only its first picture, and whether there are more; a JPEG or BMP is returned whole.

    In a damaged file, parts are removed as far as it can be read. BadInput: it has more parts than any camera or
    program writes.
    """
    if kind == "PNG":
        return _png(data)
    if kind == "GIF":
        return _gif(data)
    if kind == "JPEG":
        _look_at_jpeg(data)
    return data, False


class _Count:
    """Counts the parts of a file."""

    def __init__(self, kind: str) -> None:
        self.kind, self.most, self.seen = kind, MOST_PARTS[kind], 0

    def add(self, parts: int = 1) -> None:
        """Add to the count, and refuse the file if there are too many."""
        self.seen += parts
        if self.seen > self.most:
            raise BadInput(
                f"This {self.kind} has more than {self.most:,} parts, which no picture needs. Save it again as JPEG."
            )


def _look_at_jpeg(data: bytes) -> None:
    """Refuse a JPEG with too many parts, or too many bytes between them, before its pixels."""
    at, count = 2, _Count("JPEG")
    while (found := data.find(b"\xff", at)) >= 0 and found + 4 <= len(data):
        count.add(found - at + 1)
        mark = data[found + 1]
        if mark == 0xDA:
            return
        at = found + 1 if mark == 0xFF else found + 2  # fill bytes
        if mark not in (0, 1, 0xD8, 0xFF) and not 0xD0 <= mark <= 0xD7:
            at += int.from_bytes(data[at : at + 2])
    count.add(max(0, len(data) - at))


def _png(data: bytes) -> tuple[bytes, bool]:
    kept, frames = [(0, 8)], 0
    seen: set[bytes] = set()
    at, count = 8, _Count("PNG")
    while at + 8 <= len(data):
        count.add()
        length, name = struct.unpack_from(">I4s", data, at)
        body, end = at + 8, at + 12 + length
        note = name if name == b"eXIf" else next((one for one in _NOTES if data.startswith(one, body)), None)
        if name in _PIXELS or (note and note not in seen) or not _CHUNK.fullmatch(name):
            kept.append((at, end))
        if name == b"acTL" and b"IDAT" not in seen and length >= 4:
            frames = int.from_bytes(data[body : body + 4])
        if name == b"fcTL" and b"fcTL" not in seen and b"IDAT" in seen:
            frames += bool(frames)  # the picture itself is not part of the animation
        seen.update(filter(None, (name, note)))
        at = end
        if name == b"IEND":
            break
    return _joined(data, kept), frames > 1


def _joined(data: bytes, kept: list[tuple[int, int]]) -> bytes:
    """Return these parts of a file, joined with few copies; if they are all of it, return the same bytes."""
    merged: list[tuple[int, int]] = []
    for start, end in kept:
        merged[-1:] = [(merged[-1][0], end)] if merged and merged[-1][1] == start else [*merged[-1:], (start, end)]
    if merged == [(0, len(data))]:
        return data
    view = memoryview(data)
    return b"".join(view[start:end] for start, end in merged)


def _gif(data: bytes) -> tuple[bytes, bool]:
    if len(data) < 13:
        return data, False
    at = 13 + _colours(data[10])
    beginning, graphic, picture, count = data[:at], b"", b"", _Count("GIF")
    while at < len(data) and data[at] != 0x3B:
        count.add()
        start, mark = at, data[at]
        if mark == 0x2C and picture:
            return beginning + graphic + picture + b";", True
        if mark == 0x2C and at + 10 <= len(data):
            at = _blocks_end(data, at + 11 + _colours(data[at + 9]), count)
            picture = data[start:at]
        elif mark == 0x21:
            at = _blocks_end(data, at + 2, count)
            if data[start + 1 : start + 3] == b"\xf9\x04" and not picture:  # the transparent index
                graphic = b"!\xf9\x04" + bytes([data[start + 3] & 1]) + data[start + 4 : start + 7] + b"\0"
        else:
            at += 1
    return (beginning + graphic + picture + b";" if picture else beginning), False


def _colours(flags: int) -> int:
    """Return the number of bytes of a colour table."""
    return 6 << (flags & 7) if flags & 128 else 0


def _blocks_end(data: bytes, at: int, count: _Count) -> int:
    """Return the end of the blocks that begin at a position."""
    while at < len(data) and data[at]:
        count.add()
        at += data[at] + 1
    return min(at + 1, len(data))
