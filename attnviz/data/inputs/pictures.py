"""Reading picture files from visitors, which are converted to grey, or refused with one sentence.

    upload = read(data)                   # the bytes of a file; its name does not matter
    upload.grey, upload.notes             # uint8 (row, column), 255 is white; ("Turned upright, ...",)

PNG, JPEG, WebP, BMP and GIF are recognised by their content, and no other decoder of Pillow is ever called. The
declared number of pixels is checked before any are decoded; large JPEGs are decoded small; everything else is converted
to grey in tiles. So a file takes four bytes of memory per pixel, a progressive JPEG up to eight, a WebP sixteen. It may
have as many pixels as fit into MOST_MEMORY, and files are decoded one at a time, in order of arrival. The result
contains only pixels: metadata, such as the place and author of a photograph, is dropped.
"""

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import numpy.typing as npt
from PIL import Image

from attnviz.arrays import Bytes
from attnviz.data.inputs.first_picture import first_picture
from attnviz.errors import BadInput

MOST_BYTES = 20 * 1024 * 1024
MOST_PIXELS = 50_000_000

MOST_SIDE = 65_535
"""The maximum side in pixels, that of JPEG and GIF. Pillow keeps a pointer per row, and decoders a few rows."""

MOST_MEMORY = 200_000_000
"""The maximum number of bytes for pixels while a file is decoded; with everything else, under 250 MB."""

LONGEST = 1024
"""The maximum number of pixels along the longer side of the result."""

FORMATS = {"PNG": "PNG", "JPEG": "JPEG", "WEBP": "WebP", "BMP": "BMP", "GIF": "GIF"}
"""Pillow's names of the supported formats -> their common names."""

# Ordinary progressive JPEGs have about ten scans. Each may cover all pixels again, however few bytes it has.
MOST_SCANS = 50
MOST_SCANNED = 600_000_000  # pixels of all scans together: a few seconds
_SCAN = re.compile(rb"\xff\xda\x00[\x08\x0a\x0c\x0e][\x01-\x04]")

_BEGINNINGS = {
    "PNG": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "WEBP": re.compile(rb"RIFF....WEBP", re.DOTALL),
    "BMP": re.compile(rb"BM"),
    "GIF": re.compile(rb"GIF8[79]a"),
}
_BOXED = re.compile(rb"....ftyp(heic|heix|heim|heis|hevc|hevx|mif1|msf1|avif|avis)", re.DOTALL)  # HEIC and AVIF

_ORIENTATION = 0x0112  # Exif's tag
_NEARLY_WHITE = 200
_OPAQUE = 0.98  # share of the opacity of the least transparent pixels
_TILE = 1 << 18  # pixels that are converted to grey at a time


_line, _one_at_a_time = threading.Lock(), threading.Lock()


@dataclass(frozen=True)
class Upload:
    """The result of reading a picture: grey, uint8 (row, column) with white = 255, the steps, and the format.

    `colours`: the same picture, uint8 (row, column, 3), if it was read in colour. `pixels`: the file's number of
    pixels.
    """

    grey: Bytes
    notes: tuple[str, ...]
    format: str
    colours: Bytes | None = None
    pixels: int = 0


