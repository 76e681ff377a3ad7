"""The worked pair: every number in it against float64 computed apart, and its steps under pointer, keys and fingers."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnviz import data
from attnviz.ui.shared import inference

from .apps.pixel_viewer import make_view
from .conftest import NewPage, Serve, Visit, axe, ready

APP = "tests/browser/apps/pixel_viewer.py"
ROWS, COLUMNS = 5, 7
STEPS = ["score", "softmax", "value", "share"]
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}


class Model:
    """An attention layer and its readout, all pairs at once; arrays (head, query, key)."""

    def __init__(self, query: np.ndarray, key: np.ndarray, value: np.ndarray, worth: np.ndarray) -> None:
        self.query, self.key, self.value = query, key, value
        self.scores = np.einsum("hqs,hks->hqk", query, key) / np.sqrt(query.shape[-1])
        exponentials = np.exp(self.scores - self.scores.max(-1, keepdims=True))
        self.weights = exponentials / exponentials.sum(-1, keepdims=True)
        self.added = self.weights * worth


def random_model(**options: Any) -> Model:
    """Return what the app's view of the kind "sum" stands for."""
    view = make_view(kind="sum", **options)
    assert view.projection is not None and view.readout is not None
    worth = np.einsum("fhs,hks,qf->hqk", view.projection, view.value, view.readout)
    return Model(view.query, view.key, view.value, worth)


def number(words: str) -> float:
    return float(words.replace("\u2212", "-").replace("+ ", "").replace("+", "").replace("\u2248 0", "0"))


def row(page: Page, step: str, name: str) -> tuple[list[str], list[float]]:
    """Return the words of a row of a step's figure, and the exact digits under the pointer."""
    cells = page.locator(f".step.{step} .cell.{name}:visible").all()
    titles = [cell.get_attribute("title") or "" for cell in cells]
    return [cell.inner_text() for cell in cells], [float(title) for title in titles if title]


def result(page: Page, step: str) -> float:
    return float(page.locator(f".step.{step} .result").get_attribute("title") or "nan")


def rested(page: Page) -> dict[str, Any]:
    """Wait until the panel's digits are those of what is looked at, and return the reading."""
    root = page.locator(".viewer")
    weight = root.evaluate("(root) => String(JSON.parse(root.dataset.reading).weight)")
    expect(page.locator(".step.softmax .result")).to_have_attribute("title", weight)
    return json.loads(root.get_attribute("data-reading") or "{}")


def assert_words(words: list[str], exact: np.ndarray) -> None:
    """Assert that what stands in a row is those numbers, to the digits that it has."""
    for said, value in zip(words, exact, strict=True):
        assert abs(number(said) - value) <= max(0.0051 * max(1, abs(value)), 0.006 * abs(value)), (said, value)


def assert_worked(page: Page, model: Model) -> None:
    """Assert that every number of the panel is that of the model."""
    found = rested(page)
    query, key, head = found["queryToken"], found["keyToken"], found["head"]
    heads = list(range(len(model.query))) if head == "mean" else [head]
    queries = list(range(model.query.shape[1])) if query is None else [query]
    pairs = np.ix_(heads, queries, [key])
    mean_row = model.weights[np.ix_(heads, queries)].mean((0, 1))
    assert result(page, "score") == pytest.approx(model.scores[pairs].mean(), rel=1e-9)
    assert result(page, "softmax") == pytest.approx(mean_row[key], rel=1e-9)
    assert result(page, "share") == pytest.approx(model.added[pairs].sum(), rel=1e-9)

    if query is not None and head != "mean":
        products = model.query[head, query] * model.key[head, key]
        for name, exact in (("query", model.query[head, query]), ("key", model.key[head, key]), ("product", products)):
            words, digits = row(page, "score", name)
            np.testing.assert_allclose(digits, exact)
            assert_words(words, exact)

    words, digits = row(page, "softmax", "weight")
    strongest = list(np.argsort(-mean_row, kind="stable")[:5])
    shown = strongest if key in strongest else [*strongest, key]
    rest = 1 - mean_row[shown].sum()
    np.testing.assert_allclose(digits, [*mean_row[shown], rest], atol=1e-12)
    assert sum(digits) == pytest.approx(1)
    assert_words(words[:-1], np.array([*mean_row[shown], rest]))
    assert words[-1] == "= 1"
    mine = page.locator(".step.softmax .cell.place[data-kind=mine]:visible")
    expect(mine).to_have_count(1)
    assert shown[row(page, "softmax", "place")[0].index(mine.inner_text())] == key

    if head != "mean":
        words, digits = row(page, "value", "value")
        np.testing.assert_allclose(digits, model.value[head, key])
        assert_words(words, model.value[head, key])
        np.testing.assert_allclose(row(page, "value", "taken")[1], model.value[head, key] * mean_row[key])
    ofs = row(page, "share", "sum")[1]
    assert ofs[0] == pytest.approx(model.added[np.ix_(heads, queries)].sum(), rel=1e-9)


