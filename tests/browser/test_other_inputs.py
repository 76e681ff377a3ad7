"""Files and the camera in a real browser: the pad shows what the library makes of them, and keeps what is drawn."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from attnviz.data import strokes
from attnviz.data.inputs.digit import prepare
from attnviz.data.inputs.photograph import find
from attnviz.data.inputs.pictures import read
from tests.data.picture_files import enlarged, image, saved
from tests.sweeps import sweep

from . import harness
from .conftest import STREAMLITS_OWN, NewPage, Problems, Serve, find_violations, wait_for_state, wait_until_ready
from .models import LINE
from .pads import draw_stroke, find_pad, find_sheet, open_pad, read_pad, read_raster, wait_for

FIVE = saved(image("RGB", 255 - enlarged(strokes.draw([5], seed=4)[0, :, :, 0], 12)), "JPEG", quality=90)
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return f"{serve()}/draw?models={LINE}"


def choose(page: Page, content: bytes, name: str = "five.jpg") -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "", "buffer": content}
    )


def wait_for_base(page: Page, before: str | None = None) -> str:
    """Wait until another picture from outside is on the pad than before, and return its name."""
    other = "({ base }, before) => base !== before && /^(file|camera)-/.test(base)"
    wait_for_state(page, "[data-component=drawing_pad]", other, before)
    return str(read_pad(page)["base"])


def compute_canvas(content: bytes, dark: bool | None = None) -> np.ndarray:
    picture = read(content, colours=True).colours
    assert picture is not None
    return find(picture, dark).canvas


def test_the_ways_to_other_pictures_stand_below_the_pad_and_open_above_it(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, (40, 40), (240, 40))
    page.wait_for_url("**strokes=*")
    way = page.get_by_role("button", name="a picture file")
    way.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**input=file*")
    uploader = page.get_by_test_id("stFileUploader")
    uploader.wait_for()
    page.wait_for_function("(node) => node.getBoundingClientRect().top > 0", arg=uploader.element_handle())
    top, sheet_box = uploader.bounding_box(), find_sheet(page).bounding_box()
    assert top is not None and sheet_box is not None and 0 < top["y"] < sheet_box["y"]
    expect(way).to_have_attribute("aria-expanded", "true")
    assert read_pad(page)["strokes"] == 1
    way.press("Enter")
    page.wait_for_url(lambda url: "input" not in url)
    uploader.wait_for(state="detached")
    expect(way).to_have_attribute("aria-expanded", "false")
    assert read_pad(page)["strokes"] == 1


def test_a_file_comes_onto_the_pad_and_what_is_drawn_on_it_stays(page: Page, address: str) -> None:
    open_pad(page, f"{address}&input=file")
    draw_stroke(page, (40, 40), (240, 40))
    page.wait_for_url("**strokes=*")
    choose(page, FIVE)
    first = wait_for_base(page)
    np.testing.assert_array_equal(read_raster(page), compute_canvas(FIVE))
    page.wait_for_url(lambda url: "strokes" not in url)  # what is drawn on a picture from outside is not in a link
    draw_stroke(page, (20, 250), (260, 250))
    wait_for(page, strokes=1)
    find_pad(page).get_by_role("checkbox", name="centre it").uncheck()
    page.wait_for_url("**centred=no*")
    wait_until_ready(page)
    drawn = read_raster(page)
    assert (drawn[250, 30:250] == 255).all() and read_pad(page)["base"] == first
    page.reload()
    wait_for(page, strokes=1, base=first)
    np.testing.assert_array_equal(read_raster(page), drawn)
    draw_stroke(page, (20, 20), (260, 20))
    wait_for(page, strokes=2, base=first)
    find_pad(page).get_by_role("checkbox", name="centre it").check()
    page.wait_for_url(lambda url: "centred" not in url)
    wait_until_ready(page)
    assert read_pad(page)["base"] == first and read_pad(page)["strokes"] == 2


def test_a_refusal_leaves_the_pad_and_the_other_ink_can_be_chosen(page: Page, address: str) -> None:
    open_pad(page, f"{address}&input=file")
    choose(page, FIVE)
    first = wait_for_base(page)
    choose(page, HEIC, "five.png")
    page.get_by_text("This is a HEIC picture").wait_for()
    assert read_pad(page)["base"] == first
    np.testing.assert_array_equal(read_raster(page), compute_canvas(FIVE))
    page.get_by_role("radio", name="lighter").click()
    second = wait_for_base(page, first)
    np.testing.assert_array_equal(read_raster(page), compute_canvas(FIVE, False))
    find_pad(page).get_by_role("button", name="Undo").click()
    wait_for(page, base=first)
    page.get_by_role("button", name="Put it back on the pad").click()
    assert wait_for_base(page, first) not in (first, second)


def test_the_photograph_shows_what_was_cut_out_and_another_box_can_be_drawn(page: Page, address: str) -> None:
    """Two digits lie on a sheet: the larger one is taken, until a box is drawn around the other."""
    sheet = np.full((400, 600), 190, np.uint8)
    for digit, side, left in ((5, 280, 20), (3, 168, 400)):
        ink = enlarged(strokes.draw([digit], seed=4)[0, :, :, 0], side // 28)
        part = sheet[60 : 60 + side, left : left + side]
        part[:] = np.where(ink > 127, 50, part)
    content = saved(image("L", sheet), "PNG")
    open_pad(page, f"{address}&input=file")
    choose(page, content)
    first = wait_for_base(page)
    photograph = page.locator("[data-component=photograph]")
    canvas = photograph.locator("canvas")
    expect(page.get_by_text("more than one thing")).to_be_visible()
    found = photograph.evaluate("(root) => root.read()")
    assert not found["own"] and found["box"][3] < 330
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    scale = box["width"] / 600
    page.mouse.move(box["x"] + 390 * scale, box["y"] + 40 * scale)
    page.mouse.down()
    page.mouse.move(box["x"] + 590 * scale, box["y"] + 250 * scale, steps=4)
    page.mouse.up()
    second = wait_for_base(page, first)
    top, left, bottom, right = photograph.evaluate("(root) => root.read().box")
    assert abs(left - 390) < 4 and abs(right - 590) < 4 and abs(top - 40) < 4 and abs(bottom - 250) < 4
    drawn = find(read(content, colours=True).colours, box=(top, left, bottom, right))
    np.testing.assert_array_equal(read_raster(page), drawn.canvas)
    wait_until_ready(page)
    assert (
        find_violations(page, {**STREAMLITS_OWN, '[data-testid="stFileUploader"]': "a focusable part, no region"}) == []
    )
    photograph.get_by_role("button", name="Search the whole picture").click()
    wait_for_base(page, second)
    np.testing.assert_array_equal(read_raster(page), compute_canvas(content))
    canvas.press("ArrowRight")
    canvas.press("Enter")
    page.wait_for_function("(root) => root.read().own", arg=photograph.element_handle())


@pytest.mark.slow
def test_two_visitors_upload_at_once(page: Page, new_page: NewPage, address: str) -> None:
    other = new_page()
    eight = saved(image("L", enlarged(strokes.draw([8], seed=9)[0, :, :, 0], 10)), "PNG")
    for one in (page, other):
        open_pad(one, f"{address}&input=file")
    choose(page, FIVE)
    choose(other, eight, "eight.png")
    assert wait_for_base(page) != wait_for_base(other)
    np.testing.assert_array_equal(read_raster(page), compute_canvas(FIVE))
    np.testing.assert_array_equal(read_raster(other), compute_canvas(eight))


@pytest.mark.parametrize("way", sweep(["sample", "file"], lambda way: way == "file"))
def test_it_is_accessible_and_fits_a_phone(kept_page: NewPage, address: str, way: str) -> None:
    page = kept_page(viewport={"width": 375, "height": 800}, has_touch=True)
    open_pad(page, f"{address}&input={way}")
    if way == "file":
        choose(page, FIVE)
        wait_for_base(page)
    wait_until_ready(page)
    assert (
        find_violations(
            page, {**STREAMLITS_OWN, '[data-testid="stFileUploader"]': "a focusable part that is no region"}
        )
        == []
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def write_film(path: Path, grey: np.ndarray) -> Path:
    """Write a film that shows one picture, uint8 (row, column) of even sides, for Chromium's camera."""
    high, wide = grey.shape
    frame = b"FRAME\n" + grey.tobytes() + bytes([128]) * (high * wide // 2)
    path.write_bytes(b"YUV4MPEG2 W%d H%d F10:1 Ip A1:1 C420jpeg\n" % (wide, high) + frame * 5)
    return path


@pytest.mark.slow
def test_the_camera_takes_a_photograph_under_the_content_policy(
    chromium: Browser, problems: Problems, address: str, tmp_path: Path
) -> None:
    sheet = np.full((480, 640), 200, np.uint8)
    sheet[70:406, 150:486] -= enlarged(strokes.draw([5], seed=4)[0, :, :, 0] // 2, 12)
    camera = [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={write_film(tmp_path / 'five.y4m', sheet)}",
    ]
    # `harness.launch` wants of Playwright no more than its Chromium.
    with harness.launch(SimpleNamespace(chromium=chromium.browser_type), *camera) as browser:
        page = browser.new_page()
        problems.watch(page)
        open_pad(page, f"{address}&input=camera")
        page.locator("video").scroll_into_view_if_needed()  # out of sight it does not play
        page.wait_for_function("() => document.querySelector('video').currentTime > 0")
        page.get_by_role("button", name="Take photo").click()
        assert wait_for_base(page).startswith("camera-")
        ink_of = prepare(read_raster(page)).picture > 127
        assert np.abs(ink_of - 1.0 * (strokes.draw([5], seed=4)[0, :, :, 0] > 127)).mean() < 0.1
        page.get_by_text("treated as a photograph").wait_for()
    assert problems.unexpected() == []
