"""What stays of a drawing: in the URL, in this tab, among the last drawings of this browser."""

import json

import numpy as np
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.sweeps import sweep

from .conftest import COMPONENTS, NewPage, Problems, Serve, wait_until_ready
from .pads import (
    EIGHT,
    draw_stroke,
    find_button,
    find_pad,
    locate,
    open_pad,
    read_announcement,
    read_pad,
    read_raster,
    wait_for,
)


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return f"{serve(COMPONENTS)}/drawing_pad"


def test_a_link_brings_the_very_same_picture(page: Page, new_page: NewPage, address: str) -> None:
    open_pad(page, address)
    find_button(page, "Start from a drawn 3").click()
    draw_stroke(page, *EIGHT)
    find_button(page, "Erase").click()
    draw_stroke(page, (60, 60), (220, 220))
    find_pad(page).get_by_role("checkbox", name="centre it").uncheck()
    page.wait_for_url("**centred=no*")
    wait_until_ready(page)
    other = open_pad(new_page(), page.url)
    assert wait_for(other, centred=False) == read_pad(page)
    np.testing.assert_array_equal(read_raster(other), read_raster(page))
    expect(find_pad(other).get_by_role("checkbox", name="centre it")).not_to_be_checked()
    expect(find_button(other, "Undo")).to_have_attribute("aria-disabled", "true")