def read(data: bytes, *, colours: bool = False) -> Upload:
    """Read a picture file (PNG, JPEG, WebP, BMP, or the first picture of a GIF) as it is displayed.

    It is turned upright, with its transparent parts on white, or on black if everything else is white; no side is over
    1,024 pixels. BadInput says what is wrong with the file, and what to do.
    """
    if len(data) > MOST_BYTES:
        raise BadInput(
            f"A picture file may have up to {MOST_BYTES >> 20} MB; this one has {len(data) / (1 << 20):.1f} MB. "
            "Save it as a smaller file, best as JPEG."
        )
    kind = next((kind for kind, beginning in _BEGINNINGS.items() if beginning.match(data)), None)
    if kind is None:
        raise BadInput(_unknown(data))
    if kind == "JPEG" and sum(1 for _ in _SCAN.finditer(data)) > MOST_SCANS:
        raise BadInput(f"This JPEG has more than {MOST_SCANS} scans, which no camera makes. Save it again as JPEG.")
    # Pillow's warnings are either handled here or harmless. If another thread changed the filters at the
    # same moment, one of these warnings would be printed, or never shown again; nothing else depends on it.
    with _turn(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")
        warnings.filterwarnings("ignore", module=re.escape(__name__))
        try:
            content, is_animated = first_picture(kind, data)
            with Image.open(BytesIO(content), formats=[kind]) as image:
                return _read(image, kind, content, colours, is_animated)
        except BadInput:
            raise
        except Image.DecompressionBombError:
            raise BadInput(_too_many("This file")) from None
        except Exception as error:  # for a damaged file Pillow raises almost anything, even struct.error and KeyError
            raise BadInput(
                f"This {FORMATS[kind]} file is damaged or incomplete and cannot be read. Save or send it again."
            ) from error


@contextmanager
def _turn() -> Iterator[None]:
    """Let one thread at a time decode a file, in order of arrival, so that one with many files lets others in."""
    with _line:
        _one_at_a_time.acquire()
    try:
        yield
    finally:
        _one_at_a_time.release()


def _unknown(data: bytes) -> str:
    if boxed := _BOXED.match(data):
        name = "an AVIF" if boxed[1].startswith(b"avi") else "a HEIC"
        return f"This is {name} picture, as some phones take them, and cannot be read here. Save or send it as JPEG."
    what = "This file is not a picture that can be read here" if data else "This file is empty"
    return f"{what}. Take a PNG, JPEG, WebP, BMP or GIF."


def _too_many(what: str, most: float = MOST_PIXELS) -> str:
    return f"{what} has too many pixels: up to {most / 1e6:.3g} megapixels can be read. Make the picture smaller."


def _read(image: Image.Image, kind: str, data: bytes, colours: bool, is_animated: bool) -> Upload:
    wide, high = image.size
    if wide * high > MOST_PIXELS:
        raise BadInput(_too_many(f"A picture of {wide:,} × {high:,}"))
    if max(wide, high) > MOST_SIDE:
        raise BadInput(
            f"A picture of {wide:,} × {high:,} is too long: a side may have up to {MOST_SIDE:,} pixels. Cut out a part."
        )
    if wide * high * (cost := _bytes_per_pixel(image, kind, data)) > MOST_MEMORY:
        raise BadInput(
            _too_many(
                f"A {'progressive JPEG' if kind == 'JPEG' else FORMATS[kind]} of {wide:,} × {high:,}",
                MOST_MEMORY / cost,
            )
        )
    if kind == "JPEG" and cost and wide * high * sum(1 for _ in _SCAN.finditer(data)) > MOST_SCANNED:
        raise BadInput(f"This JPEG of {wide:,} × {high:,} has more scans than cameras make. Save it again as JPEG.")
    notes = []
    if is_animated or (kind == "WEBP" and getattr(image, "is_animated", False)):
        notes.append("It is an animation, of which this is the first picture.")
    if kind == "JPEG" and max(wide, high) > LONGEST:
        factor = _factor(image)
        image.draft("RGB" if colours else "L", (max(wide // factor, 1), max(high // factor, 1)))
    image.load()
    turned = _orientation(image)
    pixels, more = _converted(image, "RGB") if colours else to_grey(image)
    if kind == "PNG" and data[24] == 16 and not any("16 bits" in note for note in more):
        more = ("It has 16 bits per colour, of which the upper 8 were used.", *more)
    if turned in _UPRIGHT:
        pixels = np.ascontiguousarray(_UPRIGHT[turned](pixels))
        notes.append("It was rotated upright, as recorded by the camera.")
    if max(pixels.shape) < max(wide, high):
        notes.append(f"It was scaled down from {wide:,} × {high:,} pixels.")
    grey = np.array(Image.fromarray(pixels).convert("L")) if colours else pixels
    return Upload(grey, (*notes, *more), FORMATS[kind], pixels if colours else None, wide * high)


def _bytes_per_pixel(image: Image.Image, kind: str, data: bytes) -> float:
    """Return the memory of decoding; an ordinary JPEG takes almost none, as it is decoded small, row by row."""
    if kind == "WEBP":
        return 16.0  # libwebp's canvas and the frame before it, its copy in Python, and Pillow's image
    if kind != "JPEG":
        return 4.0
    if "progression" not in image.info and _in_one_scan(image, data):
        return 0.0
    # libjpeg keeps the coefficients of all components, two bytes each, until the last scan.
    factors: list[tuple[int, int]] = [(max(across, 1), max(down, 1)) for _, across, down, _ in image.layer]  # type: ignore[attr-defined]
    most = max(across for across, _ in factors) * max(down for _, down in factors)
    return 2.0 * sum(across * down for across, down in factors) / most


def _in_one_scan(image: Image.Image, data: bytes) -> bool:
    """Return whether the first scan of a JPEG has all its components; False if it cannot be found."""
    at = 2
    while data[at : at + 1] == b"\xff" and at + 4 < len(data):
        if data[at + 1] == 0xDA:
            return data[at + 4] == len(image.layer)  # type: ignore[attr-defined]
        at += 1 if data[at + 1] == 0xFF else 2 + int.from_bytes(data[at + 2 : at + 4])
    return False


_UPRIGHT: dict[int, Callable[[Bytes], Bytes]] = {
    2: lambda grey: grey[:, ::-1],
    3: lambda grey: grey[::-1, ::-1],
    4: lambda grey: grey[::-1],
    5: lambda grey: grey.swapaxes(0, 1),
    6: lambda grey: np.rot90(grey, -1),
    7: lambda grey: grey[::-1, ::-1].swapaxes(0, 1),
    8: np.rot90,
}
"""The transposition that makes a picture upright, by Exif's orientation number; 1 is upright."""


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # as for damaged files; the picture itself may still be intact
        return 1


def to_grey(image: Image.Image) -> tuple[Bytes, tuple[str, ...]]:
    """Convert an image of any Pillow mode to grey, uint8 (row, column), scaled down if it is large; also return any
    further steps in sentences.

    Transparent parts are placed on white, or on black if everything drawn is nearly white.
    """
    return _converted(image, "L")


def _converted(image: Image.Image, mode: str) -> tuple[Bytes, tuple[str, ...]]:
    """Convert an image to mode "L" or "RGB", as in `to_grey`."""
    wide, high = image.size
    factor = _factor(image)
    small = Image.new(mode, (-(-wide // factor), -(-high // factor)))
    rescale = _Rescale(image, factor) if image.mode[0] in "IF" else None
    transparent, ground = False, _ground(image, factor)
    for left, top, tile in _tiles(image, factor):
        if tile.mode == "La":  # the only conversion in Pillow
            tile = tile.convert("LA")
        if rescale:
            made = rescale(tile)
        elif tile.mode == "LAB":
            made = tile.getchannel(0)  # its lightness; Pillow converts LAB only with a colour profile
        elif tile.has_transparency_data:
            colours = tile.convert("RGBA")
            transparent |= np.asarray(colours.getchannel("A")).min() < 255
            made = Image.alpha_composite(Image.new("RGBA", colours.size, ground), colours)
        else:
            made = tile.convert("RGB") if tile.mode in ("CMYK", "HSV") else tile
        small.paste(made.convert(mode).reduce(factor), (left // factor, top // factor))
    notes = [rescale.note] if rescale else []
    if transparent:
        notes.append(f"Its transparent parts were put on {ground}.")
    return np.array(small), tuple(notes)


def _ground(image: Image.Image, factor: int) -> str:
    """Return the background of transparent parts: white, or black if everything drawn is nearly white.

    Only the least transparent pixels count, since edges of white ink are dark if colours were premultiplied by opacity.
    """
    if not image.has_transparency_data:
        return "white"

    def parts() -> Iterator[tuple[Bytes, Bytes]]:
        for _, _, tile in _tiles(image, factor):
            grey, alpha = np.asarray(
                (tile.convert("LA") if tile.mode == "La" else tile).convert("RGBA").convert("LA")
            ).T
            yield grey, alpha

    most = max(int(alpha.max()) for _, alpha in parts())
    dark = any(((alpha >= _OPAQUE * most) & (grey < _NEARLY_WHITE)).any() for grey, alpha in parts())
    return "white" if dark or not most else "black"


def _factor(image: Image.Image) -> int:
    """Return the number of an image's pixels per pixel of the result, along each side."""
    return -(-max(image.size) // LONGEST)


def _tiles(image: Image.Image, factor: int) -> Iterator[tuple[int, int, Image.Image]]:
    """Yield the image in tiles, each with its first column and row, which are multiples of `factor`."""
    columns = max(_TILE // factor**2, 1) * factor
    rows = max(_TILE // min(columns, image.width) // factor, 1) * factor
    for top in range(0, image.height, rows):
        for left in range(0, image.width, columns):
            yield left, top, image.crop((left, top, min(left + columns, image.width), min(top + rows, image.height)))


class _Rescale:
    """Rescales pixels from 16 or 32 bits to 8.

    Whole numbers up to 65,535 count as the 10, 12, 14 or 16 bits that hold the largest one, since scanners and cameras
    use such files only in part. Of other numbers the lowest becomes black and the highest white.
    """

    def __init__(self, image: Image.Image, factor: int) -> None:
        ends = [_ends(np.asarray(tile)) for _, _, tile in _tiles(image, factor)]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        if image.mode != "F" and low >= 0 and high <= 65_535:
            bits = next(bits for bits in (8, 10, 12, 14, 16) if high < 1 << bits)
            self._low, self._high = 0.0, float((1 << bits) - 1)
            self.note = f"It has 16 bits per pixel, of which it uses {bits}; they were rescaled to 8."
        else:
            self._low, self._high = low, high
            self.note = f"It has 32 bits per pixel: {low:g} became black and {high:g} became white."

    def __call__(self, tile: Image.Image) -> Image.Image:
        values = np.nan_to_num(np.asarray(tile).astype(np.float64), nan=self._low).clip(self._low, self._high)
        step = (self._high - self._low) / 255 or 1.0
        return Image.fromarray(np.rint((values - self._low) / step).astype(np.uint8))


def _ends(values: npt.NDArray[np.generic]) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