def open_view(visit: Visit, words: str, **options: Any) -> Page:
    return visit(APP, words, ".viewer", **options)


def steps(page: Page) -> Locator:
    return page.locator(".step")


# The numbers


@pytest.mark.parametrize(
    "words",
    [
        "query=3,3&key=2,5&head=2",
        "query=1,1&key=5,7&head=1&direction=to&show=scores",  # almost no weight
        "query=5,1&key=1,4&head=3&show=carried",
        "query=2,6&key=4,4&head=mean",
        "query=2,6&key=4,4&head=mean&direction=to",
        "key=3,2&head=2&direction=received",
        "key=3,2&head=mean&direction=received",
    ],
)
def test_every_number_equals_a_computation_made_apart(visit: Visit, words: str) -> None:
    page = open_view(visit, f"kind=sum&features=3&{words}")
    assert_worked(page, random_model(features=3))


def test_every_number_follows_the_pointer(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=2,2&head=3")
    model = random_model()
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    for place in [(0, 0), (3, 5), (4, 6)]:
        page.mouse.move(
            box["x"] + (place[1] + 0.5) * box["width"] / COLUMNS, box["y"] + (place[0] + 0.5) * box["height"] / ROWS
        )
        assert_worked(page, model)
        assert rested(page)["key"] == list(place)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pixel_attention.digits", "query=9,8&key=7,11&head=1"),
        ("pixel_attention.digits", "query=7,5&key=9,8&head=mean&direction=to"),
        ("pixel_attention.1v8", "query=15,15&key=3,3"),
    ],
)
def test_with_trained_models_the_shares_are_those_of_the_answer(
    page: Page, serve: Serve, eight: int, name: str, words: str
) -> None:
    page.goto(f"{serve()}/pixel_attention?model={name}&data=strokes&number={eight}&{words}")
    ready(page)
    page.locator(".viewer[data-reading]").wait_for()
    net, _ = inference.exactly(name)
    picture = torch.from_numpy(data.load("strokes", "test", count=256).images[eight, ..., 0] / 255.0)[None, None]
    with torch.no_grad():
        logits, tokens, layer = net(picture)[0], net.tokens(picture)[0], net.attention
        parts = [part(tokens).unflatten(1, (layer.heads, -1)).transpose(0, 1) for part in (layer.query, layer.key)]
        value = layer.value(tokens).unflatten(1, (layer.heads, -1)).transpose(0, 1)
        sides = (
            torch.where(logits > 0, 1.0, -1.0).double()
            if len(logits) == 1
            else (torch.eye(10).double()[logits.argmax()] - 0.1)
        )
        readout = (sides @ net.classifier.weight).unflatten(0, (len(tokens), -1))
        project = layer.output.weight.unflatten(1, (layer.heads, -1))
        worth = torch.einsum("qf,fhs,hks->hqk", readout, project, value)
    model = Model(parts[0].numpy(), parts[1].numpy(), value.numpy(), worth.numpy())
    assert_worked(page, model)
    whole = row(page, "share", "sum")[1][1]
    assert whole == pytest.approx(float(sides @ logits), rel=1e-9)
    biases = net.classifier.bias + net.classifier.weight.unflatten(1, (len(tokens), -1)).sum(1) @ layer.output.bias
    assert model.added.sum() + float(sides @ biases) == pytest.approx(whole, rel=1e-9)


def test_where_the_answer_is_no_sum_the_share_is_that_of_the_output(visit: Visit) -> None:
    page = open_view(visit, "query=3,3&key=2,5&head=2")
    rested(page)
    view = make_view()
    scores = view.query[1, 16] @ view.key[1].T / 2
    taken = np.exp(scores - scores.max()) * np.abs(view.carried[1])
    assert result(page, "share") == pytest.approx(taken[11] / taken.sum(), rel=1e-9)
    expect(page.locator(".step.share .note")).to_have_text("what follows the attention is no sum")
    steps(page).nth(3).hover()
    expect(page.locator(".pair .sentence")).to_contain_text("No exact share of the answer can be given")


