"""The tools of the pad: undo and redo, digits to start from, and that everybody can use them."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz import data
from attnviz.data.inputs.digit import prepare

from ..conftest import NewPage, Serve, find_violations
from ..pads import (
    EIGHT,
    draw_stroke,
    find_button,
    find_pad,
    find_sheet,
    locate,
    open_pad,
    press,
    read_announcement,
    read_raster,
    wait_for,
)


def test_undo_and_redo_give_back_the_same_pixels(page: Page, address: str) -> None:
    open_pad(page, address)
    seen = [read_raster(page)]

    def note() -> None:
        seen.append(read_raster(page))

    draw_stroke(page, *EIGHT)
    note()
    draw_stroke(page, (60, 220), (220, 220))
    note()
    find_button(page, "Erase").click()
    draw_stroke(page, (140, 40), (140, 240))
    note()
    find_button(page, "Clear").click()
    wait_for(page, strokes=0)
    note()
    find_button(page, "Start from a drawn 4").click()
    wait_for(page, empty=False)
    note()
    find_button(page, "Ink").click()
    draw_stroke(page, (30, 30), (250, 250))
    note()
    for wanted in seen[-2::-1]:
        page.keyboard.press("Control+z")
        np.testing.assert_array_equal(read_raster(page), wanted)
    expect(find_button(page, "Undo")).to_have_attribute("aria-disabled", "true")
    for number, wanted in enumerate(seen[1:]):
        page.keyboard.press("Control+y" if number % 2 else "Control+Shift+z")
        np.testing.assert_array_equal(read_raster(page), wanted)
    expect(find_button(page, "Redo")).to_have_attribute("aria-disabled", "true")
    find_button(page, "Undo").click()
    draw_stroke(page, (20, 140), (60, 140))
    expect(find_button(page, "Redo")).to_have_attribute("aria-disabled", "true")  # another way was taken


@pytest.mark.slow
def test_another_drawing_in_the_middle_of_a_stroke_leaves_the_stroke(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    page.mouse.move(*locate(page, 40, 240))
    page.mouse.down()
    page.mouse.move(*locate(page, 140, 240), steps=6)
    find_button(page, "Clear").evaluate("(button) => button.click()")
    page.mouse.move(*locate(page, 240, 240), steps=6)
    page.mouse.up()
    wait_for(page, strokes=1)
    found = read_raster(page)
    assert (found[240, 50:230] == 255).all()
    assert not found[:200].any()


def test_digits_to_start_from_are_the_samples_and_can_be_drawn_on(page: Page, address: str) -> None:
    open_pad(page, address)
    images, labels = data.load("strokes", "test", count=64)
    number = int(np.flatnonzero(labels == 7)[0])
    find_button(page, "Start from a drawn 7").click()
    wait_for(page, base=f"strokes.{number}")
    picture = images[number, :, :, 0]
    np.testing.assert_array_equal(read_raster(page), np.kron(picture, np.ones((10, 10), np.uint8)))
    np.testing.assert_array_equal(prepare(read_raster(page)).picture, picture)
    assert read_announcement(page) == "Start from a drawn 7. You can draw on it and erase it."
    page.wait_for_url(f"**start=strokes.{number}*")
    draw_stroke(page, (20, 250), (260, 250))
    assert (read_raster(page)[250, 30:250] == 255).all()
    find_button(page, "Erase").click()
    draw_stroke(page, (140, 20), (140, 260))
    assert not read_raster(page)[30:240, 140].any()


# For everyone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme", "zoom"),
    [(1280, "light", 1), (375, "dark", 2), (640, "light", 2)],
    ids=["wide", "phone", "zoomed"],
)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    kept_page: NewPage, address: str, width: int, scheme: str, zoom: int
) -> None:
    page = kept_page(viewport={"width": width, "height": 700}, color_scheme=scheme, device_scale_factor=zoom)
    open_pad(page, address)
    for look in ("empty", "keyed", "drawn"):
        if look == "keyed":
            press(page, "ArrowUp", "Space")
        if look == "drawn":
            draw_stroke(page, *EIGHT)
        assert [line for line in find_violations(page) if "stBidiComponent" in line] == [], look
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = find_sheet(page).bounding_box()
    assert box
    assert box["width"] == pytest.approx(box["height"], abs=0.5)
    if width == 375:
        assert box["width"] >= 235  # of 335: the tools stand beside it, so that the first answers fit below both


def test_in_a_low_window_all_of_the_pad_is_to_be_seen(kept_page: NewPage, address: str) -> None:
    page = open_pad(kept_page(viewport={"width": 640, "height": 360}), address)  # 1280 x 720 at 200 %
    box = find_sheet(page).bounding_box()
    assert box
    assert 240 <= box["height"] <= 300
    assert box["width"] == pytest.approx(box["height"], abs=0.5)
    draw_stroke(page, (20, 20), (260, 260))
    assert (np.diag(read_raster(page))[20:260] == 255).all()


def test_tools_are_large_enough_for_a_finger(phone: Page) -> None:
    boxes = (
        find_pad(phone)
        .locator("button:visible, input:visible")
        .evaluate_all(
            "(all) => all.map((one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height])"
        )
    )
    assert len(boxes) > 15
    assert all(min(box) >= 24 or box == [16, 16] for box in boxes)


def test_nothing_moves_by_itself(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    assert find_pad(page).evaluate("(root) => root.getAnimations({ subtree: true }).length") == 0
    durations = find_pad(page).evaluate(
        """(root) => [...root.querySelectorAll("*")].map((one) => getComputedStyle(one)).flatMap(
          (style) => [style.transitionDuration, style.animationDuration])"""
    )
    assert set(durations) <= {"0s"}


@pytest.mark.slow
def test_what_to_try_first_is_drawn(page: Page, serve: Serve) -> None:
    open_pad(page, f"{serve()}/draw")
    for label, centred in (("a 4, or a 9?", True), ("a small 3, as it is", False), ("the same, centred", True)):
        page.get_by_role("button", name=label).click()
        found = wait_for(page, centred=centred, empty=False, strokes=2 if "4" in label else 1)
        assert f"strokes={found['drawing']}" in page.url
        expect(page.get_by_text("cannot be read")).to_have_count(0)


@pytest.mark.slow
def test_what_the_models_see_stands_below_with_the_steps_in_words(page: Page, serve: Serve) -> None:
    open_pad(page, f"{serve()}/draw")
    draw_stroke(page, (40, 40), (60, 90), (40, 130))
    for centred in (True, False):
        find_pad(page).get_by_role("checkbox", name="centre it").set_checked(centred)
        prepared = prepare(read_raster(page), centred=centred)
        expect(find_pad(page).locator(".how")).to_have_text(prepared.words.replace(" x ", " \u00d7 "))
        page.wait_for_function(
            "([root, wanted]) => root.readSeen().join() === wanted.join()",
            arg=[find_pad(page).element_handle(), prepared.picture.ravel().tolist()],
        )
    page.wait_for_url("**centred=no*")
