"""The worked pair: every number in it against float64 computed apart."""

from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from attnviz import data
from attnviz.subjects import net as net_of

from ..apps.pixel_viewer import make_view
from ..conftest import COMPONENTS, NewPage, Serve, walk
from ..models import ONE_OR_EIGHT, TEN_DIGITS
from .viewers import COLUMNS, ROWS, Open
from .worked_pair import find_steps, wait_for_digits


class Model:
    """An attention layer and its readout, all pairs at once; arrays (head, query, key)."""

    def __init__(self, query: np.ndarray, key: np.ndarray, value: np.ndarray, worth: np.ndarray) -> None:
        self.query, self.key, self.value = query, key, value
        self.scores = np.einsum("hqs,hks->hqk", query, key) / np.sqrt(query.shape[-1])
        exponentials = np.exp(self.scores - self.scores.max(-1, keepdims=True))
        self.weights = exponentials / exponentials.sum(-1, keepdims=True)
        self.added = self.weights * worth


def make_model(**options: Any) -> Model:
    """Return what the app's view of the kind "sum" stands for."""
    view = make_view(kind="sum", **options)
    assert view.projection is not None and view.readout is not None
    worth = np.einsum("fhs,hks,qf->hqk", view.projection, view.value, view.readout)
    return Model(view.query, view.key, view.value, worth)


def parse_number(words: str) -> float:
    return float(words.replace("\u2212", "-").replace("+ ", "").replace("+", "").replace("\u2248 0", "0"))


def read_row(page: Page, step: str, name: str) -> tuple[list[str], list[float]]:
    """Return the words of a row of a step's figure, and the exact digits under the pointer."""
    cells = page.locator(f".step.{step} .cell.{name}:visible").all()
    titles = [cell.get_attribute("title") or "" for cell in cells]
    return [cell.inner_text() for cell in cells], [float(title) for title in titles if title]


def read_result(page: Page, step: str) -> float:
    return float(page.locator(f".step.{step} .result").get_attribute("title") or "nan")


def assert_words(words: list[str], exact: np.ndarray) -> None:
    """Assert that what stands in a row is those numbers, to the digits that it has."""
    for said, value in zip(words, exact, strict=True):
        assert abs(parse_number(said) - value) <= max(0.0051 * max(1, abs(value)), 0.006 * abs(value)), (said, value)


def assert_worked(page: Page, model: Model) -> None:
    """Assert that every number of the panel is that of the model."""
    found = wait_for_digits(page)
    query, key, head = found["queryToken"], found["keyToken"], found["head"]
    heads = list(range(len(model.query))) if head == "mean" else [head]
    queries = list(range(model.query.shape[1])) if query is None else [query]
    pairs = np.ix_(heads, queries, [key])
    mean_row = model.weights[np.ix_(heads, queries)].mean((0, 1))
    assert read_result(page, "score") == pytest.approx(model.scores[pairs].mean(), rel=1e-9)
    assert read_result(page, "softmax") == pytest.approx(mean_row[key], rel=1e-9)
    assert read_result(page, "share") == pytest.approx(model.added[pairs].sum(), rel=1e-9)

    if query is not None and head != "mean":
        products = model.query[head, query] * model.key[head, key]
        for name, exact in (("query", model.query[head, query]), ("key", model.key[head, key]), ("product", products)):
            words, digits = read_row(page, "score", name)
            np.testing.assert_allclose(digits, exact)
            assert_words(words, exact)

    words, digits = read_row(page, "softmax", "weight")
    strongest = list(np.argsort(-mean_row, kind="stable")[:5])
    shown = strongest if key in strongest else [*strongest, key]
    rest = 1 - mean_row[shown].sum()
    np.testing.assert_allclose(digits, [*mean_row[shown], rest], atol=1e-12)
    assert sum(digits) == pytest.approx(1)
    assert_words(words[:-1], np.array([*mean_row[shown], rest]))
    assert words[-1] == "= 1"
    mine = page.locator(".step.softmax .cell.place[data-kind=mine]:visible")
    expect(mine).to_have_count(1)
    assert shown[read_row(page, "softmax", "place")[0].index(mine.inner_text())] == key

    if head != "mean":
        words, digits = read_row(page, "value", "value")
        np.testing.assert_allclose(digits, model.value[head, key])
        assert_words(words, model.value[head, key])
        np.testing.assert_allclose(read_row(page, "value", "taken")[1], model.value[head, key] * mean_row[key])
    ofs = read_row(page, "share", "sum")[1]
    assert ofs[0] == pytest.approx(model.added[np.ix_(heads, queries)].sum(), rel=1e-9)


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
def test_every_number_equals_a_computation_made_apart(opened: Open, words: str) -> None:
    page = opened(f"kind=sum&features=3&{words}")
    assert_worked(page, make_model(features=3))


