"""Trials as lines: brushed by pointer, finger and keys, chosen, shared by link and saved; offline, in both themes."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz.work.search import trials

from .conftest import NewPage, Serve, assert_accessible, walk

PAPER = "search=schwarz-paper&beside=none"


@pytest.fixture
def app(serve: Serve) -> str:
    return serve()


def open_page(page: Page, address: str) -> Locator:
    """Open the page of searches, and return its first component."""
    walk(page, address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Search")
    lines = page.locator("[data-component=parallel_coordinates]").first
    lines.and_(page.locator("[data-drawn]")).wait_for()
    return lines


def read(lines: Locator) -> dict:
    found: dict = lines.evaluate("(root) => { const { at, ...rest } = root.read(); return rest; }")
    return found


def place(lines: Locator, trial: int, axis: int) -> tuple[float, float]:
    """Return where a trial crosses an axis, in pixels of the page."""
    x, y = lines.evaluate("(root, [trial, axis]) => root.read().at(trial, axis)", [trial, axis])
    box = lines.locator(".chart").bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def drag(page: Page, x: float, start: float, end: float) -> None:
    page.mouse.move(x, start)
    page.mouse.down()
    page.mouse.move(x, (start + end) / 2, steps=3)
    page.mouse.move(x, end, steps=3)
    page.mouse.up()


def end_of(lines: Locator, which: str) -> float:
    """Return how far down the page an end of the brush of heads is."""
    box = lines.get_by_role("slider", name=f"heads: {which} shown").bounding_box()
    assert box is not None
    return box["y"] + box["height"] / 2


def test_a_drag_along_an_axis_keeps_the_trials_that_pass_there(app: str, page: Page) -> None:
    lines = open_page(page, f"{app}/search?{PAPER}")
    paper = trials.shipped("schwarz-paper").trials
    x, low = place(lines, 9, 0)  # one of those with one head
    high = place(lines, 0, 0)[1]  # and one with 25
    drag(page, x, low + 0.75 * (high - low), low + 0.25 * (high - low))  # across the middle
    assert read(lines)["inside"] == [trial.params["heads"] in (8, 15) for trial in paper]
    drag(page, x, end_of(lines, "highest"), low)
    drag(page, x, end_of(lines, "lowest"), low)
    assert read(lines)["inside"] == [trial.params["heads"] == 1 for trial in paper]
    page.wait_for_url("**brush=heads%3A0-0*")
    expect(lines.locator(".summary")).to_contain_text("8 of 33 trials")
    lines.get_by_role("button", name="show all").click()
    expect(lines.locator(".summary")).to_contain_text("All 33 trials")
    assert all(read(lines)["inside"])


def test_keys_move_the_ends_of_a_brush_and_say_where_they_are(app: str, page: Page) -> None:
    lines = open_page(page, f"{app}/search?{PAPER}")
    lowest = lines.get_by_role("slider", name="heads: lowest shown")
    lowest.focus()
    for words in ("8", "15", "25"):
        page.keyboard.press("ArrowUp")
        expect(lowest).to_have_attribute("aria-valuetext", words)
    assert sum(read(lines)["inside"]) == 23
    page.keyboard.press("Delete")
    expect(lowest).to_have_attribute("aria-valuetext", "1")


def test_a_finger_brushes_without_scrolling(app: str, kept_page: NewPage) -> None:
    page = kept_page(viewport={"width": 375, "height": 700}, has_touch=True, is_mobile=True)
    lines = open_page(page, f"{app}/search?{PAPER}")
    lines.locator(".chart").scroll_into_view_if_needed()
    before = lines.bounding_box()
    x, y = place(lines, 9, 0)
    cdp = page.context.new_cdp_session(page)
    top = end_of(lines, "highest")
    touches = [("touchStart", top), ("touchMove", (top + y) / 2), ("touchMove", y)]
    for kind, at in touches:
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at}]})
    cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(lines.locator(".summary")).to_contain_text("8 of 33 trials")
    assert lines.bounding_box() == before


def test_a_trial_is_read_chosen_and_linked(app: str, page: Page) -> None:
    lines = open_page(page, f"{app}/search?{PAPER}")
    (x, y), (right, down) = place(lines, 32, 3), place(lines, 32, 4)
    page.mouse.move(x + 0.8 * (right - x), y + 0.8 * (down - y))
    expect(
        lines.get_by_text("Trial 33: heads 15, skip no, learning rate 0.01, dropout 0.8; accuracy 0.9680")
    ).to_be_visible()
    page.mouse.click(x + 0.8 * (right - x), y + 0.8 * (down - y))
    page.wait_for_url("**trial=33*")
    expect(page.get_by_text("Trial 33: heads 15").last).to_be_visible()
    lines.get_by_role("button", name="better").click()
    page.wait_for_url(lambda url: "trial=33" not in url and "trial=" in url)
    open_page(page, f"{app}/search?{PAPER}&trial=33&brush=accuracy:0-0.5")
    assert read(lines)["chosen"] == 32
    assert read(lines)["brushes"][4] == [0, 0.5]


def test_nonsense_in_the_link_is_a_sentence_in_the_component(app: str, page: Page) -> None:
    lines = open_page(page, f"{app}/search?{PAPER}&trial=999&brush=nonsense")
    expect(lines.get_by_text("The URL asks for brush")).to_be_visible()
    assert all(read(lines)["inside"])


def test_lines_and_numbers_can_be_saved(app: str, page: Page, tmp_path: Path) -> None:
    lines = open_page(page, f"{app}/search?{PAPER}&brush=heads:0-0")
    saved = {}
    for name in ("CSV", "SVG", "PNG"):
        with page.expect_download() as download:
            lines.get_by_role("button", name=name).click()
        saved[name] = tmp_path / name
        download.value.save_as(saved[name])
    rows = [line for line in saved["CSV"].read_text().splitlines() if not line.startswith("#")]
    assert rows[0] == "trial,heads,skip,learning_rate,dropout,accuracy,ended early,brushed"
    assert rows[1] == "1,25,no,0.001,0.8,0.991,,no"
    assert sum(row.endswith("yes") for row in rows) == 8
    origin = json.loads(saved["SVG"].read_text().partition("<metadata>")[2].partition("<")[0].replace("&quot;", '"'))
    assert origin["brush"] == "heads:0-0"
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_it_is_accessible_and_fits(app: str, kept_page: NewPage, width: int, scheme: str) -> None:
    page = kept_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    open_page(page, f"{app}/search?{PAPER}")
    assert_accessible(page)
    assert page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollWidth <= main.clientWidth")
