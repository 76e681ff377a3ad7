"""The pad under mouse, pen and fingers."""

import numpy as np
import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.sweeps import sweep

from ..conftest import NewPage, wait_until_ready
from ..pads import (
    PEN,
    draw_stroke,
    find_button,
    find_pad,
    find_sheet,
    locate,
    open_pad,
    read_pad,
    read_python,
    read_raster,
    wait_for,
)
from ..strokes_format import make_stroke
from ..strokes_format import rasterise as computed


def test_a_mouse_draws_what_its_way_covers_and_python_hears_of_it_once_it_rests(page: Page, address: str) -> None:
    open_pad(page, address)
    assert read_pad(page)["empty"]
    draw_stroke(page, (80, 200), (80, 60), (200, 60))
    wanted = computed([make_stroke("ink", PEN, (80, 200), (80, 60)), make_stroke("ink", PEN, (80, 60), (200, 60))])
    assert (
        np.abs(read_raster(page).astype(int) - wanted) > 32
    ).sum() < 120  # of 6,000: at the corner, which is rounded
    page.wait_for_url("**strokes=*")
    drawing = read_pad(page)["drawing"]
    expect(page.locator("code")).to_contain_text(drawing[:60])
    assert read_python(page) == {"drawing": drawing, "base": None, "centred": True}
    assert f"strokes={drawing}" in page.url


def test_ink_is_on_the_screen_when_the_event_has_been_handled_whatever_the_server_does(
    page: Page, address: str
) -> None:
    """No frame, answer or run of the page lies between the event and the paint."""
    open_pad(page, address)
    shown = find_pad(page).evaluate(
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


@pytest.mark.parametrize("scheme", sweep(["light", "dark"], lambda scheme: scheme == "dark"))
def test_paper_and_ink_are_those_of_the_theme(kept_page: NewPage, address: str, scheme: str) -> None:
    page = open_pad(kept_page(color_scheme=scheme), address)
    draw_stroke(page, (100, 140), (180, 140))
    colours = (
        find_sheet(page)
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
    find_pad(page).get_by_role("slider", name="Width").fill("40")
    draw_stroke(page, (40, 140), (240, 140))
    assert 38 <= (read_raster(page)[:, 140] > 127).sum() <= 42
    find_button(page, "Erase").click()
    expect(find_button(page, "Erase")).to_have_attribute("aria-pressed", "true")
    find_pad(page).get_by_role("slider", name="Width").fill("10")
    draw_stroke(page, (140, 60), (140, 220))
    found = read_raster(page)
    assert (found[100:180, 140] == 0).all()
    assert (found[140, [80, 200]] == 255).all()
    assert 8 <= (found[140] < 128).sum() - (found[140, :30] < 128).sum() - (found[140, 250:] < 128).sum() <= 12


def move_pen(session: CDPSession, kind: str, place: tuple[float, float], force: float) -> None:
    session.send(
        "Input.dispatchMouseEvent",
        {"type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": 1, "clickCount": 1,
         "pointerType": "pen", "force": force},
    )  # fmt: skip


@pytest.mark.slow
def test_a_pen_that_presses_harder_draws_wider(page: Page, address: str) -> None:
    open_pad(page, address)
    session = page.context.new_cdp_session(page)
    for row, force in ((60, 0.1), (140, 0.5), (220, 1.0)):
        move_pen(session, "mousePressed", locate(page, 40, row), force)
        for x in range(60, 241, 20):
            move_pen(session, "mouseMoved", locate(page, x, row), force)
        move_pen(session, "mouseReleased", locate(page, 240, row), force)
    wait_for(page, strokes=3)
    found = read_raster(page) > 127
    widths = [found[row - 30 : row + 30, 140].sum() for row in (60, 140, 220)]
    assert widths == pytest.approx([PEN * 0.52, PEN, PEN * 1.6], abs=1.5)
    page.wait_for_url(f"**strokes={read_pad(page)['drawing']}*")
    page.reload()
    wait_until_ready(page)
    wait_for(page, strokes=3)
    np.testing.assert_array_equal(read_raster(page) > 127, found)


def test_a_mouse_draws_with_one_width_whatever_pressure_it_reports(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, (40, 140), (240, 140))
    assert (read_raster(page)[:, 140] > 127).sum() == pytest.approx(PEN, abs=1)
    assert '"pressures":null' in find_pad(page).evaluate("(root) => JSON.stringify(root.readDrawing().strokes)")


def test_a_pen_that_is_turned_around_erases(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, (40, 140), (240, 140))
    find_sheet(page).evaluate(
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
    assert not read_raster(page)[:, 140].any()
    assert read_raster(page)[140, 60] == 255


def move_fingers(session: CDPSession, kind: str, *places: tuple[float, float]) -> None:
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def read_scroll(page: Page) -> float:
    return float(page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop"))


def test_one_finger_draws_on_the_pad_and_scrolls_everywhere_else(phone: Page) -> None:
    session = phone.context.new_cdp_session(phone)

    def drag(x: float, start: float, end: float) -> None:
        move_fingers(session, "touchStart", (x, start))
        for step in range(1, 13):
            move_fingers(session, "touchMove", (x, start + (end - start) * step / 12))
        move_fingers(session, "touchEnd")

    (x, start), (_, end) = locate(phone, 140, 240), locate(phone, 140, 40)
    before = read_scroll(phone)
    drag(x, start, end)
    wait_for(phone, strokes=1)
    assert read_scroll(phone) == before
    assert (read_raster(phone)[60:220, 140] == 255).all()
    words = find_pad(phone).locator(".how").bounding_box()
    assert words
    drag(words["x"] + 40, words["y"] + 8, words["y"] - 192)
    phone.wait_for_function(
        "(before) => document.querySelector('[data-testid=stMain]').scrollTop > before + 50", arg=before
    )
    assert read_pad(phone)["strokes"] == 1


def test_of_two_fingers_the_first_draws(phone: Page) -> None:
    session = phone.context.new_cdp_session(phone)
    one, other = locate(phone, 60, 60), locate(phone, 220, 60)
    move_fingers(session, "touchStart", one)
    move_fingers(session, "touchStart", one, other)
    for y in range(80, 221, 20):
        move_fingers(session, "touchMove", locate(phone, 60, y), locate(phone, 220, y))
    move_fingers(session, "touchEnd")
    wait_for(phone, strokes=1)
    found = read_raster(phone)
    assert (found[80:200, 60] == 255).all()
    assert not found[:, 140:].any()


def test_a_hand_that_leaves_the_pad_and_comes_back_draws_one_stroke(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, (200, 100), (400, 100), (400, 200), (200, 200), steps=12)
    found = read_raster(page)
    assert (found[100, 210:] == 255).all()
    assert (found[200, 210:] == 255).all()
    assert not found[130:170].any()
