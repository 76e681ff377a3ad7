import numpy as np
import pytest
from PIL import Image

from attnviz.data.inputs import pictures
from attnviz.data.inputs.digit import prepare
from attnviz.data.inputs.paper import ink
from attnviz.data.inputs.photograph import find
from attnviz.data.inputs.pictures import LONGEST, read, to_grey
from tests.data.picture_files import (
    DIGIT,
    MODES,
    SETTINGS,
    TURNED,
    enlarged,
    image,
    noted,
    png,
    saved,
    written,
)

TILE = 8  # pixels of a file for one of the digit: JPEG's blocks, so that loss stays within a block of one level
EVERY = [(name, mode) for name, modes in MODES.items() for mode in modes]


def shown(mode: str) -> np.ndarray:
    """The known picture, in what a mode can hold of it."""
    return np.where(DIGIT > 127, 255, 0).astype(np.uint8) if mode == "1" else DIGIT


def seen(data: bytes, *, centred: bool = True) -> np.ndarray:
    found = find(read(data).grey)
    assert not found.searched
    return prepare(found.canvas, centred=centred).picture


def apart(one: np.ndarray, other: np.ndarray) -> int:
    assert one.shape == other.shape
    return int(np.abs(one.astype(int) - other).max())


@pytest.mark.parametrize("dark", [False, True], ids=["light on dark", "dark on light"])
@pytest.mark.parametrize("name, mode", EVERY)
def test_every_format_and_mode_gives_the_known_picture(name, mode, dark):
    digit = shown(mode)
    data = written(name, mode, enlarged(255 - digit if dark else digit, TILE))
    assert apart(seen(data, centred=False), digit) <= 2
    if mode != "1":  # as black and white it is no picture that MNIST would have made
        assert apart(seen(data, centred=True), digit) <= 2
    upload = read(data)
    assert ink(upload.grey)[1] is dark
    assert upload.format == {"JPEG": "JPEG", "WEBP": "WebP"}.get(SETTINGS[name][0], SETTINGS[name][0])


@pytest.mark.parametrize("orientation", TURNED)
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP"])
def test_every_orientation_is_turned_upright(name, orientation):
    digit = enlarged(255 - DIGIT, TILE)[:, TILE:]  # not square, so that a wrong turn shows in the shape
    data = written(name, "L", TURNED[orientation](digit), exif=noted(orientation))
    upload = read(data)
    assert apart(upload.grey, digit) <= 2
    assert any("upright" in note for note in upload.notes) is (orientation != 1)


@pytest.mark.parametrize("mode", Image.MODES)
def test_every_mode_of_pillow_becomes_grey(mode):
    grey, _ = to_grey(image(mode, DIGIT))
    assert apart(grey, shown(mode)) <= 1


@pytest.mark.parametrize("mode", sorted({*Image.MODES} - {"1"}))
def test_a_large_image_of_every_mode_is_averaged_down(mode, monkeypatch):
    monkeypatch.setattr(pictures, "_TILE", 10_000)  # so that there are many tiles
    grey, _ = to_grey(image(mode, enlarged(DIGIT, 77)))
    assert apart(grey, np.rint(expected_average(77))) <= 1


