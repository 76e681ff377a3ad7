"""Cards under a real pointer: what they say of what is drawn, against the library on the very same picture."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attnviz.data.inputs import digit, drawing
from attnviz.ui.components.payload import unpack
from attnviz.ui.draw import panels

from .cards import NAMES, ROOT, assert_true, card, cards_of, percent, said, settled, shelf, shown
from .conftest import LOOKS, NewPage, Serve, axe, listen, ready
from .pads import open_pad, pad, raster, reading, stroke
from .test_live import watch

DIGITS, TWO, WITHOUT, LINE, HISTOGRAM, INK = NAMES
EIGHT = [(140, 50), (95, 90), (185, 180), (140, 230), (95, 180), (185, 90), (142, 52)]
ONE = [(140, 40), (142, 240)]
NONE = "No model knows \u201cnone of these\u201d: each must choose among its classes."
THREE = [(90, 60), (180, 70), (130, 135), (190, 190), (90, 230)]


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shelf(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def address(serve: Serve, shelved: Path) -> str:
    return serve(env={"ATTNVIZ_CHECKPOINTS": str(shelved)}) + "/draw"


def open_cards(page: Page, address: str, more: str = "") -> Page:
    """Open the draw page and wait until all models have looked at what it begins with."""
    open_pad(page, f"{address}?models={','.join(NAMES)}{more}")
    settled(page)
    return page


def prepared(page: Page, *, centred: bool = True) -> np.ndarray:
    return digit.prepare(raster(page), centred=centred).picture


# What the cards say


def test_before_the_first_stroke_the_cards_show_a_sample(page: Page, address: str) -> None:
    open_cards(page, address)
    for found in shown(page).values():
        assert_true(found, panels.sample())
    expect(cards_of(page)).to_contain_text("This is a sample: draw to begin.")
    stroke(page, *ONE)
    settled(page)
    expect(cards_of(page)).not_to_contain_text("draw to begin")
    pad(page).get_by_role("button", name="Clear").click()
    expect(cards_of(page)).to_contain_text("This is a sample: draw to begin.")
    for found in settled(page).values():
        np.testing.assert_array_equal(np.array(found["seen"]).reshape(28, 28), panels.sample())


def test_numbers_are_the_librarys_on_what_the_models_see(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    for found in settled(page).values():
        assert_true(found, prepared(page))
    pad(page).get_by_label("centre it").uncheck()
    found = settled(page)
    assert (np.array(found[INK]["seen"]).reshape(28, 28) != prepared(page)).any()
    for one in found.values():
        assert_true(one, prepared(page, centred=False))


def test_a_card_says_its_answer_how_sure_it_is_and_what_it_costs(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *ONE)
    found = settled(page)[DIGITS]
    one = card(page, DIGITS)
    expect(one.locator(".digits")).to_have_text(found["answer"])
    best = max(found["probabilities"])
    assert best > 0.6
    expect(one.locator(".verdict")).to_have_text(percent(best))
    expect(one.locator(".foot")).to_contain_text("38 k parameters")
    expect(one.locator(".foot")).to_contain_text(re.compile(r"\d ms$"))
    expect(one.locator(".head")).to_contain_text(f"head {found['head'] + 1} of 8", use_inner_text=True)
    label = one.locator(".bars").get_attribute("aria-label") or ""
    assert label.startswith(f"Probabilities: {found['answer']}: ")
    assert label.count("%") == 10
    middles, ink = one.locator(".bars").evaluate(
        """(bars) => {
          const [chart, ...names] = bars.children;
          const { left } = chart.getBoundingClientRect();
          const boxes = names.map((name) => name.getBoundingClientRect());
          const { data } = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height);
          return [boxes.map((box) => (box.left + box.right) / 2 - left), [...data].filter((_, at) => at % 4 === 3)];
        }"""
    )
    heights = np.reshape(ink, (17, -1)).sum(0)[np.round(middles).astype(int)] / 255
    np.testing.assert_allclose(heights / 17, found["probabilities"], atol=5e-3)
    pad(page).get_by_role("button", name="Clear").click()
    stroke(page, *THREE)
    unsure = card(page, INK)
    assert max(settled(page)[INK]["probabilities"]) < 0.6
    expect(unsure.locator(".verdict")).to_contain_text("unsure: ")
    expect(unsure.locator(".digits")).to_have_text(re.compile(r"^\d\d$"))
    expect(card(page, LINE).locator(".says")).to_contain_text("no attention: what each pixel adds to the")
    most = float(np.abs(settled(page)[LINE]["map"]).max())
    expect(card(page, LINE).locator(".says")).to_contain_text(f"up to {float(f'{most:.2g}'):g}")


def test_a_model_of_two_classes_always_says_which(page: Page, address: str) -> None:
    open_cards(page, address)
    for points in (ONE, THREE):
        stroke(page, *points)
        settled(page)
        for name in (TWO, WITHOUT):
            expect(card(page, name).locator(".knows")).to_have_text("knows only 1 and 8")
            expect(card(page, name).locator(".knows")).to_be_visible()
        for name in (DIGITS, LINE, HISTOGRAM, INK):
            expect(card(page, name).locator(".knows")).to_be_hidden()
        pad(page).get_by_role("button", name="Clear").click()


# What they say together


def headline(page: Page) -> Locator:
    return cards_of(page).locator(".begin")


def sure(found: dict[str, dict[str, Any]], answer: str) -> int:
    """How many of the models that know ten digits give this answer and are sure."""
    return sum(one["answer"] == answer and one["sure"] for name, one in found.items() if name not in (TWO, WITHOUT))


def said_together(found: dict[str, dict[str, Any]]) -> str:
    """What the headline should be, from what each panel shows."""
    counts = {one["answer"]: sure(found, one["answer"]) for one in found.values()}
    votes = sorted(((count, answer) for answer, count in counts.items() if count), key=lambda vote: -vote[0])
    of = "of 4 models that know all 10 digits"
    if not votes:
        return f"None {of} is sure. {NONE}"
    (most, first), *others = votes
    rest = "".join(f", {count} of {answer}" for count, answer in others)
    doubt = f" {NONE}" if most <= 2 else ""
    return f"{most} {of} {'is' if most == 1 else 'are'} sure of {first}{rest}.{doubt}"


def test_the_headline_counts_models_that_know_ten_digits_and_are_sure(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *ONE)
    found = settled(page)
    assert found[TWO]["answer"] == found[WITHOUT]["answer"] == "1"
    assert sure(found, "1") < sum(one["answer"] == "1" for one in found.values())
    expect(headline(page)).to_have_text(said_together(found))
    pad(page).get_by_role("button", name="Clear").click()
    stroke(page, *THREE)
    found = settled(page)
    assert not found[INK]["sure"]  # it has an answer, which does not count
    expect(headline(page)).to_have_text(said_together(found))


def test_a_scribble_is_told_that_no_model_knows_none_of_these(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, (40, 40), (240, 60), (50, 100), (240, 150), (40, 190), (250, 230), (100, 30), (200, 250))
    found = settled(page)
    assert said_together(found).endswith(NONE)
    expect(headline(page)).to_have_text(said_together(found))


def test_the_legend_stands_above_the_panels_in_the_first_window(page: Page, address: str) -> None:
    open_cards(page, address)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    legend, grid = (cards_of(page).locator(name).bounding_box() for name in (".legend", ".card-grid"))
    assert legend and grid
    assert legend["y"] + legend["height"] <= grid["y"]
    assert legend["y"] + legend["height"] < 720


def test_an_unsure_panel_still_leads_to_its_models_page(page: Page, address: str) -> None:
    open_cards(page, f"{address}")
    stroke(page, (40, 40), (240, 60), (50, 100), (240, 150), (40, 190), (250, 230), (100, 30), (200, 250))
    assert not settled(page)[DIGITS]["sure"]
    expect(card(page, DIGITS).locator(".arrow")).to_be_visible()
    words = parse_qs(urlsplit(card(page, DIGITS).get_by_role("link").get_attribute("href") or "").query)
    np.testing.assert_array_equal(drawing.read(drawing.named(words["drawing"][0])), prepared(page))
    expect(card(page, LINE).locator(".arrow")).to_be_hidden()  # it has no page


# Heads


def test_another_head_is_one_click_without_a_rerun_and_is_remembered(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    first = settled(page)
    page.wait_for_url("**strokes=**")
    ready(page)
    page.evaluate(
        """() => { window.runs = 0; new MutationObserver(() => { window.runs += 1; }).observe(
          document.querySelector("[data-testid=stApp]"), { attributeFilter: ["data-test-script-state"] }); }"""
    )
    card(page, DIGITS).get_by_role("button", name="Next head").click()
    now = settled(page)
    assert now[DIGITS]["head"] == (first[DIGITS]["head"] + 1) % 8
    assert now[TWO]["head"] == first[TWO]["head"]
    for found in now.values():
        assert_true(found, prepared(page))
    expect(card(page, DIGITS).locator(".head")).to_contain_text(
        f"head {now[DIGITS]['head'] + 1} of 8", use_inner_text=True
    )
    assert page.evaluate("runs") == 0
    stroke(page, *ONE)
    assert settled(page)[DIGITS]["head"] == now[DIGITS]["head"]
    page.get_by_role("link", name="Home").click()
    page.wait_for_url(lambda url: "draw" not in url)
    page.get_by_role("link", name="Draw", exact=True).first.click()
    pad(page).wait_for()
    assert settled(page)[DIGITS]["head"] == now[DIGITS]["head"]


def test_the_first_head_follows_the_last_and_the_keyboard_steps_too(page: Page, address: str) -> None:
    open_cards(page, address)
    begun = shown(page)[TWO]["head"]
    back = card(page, TWO).get_by_role("button", name="Previous head")
    back.focus()
    for _ in range(begun + 1):
        page.keyboard.press("Enter")
    assert settled(page)[TWO]["head"] == 23
    assert card(page, WITHOUT).get_by_role("button").count() == 0


# Links


def test_a_card_leads_to_its_models_page_with_this_very_picture(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    settled(page)
    seen = prepared(page)
    link = card(page, DIGITS).get_by_role("link")
    words = parse_qs(urlsplit(link.get_attribute("href") or "").query)
    assert (words["v"], words["model"]) == (["2"], [DIGITS])
    assert words["head"] == [str(shown(page)[DIGITS]["head"] + 1)]
    np.testing.assert_array_equal(drawing.read(drawing.named(words["drawing"][0])), seen)
    for name in (LINE, HISTOGRAM, INK):
        assert card(page, name).locator("a[href]").count() == 0
    link.click()
    page.wait_for_url("**/pixel_attention?**")
    ready(page)
    expect(page.get_by_role("radio", name="Your drawing")).to_be_checked()
    viewer = page.locator("[data-component=pixel_viewer]")
    viewer.and_(page.locator("[data-reading]")).wait_for()
    shown_there = viewer.evaluate("(root) => JSON.parse(root.dataset.reading).origin?.image ?? ''")
    assert shown_there in ("", drawing.place(drawing.named(words["drawing"][0])))
    expect(viewer).to_have_attribute("data-shown", re.compile(rf"^{re.escape(DIGITS)} "))


def test_a_copied_link_keeps_models_heads_and_what_is_pinned(
    new_page: NewPage, page: Page, address: str, serve: Serve
) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    then = settled(page)
    cards_of(page).get_by_role("button", name="Pin").click()
    stroke(page, (40, 40), (60, 60))
    card(page, DIGITS).get_by_role("button", name="Next head").click()
    now = settled(page)
    link = pad(page).evaluate("(root) => root.readLink()")
    other = new_page()
    open_pad(other, link)
    there = settled(other)
    assert [*there] == [*NAMES]
    assert there[DIGITS]["head"] == now[DIGITS]["head"]
    for name in NAMES:
        assert there[name]["seen"] == now[name]["seen"]
    expect(card(other, LINE).locator(".was")).to_have_text(was(then[LINE], there[LINE]))
    words = parse_qs(urlsplit(link).query)
    assert words["v"] == ["2"]
    assert words["heads"] == [f"{DIGITS}:{now[DIGITS]['head'] + 1}"]


def test_the_panels_can_be_saved(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *EIGHT)
    found = settled(page)
    saved = {}
    for kind in ("PNG", "SVG", "CSV"):
        button = cards_of(page).get_by_role("group", name="Save the panels").get_by_role("button").filter(has_text=kind)
        heard = listen(button)
        with page.expect_download() as waiting:
            button.click()
        saved[kind] = waiting.value.path().read_bytes()
        heard("saved")
    assert saved["PNG"].startswith(b"\x89PNG")
    assert DIGITS.encode() in saved["PNG"]
    drawn = ElementTree.fromstring(saved["SVG"])
    assert len(drawn.findall("{*}image")) == len(NAMES)
    words = [one.text or "" for one in drawn.findall(".//{*}text")]
    assert "models that know all 10 digits" in words[0]
    assert {"\u2264 1/16", "1 \u00d7 an even share", "\u2265 16 \u00d7"} <= set(words)
    for name, one in found.items():
        assert card(page, name).get_by_role("heading").inner_text() in words
        unsure = "" if one["sure"] else ", unsure"
        limit = ", knows only 1 and 8" if name in (TWO, WITHOUT) else ""
        assert f"{one['answer']}, {percent(max(one['probabilities']))}{unsure}{limit}" in words
    lines = [line for line in saved["CSV"].decode().splitlines(keepends=True) if line[0] != "#"]
    rows = list(csv.DictReader(lines))
    (link,) = re.findall(r"^# page: (.*)$", saved["CSV"].decode(), re.MULTILINE)
    assert link.strip() == pad(page).evaluate("(root) => root.readLink()")
    assert f"models={'%2C'.join(NAMES)}" in link
    for name, one in found.items():
        values = [float(row["value"]) for row in rows if row["model"] == name and row["what"] == "probability"]
        np.testing.assert_array_equal(values, one["probabilities"])
        shown_map = [float(row["value"]) for row in rows if row["model"] == name and row["what"] == "map"]
        np.testing.assert_array_equal(shown_map, one["map"] or [])


# Two visitors


def test_two_browsers_drawing_at_once_never_see_each_other(new_page: NewPage, address: str) -> None:
    pages = [open_cards(new_page(), address), open_cards(new_page(), address)]
    # Another pen: with the same one the first touch of both is the same picture, wherever it lies.
    pad(pages[1]).get_by_role("slider", name="Width").fill("32")
    for page in pages:
        page.evaluate(
            f"""() => {{
              const root = ({ROOT})();
              window.seen = [];
              new MutationObserver(() => {{
                for (const {{ seen, map }} of root.readCards().cards) window.seen.push([`${{seen}}`, `${{map ?? ""}}`]);
              }}).observe(root, {{ attributeFilter: ["data-answered"] }});
            }}"""
        )
    parts: list[list[list[tuple[float, float]]]] = [
        [ONE, [(90, 60), (140, 40)], [(100, 240), (190, 240)]],
        [EIGHT, [(60, 60), (90, 60)], [(200, 220), (230, 230)]],
    ]
    pictures: list[list[np.ndarray]] = [[panels.sample()], [panels.sample()]]
    for strokes in zip(*parts, strict=True):
        for which, points in enumerate(strokes):
            stroke(pages[which], *points)
        for which, page in enumerate(pages):
            for found in settled(page).values():
                assert_true(found, prepared(page))
            pictures[which].append(prepared(page))
    everything = [page.evaluate("seen") for page in pages]
    theirs = [{picture for picture, _ in seen} for seen in everything]
    assert not theirs[0] & theirs[1]
    assert all(len(seen) > 3 for seen in theirs)
    maps = [{found for _, found in seen if found} for seen in everything]
    assert not maps[0] & maps[1]
    for which, finals in enumerate(pictures):
        assert {",".join(map(str, one.flatten())) for one in finals[1:]} <= theirs[which]


# What is late, lost, or wrong


class Held:
    """The live channel of a page, whose answers can be held back."""

    def __init__(self) -> None:
        self.holding = False
        self.waiting: list[Callable[[], None]] = []
        self.messages: list[Any] = []  # that were held back
        self.sockets: list[WebSocketRoute] = []

    def route(self, page: Page) -> None:
        page.route_web_socket("**/live", self.opened)

    def opened(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)
        server = socket.connect_to_server()

        def back(message: Any) -> None:
            if self.holding:
                self.messages.append(message)
                self.waiting.append(lambda: socket.send(message))
            else:
                socket.send(message)

        server.on_message(back)

    def release(self) -> None:
        self.holding = False
        while self.waiting:
            self.waiting.pop(0)()


def test_stale_answers_never_replace_newer_ones_and_the_old_stays_meanwhile(page: Page, address: str) -> None:
    held = Held()
    held.route(page)
    open_cards(page, address)
    stroke(page, *ONE)
    before = settled(page)
    page.evaluate(
        f"""() => {{
          const root = ({ROOT})();
          window.turns = [];
          new MutationObserver(() => window.turns.push(Number(root.dataset.answered)))
            .observe(root, {{ attributeFilter: ["data-answered"] }});
        }}"""
    )
    held.holding = True
    stroke(page, *EIGHT)
    expect(card(page, DIGITS)).to_have_class(re.compile("waiting"))  # pale, but there
    np.testing.assert_array_equal(shown(page)[DIGITS]["seen"], before[DIGITS]["seen"])
    stroke(page, *THREE)
    np.testing.assert_array_equal(shown(page)[DIGITS]["seen"], before[DIGITS]["seen"])
    held.release()
    for found in settled(page).values():
        assert_true(found, prepared(page))
    expect(card(page, DIGITS)).not_to_have_class(re.compile("waiting"))
    turns = page.evaluate("turns")
    assert turns == sorted(turns)
    assert turns[-1] == page.evaluate(f"() => ({ROOT})().readCards().turn")


def test_a_lost_connection_is_said_once_and_mends_itself(page: Page, address: str) -> None:
    held = Held()
    held.route(page)
    open_cards(page, address)
    held.sockets[-1].close()
    expect(cards_of(page).get_by_text("The live connection is lost")).to_have_count(1)
    expect(cards_of(page).get_by_text("The live connection is lost")).to_be_visible()
    stroke(page, *EIGHT)
    for found in settled(page).values():
        assert_true(found, prepared(page))
    expect(cards_of(page).get_by_text("The live connection is lost")).to_be_hidden()


def test_a_model_that_cannot_answer_says_so_and_the_others_go_on(page: Page, serve: Serve, tmp_path: Path) -> None:
    shelf(tmp_path, (DIGITS, INK))
    whole = (tmp_path / INK).resolve()
    (tmp_path / INK).unlink()
    (tmp_path / INK).mkdir()
    (tmp_path / INK / "card.json").write_bytes((whole / "card.json").read_bytes())
    (tmp_path / INK / "weights.safetensors").write_bytes(b"cut")
    open_pad(page, serve(env={"ATTNVIZ_CHECKPOINTS": str(tmp_path)}) + "/draw")
    stroke(page, *EIGHT)
    found = settled(page)
    assert_true(found[DIGITS], prepared(page))
    expect(card(page, INK)).to_contain_text("is not a complete safetensors file")
    assert found[INK]["answer"] is None


# Edit and compare


def was(then: dict[str, Any], now: dict[str, Any]) -> str:
    """What a card says of the pinned answer."""
    named = "" if now["answer"] == then["answer"] else f"{then['answer']}, "
    return f"was {named}{percent(max(then['probabilities']))}"


def test_a_pinned_drawing_is_still_there_when_one_comes_back_to_the_page(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *THREE)
    then = settled(page)[DIGITS]
    cards_of(page).get_by_role("button", name="Pin").click()
    stroke(page, (90, 60), (80, 140), (90, 230))
    now = settled(page)[DIGITS]
    page.get_by_role("link", name="Home").click()
    page.wait_for_url(lambda url: "draw" not in url)
    page.get_by_role("link", name="Draw", exact=True).first.click()
    pad(page).wait_for()
    assert settled(page)[DIGITS]["answer"] == now["answer"]
    expect(card(page, DIGITS).locator(".was")).to_have_text(was(then, now))
    expect(cards_of(page).get_by_role("img", name="The pinned drawing")).to_be_visible()
    cards_of(page).get_by_role("button", name="Unpin").click()
    expect(card(page, DIGITS).locator(".was")).to_have_text("")


def test_a_pinned_drawing_stays_beside_the_new_one(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *THREE)
    then = settled(page)
    cards_of(page).get_by_role("button", name="Pin").click()
    stroke(page, (90, 60), (80, 140), (90, 230))
    now = settled(page)
    one = card(page, DIGITS)
    expect(one.locator(".was")).to_have_text(was(then[DIGITS], now[DIGITS]))
    cards_of(page).get_by_text("change since pinned", exact=True).click()
    expect(one.locator(".says")).to_contain_text("change since pinned: what the ink attends to")
    found = shown(page)
    for name in (DIGITS, TWO, WITHOUT):
        clipped = [np.clip(np.array(some[name]["map"]), 1 / 16, 16) for some in (then, now)]
        np.testing.assert_allclose(found[name]["painted"], np.log(clipped[1] / clipped[0]), atol=1e-6)
    for name in (LINE, HISTOGRAM):
        difference = np.array(now[name]["map"]) - np.array(then[name]["map"])
        np.testing.assert_allclose(found[name]["painted"], difference, atol=1e-6)
    # Another head of both: the pinned drawing is asked about again.
    one.get_by_role("button", name="Next head").click()
    after = settled(page)
    assert after[DIGITS]["head"] != now[DIGITS]["head"]
    page.wait_for_function(
        f"""([name, past]) => {{
          const found = ({ROOT})().readCards().cards.find((one) => one.checkpoint === name);
          return found.painted.some((value) => value < 0) && found.painted.some((value) => value > 0);
        }}""",
        arg=[DIGITS, 0],
    )
    expect(one.locator(".says")).to_contain_text("change since pinned")
    cards_of(page).get_by_role("button", name="Unpin").click()
    expect(one.locator(".was")).to_have_text("")
    expect(one.locator(".says")).to_have_text(
        re.compile("^head . of 8.*what the ink attends to$", re.DOTALL), use_inner_text=True
    )
    for found_one in shown(page).values():
        assert_true(found_one, prepared(page))


# Erase what it looks at


def test_erasing_follows_the_pad(page: Page, address: str) -> None:
    open_cards(page, address, f"&erase={DIGITS}")
    expect(page.get_by_text("Nothing is drawn yet")).to_be_visible()
    for points in (THREE, ONE):
        stroke(page, *points)
        settled(page)
        expected = said(DIGITS, prepared(page))["logits"]
        words = f"The model answers {expected.argmax()}, with a logit of {expected.max():#.3g}".rstrip(".")
        expect(page.get_by_text(words)).to_be_visible()


def test_erasing_begins_with_what_is_drawn_already(page: Page, address: str) -> None:
    open_cards(page, address)
    choice = page.locator(".st-key-erase").get_by_text("Ten digits with positions", exact=True)
    answer = page.get_by_text("The model answers")
    for points in (THREE, ONE):
        stroke(page, *points)
        settled(page)
        choice.click()
        expected = said(DIGITS, prepared(page))["logits"]
        words = f"The model answers {expected.argmax()}, with a logit of {expected.max():#.3g}".rstrip(".")
        expect(answer).to_contain_text(words)
        choice.click()  # it is closed while one draws on
        expect(answer).to_have_count(0)


def test_a_click_before_the_browser_knows_of_the_last_url_leaves_the_drawing(page: Page, address: str) -> None:
    held = Held()
    page.route_web_socket("**/_stcore/stream", held.opened)
    open_cards(page, address)
    held.holding = True
    stroke(page, *THREE)
    settled(page)
    for _ in range(600):  # frames of the browser, until Python has put the drawing into the URL
        if any(forward(message) == "page_info_changed" for message in held.messages):
            break
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert "strokes" not in page.url
    page.locator(".st-key-erase").get_by_text("Ten digits with positions", exact=True).click()
    held.release()
    expect(page.get_by_text("The model answers")).to_be_visible()
    assert reading(page)["strokes"] == 1
    assert {"strokes", "erase"} <= set(parse_qs(urlsplit(page.url).query))


def forward(message: bytes) -> str | None:
    """What kind of message Streamlit's server sent."""
    return ForwardMsg.FromString(message).WhichOneof("type")


