"""The page of attention over channels in a browser: gates and their arithmetic against the file of weights."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attnviz import data
from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms.channel_attention import gates
from tests.sweeps import sweep
from tests.ui.mechanisms.channel_attention.placed import NETS
from tests.ui.mechanisms.channel_attention.spelled import Spelled

from .conftest import Visit, find_violations, read_state, wait_until_ready
from .harness import wait_for_state
from .laid_out import find_small_targets

GATES = ".gates[data-drawn]"
Open = Callable[..., Page]


def find_picture(name: str) -> Picture:
    return Picture("cifar10", int(data.shown("cifar10").numbers[0])) if name == "wide" else Picture("strokes", 23)


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(name: str, words: str = "", **options: Any) -> Page:
        picture = find_picture(name)
        named = f"model=channel_attention.{name}&data={picture.data}&number={picture.number}"
        return visit(f"{alone}/channel_attention?v=2&{named}{words}", GATES, **options)

    return open_page


def find_gates(page: Page) -> Locator:
    return page.locator(GATES)


def compute_spelled(folder: Path, name: str, put: dict[int, np.ndarray] | None = None) -> Spelled:
    one = net(f"channel_attention.{name}")
    return Spelled(folder / one.key, find_picture(name).taken_by(one), dict(NETS[name][1]), put)


@pytest.mark.parametrize("name", sweep(["wide", "digits"], lambda name: name == "wide"))
def test_gates_and_the_arithmetic_of_each_are_those_of_the_file_of_weights(
    opened: Open, folder: Path, name: str
) -> None:
    """On a picture in colour of 20 rows and 32 columns, with gates of places; and on a digit."""
    page = opened(name, "&layer=2")
    wanted = compute_spelled(folder, name)
    strips = find_gates(page).locator(".bar-strip canvas")
    found = read_state(find_gates(page))
    for shown, one in zip(found["gates"], wanted.gates, strict=True):
        np.testing.assert_allclose(shown, one["gate"], atol=1e-6)
    np.testing.assert_allclose(found["now"], wanted.probabilities, atol=1e-5)
    for channel in (0, 4):
        box = strips.nth(1).bounding_box()
        assert box
        count = len(wanted.gates[1]["gate"])
        page.mouse.click(box["x"] + (channel + 0.4) * box["width"] / count, box["y"] + box["height"] / 2)
        steps = read_state(find_gates(page))["steps"]
        one = wanted.gates[1]
        assert steps["squeezed"] == pytest.approx(one["squeezed"][channel], abs=1e-6)
        assert steps["score"] == pytest.approx(one["score"][channel], abs=1e-6)
        assert steps["computed"] == pytest.approx(one["computed"][channel], abs=1e-6)
        assert steps["scaled"] == pytest.approx(one["squeezed"][channel] * one["gate"][channel], abs=1e-6)
        large = find_gates(page).locator(".steps-part .big")
        expect(large).to_contain_text(f"{one['gate'][channel]:.3g}"[:4])
        page.wait_for_url(f"**channel={channel + 1}*")
    if name == "wide":
        np.testing.assert_allclose(
            read_state(find_gates(page))["places"]["values"], wanted.gates[1]["place"].ravel(), atol=1e-6
        )


def test_gates_that_differ_from_place_to_place_are_shown_at_each_place(opened: Open) -> None:
    """Against the network in double precision: BAM adds the score of a place to that of the channel."""
    page = opened("digits-bam", "&layer=2&channel=3")
    layer = gates.view(net("channel_attention.digits-bam").load(double=True), find_picture("digits-bam")).layers[1]
    assert layer.space is not None
    found = read_state(find_gates(page))
    np.testing.assert_allclose(found["gates"][1], layer.gate, atol=1e-5)
    score = layer.excite @ layer.reduced + layer.shift
    places = 1 / (1 + np.exp(-(score[2] + layer.space)))
    np.testing.assert_allclose(found["places"]["values"], places.ravel(), atol=1e-5)
    assert found["steps"]["computed"] == pytest.approx(layer.gate[2], abs=1e-5)
    steps = find_gates(page).locator(".steps-part")
    expect(steps).to_contain_text("the shift of the normalisation")
    expect(steps).to_contain_text("multiplied by 1 + the gate of its place")
    heading = find_gates(page).locator(".places-part h2")
    expect(heading).to_contain_text(f"channel 3: {places.min():#.2g} to {places.max():#.2g}")
    find_gates(page).locator(".bar-strip").nth(1).focus()
    page.keyboard.press("PageDown")
    wait_for_state(page, ".gates", "(found) => found.turned.length === 1 && !found.pending")
    found = read_state(find_gates(page))
    ((_, channel, percent),) = found["turned"]
    assert channel == 2
    np.testing.assert_allclose(found["places"]["values"], percent / 100)


def test_a_gate_that_is_turned_changes_the_answer_and_the_gates_behind_it(opened: Open, folder: Path) -> None:
    page = opened("digits")
    strip = find_gates(page).locator(".bar-strip").first
    box = strip.locator("canvas").bounding_box()
    assert box
    x, middle = box["x"] + 2.4 * box["width"] / 4, box["y"] + box["height"] / 2
    page.mouse.move(x, middle)
    page.mouse.down()
    page.mouse.move(x, middle + 10)
    page.mouse.move(x, box["y"] + box["height"] + 20)
    page.mouse.up()
    wait_for_state(page, ".gates", "(found) => found.turned.length === 1 && !found.pending")
    found = read_state(find_gates(page))
    assert found["turned"] == [[0, 2, 0]]
    put = np.full(4, np.nan)
    put[2] = 0
    wanted = compute_spelled(folder, "digits", {0: put})
    np.testing.assert_allclose(found["now"], wanted.probabilities, atol=1e-4)
    for shown, one in zip(found["gates"], wanted.gates, strict=True):
        np.testing.assert_allclose(shown, one["gate"], atol=1e-4)
    assert not np.allclose(found["gates"][1], compute_spelled(folder, "digits").gates[1]["gate"], atol=1e-4)
    page.wait_for_url("**turned=1.3-0*")
    strip.focus()
    page.keyboard.press("Delete")
    wait_for_state(page, ".gates", "(found) => found.turned.length === 0 && !found.pending")
    np.testing.assert_allclose(read_state(find_gates(page))["now"], found["before"], atol=1e-6)


def test_all_gates_at_1_and_keys(opened: Open, folder: Path) -> None:
    page = opened("digits", "&gates=one")
    wait_for_state(page, ".gates", "(found) => !found.pending")
    ones = {number: np.ones(width) for number, width in enumerate((4, 6, 8))}
    np.testing.assert_allclose(
        read_state(find_gates(page))["now"], compute_spelled(folder, "digits", ones).probabilities, atol=1e-4
    )
    find_gates(page).locator(".bar-strip").first.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    wait_for_state(page, ".gates", "(found) => found.turned.length === 1 && !found.pending")
    found = read_state(find_gates(page))
    assert found["turned"] == [[0, 1, 95]]
    ones[0][1] = 0.95
    np.testing.assert_allclose(found["now"], compute_spelled(folder, "digits", ones).probabilities, atol=1e-4)
    page.keyboard.press("Escape")
    wait_for_state(page, ".gates", "(found) => found.gates.length && found.turned.length === 0 && !found.pending")
    np.testing.assert_allclose(read_state(find_gates(page))["now"], found["before"], atol=1e-6)


def test_a_bar_and_a_map_are_one_choice(opened: Open, folder: Path) -> None:
    page = opened("wide", "&experiment=maps&layer=1&channel=2")
    maps = page.locator(".stage-maps[data-drawn]")
    maps.wait_for()
    wanted = compute_spelled(folder, "wide").stages
    for stage in ("input", "conv", "norm", "relu", "branch", "gate", "output"):
        shown = maps.evaluate("(root, stage) => root.readStage(1, stage)", stage)
        np.testing.assert_allclose(shown, wanted[1][stage].ravel(), rtol=1e-4, atol=1e-4, err_msg=stage)
    strip = find_gates(page).locator(".bar-strip canvas").nth(1)
    box = strip.bounding_box()
    assert box
    strip.click(position={"x": 4.4 * box["width"] / 6, "y": 5})  # the page has scrolled to the experiment
    wait_for_state(page, ".stage-maps", "(found) => found.layer === 1 && found.channel === 4")
    assert read_state(find_gates(page))["channel"] == 4


def test_the_page_is_accessible_and_not_too_long(opened: Open) -> None:
    page = opened("digits-cbam")
    assert find_violations(page) == []
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    assert height <= 1900, json.dumps(height)


def test_a_phone_shows_the_picture_first_and_nothing_is_wider_than_it(opened: Open) -> None:
    page = opened("digits-cbam", viewport={"width": 375, "height": 800}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    assert height <= 3600, json.dumps(height)
    picture, gates = (find_gates(page).locator(part).bounding_box() for part in (".picture-part", ".gates-part"))
    assert picture
    assert gates
    assert picture["y"] < gates["y"]
    board, answer = (
        find_gates(page).locator(f".picture-part > {part}").bounding_box() for part in (".board", ".answer-part")
    )
    assert board
    assert answer
    assert answer["x"] >= board["x"] + board["width"] and answer["y"] < board["y"] + board["height"], "beside it"


def test_on_a_phone_a_button_shows_the_gates_of_places_instead_of_the_picture(opened: Open) -> None:
    phone = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
    page = opened("digits-cbam", "&layer=1&channel=1", **phone)
    assert find_small_targets(page) == []
    part = find_gates(page).locator(".picture-part")
    picture, places = part.get_by_label("The picture"), part.get_by_label("Gates of places")
    shown = read_state(find_gates(page))["places"]["values"]
    button = part.get_by_role("button", name="By place")
    expect(button).to_contain_text(f"{min(shown):#.2g} to {max(shown):#.2g}")
    expect(picture).to_be_visible()
    expect(places).to_be_hidden()
    height = part.evaluate("(part) => part.offsetHeight")
    button.tap()
    expect(picture).to_be_hidden()
    expect(places).to_be_visible()
    assert part.evaluate("(part) => part.offsetHeight") == height, "what is below must not move"
    button.tap()
    expect(picture).to_be_visible()
    expect(places).to_be_hidden()


def test_a_finger_slides_along_the_bars_and_steps_to_the_next(opened: Open) -> None:
    phone = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
    page = opened("digits", "&layer=3&channel=1", **phone)
    assert find_small_targets(page) == []
    strip = find_gates(page).locator(".bar-strip canvas").last
    strip.evaluate("(canvas) => canvas.scrollIntoView({ block: 'center', behavior: 'instant' })")
    box = strip.bounding_box()
    assert box
    wide, y = box["width"] / 8, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *bars: float) -> None:
        # Chromium drops what is sent before the frame that shows the page scrolled.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        points = [{"x": box["x"] + bar * wide, "y": y} for bar in bars]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0.5)
    for bar in (1.5, 2.5, 3.5, 4.5):
        touch("touchMove", bar)
    wait_for_state(page, ".gates", "(found) => found.shown === 4")
    touch("touchEnd")
    page.wait_for_url("**channel=5*")
    wait_until_ready(page)
    page.get_by_role("button", name="Next gate").tap()
    wait_for_state(page, ".gates", "(found) => found.shown === 5 && found.turned.length === 0")
    page.get_by_role("button", name="Previous gate").tap()
    wait_for_state(page, ".gates", "(found) => found.shown === 4")
    expect(find_gates(page)).to_contain_text("Slide along the bars")


def test_the_maps_follow_a_gate_that_is_turned(opened: Open, folder: Path) -> None:
    page = opened("digits", "&experiment=maps&layer=2&channel=3")
    maps = page.locator(".stage-maps[data-drawn]")
    maps.wait_for()
    before = maps.evaluate("(root) => root.readStage(1, 'gate')")
    strip = find_gates(page).locator(".bar-strip").nth(1)
    strip.focus()
    for _ in range(5):
        page.keyboard.press("PageDown")
    page.wait_for_url("**turned=2.3-0*")
    put = np.full(6, np.nan)
    put[2] = 0
    wanted = compute_spelled(folder, "digits", {1: put}).stages
    expect(page.get_by_text("as computed, and 1 set by hand")).to_be_visible()
    page.wait_for_function(
        "([root, before]) => JSON.stringify(root.readStage(1, 'gate')) !== JSON.stringify(before)",
        arg=[maps.element_handle(), before],
    )
    for layer, stage in ((1, "gate"), (2, "output")):
        shown = maps.evaluate("(root, [layer, stage]) => root.readStage(layer, stage)", [layer, stage])
        np.testing.assert_allclose(shown, wanted[layer][stage].ravel(), rtol=1e-4, atol=1e-4, err_msg=stage)
