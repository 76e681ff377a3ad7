"""A visitor's drawing as text: the exact bytes that a model received, short enough for a URL.

    name(picture)          "drawing:eJxjYBgFo2AUDHcA..."       a name in place of a data set's
    read(name)             uint8 (28, 28)

After the colon: URL-safe base64, without padding, of the bytes row by row, compressed by zlib. `frontend/draw/links.js`
writes the same. A picture of another shape than 28 x 28 starts with its rows and columns: "drawing:60x60.eJx...". So
links from before there were other shapes keep their meaning. A picture in colour, with three bytes a pixel, also states
this: "drawing:32x32x3.eJx...".

The text holds the picture that was shown, not the strokes: one prepared like MNIST, unless a model of larger or
coloured pictures received another one. For a model of another shape it is prepared by `data.inputs.fitted`; the model
that received it gets it back byte for byte. Storing the canvas of 280 x 280 instead would take ten times as many
characters.
"""

import base64
import binascii
import hashlib
import re
import zlib

import numpy as np

from attnviz.arrays import Bytes
from attnviz.errors import BadInput

SIDE = 28
"""Rows and columns of a drawing whose word does not state them."""
LARGEST = 64
"""The maximum number of rows or columns of a drawing."""
COLOURS = 3
"""Bytes per pixel of a picture in colour."""
LONGEST = 4200
"""The maximum length of a word; a colour photograph of 32 x 32, which hardly compresses, has up to 4,111."""
PATTERN = rf"drawing:(?:[1-9][0-9]?x[1-9][0-9]?(?:x{COLOURS})?\.)?[A-Za-z0-9_-]{{1,{LONGEST}}}"

_PREFIX = "drawing:"
_SHAPED = re.compile(rf"([1-9][0-9]?)x([1-9][0-9]?)(?:x({COLOURS}))?\.(.*)", re.DOTALL)


def name(picture: Bytes) -> str:
    """Return the name of a net's drawing, uint8 (row, column), or in colour (row, column, 3); 0 is paper.

    BadInput: it has another type or shape, or too much noise to fit into a URL.
    """
    sides, colours = picture.shape[:2], picture.shape[2:]
    if (
        picture.dtype != np.uint8
        or len(sides) != 2
        or not 0 < min(sides) <= max(sides) <= LARGEST
        or colours not in ((), (COLOURS,))
    ):
        raise BadInput(
            f"A drawing is uint8 (row, column) or (row, column, {COLOURS}), at most {LARGEST} x {LARGEST}; "
            f"this is {picture.dtype} {picture.shape}."
        )
    shape = "" if picture.shape == (SIDE, SIDE) else "x".join(map(str, picture.shape)) + "."
    coded = base64.urlsafe_b64encode(zlib.compress(picture.tobytes(), 9)).decode().rstrip("=")
    if len(coded) > LONGEST:
        raise BadInput(
            f"This drawing has too much detail for a URL: {len(coded):,} characters, where {LONGEST:,} are allowed."
        )
    return _PREFIX + shape + coded


def named(word: str) -> str:
    """Return the name of the drawing for a word from a URL, the part after the colon."""
    return _PREFIX + word


def word(source: str) -> str:
    """Return the part of a drawing's name after the colon."""
    return source.removeprefix(_PREFIX)


def read(source: str) -> Bytes:
    """Return the drawing of this name, uint8 (row, column), or in colour (row, column, 3). BadInput: it is too long,
    too large, truncated, or not a drawing.
    """
    coded, rows, columns, colours = word(source), SIDE, SIDE, 1
    shaped = _SHAPED.fullmatch(coded)
    if shaped:
        rows, columns, colours, coded = int(shaped[1]), int(shaped[2]), int(shaped[3] or 1), shaped[4]
    if max(rows, columns) > LARGEST:
        raise BadInput(f"A drawing has at most {LARGEST} x {LARGEST} pixels; this one has {rows} x {columns}.")
    if len(coded) > LONGEST:
        raise BadInput(f"A drawing has at most {LONGEST:,} characters in a URL; this one has {len(coded):,}.")
    try:
        packed = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
        opened = zlib.decompressobj()
        content = opened.decompress(packed, rows * columns * colours + 1)  # a kilobyte can unpack to a megabyte
    except (ValueError, binascii.Error, zlib.error) as error:
        raise BadInput(f"This is not a drawing: {coded[:40]!r}. Make a drawing and follow its link.") from error
    if len(content) != rows * columns * colours or not opened.eof or opened.unused_data:
        raise BadInput(f"This drawing is incomplete, or its size is not {rows} x {columns}. Follow the link again.")
    shape = (rows, columns) if colours == 1 else (rows, columns, colours)
    return np.frombuffer(content, np.uint8).reshape(shape)


def place(source: str) -> str:
    """Return a short name of a drawing for exports and file names, which depends only on its pixels."""
    return "drawing/" + hashlib.sha256(read(source).tobytes()).hexdigest()[:12]
