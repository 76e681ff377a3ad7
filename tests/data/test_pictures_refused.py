"""What is no picture that is read: refused in one sentence, from the header where it can be, in bounded memory."""

import json
import struct
import subprocess
import sys
import warnings
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from attnviz.data.inputs.pictures import MOST_BYTES, read
from attnviz.errors import BadInput
from tests.data.crafted_pictures import bmp, chunk, commented, crafted, with_chunks
from tests.data.picture_files import DIGIT, SETTINGS, claiming, enlarged, image, png, saved, written

ROOT = Path(__file__).parents[2]
TILE = 8


def refusal(data: bytes) -> str:
    with warnings.catch_warnings(record=True) as caught, pytest.raises(BadInput) as refused:
        warnings.simplefilter("always")
        read(data)
    assert not caught
    sentence = str(refused.value)
    assert "\n" not in sentence and sentence.endswith(".") and len(sentence) < 200
    return sentence


BOXED = b"\0\0\0\x18ftyp"


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "empty"),
        (b"hello", "not a picture"),
        (b"%PDF-1.7 and more", "not a picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "PNG, JPEG, WebP, BMP or GIF"),
        (BOXED + b"heic\0\0\0\0mif1heic", "a HEIC picture.*JPEG"),
        (BOXED + b"avif\0\0\0\0mif1avif", "an AVIF picture.*JPEG"),
        (BOXED + b"mp42\0\0\0\0", "not a picture"),
        (saved(image("L", DIGIT), "TIFF"), "not a picture"),
        (saved(image("L", DIGIT), "PPM"), "not a picture"),
        (saved(image("L", DIGIT), "ICO"), "not a picture"),
        (saved(image("L", DIGIT), "JPEG2000"), "not a picture"),
        (b"BM and nothing of a picture", "This BMP file is damaged"),
    ],
)
def test_what_is_no_picture_that_is_read_here(data, words):
    with pytest.raises(BadInput, match=words):
        read(data)
    refusal(data)


def test_an_avif_that_pillow_could_read_is_refused():
    assert "AVIF" in refusal(saved(image("RGB", enlarged(DIGIT, 2)), "AVIF"))


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_what_is_cut_off_is_refused(name, share):
    data = written(name, "RGB", enlarged(DIGIT, TILE))
    assert "damaged or incomplete" in refusal(data[: int(share * len(data))])


def test_too_many_bytes_are_refused_and_as_many_as_allowed_are_not():
    picture = saved(image("L", DIGIT))
    assert "20 MB; this one has 20.0" in refusal(picture + bytes(MOST_BYTES + 1 - len(picture)))
    assert read(picture + bytes(MOST_BYTES - len(picture))).grey.shape == (28, 28)


@pytest.mark.parametrize("wide, high", [(10_000, 5_001), (9_500, 9_500), (12_000, 12_000), (16_000, 16_000)])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "GIF", "WEBP"])
def test_too_many_pixels_are_refused_from_the_header(kind, wide, high, monkeypatch):
    data = claiming(wide, high)[kind]
    monkeypatch.setattr(Image.Image, "load", never)
    monkeypatch.setattr("PIL.Image.core.new", never)
    assert "50 megapixels" in refusal(data)


@pytest.mark.parametrize(
    ("kind", "mode", "settings", "most"),
    [
        ("WEBP", "RGB", {"lossless": True}, "WebP of 8,000 × 6,250 .* up to 12.5"),
        ("JPEG", "CMYK", {"progressive": True}, "progressive JPEG of 8,000 × 6,250 .* up to 25"),
        ("JPEG", "RGB", {"progressive": True, "subsampling": 0}, "progressive JPEG of .* up to 33.3"),
    ],
)
def test_what_takes_more_memory_may_have_fewer_pixels(kind, mode, settings, most, monkeypatch):
    data = bytearray(saved(Image.new(mode, (16, 16)), kind, **settings))
    if kind == "JPEG":
        place = data.index(b"\xff\xc2") + 5
        data[place : place + 4] = struct.pack(">HH", 6_250, 8_000)
    else:
        data[21:25] = struct.pack("<I", 7_999 | 6_249 << 14)
    monkeypatch.setattr(Image.Image, "load", never)
    with pytest.raises(BadInput, match=f"A {most} megapixels can be read"):
        read(bytes(data))


def test_a_thumbnail_does_not_make_an_ordinary_jpeg_one_of_many_scans():
    data = saved(Image.new("RGB", (6700, 5000)), "JPEG", exif=b"Exif\0\0" + saved(Image.new("RGB", (9, 9)), "JPEG"))
    assert read(data).grey.shape == (625, 838)


def solid(name, mode, wide, high):
    kind, settings = {
        "WEBP": ("WEBP", {"lossless": True, "method": 0, "quality": 0}),
        "progressive JPEG": ("JPEG", {"progressive": True}),
        "PNG": ("PNG", {"compress_level": 1}),
    }[name]
    return saved(Image.new(mode, (wide, high)), kind, **settings)


def never(*_: object) -> None:
    raise AssertionError("pixels were decoded")


def test_as_many_pixels_as_allowed_are_read():
    assert read(png(10_000, 5_000, depth=1, row=bytes(1250))).grey.shape == (500, 1000)


def test_a_jpeg_of_very_many_scans_is_refused():
    data = written("progressive JPEG", "L", enlarged(DIGIT, TILE))
    last = data.rindex(b"\xff\xda")
    assert "scans" in refusal(data[:last] + data[last:-2] * 60 + data[-2:])