def expected_average(times: int) -> np.ndarray:
    """The digit, enlarged and averaged over squares of as many pixels as bring it under LONGEST."""
    whole = enlarged(DIGIT, times).astype(float)
    factor = -(-len(whole) // LONGEST)
    side = -(-len(whole) // factor)
    padded = np.full((side * factor, side * factor), np.nan)
    padded[: len(whole), : len(whole)] = whole
    return np.nanmean(padded.reshape(side, factor, side, factor), (1, 3))


def test_colours_become_their_luma():
    colours = {"red": 76, "lime": 150, "blue": 29, "white": 255, "gray": 128}
    for colour, luma in colours.items():
        grey = read(saved(Image.new("RGB", (5, 3), colour))).grey
        assert grey.shape == (3, 5) and np.abs(grey.astype(int) - luma).max() <= 1


@pytest.mark.parametrize("name, mode", [("PNG", "RGBA"), ("PNG", "LA"), ("WEBP", "RGBA")])
def test_what_is_transparent_lies_on_white(name, mode):
    made = image(mode, np.zeros_like(DIGIT))  # black ink, as much of it as the digit has
    made.putalpha(Image.fromarray(DIGIT))
    upload = read(saved(made, *SETTINGS[name][:1], **SETTINGS[name][1]))
    assert apart(upload.grey, 255 - DIGIT) <= 1
    assert "Its transparent parts were put on white." in upload.notes


@pytest.mark.parametrize(
    "white, opacity", [((255, 255, 255), 1), ((255, 250, 220), 1), ((255, 255, 255), 0.5), (None, 1)]
)
def test_white_ink_on_transparency_is_a_drawing(white, opacity):
    drawn = np.zeros((28 * TILE, 28 * TILE, 4), np.uint8)
    ink = DIGIT.repeat(TILE, 0).repeat(TILE, 1)
    drawn[..., 3] = opacity * ink
    drawn[..., :3] = white or ink[..., None]  # multiplied by its opacity
    upload = read(saved(Image.fromarray(drawn, "RGBA")))
    found = find(upload.grey)
    assert "Its transparent parts were put on black." in upload.notes and found.dark is False
    shown = DIGIT if white else DIGIT / 255 * DIGIT
    assert ((prepare(found.canvas).picture > 127 * opacity) != (shown > 127)).mean() < 0.01
    nothing = read(saved(Image.new("RGBA", (40, 40), (255, 255, 255, 0))))
    assert nothing.grey.min() == 255 and "Its transparent parts were put on white." in nothing.notes


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_a_transparent_colour_of_a_palette_lies_on_white(kind):
    made = Image.fromarray((DIGIT > 127).astype(np.uint8)).convert("P")
    made.putpalette([200, 0, 0, 0, 0, 0])
    upload = read(saved(made, kind, transparency=0))
    assert (upload.grey == np.where(DIGIT > 127, 0, 255)).all() and len(upload.notes) == 1


def test_an_opaque_alpha_is_not_spoken_of():
    assert read(saved(image("RGBA", DIGIT))).notes == ()


@pytest.mark.parametrize("bits", [8, 10, 12, 14, 16])
def test_more_bits_are_rescaled_by_those_that_are_used(bits):
    values = np.rint(DIGIT / 255 * ((1 << bits) - 1)).astype(np.uint16)
    upload = read(saved(Image.frombytes("I;16", DIGIT.shape, values.tobytes())))
    assert apart(upload.grey, DIGIT) <= 1
    assert upload.notes == (f"It has 16 bits per pixel, of which it uses {bits}; they were rescaled to 8.",)


def test_colours_of_16_bits_say_so():
    upload = read(png(4, 2, depth=16, colour=2, row=bytes([0x80, 0xFF]) * 3 * 4))
    assert (upload.grey == 0x80).all() and "16 bits per colour" in upload.notes[0]


def test_numbers_of_any_range_and_no_numbers():
    values = np.array([[-3.0, 0.5], [np.nan, np.inf]], np.float32)
    grey, notes = to_grey(Image.fromarray(values))
    assert grey.tolist() == [[0, 255], [0, 255]] and notes == (
        "It has 32 bits per pixel: -3 became black and 0.5 became white.",
    )
    assert (to_grey(Image.fromarray(np.full((2, 2), np.nan, np.float32)))[0] == 0).all()
    assert (to_grey(Image.fromarray(np.full((2, 2), -70_000, np.int32)))[0] == 0).all()


@pytest.mark.parametrize("kind, more", [("GIF", {}), ("WEBP", {"lossless": True}), ("PNG", {})])
def test_of_an_animation_the_first_picture_is_taken(kind, more):
    frames = [image("RGB", np.roll(DIGIT, step, 1)) for step in range(3)]
    upload = read(saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=50, **more))
    assert apart(upload.grey, DIGIT) == 0 and "first picture" in upload.notes[0]


def test_it_is_judged_by_content():
    assert {read(data).format for data in (saved(image("L", DIGIT), kind) for kind in ("PNG", "BMP"))} == {"PNG", "BMP"}


def test_metadata_stays_behind():
    exif = Image.Exif()
    exif[0x010E] = "who and where"
    upload = read(written("JPEG", "RGB", enlarged(DIGIT, TILE), exif=exif.tobytes()))
    assert "who and where" not in repr(upload) and type(upload.grey) is np.ndarray


@pytest.mark.parametrize("exif", [b"Exif\0\0MM\0*\xff\xff\xff\xff", b"Exif\0\0nonsense", noted(77), noted(0)])
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP"])
def test_a_damaged_note_of_the_camera_is_passed_over(name, exif):
    upload = read(written(name, "L", enlarged(DIGIT, TILE), exif=exif))
    assert apart(upload.grey, enlarged(DIGIT, TILE)) <= 2 and not upload.notes


@pytest.mark.parametrize("name", ["JPEG", "progressive JPEG", "PNG"])
def test_a_picture_as_phones_take_them_is_welcome_and_bounded(name):
    times = 200  # 31 megapixels
    data = written(name, "L", enlarged(255 - DIGIT, times))
    upload = read(data)
    assert LONGEST / 2 < max(upload.grey.shape) <= LONGEST
    assert upload.notes == ("It was scaled down from 5,600 × 5,600 pixels.",)
    # Its pixels no longer fall on those of the digit: where two levels meet, they share a pixel.
    assert np.abs(seen(data).astype(int) - DIGIT).mean() < 2


def test_a_large_jpeg_is_decoded_small_and_without_its_colours(monkeypatch):
    decoded = []

    def noting(made: Image.Image) -> tuple[np.ndarray, tuple[str, ...]]:
        decoded.append((made.mode, made.size))
        return to_grey(made)

    monkeypatch.setattr(pictures, "to_grey", noting)
    read(written("JPEG", "RGB", enlarged(DIGIT, 200)))
    assert decoded == [("L", (1400, 1400))]


@pytest.mark.parametrize("shape", [(1, 1), (1, 50_000), (50_000, 1), (2, 3), (30, 700)])
def test_shapes_at_the_edge(shape):
    upload = read(saved(Image.fromarray(np.full(shape, 9, np.uint8))))
    assert min(upload.grey.shape) >= 1 and max(upload.grey.shape) <= LONGEST
    assert find(upload.grey).canvas.shape == (280, 280)


@pytest.mark.parametrize("quality", [60, 75, 90])
def test_ordinary_loss_stays_small(quality):
    made = image("RGB", enlarged(255 - DIGIT, 10))
    for data in (saved(made, "JPEG", quality=quality), saved(made, "WEBP", quality=quality)):
        assert np.abs(seen(data, centred=False).astype(int) - DIGIT).max() <= 8


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP"])
def test_a_picture_is_read_in_colour_where_that_is_wanted(kind: str) -> None:
    values = np.zeros((40, 60, 3), np.uint8)
    values[:, 30:] = [200, 40, 90]
    data = saved(Image.fromarray(values), kind)
    upload = read(data, colours=True)
    assert upload.colours is not None and upload.colours.shape == (40, 60, 3)
    assert apart(upload.colours[:, 35:], np.broadcast_to(np.array([200, 40, 90], np.uint8), (40, 25, 3))) <= 12
    assert upload.grey.shape == (40, 60) and apart(upload.grey, read(data).grey) <= 3
    assert read(data).colours is None


def test_a_picture_in_colour_is_turned_upright_too() -> None:
    values = np.zeros((40, 60, 3), np.uint8)
    values[:20, :30] = [200, 40, 90]
    upload = read(saved(Image.fromarray(values), "PNG", exif=noted(6)), colours=True)
    assert upload.colours is not None and upload.colours.shape == (60, 40, 3)
    assert upload.colours[10, 30, 0] == 200 and not upload.colours[10, 10].any()
