"""What is left out of a picture file before it is decoded, and that nothing of the picture is."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from attnviz.data.inputs import pictures
from attnviz.data.inputs.first_picture import first_picture
from attnviz.data.inputs.pictures import read
from tests.data.crafted_pictures import chunk, commented, text, with_chunks
from tests.data.picture_files import DIGIT, LOSSLESS, enlarged, image, noted, saved, written

FRAMES = [image("L", np.roll(DIGIT, step, 1)) for step in range(3)]


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "I;16"])
@pytest.mark.parametrize("colours", [False, True])
def test_in_tiles_of_any_size_the_picture_is_the_same(
    mode: str, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(0).integers(0, 256, (40, 2_101), np.uint8)
    made = image(mode, chance)
    if mode == "RGBA":
        made.putalpha(Image.fromarray(chance[::-1]))
    data, found = saved(made), []
    for tile in (300, 5_000, 10_000_000):
        monkeypatch.setattr(pictures, "_TILE", tile)
        found.append(read(data, colours=colours))
    assert all(one.notes == found[0].notes for one in found)
    for one in found[1:]:
        assert np.array_equal(one.grey, found[0].grey)
        assert one.colours is None or np.array_equal(one.colours, found[0].colours)


def test_texts_and_what_no_picture_needs_are_left_out_of_a_png() -> None:
    plain = saved(image("P", DIGIT), transparency=3)
    notes = [text(1), chunk(b"gAMA", bytes(4)), chunk(b"abCd", b""), chunk(b"AbCd", b"")]
    for last in (False, True):
        assert first_picture("PNG", with_chunks(plain, *notes, last=last)) == (plain, False)
    content, _ = first_picture("PNG", plain)
    assert content is plain  # not copied


@pytest.mark.parametrize("name", ["XML:com.adobe.xmp", "Raw profile type exif"])
def test_an_orientation_in_a_text_is_heeded(name: str) -> None:
    notes, exif = PngInfo(), noted(6)
    if name.startswith("XML"):
        notes.add_itxt(name, '<x tiff:Orientation="6"/>')
    else:
        notes.add_text(name, f"\nexif\n{len(exif)}\n{exif.hex()}", zip=True)
    data = saved(image("L", enlarged(DIGIT, 1)), pnginfo=notes)
    assert np.array_equal(read(data).grey, np.rot90(DIGIT, -1))


@pytest.mark.parametrize("more", [{}, {"default_image": True}])
def test_an_animated_png_is_one(more: dict[str, bool]) -> None:
    for count, said in ((1, False), (2, True), (3, True)):
        data = saved(FRAMES[0], "PNG", save_all=True, append_images=FRAMES[1:count], **more)
        assert bool([note for note in read(data).notes if "animation" in note]) is said
        assert np.array_equal(read(data).grey, DIGIT)


@pytest.mark.parametrize("count", [1, 3])
def test_of_a_gif_the_first_picture_is_left_with_what_is_transparent(count: int) -> None:
    settings = {"disposal": 2, "transparency": 0, "comment": b"a comment", "interlace": 1}
    data = saved(FRAMES[0], "GIF", save_all=True, append_images=FRAMES[1:count], **settings)
    content, more = first_picture("GIF", data)
    assert more is (count > 1)
    assert b"a comment" not in content
    shown = np.asarray(Image.open(BytesIO(data)).convert("LA"))
    assert np.array_equal(read(data).grey, np.where(shown[..., 1], shown[..., 0], 255))


def test_comments_of_a_gif_are_left_out_before_and_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    for last in (False, True):
        data = commented(last, blocks=10)
        content, more = first_picture("GIF", data)
        assert b"\2ab" in data and b"\2ab" not in content and not more
        assert np.array_equal(read(data).grey, DIGIT)


@pytest.mark.parametrize("kind", LOSSLESS)
def test_whatever_is_cut_off_something_is_handed_on(kind: str) -> None:
    data = written(kind, "P" if kind == "GIF" else "RGB", DIGIT)
    for length in range(0, len(data), 7):
        content, more = first_picture(kind, data[:length])
        assert len(content) <= length + 1 and not more


@pytest.mark.parametrize("more", [b"", b"\xff\xe1\xff\xff" + bytes(65_533), b"\xff\xff\xff", b"\xff\xfe\0\5abc" * 100])
def test_what_cameras_write_before_the_pixels_of_a_jpeg_is_read(more: bytes) -> None:
    for settings in ({}, {"progressive": True}, {"exif": noted(6), "icc_profile": b"\xff\xe5" * 40_000}):
        data = saved(image("L", DIGIT), "JPEG", **settings)
        assert read(data[:2] + more + data[2:] + b"\xff\xe5\0\2" * 20_000).grey.shape == (28, 28)
