"""The pixel viewer under real pointers, keys and fingers; its numbers against float64 computed apart."""

import csv
import io
import json
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Download, Locator, Page, Route, expect

from attnviz.ui.components.pixel_viewer import AttentionView

from .apps.pixel_viewer import make_view
from .conftest import NewPage, Serve, axe, listen, ready

APP = "tests/browser/apps/pixel_viewer.py"
ROWS, COLUMNS = 5, 7
Open = Callable[..., Page]


@pytest.fixture
def opened(serve: Serve, new_page: NewPage) -> Open:
    """Return a function that opens the viewer's page; the address's words, and options of the page."""

    def open_viewer(words: str = "", **options: Any) -> Page:
        page = new_page(**options)
        page.goto(f"{serve(APP)}/?{words}")
        ready(page)
        viewer(page).and_(page.locator("[data-reading]")).wait_for()
        return page

    return open_viewer


def viewer(page: Page) -> Locator:
    return page.locator(".viewer")


def reading(page: Page) -> dict[str, Any]:
    return json.loads(viewer(page).get_attribute("data-reading") or "{}")


def read_map(page: Page, head: int | str) -> np.ndarray:
    return np.array(viewer(page).evaluate("(root, head) => Array.from(root.readMap(head))", head))


def place(page: Page, row: int, column: int, board: str = "picture") -> tuple[float, float]:
    """Return where in the window the middle of a cell is."""
    box = page.locator(f".board.{board} canvas").bounding_box()
    assert box
    return box["x"] + (column + 0.5) * box["width"] / COLUMNS, box["y"] + (row + 0.5) * box["height"] / ROWS


def hover(page: Page, row: int, column: int, board: str = "picture") -> None:
    page.mouse.move(*place(page, row, column, board))


def click(page: Page, row: int, column: int, board: str = "picture") -> None:
    page.mouse.click(*place(page, row, column, board))


def settled(page: Page, **fields: Any) -> None:
    """Wait until Python has these fields of the view."""
    for name, value in fields.items():
        words = re.sub(r"\s", "", json.dumps({name: value}))[1:-1]
        expect(page.locator("[data-testid=stCode]")).to_contain_text(words)


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).check()


# The numbers