def test_what_is_practically_nothing_is_said_so_and_keeps_its_digits(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=1,1&key=5,7&head=1")
    weight = rested(page)["weight"]
    assert 0 < weight < 1e-6
    softmax = page.locator(".step.softmax .result")
    expect(softmax.locator("strong")).to_have_text("practically 0")
    expect(softmax.locator(".exact")).to_be_hidden()
    page.locator(".step.softmax button").focus()
    expect(softmax.locator(".exact")).to_be_visible()
    assert float(softmax.locator(".exact").inner_text()) == weight
    expect(page.locator(".pair .sentence")).to_contain_text("This key gets almost nothing.")


def test_a_locked_query_on_the_background_says_so(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=1,1")
    expect(page.locator(".token.query")).to_contain_text("row 1, column 1 \u00b7 background: nothing is drawn here")
    open_view(visit, "kind=sum&query=3,2")
    expect(page.locator(".token.query")).to_contain_text("row 3, column 2 \u00b7 ink")
    open_view(visit, "kind=photo&query=1,1")  # a photograph has no background
    expect(page.locator(".token.query")).to_contain_text("row 1, column 1 \u00b7 intensity 0")


def test_a_locked_pair_stays_when_the_direction_changes(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=3,3&key=2,5")
    before = rested(page)
    page.get_by_role("radio", name="Gives to").check()
    expect(page.locator(".token.query")).to_contain_text("row 3, column 3")
    expect(page.locator(".token.key")).to_contain_text("row 2, column 5")
    after = rested(page)
    assert (after["query"], after["key"], after["weight"]) == (before["query"], before["key"], before["weight"])
    page.get_by_role("radio", name="Received from all").check()
    expect(page.locator(".token.query")).to_contain_text("each of the 35 tokens in turn")
    expect(page.locator(".token.key")).to_contain_text("row 2, column 5")
    page.wait_for_url("**direction=received*")  # settled, before another test opens the page


# Telling it step by step


def test_the_pointer_lights_a_step_and_says_what_happens_there(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=3,3&key=2,5")
    sentence = page.locator(".pair .sentence")
    expect(sentence).to_contain_text("Half of this head\u2019s attention lies on")
    for place, words in enumerate(["number by number", "add up to 1", "times the weight", "a sum over all pairs"]):
        steps(page).nth(place).hover()
        expect(page.locator(".step.lit")).to_have_count(1)
        expect(steps(page).nth(place)).to_have_attribute("aria-current", "step")
        expect(sentence).to_contain_text(words)
    page.mouse.move(0, 0)
    expect(page.locator(".step.lit")).to_have_count(0)
    expect(sentence).to_contain_text("Half of this head\u2019s attention lies on")


def test_a_lit_step_has_the_colour_of_its_role(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=3,3&key=2,5", color_scheme="light")
    colours = []
    for place in range(4):
        steps(page).nth(place).hover()
        expect(steps(page).nth(place)).to_have_class(re.compile("lit"))
        colours.append(steps(page).nth(place).evaluate("(step) => getComputedStyle(step).borderLeftColor"))
    orange, blue, green = "rgb(179, 74, 12)", "rgb(31, 111, 178)", "rgb(5, 105, 74)"
    assert colours == [orange, blue, green, green]


def test_arrows_walk_the_steps(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=3,3&key=2,5")
    buttons = page.locator(".step button")
    buttons.first.focus()
    for press, at in [("ArrowDown", 1), ("ArrowDown", 2), ("End", 3), ("ArrowDown", 3), ("ArrowUp", 2), ("Home", 0)]:
        page.keyboard.press(press)
        expect(buttons.nth(at)).to_be_focused()
        expect(steps(page).nth(at)).to_have_class(re.compile("lit"))
        expect(page.locator(".step button[tabindex='0']")).to_have_count(1)
    expect(buttons.first).to_have_accessible_name("Step 1: score")
    expect(buttons.first).to_have_accessible_description(re.compile("Multiply the query by the key"))
    page.keyboard.press("Tab")
    expect(page.locator(".step.lit")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(buttons.first).to_be_focused()


def test_a_tap_lights_a_step_and_it_stays_lit(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&heads=8&size=8&query=3,3&key=2,5", **PHONE)
    for place in (2, 3, 1):
        steps(page).nth(place).tap()
        expect(steps(page).nth(place)).to_have_class(re.compile("lit"))
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


def painted(page: Page, lit: str) -> dict[str, int]:
    """Wait until a step has lit up the maps; return how many pixels of the chosen map have the colour of each role."""
    expect(page.locator(".viewer")).to_have_attribute("data-lit", lit)
    counts = page.locator(".board.large canvas").evaluate(PAINTED, [list(colour) for colour in ROLES.values()])
    return dict(zip(ROLES, counts, strict=True))


def frame_of(page: Page, selector: str) -> str:
    return str(page.locator(selector).evaluate("(part) => getComputedStyle(part).boxShadow"))


def test_the_lit_step_shows_on_the_maps_what_it_is_about(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&heads=8&query=3,3&key=2,5", color_scheme="light")
    steps(page).nth(0).hover()
    score = painted(page, "score")
    steps(page).nth(1).hover()
    softmax = painted(page, "softmax")
    assert score["query"] > softmax["query"] > 0
    assert score["key"] > softmax["key"] > 0
    assert "rgb(31, 111, 178)" in frame_of(page, ".board.large")
    assert "rgb(31, 111, 178)" in frame_of(page, ".wall .tile.chosen .frame")
    steps(page).nth(2).hover()
    value = painted(page, "value")
    assert value["value"] > 0 == softmax["value"] == value["key"], "the key's frame is the value's now"
    assert value["query"] == softmax["query"]
    steps(page).nth(3).hover()
    assert painted(page, "share") == softmax
    assert "rgb(5, 105, 74)" in frame_of(page, ".answer .class.first")
    page.mouse.move(0, 0)
    assert painted(page, "") == softmax
    assert "rgb(31, 111, 178)" not in frame_of(page, ".board.large")
    assert frame_of(page, ".answer .class.first") == "none"


def test_what_a_lit_step_is_about_follows_the_pointer_and_the_direction(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&query=3,3", color_scheme="light")
    page.locator(".step.value button").focus()
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    for row, column in [(0, 1), (4, 5)]:
        page.mouse.move(
            box["x"] + (column + 0.5) * box["width"] / COLUMNS, box["y"] + (row + 0.5) * box["height"] / ROWS
        )
        assert rested(page)["key"] == [row, column]
        at = [(column + 0.5) / COLUMNS, row / ROWS]
        edge = page.locator(".board.large canvas").evaluate(
            """(canvas, [x, y]) => [...canvas.getContext("2d")
              .getImageData(x * canvas.width, Math.max(0, y * canvas.height - 2), 1, 1).data].slice(0, 3)""",
            at,
        )
        assert tuple(edge) == ROLES["value"]
    page.keyboard.press("ArrowUp")
    plain = painted(page, "softmax")
    page.get_by_role("radio", name="Gives to").check()
    steps(page).nth(1).hover()
    assert painted(page, "weight")["query"] > plain["query"], "the pair's weight lies at the query"
    page.wait_for_url("**direction=to*")  # settled, before another test opens the page


# Its place


@pytest.mark.parametrize("words", ["rows=14&columns=14&query=3,3", "rows=28&columns=28&head=mean&direction=received"])
def test_picture_pair_and_the_first_heads_are_visible_together(visit: Visit, words: str) -> None:
    page = open_view(visit, f"kind=sum&heads=8&size=8&{words}")
    top, tile = page.locator(".viewer").bounding_box(), page.locator(".wall-part .frame").first.bounding_box()
    sentence = page.locator(".pair .sentence").bounding_box()
    assert top and tile and sentence
    assert tile["y"] + tile["height"] - top["y"] <= 720 - 215
    assert sentence["y"] + sentence["height"] <= tile["y"]


@pytest.mark.parametrize("width", [375, 700, 900, 1100, 1280])
def test_numbers_have_room_in_every_window(visit: Visit, width: int) -> None:
    page = open_view(visit, "kind=sum&heads=8&size=8&query=3,3&key=2,5", viewport={"width": width, "height": 720})
    rested(page)
    cells = page.locator(".step :is(.cell.product, .cell.taken):visible")
    expect(cells).to_have_count(16)
    room = cells.evaluate_all("(cells) => cells.map((cell) => cell.scrollWidth - cell.clientWidth)")
    assert max(room) <= 4, room
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_moves_while_the_pointer_does(visit: Visit) -> None:
    page = open_view(visit, "kind=sum&heads=8&size=8&rows=14&columns=14&direction=to")
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    heights = set()
    for part in (0.1, 0.3, 0.5, 0.7, 0.9):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + part * box["height"])
        rested(page)
        pair = page.locator(".pair").bounding_box()
        assert pair
        heights.add(round(pair["height"], 1))
    assert len(heights) == 1


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    page = open_view(visit, "kind=sum&heads=8&size=8&query=1,1&key=5,7", color_scheme=scheme)
    rested(page)
    page.locator(".step.softmax button").focus()
    assert [line for line in axe(page) if "stBidiComponent" in line] == []


def test_the_copy_holds_every_step_in_full(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    page.goto(f"{serve(APP)}/?kind=sum&query=3,3&key=2,5&head=2")
    page.locator(".viewer[data-reading]").wait_for()
    rested(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="copy", exact=True).click()
    expect(page.get_by_role("button", name="copied", exact=True)).to_be_visible()
    copied = dict(line.split("\t", 1) for line in page.evaluate("navigator.clipboard.readText()").splitlines())
    model = random_model()
    assert float(copied["added to the logit of 8, less the mean"]) == pytest.approx(model.added[1, 16, 11], rel=1e-9)
    assert float(copied["added by all keys"]) == pytest.approx(model.added[1, 16].sum(), rel=1e-9)
    assert [float(copied[f"value {i + 1}"]) for i in range(4)] == list(model.value[1, 11])
