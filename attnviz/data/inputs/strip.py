"""Strips: pictures of 28 x 28 side by side, for models that read them from left to right; and drawn strips as text.

    pack(pictures)         "eJxjYBgFo2AUDHcA..."        the text of a drawn strip in a URL
    unpack(text)           uint8 (digits, 28, 28)

The text is URL-safe base64, without padding, of one byte per pixel, picture by picture and row by row, compressed by
zlib. A byte is 0 to 15, so a pixel has 16 grey levels, and 30 digits fit into a URL.
"""

import base64
import binascii
import zlib

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data.digit_strips import MOST, SIDE
from attnviz.data.inputs.prepared import Prepared, checked, in_channels, mnist_style
from attnviz.errors import BadInput

LONGEST = 4200
"""The maximum number of characters of a text."""
LEVELS = 16
"""The number of grey levels of a pixel."""


class TooLong(BadInput):
    """A strip does not fit into a URL."""


_STEP = 255 // (LEVELS - 1)


def strip(canvas: Bytes, *, rows: int, columns: int, channels: int, centred: bool) -> Prepared:
    """Use a strip unchanged, uint8 (28, 28 x digits) or with one channel, at most `columns` wide, and prepare any other
    canvas as a strip of one digit, see `mnist_style`.
    """
    several = checked(canvas)
    high, wide = several.shape[:2]
    if high == rows and wide % rows == 0 and wide <= columns:
        count = wide // rows
        words = f"Taken as it is: {count} digit{'s' * (count > 1)} side by side."
        return Prepared(in_channels(several, channels), words, {"digits": count})
    return mnist_style(canvas, rows=rows, columns=rows, channels=channels, centred=centred)


def pack(pictures: Bytes) -> str:
    """Return a drawn strip, uint8 (digits, 28, 28), 1 to 30 digits, as text, with each pixel rounded to one of 16 grey
    levels.

    BadInput: it has another type, shape or number of digits, or too much detail to fit into a URL.
    """
    if pictures.dtype != np.uint8 or pictures.shape[1:] != (SIDE, SIDE) or not 1 <= len(pictures) <= MOST:
        raise BadInput(
            f"A drawn strip is uint8 (digits, {SIDE}, {SIDE}) of 1 to {MOST} digits; this is {pictures.dtype} "
            f"{pictures.shape}."
        )
    levels = np.rint(pictures / _STEP).astype(np.uint8)
    text = base64.urlsafe_b64encode(zlib.compress(levels.tobytes(), 9)).decode().rstrip("=")
    if len(text) > LONGEST:
        raise TooLong(
            f"This strip has too much detail for a URL: {len(text):,} characters, where {LONGEST:,} are allowed. "
            "Save it as a file instead."
        )
    return text


def unpack(text: str) -> Bytes:
    """Return the digits of a drawn strip, uint8 (digits, 28, 28)."""
    if len(text) > LONGEST:
        raise BadInput(f"A strip has at most {LONGEST:,} characters in a URL; this one has {len(text):,}.")
    most = MOST * SIDE * SIDE
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        opened = zlib.decompressobj()
        content = opened.decompress(packed, most + 1)  # a kilobyte can unpack to a megabyte
    except (ValueError, binascii.Error, zlib.error) as error:
        raise BadInput(f"This is not a drawn strip: {text[:40]!r}. Draw one and follow its link.") from error
    whole = opened.eof and not opened.unused_data and 0 < len(content) <= most and not len(content) % (SIDE * SIDE)
    if not whole or max(content) >= LEVELS:
        raise BadInput(f"This strip is incomplete, or not one of 1 to {MOST} digits. Follow the link again.")
    return np.frombuffer(content, np.uint8).reshape(-1, SIDE, SIDE) * np.uint8(_STEP)
