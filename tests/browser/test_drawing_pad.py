"""The pad under mouse, pen, fingers and keys: what is drawn, and that everybody can draw."""

import numpy as np
import pytest
import torch
from playwright.sync_api import CDPSession, Page, expect

import attnviz
from attnviz import data
from attnviz.data.inputs.digit import prepare
from tests.browser.strokes_format import raster as computed
from tests.browser.strokes_format import straight

from .conftest import NewPage, Serve, axe, ready
from .pads import (
    APP,
    EIGHT,
    PEN,
    button,
    open_pad,
    pad,
    place,
    press,
    raster,
    reading,
    said,
    sheet,
    stroke,
    told,
    wait_for,
)


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return serve(APP)


# Hands


def test_a_mouse_draws_what_its_way_covers_and_python_hears_of_it_once_it_rests(page: Page, address: str) -> None:
    open_pad(page, address)
    assert reading(page)["empty"]
    stroke(page, (80, 200), (80, 60), (200, 60))
    wanted = computed([straight("ink", PEN, (80, 200), (80, 60)), straight("ink", PEN, (80, 60), (200, 60))])
    assert (np.abs(raster(page).astype(int) - wanted) > 32).sum() < 120  # of 6,000: at the corner, which is rounded
    page.wait_for_url("**strokes=*")
    drawing = reading(page)["drawing"]
    expect(page.locator("code")).to_contain_text(drawing[:60])
    assert told(page) == {"drawing": drawing, "base": None, "centred": True}
    assert f"strokes={drawing}" in page.url