def test_what_is_drawn_outlives_a_reload(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    page.wait_for_url("**strokes=*")
    wait_until_ready(page)
    before = read_raster(page)
    page.reload()
    wait_for(page, strokes=1)
    np.testing.assert_array_equal(read_raster(page), before)


def test_a_stroke_outlives_a_reload_that_finds_the_url_of_the_stroke_before(new_page: NewPage, address: str) -> None:
    """The server puts a stroke into the URL and then tells the pad so; the next stroke may fall between the two."""
    page = new_page()
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    page.wait_for_url("**strokes=*")
    wait_until_ready(page)
    url, first = page.url, {"drawing": read_pad(page)["drawing"], "base": None, "centred": True}
    draw_stroke(page, (60, 220), (220, 220))
    before = read_raster(page)
    both = wait_for(page, strokes=2)["drawing"]
    page.wait_for_url(f"**strokes={both}*")
    wait_until_ready(page)
    kept = json.loads(page.evaluate("sessionStorage['attnviz.drawing']"))
    assert kept["pending"] == [], "the server has answered"
    told = [first, {**first, "drawing": both}]
    kept = {**kept, "known": {**first, "drawing": ""}, "pending": told}
    page.evaluate("(kept) => sessionStorage.setItem('attnviz.drawing', JSON.stringify(kept))", kept)
    page.goto(url)
    wait_for(page, strokes=2)
    np.testing.assert_array_equal(read_raster(page), before)


@pytest.mark.slow
def test_what_is_drawn_while_the_connection_is_lost_is_there_after_a_reload(
    new_page: NewPage, problems: Problems, address: str
) -> None:
    page = new_page()
    problems.expected.append("disconnected from server")
    lost, routes = [False], []

    def connect(route: WebSocketRoute) -> None:
        server = None if lost[0] else route.connect_to_server()
        routes.append(route)
        if server is None:
            route.close()

    page.route_web_socket("**/_stcore/stream", connect)
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    page.wait_for_url("**strokes=*")
    wait_until_ready(page)
    lost[0] = True
    routes[0].close()
    draw_stroke(page, (60, 220), (220, 220))
    before, url = read_raster(page), page.url
    assert read_pad(page)["drawing"] not in url  # the server has not heard of it
    lost[0] = False
    page.goto(url)
    wait_for(page, strokes=2)
    np.testing.assert_array_equal(read_raster(page), before)
    page.wait_for_url(f"**strokes={read_pad(page)['drawing']}*")


def test_a_run_of_the_page_leaves_the_pad_alone_which_starts_none_in_the_middle_of_a_stroke(
    page: Page, address: str
) -> None:
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    page.wait_for_url("**strokes=*")
    page.mouse.move(*locate(page, 60, 240))
    page.mouse.down()
    page.mouse.move(*locate(page, 120, 240), steps=6)
    find_pad(page).get_by_role("checkbox", name="centre it").evaluate("(box) => box.click()")
    page.get_by_label("Run the page").evaluate("(box) => box.click()")
    expect(page.get_by_text("The page has run.")).to_be_visible()
    wait_until_ready(page)
    assert "centred=no" not in page.url
    page.mouse.move(*locate(page, 220, 240), steps=6)
    page.mouse.up()
    wait_for(page, strokes=2)
    assert (read_raster(page)[240, 70:210] == 255).all()
    page.wait_for_url("**centred=no*")


def test_back_brings_the_drawing_before(page: Page, address: str) -> None:
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    page.wait_for_url("**strokes=*")
    wait_until_ready(page)
    first, url = read_raster(page), page.url
    draw_stroke(page, (60, 220), (220, 220))
    page.wait_for_function("(url) => location.href !== url", arg=url)
    wait_until_ready(page)
    page.go_back()
    wait_for(page, strokes=1)
    np.testing.assert_array_equal(read_raster(page), first)
    assert page.url == url
    find_button(page, "Undo").click()
    wait_for(page, strokes=2)


@pytest.mark.slow
def test_the_last_ten_drawings_are_kept_here_and_can_be_forgotten(page: Page, new_page: NewPage, address: str) -> None:
    open_pad(page, address)
    expect(find_pad(page).get_by_text("Your last drawings")).to_be_hidden()
    rows = [20 + 20 * i for i in range(12)]
    seen = []
    for row in rows:
        draw_stroke(page, (40, row), (240, row))
        seen.append(read_raster(page))
        find_button(page, "Clear").click()
        wait_for(page, strokes=0)
    thumbs = find_pad(page).get_by_role("group", name="Your last drawings").get_by_role("button")
    expect(thumbs).to_have_count(10)
    assert page.evaluate("JSON.parse(localStorage.getItem('attnviz.drawings')).length") == 10
    page.reload()
    wait_until_ready(page)
    expect(thumbs).to_have_count(10)
    thumbs.nth(9).click()  # the oldest
    wait_for(page, strokes=1)
    np.testing.assert_array_equal(read_raster(page), seen[2])
    expect(thumbs.nth(9)).to_have_attribute("aria-current", "true")
    draw_stroke(page, (140, 20), (140, 260))  # it is drawn on: the same drawing, in its place
    expect(thumbs).to_have_count(10)
    thumbs.nth(0).click()
    wait_for(page, strokes=1)
    np.testing.assert_array_equal(read_raster(page), seen[-1])
    stranger = open_pad(new_page(), address)
    expect(find_pad(stranger).get_by_role("group", name="Your last drawings").get_by_role("button")).to_have_count(0)
    find_button(page, "Delete them").click()
    expect(thumbs).to_have_count(0)
    assert read_announcement(page) == "Your last drawings were deleted from this browser."
    assert page.evaluate("localStorage.getItem('attnviz.drawings')") is None
    np.testing.assert_array_equal(read_raster(page), seen[-1])


@pytest.mark.slow
def test_where_storage_is_refused_the_pad_works_and_says_that_nothing_is_kept(new_page: NewPage, address: str) -> None:
    page = new_page()
    for name in ("localStorage", "sessionStorage"):
        # Streamlit itself needs them: only our modules are refused.
        page.add_init_script(
            f"""(() => {{
              const real = window.{name};
              Object.defineProperty(window, "{name}", {{ configurable: true, get: () => {{
                if (new Error().stack.includes("memory.js")) throw new DOMException("no", "SecurityError");
                return real;
              }} }});
            }})()"""
        )
    open_pad(page, address)
    draw_stroke(page, *EIGHT)
    expect(find_pad(page).get_by_text("This browser cannot store drawings")).to_be_visible()
    page.wait_for_url("**strokes=*")
    before = read_raster(page)
    page.reload()
    wait_for(page, strokes=1)  # out of the URL
    np.testing.assert_array_equal(read_raster(page), before)


@pytest.mark.slow
def test_where_storage_is_full_the_oldest_go(page: Page, address: str) -> None:
    open_pad(page, address)
    page.evaluate(
        """() => {
          const real = Storage.prototype.setItem;
          Storage.prototype.setItem = function (name, value) {
            const full = name === "attnviz.drawings" && JSON.parse(value).length > 2;
            if (full) throw new DOMException("", "QuotaExceededError");
            return real.call(this, name, value);
          };
        }"""
    )
    for row in (60, 120, 180):
        draw_stroke(page, (40, row), (240, row))
        find_button(page, "Clear").click()
        wait_for(page, strokes=0)
    thumbs = find_pad(page).get_by_role("group", name="Your last drawings").get_by_role("button")
    expect(thumbs).to_have_count(2)
    thumbs.nth(1).click()
    wait_for(page, strokes=1)
    assert read_raster(page)[120, 140] == 255


@pytest.mark.parametrize(
    "kept",
    sweep(
        ["{", '[1, {}, {"id": "a", "strokes": "AAAA"}]', '{"drawing": {"id": "a", "base": 7}}'],
        lambda kept: kept == "{",
    ),
)
def test_damaged_memories_are_forgotten(new_page: NewPage, address: str, kept: str) -> None:
    page = new_page()
    page.add_init_script(
        f"localStorage.setItem('attnviz.drawings', {json.dumps(kept)}); "
        f"sessionStorage.setItem('attnviz.drawing', {json.dumps(kept)});"
    )
    open_pad(page, address)
    assert read_pad(page)["empty"]
    draw_stroke(page, *EIGHT)
    expect(find_pad(page).get_by_role("group", name="Your last drawings").get_by_role("button").first).to_be_visible()


@pytest.mark.slow
def test_another_page_and_back(page: Page, serve: Serve, problems: Problems) -> None:
    open_pad(page, f"{serve()}/draw")
    draw_stroke(page, *EIGHT)
    draw_stroke(page, (60, 220), (220, 220))
    before = read_raster(page)
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="See attention")).to_be_visible()
    page.get_by_role("link", name="Draw", exact=True).click()
    wait_for(page, strokes=2)
    np.testing.assert_array_equal(read_raster(page), before)
    page.wait_for_url("**strokes=*")
    find_button(page, "Undo").click()
    wait_for(page, strokes=1)