# For everyone


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    new_page: NewPage, address: str, width: int, scheme: str
) -> None:
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    open_cards(page, address)
    stroke(page, *THREE)
    settled(page)
    cards_of(page).get_by_role("button", name="Pin").click()
    assert [line for line in axe(page) if "stBidiComponent" in line] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wider = (
        cards_of(page).locator(".card").evaluate_all("(cards) => cards.map((one) => one.scrollWidth - one.clientWidth)")
    )
    assert max(wider) <= 0


def test_answers_are_said_to_those_who_cannot_see(page: Page, address: str) -> None:
    open_cards(page, address)
    stroke(page, *ONE)
    found = settled(page)
    told = pad(page).locator("[aria-live]").last
    expect(told).to_contain_text(f"{sure(found, '1')} of 4 models that know all 10 digits")
    for one in found.values():
        expect(told).to_contain_text(f"{one['answer']}: ")


def test_what_goes_over_the_wire_is_the_canvas_and_one_ask_a_card(page: Page, address: str) -> None:
    sent: list[Any] = []
    page.on("websocket", lambda socket: watch(socket, sent))
    open_cards(page, address)
    sent.clear()
    stroke(page, *EIGHT)
    settled(page)
    headers = [unpack(frame) for frame in sent]
    assert len(headers) >= 2
    for header, arrays in headers:
        assert header["prepare"] == {"centred": True}
        assert [ask["checkpoint"] for ask in header["asks"]] == list(NAMES)
        assert arrays["pictures"].shape == (280, 280, 1)
    np.testing.assert_array_equal(headers[-1][1]["pictures"][..., 0], raster(page))
    assert not any("weights" in str(ask) and "mean" not in str(ask) for header, _ in headers for ask in header["asks"])