def test_ink_is_on_the_screen_when_the_event_has_been_handled_whatever_the_server_does(
    page: Page, address: str
) -> None:
    """No frame, answer or run of the page lies between the event and the paint."""
    open_pad(page, address)
    shown = pad(page).evaluate(
        """(root) => {
          const sheet = root.querySelector(".sheet");
          const canvas = sheet.querySelector("canvas");
          const box = sheet.getBoundingClientRect();
          const colour = (x, y) => [...canvas.getContext("2d")
            .getImageData(x * canvas.width, y * canvas.height, 1, 1).data].slice(0, 3);
          const send = (type, x, y) => sheet.dispatchEvent(new PointerEvent(type, { pointerId: 1, isPrimary: true,
            bubbles: true, buttons: 1, pressure: 0.5,
            clientX: box.x + x * box.width, clientY: box.y + y * box.height }));
          sheet.setPointerCapture = () => {};
          const colours = [colour(0.5, 0.3)];
          send("pointerdown", 0.5, 0.3);
          colours.push(colour(0.5, 0.3), colour(0.5, 0.6));
          send("pointermove", 0.5, 0.6);
          colours.push(colour(0.5, 0.6), colour(0.5, 0.62));
          send("pointermove", 0.5, 0.605);
          colours.push(colour(0.5, 0.64));
          return colours;
        }"""
    )
    ink, paper = [31, 35, 40], [255, 255, 255]
    np.testing.assert_allclose(shown, [paper, ink, paper, ink, ink, ink], atol=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_and_ink_are_those_of_the_theme(new_page: NewPage, address: str, scheme: str) -> None:
    page = open_pad(new_page(color_scheme=scheme), address)
    stroke(page, (100, 140), (180, 140))
    colours = (
        sheet(page)
        .locator("canvas")
        .evaluate(
            """(canvas) => [[0.5, 0.5], [0.05, 0.05]].map(([x, y]) => [...canvas.getContext("2d")
              .getImageData(x * canvas.width, y * canvas.height, 1, 1).data].slice(0, 3))"""
        )
    )
    wanted = [(236, 234, 228), (29, 31, 36)] if scheme == "dark" else [(31, 35, 40), (255, 255, 255)]
    np.testing.assert_allclose(colours, wanted, atol=1)


def test_the_eraser_takes_ink_away_and_the_width_is_as_chosen(page: Page, address: str) -> None:
    open_pad(page, address)
    pad(page).get_by_role("slider", name="Width").fill("40")
    stroke(page, (40, 140), (240, 140))
    assert 38 <= (raster(page)[:, 140] > 127).sum() <= 42
    button(page, "Erase").click()
    expect(button(page, "Erase")).to_have_attribute("aria-pressed", "true")
    pad(page).get_by_role("slider", name="Width").fill("10")
    stroke(page, (140, 60), (140, 220))
    found = raster(page)
    assert (found[100:180, 140] == 0).all()
    assert (found[140, [80, 200]] == 255).all()
    assert 8 <= (found[140] < 128).sum() - (found[140, :30] < 128).sum() - (found[140, 250:] < 128).sum() <= 12


def pen(session: CDPSession, kind: str, place: tuple[float, float], force: float) -> None:
    session.send(
        "Input.dispatchMouseEvent",
        {"type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": 1, "clickCount": 1,
         "pointerType": "pen", "force": force},
    )  # fmt: skip


def test_a_pen_that_presses_harder_draws_wider(page: Page, address: str) -> None:
    open_pad(page, address)
    session = page.context.new_cdp_session(page)
    for row, force in ((60, 0.1), (140, 0.5), (220, 1.0)):
        pen(session, "mousePressed", place(page, 40, row), force)
        for x in range(60, 241, 20):
            pen(session, "mouseMoved", place(page, x, row), force)
        pen(session, "mouseReleased", place(page, 240, row), force)
    wait_for(page, strokes=3)
    found = raster(page) > 127
    widths = [found[row - 30 : row + 30, 140].sum() for row in (60, 140, 220)]
    assert widths == pytest.approx([PEN * 0.52, PEN, PEN * 1.6], abs=1.5)
    page.wait_for_url(f"**strokes={reading(page)['drawing']}*")
    page.reload()
    ready(page)
    wait_for(page, strokes=3)
    np.testing.assert_array_equal(raster(page) > 127, found)


def test_a_mouse_draws_with_one_width_whatever_pressure_it_reports(page: Page, address: str) -> None:
    open_pad(page, address)
    stroke(page, (40, 140), (240, 140))
    assert (raster(page)[:, 140] > 127).sum() == pytest.approx(PEN, abs=1)
    assert '"pressures":null' in pad(page).evaluate("(root) => JSON.stringify(root.readDrawing().strokes)")


def test_a_pen_that_is_turned_around_erases(page: Page, address: str) -> None:
    open_pad(page, address)
    stroke(page, (40, 140), (240, 140))
    sheet(page).evaluate(
        """(sheet) => {
          const box = sheet.getBoundingClientRect();
          sheet.setPointerCapture = () => {};
          const send = (type, y) => sheet.dispatchEvent(new PointerEvent(type, { pointerId: 7, pointerType: "pen",
            button: type === "pointermove" ? -1 : 5, buttons: type === "pointerup" ? 0 : 32, pressure: 0.5,
            bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + y * box.height }));
          send("pointerdown", 0.4);
          send("pointermove", 0.6);
          send("pointerup", 0.6);
        }"""
    )
    wait_for(page, strokes=2)
    assert not raster(page)[:, 140].any()
    assert raster(page)[140, 60] == 255


def fingers(session: CDPSession, kind: str, *places: tuple[float, float]) -> None:
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.fixture
def phone(new_page: NewPage, address: str) -> Page:
    size = {"width": 375, "height": 667}
    return open_pad(new_page(viewport=size, has_touch=True, is_mobile=True), address)


def scrolled(page: Page) -> float:
    return float(page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop"))


def test_one_finger_draws_on_the_pad_and_scrolls_everywhere_else(phone: Page) -> None:
    session = phone.context.new_cdp_session(phone)

    def drag(x: float, start: float, end: float) -> None:
        fingers(session, "touchStart", (x, start))
        for step in range(1, 13):
            fingers(session, "touchMove", (x, start + (end - start) * step / 12))
        fingers(session, "touchEnd")

    (x, start), (_, end) = place(phone, 140, 240), place(phone, 140, 40)
    before = scrolled(phone)
    drag(x, start, end)
    wait_for(phone, strokes=1)
    assert scrolled(phone) == before
    assert (raster(phone)[60:220, 140] == 255).all()
    words = pad(phone).locator(".how").bounding_box()
    assert words
    drag(words["x"] + 40, words["y"] + 8, words["y"] - 192)
    phone.wait_for_function(
        "(before) => document.querySelector('[data-testid=stMain]').scrollTop > before + 50", arg=before
    )
    assert reading(phone)["strokes"] == 1


def test_of_two_fingers_the_first_draws(phone: Page) -> None:
    session = phone.context.new_cdp_session(phone)
    one, other = place(phone, 60, 60), place(phone, 220, 60)
    fingers(session, "touchStart", one)
    fingers(session, "touchStart", one, other)
    for y in range(80, 221, 20):
        fingers(session, "touchMove", place(phone, 60, y), place(phone, 220, y))
    fingers(session, "touchEnd")
    wait_for(phone, strokes=1)
    found = raster(phone)
    assert (found[80:200, 60] == 255).all()
    assert not found[:, 140:].any()


def test_a_hand_that_leaves_the_pad_and_comes_back_draws_one_stroke(page: Page, address: str) -> None:
    open_pad(page, address)
    stroke(page, (200, 100), (400, 100), (400, 200), (200, 200), steps=12)
    found = raster(page)
    assert (found[100, 210:] == 255).all()
    assert (found[200, 210:] == 255).all()
    assert not found[130:170].any()


# Keys


def test_the_keyboard_alone_draws_a_one(page: Page, address: str) -> None:
    open_pad(page, address)
    for _ in range(12):  # by tab stops alone: there is no other way in
        page.keyboard.press("Tab")
        if sheet(page).evaluate("(sheet) => sheet.getRootNode().activeElement === sheet"):
            break
    expect(sheet(page)).to_be_focused()
    expect(sheet(page).locator(".cursor")).to_be_visible()
    for key in ["ArrowUp"] * 7 + ["Shift+ArrowDown"] * 14:
        page.keyboard.press(key)
    wait_for(page, strokes=1)
    wanted = computed([straight("ink", PEN, (145, 75), (145, 215))])
    np.testing.assert_allclose(raster(page).astype(int), wanted, atol=1)
    assert said(page) == "Ink to row 22, column 15."
    page.wait_for_url("**strokes=*")
    seen = prepare(raster(page)).picture
    assert (seen.sum(1) > 0).sum() == 20
    assert 2 <= (seen.sum(0) > 0).sum() <= 4
    model, card = attnviz.load("pixel_attention.digits")
    logits = model(torch.from_numpy(seen[None, None].astype(np.float32)) / 255)
    assert card.classes[int(logits.argmax())] == "1"
    expect(sheet(page)).to_be_focused()  # the page has run again


def test_the_cursor_moves_as_in_any_grid_and_says_what_is_under_it(page: Page, address: str) -> None:
    open_pad(page, address)
    active = "(sheet) => sheet.getRootNode().getElementById(sheet.getAttribute('aria-activedescendant'))"
    steps = [
        ("Home", "row 15, column 1: background"),
        ("ArrowLeft", "row 15, column 1: background"),
        ("Control+End", "row 28, column 28: background"),
        ("PageUp", "row 23, column 28: background"),
        ("Control+Home", "row 1, column 1: background"),
        ("PageDown", "row 6, column 1: background"),
        ("End", "row 6, column 28: background"),
        ("Space", "row 6, column 28: ink"),
        ("ArrowLeft", "row 6, column 27: the edge of ink"),
        ("ArrowLeft", "row 6, column 26: background"),
    ]
    for key, words in steps:
        press(page, key)
        assert sheet(page).evaluate(f"(sheet) => ({active})(sheet).textContent") == words
    cell, row = "gridcell", sheet(page).locator("[role=row]")
    expect(row).to_have_attribute("aria-rowindex", "6")
    expect(row.get_by_role(cell)).to_have_attribute("aria-colindex", "26")
    expect(sheet(page)).to_have_attribute("aria-rowcount", "28")
    assert pad(page).locator(".sheet, .sheet [tabindex]").count() == 1


def test_space_inks_and_takes_away_again_and_delete_erases(page: Page, address: str) -> None:
    open_pad(page, address)
    press(page, "Space")
    assert raster(page)[145, 145] == 255
    assert said(page) == "Ink at row 15, column 15."
    press(page, "Space")
    assert not raster(page).any()
    assert said(page) == "Erased at row 15, column 15."
    press(page, "Space", "Shift+ArrowUp", "Shift+ArrowUp", "Delete")
    assert raster(page)[125, 145] == 0
    assert raster(page)[150, 145] == 255
    press(page, "ArrowDown", "Backspace")
    assert raster(page)[135, 145] == 0


def test_a_line_of_keys_is_one_step_and_another_tool_begins_another(page: Page, address: str) -> None:
    open_pad(page, address)
    press(page, *["Shift+ArrowUp"] * 4, *["Shift+ArrowLeft"] * 3)
    assert wait_for(page, strokes=1)
    line = raster(page)
    button(page, "Erase").click()
    press(page, "Shift+ArrowRight", "Shift+ArrowRight")
    wait_for(page, strokes=2)
    assert raster(page).sum() < line.sum()
    press(page, "Control+z")
    np.testing.assert_array_equal(raster(page), line)
    press(page, "Control+z")
    assert not raster(page).any()
    press(page, "Control+z")
    assert said(page) == "Nothing to undo."


# Steps


def test_undo_and_redo_give_back_the_same_pixels(page: Page, address: str) -> None:
    open_pad(page, address)
    seen = [raster(page)]

    def note() -> None:
        seen.append(raster(page))

    stroke(page, *EIGHT)
    note()
    stroke(page, (60, 220), (220, 220))
    note()
    button(page, "Erase").click()
    stroke(page, (140, 40), (140, 240))
    note()
    button(page, "Clear").click()
    wait_for(page, strokes=0)
    note()
    button(page, "Start from a drawn 4").click()
    wait_for(page, empty=False)
    note()
    button(page, "Ink").click()
    stroke(page, (30, 30), (250, 250))
    note()
    for wanted in seen[-2::-1]:
        page.keyboard.press("Control+z")
        np.testing.assert_array_equal(raster(page), wanted)
    expect(button(page, "Undo")).to_have_attribute("aria-disabled", "true")
    for number, wanted in enumerate(seen[1:]):
        page.keyboard.press("Control+y" if number % 2 else "Control+Shift+z")
        np.testing.assert_array_equal(raster(page), wanted)
    expect(button(page, "Redo")).to_have_attribute("aria-disabled", "true")
    button(page, "Undo").click()
    stroke(page, (20, 140), (60, 140))
    expect(button(page, "Redo")).to_have_attribute("aria-disabled", "true")  # another way was taken


def test_another_drawing_in_the_middle_of_a_stroke_leaves_the_stroke(page: Page, address: str) -> None:
    open_pad(page, address)
    stroke(page, *EIGHT)
    page.mouse.move(*place(page, 40, 240))
    page.mouse.down()
    page.mouse.move(*place(page, 140, 240), steps=6)
    button(page, "Clear").evaluate("(button) => button.click()")
    page.mouse.move(*place(page, 240, 240), steps=6)
    page.mouse.up()
    wait_for(page, strokes=1)
    found = raster(page)
    assert (found[240, 50:230] == 255).all()
    assert not found[:200].any()


def test_digits_to_start_from_are_the_samples_and_can_be_drawn_on(page: Page, address: str) -> None:
    open_pad(page, address)
    images, labels = data.load("strokes", "test", count=64)
    number = int(np.flatnonzero(labels == 7)[0])
    button(page, "Start from a drawn 7").click()
    wait_for(page, base=f"strokes.{number}")
    picture = images[number, :, :, 0]
    np.testing.assert_array_equal(raster(page), np.kron(picture, np.ones((10, 10), np.uint8)))
    np.testing.assert_array_equal(prepare(raster(page)).picture, picture)
    assert said(page) == "Start from a drawn 7. You can draw on it and erase it."
    page.wait_for_url(f"**start=strokes.{number}*")
    stroke(page, (20, 250), (260, 250))
    assert (raster(page)[250, 30:250] == 255).all()
    button(page, "Erase").click()
    stroke(page, (140, 20), (140, 260))
    assert not raster(page)[30:240, 140].any()


# For everyone


@pytest.mark.parametrize(
    ("width", "scheme", "zoom"),
    [(1280, "light", 1), (375, "dark", 2), (640, "light", 2)],
    ids=["wide", "phone", "zoomed"],
)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    new_page: NewPage, address: str, width: int, scheme: str, zoom: int
) -> None:
    page = new_page(viewport={"width": width, "height": 700}, color_scheme=scheme, device_scale_factor=zoom)
    open_pad(page, address)
    for look in ("empty", "keyed", "drawn"):
        if look == "keyed":
            press(page, "ArrowUp", "Space")
        if look == "drawn":
            stroke(page, *EIGHT)
        assert [line for line in axe(page) if "stBidiComponent" in line] == [], look
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = sheet(page).bounding_box()
    assert box
    assert box["width"] == pytest.approx(box["height"], abs=0.5)
    if width == 375:
        assert box["width"] >= 330


def test_in_a_low_window_all_of_the_pad_is_to_be_seen(new_page: NewPage, address: str) -> None:
    page = open_pad(new_page(viewport={"width": 640, "height": 360}), address)  # 1280 x 720 at 200 %
    box = sheet(page).bounding_box()
    assert box
    assert 240 <= box["height"] <= 300
    assert box["width"] == pytest.approx(box["height"], abs=0.5)
    stroke(page, (20, 20), (260, 260))
    assert (np.diag(raster(page))[20:260] == 255).all()


def test_tools_are_large_enough_for_a_finger(phone: Page) -> None:
    boxes = (
        pad(phone)
        .locator("button:visible, input:visible")
        .evaluate_all(
            "(all) => all.map((one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height])"
        )
    )
    assert len(boxes) > 15
    assert all(min(box) >= 24 or box == [16, 16] for box in boxes)


def test_nothing_moves_by_itself(page: Page, address: str) -> None:
    open_pad(page, address)
    stroke(page, *EIGHT)
    assert pad(page).evaluate("(root) => root.getAnimations({ subtree: true }).length") == 0
    durations = pad(page).evaluate(
        """(root) => [...root.querySelectorAll("*")].map((one) => getComputedStyle(one)).flatMap(
          (style) => [style.transitionDuration, style.animationDuration])"""
    )
    assert set(durations) <= {"0s"}


def test_what_to_try_first_is_drawn(page: Page, serve: Serve) -> None:
    open_pad(page, f"{serve()}/draw")
    for label, centred in (("a 4, or a 9?", True), ("a small 3, as it is", False), ("the same, centred", True)):
        page.get_by_role("button", name=label).click()
        found = wait_for(page, centred=centred, empty=False, strokes=2 if "4" in label else 1)
        assert f"strokes={found['drawing']}" in page.url
        expect(page.get_by_text("cannot be read")).to_have_count(0)


def test_what_the_models_see_stands_below_with_the_steps_in_words(page: Page, serve: Serve) -> None:
    open_pad(page, f"{serve()}/draw")
    stroke(page, (40, 40), (60, 90), (40, 130))
    for centred in (True, False):
        pad(page).get_by_role("checkbox", name="centre it").set_checked(centred)
        prepared = prepare(raster(page), centred=centred)
        expect(pad(page).locator(".how")).to_have_text(prepared.words.replace(" x ", " \u00d7 "))
        page.wait_for_function(
            "([root, wanted]) => root.readSeen().join() === wanted.join()",
            arg=[pad(page).element_handle(), prepared.picture.ravel().tolist()],
        )
    page.wait_for_url("**centred=no*")
