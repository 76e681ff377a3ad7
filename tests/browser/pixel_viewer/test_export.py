"""What is saved and copied from the pixel viewer."""

import csv
import io
import json
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from ..apps.pixel_viewer import make_view
from ..conftest import listen
from .viewers import COLUMNS, ROWS, Open, assert_same, compute_maps, download, read_viewer

ORIGIN = make_view().origin


def test_csv_holds_full_precision_and_its_origin(opened: Open) -> None:
    page = opened("query=3,3&head=2")
    written = download(page, "CSV").decode()
    comments = [line for line in written.splitlines() if line.startswith("#")]
    for name, value in ORIGIN.items():
        assert f"# {name}: {value}" in comments
    assert "# query: row 3, column 3" in comments
    table = list(csv.DictReader(io.StringIO("\n".join(line for line in written.splitlines() if line not in comments))))
    assert [(int(line["row"]), int(line["column"])) for line in table] == [
        (row + 1, column + 1) for row in range(ROWS) for column in range(COLUMNS)
    ]
    expected = compute_maps(make_view(), "weights")[:, 2 * COLUMNS + 2]
    for head in range(3):
        assert_same(np.array([float(line[f"head {head + 1}"]) for line in table]), expected[head])
    assert_same(np.array([float(line["mean of heads"]) for line in table]), expected.mean(axis=0))


def test_svg_is_well_formed_and_says_its_origin(opened: Open) -> None:
    page = opened("query=3,3")
    root = ElementTree.fromstring(download(page, "SVG"))
    metadata = root.find("{http://www.w3.org/2000/svg}metadata")
    assert metadata is not None
    origin = json.loads(metadata.text or "")
    assert {name: origin[name] for name in ORIGIN} == dict(ORIGIN)
    assert origin["query"] == "row 3, column 3"
    words = " ".join(root.itertext())
    assert 'ring <1> & "2"' in words


@pytest.mark.parametrize(
    ("words", "scale"),
    [("", r"log2 of the multiple of an even share, -4 to 4"), ("&show=scores", r"-\d.* to \d.* \(all maps\)")],
)
def test_a_saved_picture_says_model_answer_and_scale_where_one_sees_it(opened: Open, words: str, scale: str) -> None:
    page = opened(f"query=3,3{words}")
    lines = re.findall(r"<text [^>]*>([^<]*)</text>", download(page, "SVG").decode())
    assert any(re.fullmatch(f"random answers 8, 99.5 %; colours: {scale}", line) for line in lines)


def test_png_is_whole_and_says_its_origin(opened: Open) -> None:
    page = opened("query=3,3")
    data = download(page, "PNG")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        chunks.setdefault(kind, body)
        at += 12 + length
    keyword, _, text = chunks[b"tEXt"].partition(b"\0")
    assert keyword == b"Description"
    assert json.loads(text)["image"] == ORIGIN["image"]


def test_the_frames_of_query_and_key_lie_on_top_of_the_picture_in_what_is_saved(opened: Open) -> None:
    page = opened("kind=photo&query=2,3&key=4,6", color_scheme="light")
    photo = make_view(kind="photo").background
    assert photo is not None
    frames = {(1, 2): (0xB3, 0x4A, 0x0C), (3, 5): (0x1F, 0x6F, 0xB2)}  # orange is the query, blue the key
    png = np.asarray(Image.open(io.BytesIO(download(page, "PNG"))).convert("RGB"))
    size = 320 / COLUMNS
    for (row, column), colour in frames.items():
        top, middle = int(2 * (88 + row * size)), int(2 * (24 + (column + 0.5) * size))
        np.testing.assert_array_equal(png[top, middle], colour)
        inside = photo[4 * row + 2, 4 * column + 2]
        np.testing.assert_array_equal(png[top + int(2 * 0.625 * size), middle + int(2 * 0.125 * size)], inside)
    svg = ElementTree.fromstring(download(page, "SVG"))
    drawn = [item.tag.partition("}")[2] for item in svg.iter()]
    picture = drawn.index("image")
    marks = list(svg.iter())[picture + 1 : picture + 4]
    assert [one.get("stroke") for one in marks if one.tag.endswith("rect")] == ["#1f6fb2", "#b34a0c"]


def test_copy_gives_the_pair_in_full(opened: Open) -> None:
    page = opened("query=3,3&key=2,2")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    heard = listen(page.get_by_role("button", name="copy", exact=True))
    page.get_by_role("button", name="copy", exact=True).click()
    expect(page.locator("[aria-live]").last).to_contain_text("copy: copied")
    heard("copied")  # and for those who see
    copied = dict(line.split("\t", 1) for line in page.evaluate("navigator.clipboard.readText()").splitlines())
    assert float(copied["weight"]) == read_viewer(page)["weight"]
    assert copied["query"] == "row 3, column 3"