def test_every_number_follows_the_pointer(opened: Open) -> None:
    page = opened("kind=sum&query=2,2&head=3")
    model = make_model()
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    for place in [(0, 0), (3, 5), (4, 6)]:
        page.mouse.move(
            box["x"] + (place[1] + 0.5) * box["width"] / COLUMNS, box["y"] + (place[0] + 0.5) * box["height"] / ROWS
        )
        assert_worked(page, model)
        assert wait_for_digits(page)["key"] == list(place)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (TEN_DIGITS, "query=9,8&key=7,11&head=1"),
        pytest.param(TEN_DIGITS, "query=7,5&key=9,8&head=mean&direction=to", marks=pytest.mark.slow),
        pytest.param(ONE_OR_EIGHT, "query=15,15&key=3,3", marks=pytest.mark.slow),
    ],
)
def test_with_trained_models_the_shares_are_those_of_the_answer(
    page: Page, serve: Serve, eight: int, name: str, words: str
) -> None:
    walk(page, f"{serve()}/pixel_attention?model={name}&data=strokes&number={eight}&{words}", ".viewer[data-drawn]")
    net, _ = net_of(name).load(double=True)
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
    whole = read_row(page, "share", "sum")[1][1]
    assert whole == pytest.approx(float(sides @ logits), rel=1e-9)
    biases = net.classifier.bias + net.classifier.weight.unflatten(1, (len(tokens), -1)).sum(1) @ layer.output.bias
    assert model.added.sum() + float(sides @ biases) == pytest.approx(whole, rel=1e-9)


def test_where_the_answer_is_no_sum_the_share_is_that_of_the_output(opened: Open) -> None:
    page = opened("query=3,3&key=2,5&head=2")
    wait_for_digits(page)
    view = make_view()
    scores = view.query[1, 16] @ view.key[1].T / 2
    taken = np.exp(scores - scores.max()) * np.abs(view.carried[1])
    assert read_result(page, "share") == pytest.approx(taken[11] / taken.sum(), rel=1e-9)
    expect(page.locator(".step.share .note")).to_have_text("what follows the attention is not a sum")
    find_steps(page).nth(3).hover()
    expect(page.locator(".pair .sentence")).to_contain_text("No exact share of the answer can be given")


def test_what_is_practically_nothing_is_said_so_and_keeps_its_digits(opened: Open) -> None:
    page = opened("kind=sum&query=1,1&key=5,7&head=1")
    weight = wait_for_digits(page)["weight"]
    assert 0 < weight < 1e-6
    softmax = page.locator(".step.softmax .result")
    expect(softmax.locator("strong")).to_have_text("practically 0")
    expect(softmax.locator(".exact")).to_be_hidden()
    page.locator(".step.softmax button.number").focus()
    expect(softmax.locator(".exact")).to_be_visible()
    assert float(softmax.locator(".exact").inner_text()) == weight
    expect(page.locator(".pair .sentence")).to_contain_text("This key gets almost nothing.")


def test_a_locked_query_on_the_background_says_so(opened: Open) -> None:
    page = opened("kind=sum&query=1,1")
    expect(page.locator(".token.query")).to_contain_text("row 1, column 1 \u00b7 background: nothing is drawn here")
    opened("kind=sum&query=3,2")
    expect(page.locator(".token.query")).to_contain_text("row 3, column 2 \u00b7 ink")
    opened("kind=photo&query=1,1")  # a photograph has no background
    expect(page.locator(".token.query")).to_contain_text("row 1, column 1 \u00b7 intensity 0")


def test_a_locked_pair_stays_when_the_direction_changes(opened: Open) -> None:
    page = opened("kind=sum&query=3,3&key=2,5")
    before = wait_for_digits(page)
    page.get_by_role("radio", name="Gives to").check()
    expect(page.locator(".token.query")).to_contain_text("row 3, column 3")
    expect(page.locator(".token.key")).to_contain_text("row 2, column 5")
    after = wait_for_digits(page)
    assert (after["query"], after["key"], after["weight"]) == (before["query"], before["key"], before["weight"])
    page.get_by_role("radio", name="Received from all").check()
    expect(page.locator(".token.query")).to_contain_text("each of the 35 tokens in turn")
    expect(page.locator(".token.key")).to_contain_text("row 2, column 5")
    page.wait_for_url("**direction=received*")  # settled, before another test opens the page


def test_the_copy_holds_every_step_in_full(new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    page.goto(f"{serve(COMPONENTS)}/pixel_viewer?kind=sum&query=3,3&key=2,5&head=2")
    page.locator(".viewer[data-drawn]").wait_for()
    wait_for_digits(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="copy", exact=True).click()
    expect(page.get_by_role("button", name="copied", exact=True)).to_be_visible()
    copied = dict(line.split("\t", 1) for line in page.evaluate("navigator.clipboard.readText()").splitlines())
    model = make_model()
    assert float(copied["added to the logit of 8, less the mean"]) == pytest.approx(model.added[1, 16, 11], rel=1e-9)
    assert float(copied["added by all keys"]) == pytest.approx(model.added[1, 16].sum(), rel=1e-9)
    assert [float(copied[f"value {i + 1}"]) for i in range(4)] == list(model.value[1, 11])
