"""How a drawing leaves the page, and comes back: a link, a PNG, the strokes as JSON."""

import json
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from attnviz.ui.shared.url_state import VERSION
from tests.browser.strokes_format import encode, make_stroke
from tests.browser.strokes_format import rasterise as computed

from .conftest import COMPONENTS, NewPage, Serve, wait_until_ready
from .pads import EIGHT, draw_stroke, find_button, find_pad, open_pad, read_pad, read_raster, wait_for


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return f"{serve(COMPONENTS)}/drawing_pad"


def test_the_link_is_copied(new_page: NewPage, address: str) -> None:
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    find_button(page, "Copy link").click()
    expect(find_pad(page).get_by_text("Link copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    place, _, words = copied.partition("?")
    assert place == address
    assert parse_qs(words) == {"strokes": [read_pad(page)["drawing"]], "v": [VERSION]}


@pytest.mark.slow
def test_without_a_clipboard_the_link_stands_there_selected(new_page: NewPage, address: str) -> None:
    page = new_page()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")  # as over plain http
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    find_button(page, "Copy link").click()
    field = find_pad(page).get_by_label("Copy this text")
    expect(field).to_be_visible()
    expect(field).to_be_focused()
    link = field.input_value()
    assert field.evaluate("(field) => field.value.slice(field.selectionStart, field.selectionEnd)") == link
    expect(find_pad(page).get_by_text("The link is selected")).to_be_visible()
    other = open_pad(new_page(), link)
    np.testing.assert_array_equal(read_raster(other), read_raster(page))


@pytest.mark.slow
def test_a_drawing_too_long_for_a_link_is_offered_as_json_and_outlives_a_reload(page: Page, address: str) -> None:
    open_pad(page, address)
    random = np.random.default_rng(4)
    for _ in range(5):
        draw_stroke(page, *[(float(x), float(y)) for x, y in random.uniform(20, 260, (30, 2))], steps=3)
    assert len(read_pad(page)["drawing"]) > 1500
    find_button(page, "Copy link").click()
    expect(find_pad(page).get_by_text("This drawing is too long for a link.")).to_be_visible()
    before = read_raster(page)
    page.wait_for_function("() => !location.search.includes('strokes')")
    page.reload()
    wait_for(page, strokes=5)
    np.testing.assert_array_equal(read_raster(page), before)


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as info:
        find_button(page, name).click()
    return Path(info.value.path()).read_bytes()


def test_a_png_is_what_the_models_are_shown_black_on_white(page: Page, address: str) -> None:
    open_pad(page, address)
    find_button(page, "Start from a drawn 5").click()
    draw_stroke(page, *EIGHT)
    picture = Image.open(BytesIO(download(page, "PNG")))
    assert "Drawn in attnviz" in picture.info["Description"]
    np.testing.assert_array_equal(255 - np.asarray(picture.convert("L")), read_raster(page))


def open_file(page: Page, content: bytes, name: str = "drawing.json") -> None:
    with page.expect_file_chooser() as chooser:
        find_button(page, "Open JSON").click()
    chooser.value.set_files({"name": name, "mimeType": "application/json", "buffer": content})


def test_json_brings_the_drawing_back_exactly(page: Page, new_page: NewPage, address: str) -> None:
    open_pad(page, address)
    find_button(page, "Start from a drawn 6").click()
    draw_stroke(page, *EIGHT)
    find_button(page, "Erase").click()
    draw_stroke(page, (20, 20), (260, 200))
    content = download(page, "JSON")
    assert [one["tool"] for one in json.loads(content)["strokes"]] == ["ink", "erase"]
    other = open_pad(new_page(), address)
    open_file(other, content)
    wait_for(other, strokes=2)
    np.testing.assert_array_equal(read_raster(other), read_raster(page))
    find_button(other, "Undo").click()
    wait_for(other, empty=True)


@pytest.mark.slow
def test_a_file_of_something_else_is_one_sentence_and_the_pad_stays(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    before = read_raster(page)
    files = {"cut": b"{", "bytes": b"\xff\xfe\x00", "other": b"{}", "large": b" " * (5 << 20)}
    why = {
        "cut": "it is not JSON",
        "bytes": "it is not JSON",
        "other": 'it has no "format"',
        "large": "larger than 4 MB",
    }
    for name, content in files.items():
        open_file(page, content, f"{name}.json")
        sentence = find_pad(page).get_by_text(f"{name}.json is not a drawing of this app")
        expect(sentence).to_contain_text(why[name])
        expect(sentence).to_contain_text("The pad stays as it is.")
        np.testing.assert_array_equal(read_raster(page), before)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["AAAA", "ARcBjAGMAQAA", "%20", "A" * 1501])
def test_a_link_that_makes_no_sense_is_one_sentence_and_an_empty_pad(page: Page, address: str, word: str) -> None:
    open_pad(page, f"{address}?strokes={word}")
    assert read_pad(page)["empty"]
    expect(page.get_by_text("cannot be read")).to_have_count(1)
    expect(page.get_by_text("The pad is empty.")).to_be_visible()
    draw_stroke(page, *EIGHT)
    expect(page.get_by_text("The pad is empty.")).to_be_hidden()
    page.wait_for_function("(word) => !location.search.endsWith(word)", arg=word)
    wait_until_ready(page)
    page.go_back()
    wait_for(page, empty=True)
    expect(page.get_by_text("The pad is empty.")).to_be_visible()


def test_a_drawing_made_elsewhere_is_drawn(page: Page, address: str) -> None:
    drawing = [make_stroke("ink", 30, (60, 60), (220, 60), (220, 220)), make_stroke("erase", 12, (140, 40), (140, 90))]
    open_pad(page, f"{address}?strokes={encode(drawing)}")
    away = np.abs(read_raster(page).astype(int) - computed(drawing))
    assert away.max() <= 48
    assert (away > 8).mean() < 0.005
