"""The pixel viewer under real pointers, keys and fingers."""

from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from ..apps.pixel_viewer import make_view
from ..conftest import COMPONENTS, NewPage, Serve, walk
from .viewers import (
    COLUMNS,
    PHONE,
    ROWS,
    Open,
    assert_same,
    choose,
    click,
    compute_maps,
    hover,
    locate,
    read_map,
    read_viewer,
    wait_for_view,
)


def test_hover_then_lock_then_key_then_lock(opened: Open) -> None:
    page = opened()
    hover(page, 1, 2)
    assert read_viewer(page)["query"] == [1, 2]
    hover(page, 3, 3)
    assert read_viewer(page)["query"] == [3, 3]
    click(page, 3, 3)
    hover(page, 0, 6)
    assert (read_viewer(page)["query"], read_viewer(page)["key"]) == ([3, 3], [0, 6])
    hover(page, 4, 4, "large")
    assert (read_viewer(page)["query"], read_viewer(page)["key"]) == ([3, 3], [4, 4])
    click(page, 4, 4)
    hover(page, 0, 0)
    assert (read_viewer(page)["query"], read_viewer(page)["key"]) == ([3, 3], [4, 4])
    wait_for_view(page, query=[3, 3], key=[4, 4])


def test_escape_lets_go_of_one_at_a_time(opened: Open) -> None:
    page = opened()
    click(page, 3, 3)
    click(page, 4, 4)
    wait_for_view(page, query=[3, 3], key=[4, 4])
    page.keyboard.press("Escape")
    wait_for_view(page, query=[3, 3], key=None)
    hover(page, 1, 1)
    assert (read_viewer(page)["query"], read_viewer(page)["key"]) == ([3, 3], [1, 1])
    page.keyboard.press("Escape")
    wait_for_view(page, query=None, key=None)
    hover(page, 2, 1)
    assert read_viewer(page)["query"] == [2, 1]


def test_in_gives_to_the_held_pixel_is_the_key(opened: Open) -> None:
    page = opened()
    click(page, 3, 3)
    choose(page, "Gives to")
    assert read_viewer(page)["key"] == [3, 3]
    hover(page, 1, 5)
    assert (read_viewer(page)["query"], read_viewer(page)["key"]) == ([1, 5], [3, 3])
    wait_for_view(page, key=[3, 3], query=None, direction="to")


def test_received_needs_no_pointer(opened: Open) -> None:
    page = opened("direction=received")
    assert read_viewer(page)["query"] is None
    assert_same(read_map(page, 1), make_view().received[1])
    click(page, 1, 1)
    wait_for_view(page, key=[1, 1], query=None, direction="received")


def test_keys_do_what_the_pointer_does(opened: Open) -> None:
    page = opened()
    page.locator(".board.picture").focus()
    start = read_viewer(page)["query"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert read_viewer(page)["query"] == [start[0] - 1, start[1] + 1]
    page.keyboard.press("Control+Home")
    assert read_viewer(page)["query"] == [0, 0]
    page.keyboard.press("ArrowLeft")
    assert read_viewer(page)["query"] == [0, 0]
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+End")
    assert (read_viewer(page)["query"], read_viewer(page)["key"]) == ([0, 6], [4, 6])
    page.keyboard.press("Enter")
    wait_for_view(page, query=[0, 6], key=[4, 6])
    page.keyboard.press("Escape")
    wait_for_view(page, query=[0, 6], key=None)


def test_a_head_is_chosen_by_pointer_or_keyboard(opened: Open) -> None:
    page = opened()
    tiles = page.locator(".wall-part").get_by_role("gridcell")
    expect(tiles).to_have_count(4)
    box = tiles.nth(1).bounding_box()
    assert box
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    expect(tiles.nth(1)).to_have_attribute("aria-selected", "true")
    wait_for_view(page, head=1)
    tiles.nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_view(page, head="mean")
    weights = compute_maps(make_view(), "weights").mean(axis=0)
    found = read_viewer(page)
    assert found["weight"] == pytest.approx(weights[found["queryToken"], found["keyToken"]], rel=1e-9)


def test_nothing_is_sent_while_the_pointer_moves(opened: Open, serve: Serve, new_page: NewPage) -> None:
    page = new_page()
    sent: list[Any] = []

    # Playwright cannot listen with a builtin such as sent.append.
    def note(frame: Any) -> None:
        sent.append(frame)

    def note_request(request: Request) -> None:
        if "/static/" not in request.url:  # Streamlit fetches what it needs for code blocks when one stands there
            sent.append(request.url)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.on("request", note_request)
    walk(page, f"{serve(COMPONENTS)}/pixel_viewer", ".viewer[data-drawn]")
    before = len(sent)
    for row in range(ROWS):
        for column in range(COLUMNS):
            hover(page, row, column)
    assert read_viewer(page)["query"] == [ROWS - 1, COLUMNS - 1]
    assert len(sent) == before
    click(page, 0, 0)
    wait_for_view(page, query=[0, 0])
    assert len(sent) > before


# Touch


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Move one finger from one place to another, in eight steps."""
    session = page.context.new_cdp_session(page)

    def send(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": start[0], "y": start[1]})
    for step in range(1, 9):
        x, y = (start[axis] + (end[axis] - start[axis]) * step / 8 for axis in (0, 1))
        send("touchMove", {"x": x, "y": y})
    send("touchEnd")


def read_scroll(page: Page) -> float:
    return float(page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTop"))


def test_a_tap_looks_a_second_tap_locks(opened: Open) -> None:
    page = opened(**PHONE)
    page.touchscreen.tap(*locate(page, 1, 2))
    assert read_viewer(page)["query"] == [1, 2]
    page.touchscreen.tap(*locate(page, 3, 4))
    assert read_viewer(page)["query"] == [3, 4]
    settled_before = page.locator("[data-testid=stCode]").inner_text()
    assert '"query"' not in settled_before or "null" in settled_before
    page.touchscreen.tap(*locate(page, 3, 4))
    wait_for_view(page, query=[3, 4])
    page.touchscreen.tap(*locate(page, 0, 0))
    page.touchscreen.tap(*locate(page, 0, 0))
    wait_for_view(page, query=[3, 4], key=[0, 0])
    page.get_by_role("button", name="release").click()
    wait_for_view(page, query=None, key=None)


def test_one_finger_drags_a_tapped_pixel_and_else_scrolls_the_page(opened: Open) -> None:
    page = opened("heads=24", **PHONE)
    start, end = locate(page, 4, 3), locate(page, 1, 3)
    page.touchscreen.tap(*start)
    assert read_viewer(page)["query"] == [4, 3]
    swipe(page, start, end)
    assert read_viewer(page)["query"] == [1, 3]
    assert read_scroll(page) == 0

    x, y = locate(page, 4, 6)
    swipe(page, (x, y), (x, y - 160))
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 20")
    assert read_viewer(page)["query"] == [1, 3]
