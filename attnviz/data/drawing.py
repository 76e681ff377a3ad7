"""A visitor's drawing as a word: the very 28 x 28 bytes that the nets saw, short enough for an address.

    name(picture)          "drawing:eJxjYBgFo2AUDHcA..."       what stands where a data set is named otherwise
    read(name)             uint8 (28, 28)

After the colon: base64 in its alphabet for addresses, without padding, of the bytes row by row as zlib packs them.
`frontend/draw_links.js` writes the same.
"""

import base64
import binascii
import hashlib
import zlib

import numpy as np
import numpy.typing as npt

from attnviz.errors import BadInput

SIZE = 28
LONGEST = 1200
"""Characters of the longest word; noise, which cannot be packed, has 1,060."""
PATTERN = rf"drawing:[A-Za-z0-9_-]{{1,{LONGEST}}}"
LABEL = "?"
"""What a drawing shows: nobody has said it."""

_PREFIX = "drawing:"

Bytes = npt.NDArray[np.uint8]


def is_name(source: str) -> bool:
    """Say whether a source of pictures is a drawing, not a data set."""
    return source.startswith(_PREFIX)


def name(picture: Bytes) -> str:
    """Return the name of a drawing.

    Args:
        picture: uint8 (28, 28), as the nets see it; 0 is paper.

    Raises:
        BadInput: another type or shape.
    """
    if picture.dtype != np.uint8 or picture.shape != (SIZE, SIZE):
        raise BadInput(f"A drawing is uint8 {SIZE} x {SIZE}; this is {picture.dtype} {picture.shape}.")
    return _PREFIX + base64.urlsafe_b64encode(zlib.compress(picture.tobytes(), 9)).decode().rstrip("=")


def named(word: str) -> str:
    """Return the name of the drawing whose word, what stands after the colon, an address holds."""
    return _PREFIX + word


def word(source: str) -> str:
    """Return what stands after the colon of a drawing's name."""
    return source.removeprefix(_PREFIX)


def read(source: str) -> Bytes:
    """Return the drawing of that name, uint8 (28, 28).

    Raises:
        BadInput: too long, cut, or no drawing at all.
    """
    coded = word(source)
    if len(coded) > LONGEST:
        raise BadInput(f"A drawing has at most {LONGEST:,} characters in an address; this one has {len(coded):,}.")
    try:
        packed = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
        opened = zlib.decompressobj()
        content = opened.decompress(packed, SIZE * SIZE + 1)  # never more: a kilobyte can hold a million
    except (ValueError, binascii.Error, zlib.error) as error:
        raise BadInput(f"This is no drawing: {coded[:40]!r}. Draw one and follow its link.") from error
    if len(content) != SIZE * SIZE or not opened.eof or opened.unused_data:
        raise BadInput(f"This drawing is cut, or of another size than {SIZE} x {SIZE}: follow the link again.")
    return np.frombuffer(content, np.uint8).reshape(SIZE, SIZE)


def place(source: str) -> str:
    """Return a short name of a drawing for exports and file names: the same for the same pixels."""
    return "drawing/" + hashlib.sha256(read(source).tobytes()).hexdigest()[:12]
