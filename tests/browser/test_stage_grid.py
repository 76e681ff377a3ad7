"""The stages of element-wise attention in the browser: their numbers against numpy, real pointers, keys, and links."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from .apps.element_wise_nets import NETS, Stages, Switches, compute_stages
from .conftest import COMPONENTS, NewPage, Serve, Visit, find_violations, read_state, wait_until_ready

LOOSE = ("normed_relevance", "attended")  # a difference of nearly equal numbers: digits cancel
Open = Callable[..., Page]


@pytest.fixture
def opened(serve: Serve, visit: Visit) -> Open:
    """Return a function that opens the page; which net, words of the URL, and options of the page."""

    def open_grid(net: str = "grey", words: str = "", **options: Any) -> Page:
        return visit(f"{serve(COMPONENTS)}/stage_grid?net={net}{words}", ".stage-grid[data-drawn]", **options)

    return open_grid


def find_grid(page: Page) -> Locator:
    return page.locator(".stage-grid")


def read_grid(page: Page) -> dict[str, Any]:
    return read_state(find_grid(page))


def read_stage(page: Page, layer: int, name: str) -> np.ndarray:
    return np.array(
        find_grid(page).evaluate("(root, [layer, name]) => Array.from(root.readStage(layer, name))", [layer, name])
    )


def look_at(page: Page, row: int, column: int, side: int, tile: int = 0) -> None:
    box = page.locator(".stage-wall .frame").nth(tile).bounding_box()
    assert box
    page.mouse.move(box["x"] + (column + 0.5) * box["width"] / side, box["y"] + (row + 0.5) * box["height"] / side)


def wait_for_view(page: Page, **fields: Any) -> None:
    for name, value in fields.items():
        said = json.dumps({name: value}, separators=(",", ":"))[1:-1]
        expect(page.locator("[data-testid=stCode]")).to_contain_text(said)


def assert_equal_stages(page: Page, expected: list[Stages]) -> None:
    for layer, said in enumerate(expected):
        for name, values in said.items():
            most = np.abs(values).max()
            tolerance = (1e-4 if name in LOOSE else 1e-5) * most
            np.testing.assert_allclose(
                read_stage(page, layer, name), values.ravel(), atol=tolerance, rtol=0, err_msg=name
            )


@pytest.mark.parametrize("net", NETS)
def test_every_stage_equals_numpy(opened: Open, net: str) -> None:
    assert_equal_stages(opened(net), compute_stages(NETS[net]()))


@pytest.mark.parametrize(("words", "switches"), [
    pytest.param("&eps=1e-11", Switches(eps=1e-11), marks=pytest.mark.slow),
    ("&skip=no&off=1.2,2.1,2.3", Switches(skip=False, off=[(0, 1), (1, 0), (1, 2)])),
    pytest.param("&relevance=one", Switches(relevance=[np.ones((3, 3, 32, 32))] * 2), marks=pytest.mark.slow),
    ("&relevance=zero", Switches(relevance=[np.zeros((3, 3, 32, 32))] * 2)),
    ("&relevance=mean", Switches(relevance=[np.asarray(layer.mean) for layer in NETS["colour"]().layers])),
])  # fmt: skip
def test_what_is_switched_changes_the_stages_as_numpy_says(opened: Open, words: str, switches: Switches) -> None:
    page = opened("colour", words)
    assert read_grid(page)["switched"]
    assert_equal_stages(page, compute_stages(NETS["colour"](), switches))


def test_the_relevance_of_another_picture_can_be_borrowed(opened: Open) -> None:
    view = NETS["colour"]()
    assert view.other
    borrowed = [said["normed_relevance"] for said in compute_stages(replace(view, input=view.other.input))]
    page = opened("colour", "&relevance=other")
    assert_equal_stages(page, compute_stages(view, Switches(relevance=borrowed)))
    assert any(line.endswith(f"relevance that of picture {view.other.number}") for line in save_words(page))


@pytest.mark.parametrize(("net", "channel", "side"), [("grey", "", 28), ("colour", "blue", 32)])
def test_the_way_of_a_pixel_is_the_arithmetic_that_numpy_does(opened: Open, net: str, channel: str, side: int) -> None:
    page = opened(net, f"&channel={channel}&head=2" if channel else "&head=2")
    view, plane, head = NETS[net](), 2 if channel else 0, 1
    expected = compute_stages(view)
    random = np.random.default_rng(1)
    borders = [(0, 0), (0, side - 1), (side - 1, 0), (side - 1, side - 1), (0, 9), (side // 2, 0)]
    places = [*borders, *(tuple(map(int, place)) for place in random.integers(0, side, (34, 2)))]
    for number, (row, column) in enumerate(places):
        layer = number % 2
        look_at(page, row, column, side, tile=5 * layer)
        found = read_grid(page)
        assert (found["pixel"], found["layer"]) == ([row, column], layer)
        way, said, learnt = found["steps"], expected[layer], view.layers[layer]
        inner = expected[layer - 1]["output"] if layer else view.input
        at = head, plane, row, column
        near = {"atol": 1e-5, "rtol": 1e-5}
        np.testing.assert_allclose(way["input"], inner[plane, row, column], **near)
        np.testing.assert_allclose(way["x"]["weight"] * way["input"], said["x_product"][at], **near)
        np.testing.assert_allclose(way["x"]["sum"], np.exp(said["x_product"][head, plane, row]).sum(), **near)
        np.testing.assert_allclose(way["x"]["exp"] / way["x"]["sum"], said["x_relevance"][at], **near)
        np.testing.assert_allclose(way["y"]["sum"], np.exp(said["y_product"][head, plane, :, column]).sum(), **near)
        np.testing.assert_allclose(way["y"]["exp"] / way["y"]["sum"], said["y_relevance"][at], **near)
        norm = way["norm"]
        normed = (way["relevance"] - norm["mean"]) / np.sqrt(norm["variance"] + norm["eps"])
        assert abs(normed - said["normed_relevance"][at]) <= 1e-4 * np.abs(said["normed_relevance"]).max()
        padded = np.pad(said["attended"], ((0, 0), (0, 0), (1, 1), (1, 1)))[:, :, row : row + 3, column : column + 3]
        kernel = learnt.convolution[plane].reshape(*padded.shape)
        terms = (padded * kernel).sum(1)
        inside = np.pad(np.ones((side, side)), 1)[row : row + 3, column : column + 3].ravel() > 0
        shown = np.array([np.nan if value is None else value for value in way["conv"]["cells"]])
        assert (~np.isnan(shown) == inside).all()
        np.testing.assert_allclose(np.nan_to_num(shown), terms.sum(0).ravel(), **near)
        np.testing.assert_allclose([one["sum"] for one in way["conv"]["heads"]], terms.sum((1, 2)), **near)
        np.testing.assert_allclose(
            np.nansum(shown) + way["conv"]["bias"], said["after_conv"][plane, row, column], **near
        )
        np.testing.assert_allclose(way["output"], said["output"][plane, row, column], **near)


def test_the_words_of_the_way_are_its_numbers(opened: Open) -> None:
    page = opened("grey")
    look_at(page, 20, 12, 28)
    said = compute_stages(NETS["grey"]())[0]
    row = page.locator(".pixel-steps .step.before_norm")
    value = said["before_norm"][0, 20, 12]
    expect(row.locator(".value")).to_have_text(f"{value:.3f}".replace("-", "−"))
    expect(page.locator(".pixel-steps .how")).to_contain_text("row 21, column 13 · layer 1, head 1")
    cut = (said["after_norm"] < 0).mean()
    assert cut > 0.001
    expect(page.locator(".stage-wall .layer").first).to_contain_text(
        f"ReLU sets {100 * cut:.{int(cut < 0.0995)}f} % of the values to 0"
    )
    page.locator(".pixel-steps summary").click()
    expect(page.locator(".pixel-steps details td")).to_have_count(8)


def test_a_click_locks_a_pixel_and_escape_lets_it_go(opened: Open) -> None:
    page = opened("grey")
    look_at(page, 18, 10, 28, tile=7)
    page.mouse.down()
    page.mouse.up()
    wait_for_view(page, pixel=[18, 10], layer=1, stage="before_norm")
    look_at(page, 3, 3, 28)
    assert read_grid(page)["pixel"] == [18, 10]
    page.keyboard.press("Escape")
    page.locator(".board.picture").focus()
    page.keyboard.press("Escape")
    wait_for_view(page, pixel=None)


def test_a_link_leads_to_the_stage_that_is_looked_at(opened: Open) -> None:
    page = opened("grey", "&pixel=11,9&layer=2&stage=output")
    assert (read_grid(page)["layer"], read_grid(page)["stage"]) == (1, "output")
    expect(page.locator(".stage-wall .tile").nth(9)).to_have_class(re.compile("chosen"))


def test_the_keyboard_goes_from_map_to_map_and_from_pixel_to_pixel(opened: Open) -> None:
    page = opened("grey", "&pixel=10,10")
    page.locator(".stage-wall .tile").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert read_grid(page)["layer"] == 1
    page.keyboard.press("Shift+ArrowRight")
    wait_for_view(page, pixel=[9, 10], layer=1)
    expect(page.locator(".stage-wall .tile[tabindex='0']")).to_have_count(1)
    expect(page.locator(".stage-grid > [aria-live]")).to_contain_text("At row 10, column 11 · layer 2, head 1")


def test_a_finger_looks_with_one_tap_and_locks_with_the_second(opened: Open) -> None:
    page = opened("grey", viewport={"width": 375, "height": 667}, has_touch=True)
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    place = box["x"] + box["width"] * 13.5 / 28, box["y"] + box["height"] * 20.5 / 28
    page.touchscreen.tap(*place)
    assert read_grid(page)["pixel"] == [20, 13]
    assert not read_grid(page)["locked"]
    page.touchscreen.tap(*place)
    wait_for_view(page, pixel=[20, 13])
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_moving_sends_nothing(opened: Open, new_page: NewPage, serve: Serve) -> None:
    page = new_page()
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))  # noqa: PLW0108 (Playwright marks the function)
    page.goto(f"{serve(COMPONENTS)}/stage_grid?net=grey")
    wait_until_ready(page)
    find_grid(page).and_(page.locator("[data-drawn]")).wait_for()
    page.wait_for_load_state("networkidle")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    for socket in sockets:
        socket.on("framesent", lambda frame: sent.append("frame"))
    for step in range(20):
        look_at(page, step, 27 - step, 28, tile=step % 10)
    expect(page.locator(".pixel-steps .how")).to_contain_text("row 20, column 9")
    assert sockets
    assert sent == []


def test_csv_holds_every_stage(opened: Open) -> None:
    page = opened("colour")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    lines = waiting.value.path().read_text().splitlines()
    assert "# model: drawn" in lines
    table = list(csv.reader(io.StringIO("\n".join(line for line in lines if not line.startswith("#")))))
    assert table[0][:4] == ["channel", "row", "column", "layer 1 before conv"]
    expected = compute_stages(NETS["colour"]())
    found = np.array([float(line[-1]) for line in table[1:]]).reshape(3, 32, 32)
    np.testing.assert_allclose(found, expected[1]["output"], atol=1e-6)


def save_words(page: Page) -> list[str]:
    """Save the SVG, and return the lines that one sees in it."""
    with page.expect_download() as waiting:
        page.locator(".stage-grid").get_by_role("button", name="SVG").click()
    return re.findall(r"<text [^>]*>([^<]*)</text>", waiting.value.path().read_text())


def test_png_and_svg_are_saved_with_their_origin(opened: Open) -> None:
    page = opened("colour")
    for kind, mark in (("SVG", b"<metadata>"), ("PNG", b"tEXtDescription")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=kind).click()
        content = waiting.value.path().read_bytes()
        assert mark in content
        assert b"drawn/0" in content


@pytest.mark.parametrize(
    ("words", "answer", "switched"),
    [
        ("", "drawn answers boot, 78.0 %", ""),
        ("&skip=no", "drawn answers boot, 78.0 % (before the switches)", "skip off"),
    ],
)
def test_a_saved_picture_says_model_answer_scale_and_switches_where_one_sees_it(
    opened: Open, words: str, answer: str, switched: str
) -> None:
    page = opened("grey", words)
    lines = save_words(page)
    assert answer in lines
    assert "each map from minus to plus its largest value" in lines
    assert any(line.startswith("model drawn") and line.endswith(switched) for line in lines)


def test_a_saved_picture_in_colour_has_no_scale_of_signed_values(opened: Open) -> None:
    colours, signed = (save_words(opened("colour", f"&channel={channel}")) for channel in ("colour", "red"))
    assert "In colour: red, green and blue, each map from its lowest to its highest value." in colours
    assert not any(line.startswith("violet is above zero") for line in colours)
    assert not any(line.startswith("In colour") for line in signed)
    assert any(line.startswith("violet is above zero") for line in signed)


def test_where_there_is_no_other_picture_none_can_be_borrowed(opened: Open) -> None:
    page = opened("alone", "&relevance=other")
    expect(page.locator(".complaint")).to_contain_text("Valid values of relevance: learnt or mean or one or zero.")
    assert_equal_stages(page, compute_stages(NETS["alone"]()))


def test_nonsense_in_the_url_gives_a_sentence_and_the_default(opened: Open) -> None:
    page = opened("grey", "&pixel=99,1&layer=7&head=mean&eps=inf")
    expect(page.locator(".complaint")).to_contain_text("pixel “99,1” and layer “7” and eps “inf”")
    assert read_grid(page)["layer"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_axe_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened("grey", color_scheme=scheme)
    assert [line for line in find_violations(page) if "stBidiComponent" in line] == []
