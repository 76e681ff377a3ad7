"""The steps of the worked pair under pointer, keys and fingers, what they light up, and their place on the page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.sweeps import sweep

from ..conftest import find_violations
from .viewers import COLUMNS, PHONE, ROWS, Open
from .worked_pair import find_steps, wait_for_digits


def test_the_pointer_lights_a_step_and_says_what_happens_there(opened: Open) -> None:
    page = opened("kind=sum&query=3,3&key=2,5")
    sentence = page.locator(".pair .sentence")
    expect(sentence).to_contain_text("Half of this head\u2019s attention lies on")
    for place, words in enumerate(["number by number", "add up to 1", "times the weight", "a sum over all pairs"]):
        find_steps(page).nth(place).hover()
        expect(page.locator(".step.lit")).to_have_count(1)
        expect(find_steps(page).nth(place)).to_have_attribute("aria-current", "step")
        expect(sentence).to_contain_text(words)
    page.mouse.move(0, 0)
    expect(page.locator(".step.lit")).to_have_count(0)
    expect(sentence).to_contain_text("Half of this head\u2019s attention lies on")


def test_a_lit_step_has_the_colour_of_its_role(opened: Open) -> None:
    page = opened("kind=sum&query=3,3&key=2,5", color_scheme="light")
    colours = []
    for place in range(4):
        find_steps(page).nth(place).hover()
        expect(find_steps(page).nth(place)).to_have_class(re.compile("lit"))
        colours.append(find_steps(page).nth(place).evaluate("(step) => getComputedStyle(step).borderLeftColor"))
    orange, blue, green = "rgb(179, 74, 12)", "rgb(31, 111, 178)", "rgb(5, 105, 74)"
    assert colours == [orange, blue, green, green]


def test_arrows_walk_the_steps(opened: Open) -> None:
    page = opened("kind=sum&query=3,3&key=2,5")
    buttons = page.locator(".step button.number")
    buttons.first.focus()
    for press, at in [("ArrowDown", 1), ("ArrowDown", 2), ("End", 3), ("ArrowDown", 3), ("ArrowUp", 2), ("Home", 0)]:
        page.keyboard.press(press)
        expect(buttons.nth(at)).to_be_focused()
        expect(find_steps(page).nth(at)).to_have_class(re.compile("lit"))
        expect(page.locator(".step button.number[tabindex='0']")).to_have_count(1)
    expect(buttons.first).to_have_accessible_name("Step 1: score")
    expect(buttons.first).to_have_accessible_description(re.compile("Multiply the query by the key"))
    page.keyboard.press("Tab")  # to the word in the step, which is a term
    expect(page.locator(".step.score .term").first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(buttons.first).to_be_focused()
    page.get_by_role("radio", name="Weights").focus()
    expect(page.locator(".step.lit")).to_have_count(0)


def test_a_tap_lights_a_step_and_it_stays_lit(opened: Open) -> None:
    page = opened("kind=sum&heads=8&size=8&query=3,3&key=2,5", **PHONE)
    for place in (2, 3, 1):
        find_steps(page).nth(place).tap()
        expect(find_steps(page).nth(place)).to_have_class(re.compile("lit"))
        expect(page.locator(".step.lit")).to_have_count(1)
    pair, picture = page.locator(".pair").bounding_box(), page.locator(".picture-part").bounding_box()
    assert pair and picture
    assert pair["x"] + pair["width"] <= 375


# On the maps

ROLES = {"query": (179, 74, 12), "key": (31, 111, 178), "value": (5, 105, 74)}  # in the light theme
PAINTED = """(canvas, colours) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const counts = colours.map(() => 0);
  for (let at = 0; at < data.length; at += 4) {
    const which = colours.findIndex((colour) => colour.every((part, i) => part === data[at + i]));
    if (which >= 0) counts[which] += 1;
  }
  return counts;
}"""


def count_painted(page: Page, lit: str) -> dict[str, int]:
    """Wait until a step has lit up the maps; return how many pixels of the chosen map have the colour of each role."""
    expect(page.locator(".viewer")).to_have_attribute("data-lit", lit)
    counts = page.locator(".board.large canvas").evaluate(PAINTED, [list(colour) for colour in ROLES.values()])
    return dict(zip(ROLES, counts, strict=True))


def read_frame(page: Page, selector: str) -> str:
    return str(page.locator(selector).evaluate("(part) => getComputedStyle(part).boxShadow"))


def test_the_lit_step_shows_on_the_maps_what_it_is_about(opened: Open) -> None:
    page = opened("kind=sum&heads=8&query=3,3&key=2,5", color_scheme="light")
    find_steps(page).nth(0).hover()
    score = count_painted(page, "score")
    find_steps(page).nth(1).hover()
    softmax = count_painted(page, "softmax")
    assert score["query"] > softmax["query"] > 0
    assert score["key"] > softmax["key"] > 0
    assert "rgb(31, 111, 178)" in read_frame(page, ".board.large")
    assert "rgb(31, 111, 178)" in read_frame(page, ".wall .tile.chosen .frame")
    find_steps(page).nth(2).hover()
    value = count_painted(page, "value")
    assert value["value"] > 0 == softmax["value"] == value["key"], "the key's frame is the value's now"
    assert value["query"] == softmax["query"]
    find_steps(page).nth(3).hover()
    assert count_painted(page, "share") == softmax
    assert "rgb(5, 105, 74)" in read_frame(page, ".answer .class.first")
    page.mouse.move(0, 0)
    assert count_painted(page, "") == softmax
    assert "rgb(31, 111, 178)" not in read_frame(page, ".board.large")
    assert read_frame(page, ".answer .class.first") == "none"


def test_what_a_lit_step_is_about_follows_the_pointer_and_the_direction(opened: Open) -> None:
    page = opened("kind=sum&query=3,3", color_scheme="light")
    page.locator(".step.value button.number").focus()
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    for row, column in [(0, 1), (4, 5)]:
        page.mouse.move(
            box["x"] + (column + 0.5) * box["width"] / COLUMNS, box["y"] + (row + 0.5) * box["height"] / ROWS
        )
        assert wait_for_digits(page)["key"] == [row, column]
        at = [(column + 0.5) / COLUMNS, row / ROWS]
        edge = page.locator(".board.large canvas").evaluate(
            """(canvas, [x, y]) => [...canvas.getContext("2d")
              .getImageData(x * canvas.width, Math.max(0, y * canvas.height - 2), 1, 1).data].slice(0, 3)""",
            at,
        )
        assert tuple(edge) == ROLES["value"]
    page.keyboard.press("ArrowUp")
    plain = count_painted(page, "softmax")
    page.get_by_role("radio", name="Gives to").check()
    find_steps(page).nth(1).hover()
    assert count_painted(page, "weight")["query"] > plain["query"], "the pair's weight lies at the query"
    page.wait_for_url("**direction=to*")  # settled, before another test opens the page


# Its place


@pytest.mark.parametrize("words", ["rows=14&columns=14&query=3,3", "rows=28&columns=28&head=mean&direction=received"])
def test_picture_pair_and_the_first_heads_are_visible_together(opened: Open, words: str) -> None:
    page = opened(f"kind=sum&heads=8&size=8&{words}")
    top, tile = page.locator(".viewer").bounding_box(), page.locator(".wall-part .frame").first.bounding_box()
    sentence = page.locator(".pair .sentence").bounding_box()
    assert top and tile and sentence
    assert tile["y"] + tile["height"] - top["y"] <= 720 - 215
    assert sentence["y"] + sentence["height"] <= tile["y"]


@pytest.mark.parametrize("width", sweep([375, 700, 900, 1100, 1280], lambda width: width in (375, 1280)))
def test_numbers_have_room_in_every_window(opened: Open, width: int) -> None:
    page = opened("kind=sum&heads=8&size=8&query=3,3&key=2,5", viewport={"width": width, "height": 720})
    wait_for_digits(page)
    cells = page.locator(".step :is(.cell.product, .cell.taken):visible")
    expect(cells).to_have_count(16)
    room = cells.evaluate_all("(cells) => cells.map((cell) => cell.scrollWidth - cell.clientWidth)")
    assert max(room) <= 4, room
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_moves_while_the_pointer_does(opened: Open) -> None:
    page = opened("kind=sum&heads=8&size=8&rows=14&columns=14&direction=to")
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    heights = set()
    for part in (0.1, 0.3, 0.5, 0.7, 0.9):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + part * box["height"])
        wait_for_digits(page)
        pair = page.locator(".pair").bounding_box()
        assert pair
        heights.add(round(pair["height"], 1))
    assert len(heights) == 1


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened("kind=sum&heads=8&size=8&query=1,1&key=5,7", color_scheme=scheme)
    wait_for_digits(page)
    page.locator(".step.softmax button.number").focus()
    assert [line for line in find_violations(page) if "stBidiComponent" in line] == []