def expected_maps(view: AttentionView, show: str) -> np.ndarray:
    """Return (head, query, key), computed the long way: one pair after another, softmax by its definition."""
    heads, tokens, size = view.query.shape
    scores = np.zeros((heads, tokens, tokens))
    for head in range(heads):
        for query in range(tokens):
            for key in range(tokens):
                scores[head, query, key] = sum(view.query[head, query] * view.key[head, key]) / size**0.5
    if show == "scores":
        return scores
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    return weights if show == "weights" else weights * view.carried[:, None, :]


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Assert |a - b| <= 1e-5 x max(|b|, a thousandth of the map's largest), everywhere."""
    assert found.shape == expected.shape
    bound = 1e-5 * np.maximum(np.abs(expected), np.abs(expected).max() / 1000)
    assert (np.abs(found - expected) <= bound).all()


@pytest.mark.parametrize("show", ["weights", "scores", "carried"])
def test_every_map_equals_a_computation_made_apart(opened: Open, show: str) -> None:
    page = opened(f"show={show}")
    expected = expected_maps(make_view(), show)
    assert len(np.unique(expected)) == expected.size
    for direction, name in [("from", "Takes from"), ("to", "Gives to"), ("received", "Received from all")]:
        choose(page, name)
        for row, column in [(0, 0), (1, 3), (2, 6), (4, 1)]:
            hover(page, row, column)
            token = row * COLUMNS + column
            assert reading(page)["query" if direction == "from" else "key"] == [row, column]
            row_of, column_of, mean = expected[:, token], expected[:, :, token], expected.mean(axis=1)
            maps = {"from": row_of, "to": column_of, "received": mean}[direction]
            for head in range(3):
                assert_same(read_map(page, head), maps[head])
            assert_same(read_map(page, "mean"), maps.mean(axis=0))


@pytest.mark.parametrize("direction", ["from", "to"])
def test_the_pair_equals_a_computation_made_apart(opened: Open, direction: str) -> None:
    page = opened(f"direction={direction}")
    view = make_view()
    weights, scores = expected_maps(view, "weights"), expected_maps(view, "scores")
    random = np.random.default_rng(1)
    hover(page, 2, 2)
    click(page, 2, 2)
    for row, column in zip(random.integers(0, ROWS, 10), random.integers(0, COLUMNS, 10), strict=True):
        hover(page, int(row), int(column))
        found = reading(page)
        query, key = found["queryToken"], found["keyToken"]
        assert (query, key)[:: 1 if direction == "from" else -1] == (2 * COLUMNS + 2, row * COLUMNS + column)
        assert_same(np.array([found["weight"]]), weights[:1, query, key])
        assert_same(np.array([found["score"]]), scores[:1, query, key])
        assert_same(np.array([found["share"]]), weights[:1, query, key] * ROWS * COLUMNS)
        assert_same(np.array([found["carried"]]), weights[:1, query, key] * view.carried[:1, key])
        terms = np.array([term["product"] for term in found["terms"]])
        assert_same(terms, view.query[0, query] * view.key[0, key])


def test_the_screen_says_the_numbers_in_words(opened: Open) -> None:
    page = opened("query=3,3&key=2,5&head=2")
    view = make_view()
    weight = expected_maps(view, "weights")[1, 2 * COLUMNS + 2, COLUMNS + 4]
    panel = page.locator(".pair")
    expect(panel).to_contain_text("row 3, column 3")
    expect(panel).to_contain_text("row 2, column 5")
    shown = panel.locator("strong.big").inner_text()
    assert float(shown) == pytest.approx(weight, rel=5e-4)
    expect(panel.locator(".step.score .cell.product:visible")).to_have_count(4)


def test_a_class_token_lies_below_the_map(opened: Open) -> None:
    page = opened("prefix=1&query=0,1")
    assert reading(page)["queryToken"] == 0
    assert_same(read_map(page, 0), expected_maps(make_view(prefix=1), "weights")[0, 0])
    expect(page.locator(".pair")).to_contain_text("class token")


# Gestures


def test_hover_then_lock_then_key_then_lock(opened: Open) -> None:
    page = opened()
    hover(page, 1, 2)
    assert reading(page)["query"] == [1, 2]
    hover(page, 3, 3)
    assert reading(page)["query"] == [3, 3]
    click(page, 3, 3)
    hover(page, 0, 6)
    assert (reading(page)["query"], reading(page)["key"]) == ([3, 3], [0, 6])
    hover(page, 4, 4, "large")
    assert (reading(page)["query"], reading(page)["key"]) == ([3, 3], [4, 4])
    click(page, 4, 4)
    hover(page, 0, 0)
    assert (reading(page)["query"], reading(page)["key"]) == ([3, 3], [4, 4])
    settled(page, query=[3, 3], key=[4, 4])


def test_escape_lets_go_of_one_at_a_time(opened: Open) -> None:
    page = opened()
    click(page, 3, 3)
    click(page, 4, 4)
    settled(page, query=[3, 3], key=[4, 4])
    page.keyboard.press("Escape")
    settled(page, query=[3, 3], key=None)
    hover(page, 1, 1)
    assert (reading(page)["query"], reading(page)["key"]) == ([3, 3], [1, 1])
    page.keyboard.press("Escape")
    settled(page, query=None, key=None)
    hover(page, 2, 1)
    assert reading(page)["query"] == [2, 1]


def test_in_gives_to_the_held_pixel_is_the_key(opened: Open) -> None:
    page = opened()
    click(page, 3, 3)
    choose(page, "Gives to")
    assert reading(page)["key"] == [3, 3]
    hover(page, 1, 5)
    assert (reading(page)["query"], reading(page)["key"]) == ([1, 5], [3, 3])
    settled(page, key=[3, 3], query=None, direction="to")


def test_received_needs_no_pointer(opened: Open) -> None:
    page = opened("direction=received")
    assert reading(page)["query"] is None
    assert_same(read_map(page, 1), make_view().received[1])
    click(page, 1, 1)
    settled(page, key=[1, 1], query=None, direction="received")


def test_keys_do_what_the_pointer_does(opened: Open) -> None:
    page = opened()
    page.locator(".board.picture").focus()
    start = reading(page)["query"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert reading(page)["query"] == [start[0] - 1, start[1] + 1]
    page.keyboard.press("Control+Home")
    assert reading(page)["query"] == [0, 0]
    page.keyboard.press("ArrowLeft")
    assert reading(page)["query"] == [0, 0]
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+End")
    assert (reading(page)["query"], reading(page)["key"]) == ([0, 6], [4, 6])
    page.keyboard.press("Enter")
    settled(page, query=[0, 6], key=[4, 6])
    page.keyboard.press("Escape")
    settled(page, query=[0, 6], key=None)


def test_a_head_is_chosen_by_pointer_or_keyboard(opened: Open) -> None:
    page = opened()
    tiles = page.locator(".wall-part").get_by_role("gridcell")
    expect(tiles).to_have_count(4)
    box = tiles.nth(1).bounding_box()
    assert box
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    expect(tiles.nth(1)).to_have_attribute("aria-selected", "true")
    settled(page, head=1)
    tiles.nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page, head="mean")
    weights = expected_maps(make_view(), "weights").mean(axis=0)
    found = reading(page)
    assert found["weight"] == pytest.approx(weights[found["queryToken"], found["keyToken"]], rel=1e-9)


def test_nothing_is_sent_while_the_pointer_moves(opened: Open, serve: Serve, new_page: NewPage) -> None:
    page = new_page()
    sent: list[Any] = []

    # Playwright cannot listen with a builtin such as sent.append.
    def note(frame: Any) -> None:
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.on("request", lambda request: sent.append(request.url))
    page.goto(f"{serve(APP)}/")
    ready(page)
    viewer(page).and_(page.locator("[data-reading]")).wait_for()
    before = len(sent)
    for row in range(ROWS):
        for column in range(COLUMNS):
            hover(page, row, column)
    assert reading(page)["query"] == [ROWS - 1, COLUMNS - 1]
    assert len(sent) == before
    click(page, 0, 0)
    settled(page, query=[0, 0])
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


def scrolled(page: Page) -> float:
    return float(page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTop"))


PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}


def test_a_tap_looks_a_second_tap_locks(opened: Open) -> None:
    page = opened(**PHONE)
    page.touchscreen.tap(*place(page, 1, 2))
    assert reading(page)["query"] == [1, 2]
    page.touchscreen.tap(*place(page, 3, 4))
    assert reading(page)["query"] == [3, 4]
    settled_before = page.locator("[data-testid=stCode]").inner_text()
    assert '"query"' not in settled_before or "null" in settled_before
    page.touchscreen.tap(*place(page, 3, 4))
    settled(page, query=[3, 4])
    page.touchscreen.tap(*place(page, 0, 0))
    page.touchscreen.tap(*place(page, 0, 0))
    settled(page, query=[3, 4], key=[0, 0])
    page.get_by_role("button", name="release").click()
    settled(page, query=None, key=None)


def test_one_finger_drags_a_tapped_pixel_and_else_scrolls_the_page(opened: Open) -> None:
    page = opened("heads=24", **PHONE)
    start, end = place(page, 4, 3), place(page, 1, 3)
    page.touchscreen.tap(*start)
    assert reading(page)["query"] == [4, 3]
    swipe(page, start, end)
    assert reading(page)["query"] == [1, 3]
    assert scrolled(page) == 0

    x, y = place(page, 4, 6)
    swipe(page, (x, y), (x, y - 160))
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 20")
    assert reading(page)["query"] == [1, 3]


# The address


def test_the_url_and_the_view_are_one(opened: Open) -> None:
    page = opened("query=2,3&key=4,5&head=2&show=scores&direction=to&scale=map")
    found = reading(page)
    assert (found["query"], found["key"], found["head"]) == ([1, 2], [3, 4], 1)
    assert (found["show"], found["direction"]) == ("scores", "to")
    choose(page, "Weights")
    page.wait_for_url(lambda url: "show=" not in url and "scale=map" in url)
    words = parse_qs(urlsplit(page.url).query)
    assert words == {"query": ["2,3"], "key": ["4,5"], "head": ["2"], "direction": ["to"], "scale": ["map"]}


def test_back_brings_the_view_back(opened: Open) -> None:
    page = opened("query=2,3")
    click(page, 4, 4)
    page.wait_for_url("**key=5*")
    page.go_back()
    page.wait_for_url(lambda url: "key=" not in url)
    expect(page.locator(".pair")).to_contain_text("query locked")
    assert reading(page)["query"] == [1, 2]


def test_nonsense_in_the_url_is_said_and_dropped(opened: Open) -> None:
    nonsense = {"query": "9,1", "key": "now", "head": "99", "show": "colours", "direction": "up", "scale": "5"}
    page = opened(urlencode(nonsense))
    for name, word in nonsense.items():
        expect(page.locator(".complaint")).to_contain_text(f"{name} \u201c{word}\u201d")
    found = reading(page)
    assert (found["head"], found["show"], found["direction"]) == (0, "weights", "from")
    page.get_by_role("button", name="close").click()
    expect(page.locator(".complaint")).to_be_hidden()


# What leaves the page

ORIGIN = make_view().origin


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    found: Download = waiting.value
    return found.path().read_bytes()


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
    expected = expected_maps(make_view(), "weights")[:, 2 * COLUMNS + 2]
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
    assert float(copied["weight"]) == reading(page)["weight"]
    assert copied["query"] == "row 3, column 3"


def test_link_holds_the_view_also_without_a_clipboard(opened: Open) -> None:
    page = opened("query=3,3&head=2")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    heard = listen(page.get_by_role("button", name="link", exact=True))
    page.get_by_role("button", name="link", exact=True).click()
    heard("selected: copy it")
    field = page.get_by_role("textbox", name="Copy this text")
    expect(field).to_be_focused()
    assert parse_qs(urlsplit(field.input_value()).query) == {"query": ["3,3"], "head": ["2"]}


# For everyone


def test_the_text_alternative_follows_the_view(opened: Open) -> None:
    page = opened()
    picture = page.get_by_role("grid", name=re.compile("^The picture, 5 rows, 7 columns"))
    expect(picture).to_have_accessible_name(re.compile("query row"))
    picture.focus()
    page.keyboard.press("Control+Home")
    expect(page.locator("[aria-live]").last).to_contain_text("query row 1, column 1")
    page.keyboard.press("Enter")
    expect(page.locator("[aria-live]").last).to_contain_text("background: nothing is drawn here, locked")
    expect(picture).to_have_accessible_name(re.compile(r"query row 1, column 1 . background: nothing is drawn here"))


def test_a_moving_pointer_announces_nothing(opened: Open) -> None:
    page = opened()
    hover(page, 0, 0)
    expect(page.get_by_role("grid").first).to_have_accessible_name(re.compile("query row 1, column 1"))
    expect(page.locator("[aria-live]").last).to_be_empty()


def test_each_grid_is_one_tab_stop(opened: Open) -> None:
    page = opened()
    stops: list[str] = []
    page.get_by_role("radio", name="Weights").focus()
    for _ in range(13):
        stops.append(page.evaluate(FOCUSED))
        page.keyboard.press("Tab")
    boards = ["board picture", "select", "board large"]
    assert stops == ["weights", "from", "share", *boards, "1", "PNG", "SVG", "CSV", "copy", "link", "tile chosen"]


FOCUSED = """() => {
  let found = document.activeElement;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found.value && found.type === "radio" ? found.value
    : found.tagName === "BUTTON" ? found.textContent : found.className || found.tagName.toLowerCase();
}"""


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened("query=3,3&heads=6", color_scheme=scheme)
    page.get_by_role("grid", name=re.compile("query row 3")).first.wait_for()
    # The rest of the page is Streamlit's and the test's own.
    assert [line for line in axe(page) if "stBidiComponent" in line] == []


def pixels(page: Page) -> list[int]:
    return page.locator(".board.large canvas").evaluate(
        "(canvas) => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data)"
    )


def test_colours_follow_the_theme_live(opened: Open) -> None:
    page = opened("query=3,3", color_scheme="light")
    light = np.array(pixels(page)).reshape(-1, 4)[:, :3]
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "([canvas, before]) => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[0] !== before",
        arg=[page.locator(".board.large canvas").element_handle(), int(light[0][0])],
    )
    dark = np.array(pixels(page)).reshape(-1, 4)[:, :3]
    assert light.mean() > 128 > dark.mean()
    assert reading(page)["query"] == [2, 2]