@pytest.mark.parametrize(("wide", "high"), [(1, 50_000_000), (50_000_000, 1), (2, 65_536), (65_536, 2)])
@pytest.mark.parametrize("kind", ["PNG", "BMP"])
def test_sides_that_are_too_long_are_refused_from_the_header(kind, wide, high, monkeypatch):
    data = bmp(wide, high) if kind == "BMP" else png(wide, high, depth=1)
    monkeypatch.setattr(Image.Image, "load", never)
    monkeypatch.setattr("PIL.Image.core.new", never)
    assert "is too long: a side may have up to 65,535 pixels" in refusal(data)


def test_many_scans_of_many_pixels_are_refused(monkeypatch):
    data = bytearray(saved(Image.new("RGB", (16, 16)), "JPEG", progressive=True))
    place, last = data.index(b"\xff\xc2") + 5, data.rindex(b"\xff\xda")
    data[place : place + 4] = struct.pack(">HH", 5_000, 5_000)
    monkeypatch.setattr(Image.Image, "load", never)
    assert "This JPEG of 5,000 × 5,000 has more scans" in refusal(bytes(data[:last] + data[last:-2] * 30 + data[-2:]))


def test_pngs_and_gifs_of_very_many_parts_are_refused(monkeypatch):
    monkeypatch.setattr(Image, "open", never)
    small = saved(image("L", DIGIT))
    assert "This PNG has more than 20,000 parts" in refusal(with_chunks(small, *[chunk(b"IDAT", b"")] * 20_000))
    for last in (False, True):
        assert "This GIF has more than 400,000 parts" in refusal(commented(last))


def test_a_jpeg_of_very_many_parts_is_refused(monkeypatch):
    data = saved(image("L", DIGIT), "JPEG")
    monkeypatch.setattr(Image, "open", never)
    for more in (b"\xff\xe5\0\2" * 10_000, bytes(20_000), b"\xff" * 20_000, b"\xff\xd8" * 10_000, b"\xff\0" * 10_000):
        assert "10,000 parts" in refusal(data[:20] + more + data[20:])
    assert "10,000 parts" in refusal(data[:20] + bytes(20_000))


def test_no_other_decoder_is_ever_asked(monkeypatch):
    asked = []
    opened = Image.open

    def noting(file: BytesIO, formats: list[str]) -> Image.Image:
        asked.extend(formats)
        return opened(file, formats=formats)

    monkeypatch.setattr(Image, "open", noting)
    for name in SETTINGS:
        read(written(name, "L", enlarged(DIGIT, 1)))
    assert set(asked) == {"PNG", "JPEG", "WEBP", "BMP", "GIF"}


def test_the_filters_of_warnings_are_as_before():
    before = list(warnings.filters)
    read(saved(image("L", DIGIT)))
    refusal(b"BM")
    assert list(warnings.filters) == before


@settings(max_examples=200, deadline=None)
@given(
    beginning=st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"GIF89a", b"RIFF0000WEBP"]),
    rest=st.binary(),
)
def test_nonsense_of_any_kind_is_refused(beginning, rest):
    with pytest.raises(BadInput):
        read(beginning + rest)


@pytest.mark.slow
def test_thousands_of_damaged_files_are_read_or_refused_in_bounded_memory():
    command = [sys.executable, "-W", "error", "-m", "tests.data.damaged_pictures", "0", "4000"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    found = json.loads(result.stdout)
    assert found["read"] + found["refused"] == 4_000 and not result.stderr
    assert found["read"] > 200 and found["refused"] > 2_000  # so both ways are taken
    assert len(found["sentences"]) >= 4
    assert 190 < found["megabytes"] < 250  # 50 megapixels of four bytes are 191 of them


@pytest.mark.parametrize(
    "name, mode, wide, high",
    [
        ("PNG", "RGBA", 10_000, 5_000),
        pytest.param("WEBP", "RGBA", 4_166, 3_000, marks=pytest.mark.slow),
        ("progressive JPEG", "CMYK", 5_000, 5_000),
    ],
)
def test_no_picture_costs_more_than_250_megabytes(tmp_path, name, mode, wide, high):
    file = tmp_path / "picture"
    file.write_bytes(solid(name, mode, wide, high) + bytes(MOST_BYTES - 5_000_000))  # what comes after is kept as well
    code = (
        "import sys; from pathlib import Path; from attnviz.data.inputs.pictures import read; "
        "from tests.data.damaged_pictures import good, highest; [read(data) for data in good()]; before = highest(); "
        "read(Path(sys.argv[1]).read_bytes()); print(highest() - before)"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(file)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(result.stdout) < 250


def test_no_crafted_file_costs_more_than_250_megabytes():
    command = [sys.executable, "-W", "error", "-m", "tests.data.crafted_pictures"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    grown = json.loads(result.stdout)
    assert grown.keys() == crafted().keys()
    assert {name: by for name, by in grown.items() if by >= 250} == {}
    assert max(grown.values()) > 190  # 50 megapixels of four bytes


@pytest.mark.parametrize(
    "name, mode, most", [("PNG", "RGB", 4), ("BMP", "L", 1), ("progressive JPEG", "CMYK", 8), ("WEBP", "RGBA", 16)]
)
def test_memory_goes_with_the_pixels(tmp_path, name, mode, most):
    file = tmp_path / "picture"
    file.write_bytes(written(name, mode, enlarged(DIGIT, 115)))  # 10 megapixels
    code = (
        "import sys; from pathlib import Path; from attnviz.data.inputs.pictures import read; "
        "from tests.data.damaged_pictures import good, highest; [read(data) for data in good()]; "
        "data = Path(sys.argv[1]).read_bytes(); before = highest(); read(data); print(highest() - before)"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(file)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    megapixels = (28 * 115) ** 2 / (1 << 20)
    assert float(result.stdout) < most * megapixels + 25  # for the strips, and what else comes and goes