@pytest.mark.parametrize(
    "words", ["heads=24", "heads=1&size=1", "heads=2&size=20&features=9&show=scores", "rows=64&columns=64&heads=1"]
)
def test_nothing_is_wider_than_a_phone(opened: Open, words: str) -> None:
    page = opened(words, viewport={"width": 375, "height": 667})
    widest = viewer(page).evaluate(
        "(root) => Math.max(...[root, ...root.querySelectorAll('*')].filter((e) => !e.closest('.hidden'))"
        ".map((e) => e.getBoundingClientRect().right))"
    )
    assert widest <= 375
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_on_a_phone_the_picture_stays_while_the_heads_scroll(opened: Open) -> None:
    page = opened("heads=24", **PHONE)
    page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTo(0, 420)")
    expect(page.locator(".board.picture")).to_be_in_viewport(ratio=1)


def test_in_a_window_of_720_the_first_row_of_heads_is_visible(opened: Open) -> None:
    page = opened("heads=24&size=6&rows=28&columns=28")
    top = viewer(page).bounding_box()
    tile = page.locator(".wall-part .frame").first.bounding_box()
    assert top and tile
    assert tile["y"] + tile["height"] - top["y"] <= 720 - 215


@pytest.mark.parametrize(("heads", "width"), [(8, 1280), (24, 1280), (8, 375)])
def test_the_name_below_a_map_is_never_cut(opened: Open, heads: int, width: int) -> None:
    page = opened(f"heads={heads}&rows=14&columns=14", viewport={"width": width, "height": 720})
    names = page.locator(".wall-part .caption b")
    expect(names.last).to_have_text("mean")
    cut = names.evaluate_all(
        """(all) => all.filter((name) => {
          const [box, room] = [name, name.parentElement].map((part) => part.getBoundingClientRect());
          return name.scrollWidth > name.clientWidth || box.right > room.right + 0.5 || box.top > room.top + 4;
        }).map((name) => name.textContent)"""
    )
    assert cut == []


def test_nothing_is_shown_before_its_style_sheet_has_come(serve: Serve, new_page: NewPage) -> None:
    page, held = new_page(), list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/pixel_viewer.css*", hold)
    page.goto(f"{serve(APP)}/")
    viewer(page).and_(page.locator("[data-reading]")).wait_for(state="attached")
    expect(viewer(page)).to_be_hidden()
    for one in held:
        one.continue_()
    expect(viewer(page)).to_be_visible()


def test_one_head_shows_no_wall(opened: Open) -> None:
    page = opened("heads=1&size=1")
    expect(page.locator(".wall-part .tile")).to_have_count(0)
    expect(page.locator(".pair")).to_contain_text("product = score")
    expect(page.get_by_role("combobox")).to_be_hidden()


# Strange values


def test_nan_and_infinity_have_marks_and_words(opened: Open) -> None:
    page = opened("kind=nan&show=scores&query=3,3")
    assert np.isnan(read_map(page, 0)).any()
    expect(page.locator(".legend .mark", has_text="no number")).to_be_visible()
    hover(page, 0, 3)
    expect(page.locator(".pair strong.big")).to_contain_text("NaN")
    written = download(page, "CSV").decode()
    assert ",NaN" in written


def test_a_view_that_cannot_be_drawn_is_a_sentence(opened: Open) -> None:
    page = opened()
    viewer(page).evaluate(
        "(root) => { root.getRootNode().attnviz.attention.fill = () => { throw new Error('broken') }; }"
    )
    hover(page, 1, 1)
    hover(page, 2, 1)
    expect(page.locator(".failure")).to_have_text(re.compile("could not be drawn"))
