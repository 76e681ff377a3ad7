"""The page of spatial transformers in a browser: theta, grid, what is sampled and the answer against the weights."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz import data
from attnviz.measures.spatial_transformer.decomposition import decomposed
from attnviz.subjects import Picture, net
from tests.ui.mechanisms.spatial_transformer.spelled import Spelled, moved

from .conftest import Visit, find_violations, read_state
from .harness import wait_for_state

GRID = ".sampling-grid[data-drawn]"
SETTLED = "(found) => !found.pending"
Open = Callable[..., Page]


def find_picture(name: str) -> Picture:
    return (
        Picture("cifar10", int(data.shown("cifar10").numbers[0])) if name == "wide" else Picture("rotated_strokes", 7)
    )


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(name: str, words: str = "", **options: Any) -> Page:
        picture = find_picture(name)
        named = f"model=spatial_transformer.{name}&data={picture.data}&number={picture.number}"
        return visit(f"{alone}/spatial_transformer?v=2&{named}{words}", GRID, **options)

    return open_page


def compute(folder: Path, name: str, move: tuple[float, ...] = (), theta: np.ndarray | None = None) -> Spelled:
    one = net(f"spatial_transformer.{name}")
    picture = find_picture(name).taken_by(one)
    return Spelled(folder / one.key, moved(picture, *move) if move else picture, theta=theta)


def check(page: Page, wanted: Spelled, near: float = 1e-6) -> dict[str, Any]:
    """Compare what is on the screen with what was computed apart, and return it."""
    wait_for_state(page, ".sampling-grid", SETTLED)
    found = read_state(page.locator(GRID))
    channels, rows, columns = wanted.sampled.shape
    np.testing.assert_allclose(found["used"], wanted.theta.ravel(), atol=near)
    np.testing.assert_allclose(found["grid_points"], wanted.places.ravel(), atol=near)
    values = np.reshape(found["values"], (rows, columns, channels)).transpose(2, 0, 1) / 255
    np.testing.assert_allclose(values, wanted.sampled, atol=20 * near)
    np.testing.assert_allclose(found["now"], wanted.probabilities, atol=1e-4)
    parts = decomposed(wanted.theta[None], rows=rows, columns=columns)
    assert found["parts"]["angle"] == pytest.approx(parts.angle[0], abs=1e4 * near)
    np.testing.assert_allclose(found["parts"]["scales"], parts.scales[0], atol=10 * near)
    assert found["parts"]["mirrored"] == parts.mirrored[0]
    return found


def find_place(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where a place of the picture, -1..1, is in the window."""
    box = page.locator(".stage canvas").bounding_box()
    assert box
    return box["x"] + box["width"] * (0.5 + x / 2 / 1.42), box["y"] + box["height"] * (0.5 + y / 2 / 1.42)


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag from one place of the picture to another."""
    page.mouse.move(*find_place(page, *begin))
    page.mouse.down()
    page.mouse.move(*find_place(page, (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2))
    page.mouse.move(*find_place(page, *end))
    page.mouse.up()


def test_theta_grid_and_what_is_sampled_are_those_of_the_file_of_weights(opened: Open, folder: Path) -> None:
    """On a picture in colour of 20 rows and 32 columns."""
    page = opened("wide")
    wanted = compute(folder, "wide")
    check(page, wanted)
    cells = page.locator(".matrix input")
    for number, value in enumerate(wanted.theta.ravel()):
        assert float(cells.nth(number).input_value()) == pytest.approx(value, abs=5.1e-4)
    board = page.locator(".seen-part .board")
    board.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    x, y = wanted.places[32 + 2]
    sampled = f"row {((y + 1) * 20 - 1) / 2 + 1:.2f}, column {((x + 1) * 32 - 1) / 2 + 1:.2f}: "
    expect(page.locator(".reading")).to_contain_text(f"Row 2, column 3 is sampled at {sampled}")


def test_a_picture_that_is_moved_is_what_the_network_answers_to(opened: Open, folder: Path) -> None:
    page = opened("rotated")
    check(page, compute(folder, "rotated"))
    drag(page, (0.2, 0.3), (0.45, 0.05))
    wait_for_state(page, ".sampling-grid", "(found) => found.across === 4 && found.down === -4 && !found.pending")
    page.locator(".stage").focus()
    for key in ("[", "[", "+"):
        page.keyboard.press(key)
    wait_for_state(page, ".sampling-grid", "(found) => found.rotate === 10 && !found.pending")
    found = check(page, compute(folder, "rotated", (10, 1.05, 4, -4)), near=1e-5)
    assert found["drag"] == "picture"
    page.wait_for_url("**rotate=10&scale=1.05&across=4&down=-4*")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    wait_for_state(page, ".sampling-grid", "(found) => found.rotate === 0 && found.across === 0 && !found.pending")
    found = check(page, compute(folder, "rotated"))
    np.testing.assert_allclose(found["now"], found["before"], atol=1e-6)


def test_a_grid_that_is_dragged_is_what_the_classifier_sees_through(opened: Open, folder: Path) -> None:
    page = opened("rotated", "&drag=grid&grid=identity")
    check(page, compute(folder, "rotated", theta=np.eye(2, 3)))
    drag(page, (1, 1), (0.6, 0.8))
    wait_for_state(page, ".sampling-grid", "(found) => found.theta && !found.pending")
    # The middle and two corners stay: (1, 1) is sampled at the hand, and (1, -1) where it was.
    theta = np.array([[0.8, -0.2, 0], [-0.1, 0.9, 0]])
    found = read_state(page.locator(GRID))
    np.testing.assert_allclose(found["theta"], theta.ravel(), atol=0.01)  # by pixels of the screen
    check(page, compute(folder, "rotated", theta=np.reshape(found["theta"], (2, 3))))
    page.wait_for_url("**theta=*")
    expect(page.locator(".theta-part h2 small").first).to_have_text("set by hand")
    cell = page.locator(".matrix input").nth(2)
    cell.fill("0.25")
    wait_for_state(page, ".sampling-grid", "(found) => found.theta[2] === 0.25 && !found.pending")
    held = np.reshape(read_state(page.locator(GRID))["theta"], (2, 3))
    check(page, compute(folder, "rotated", theta=held))
    page.keyboard.press("Escape")
    wait_for_state(page, ".sampling-grid", "(found) => !found.theta && found.grid === 'own' && !found.pending")
    wanted = compute(folder, "rotated")
    check(page, wanted)
    expect(cell).to_have_value(f"{wanted.theta[0, 2]:.3f}")
    cell.fill("7")
    wait_for_state(page, ".sampling-grid", "(found) => found.theta && found.theta[2] === 4 && !found.pending")
    page.keyboard.press("Tab")
    expect(cell).to_have_value("4.000")
    cell.press("ArrowDown")
    wait_for_state(page, ".sampling-grid", "(found) => found.theta[2] === 3.95 && !found.pending")
    assert cell.evaluate("(one) => one.checkValidity()")


def test_the_dot_of_the_picture_follows_the_slider(opened: Open) -> None:
    page = opened("rotated")
    words = page.locator(".plot-part p").first
    before = words.inner_text()
    assert page.locator(".move-part button").first.get_attribute("aria-disabled") == "true"
    page.locator(".move-part button").first.press("Enter")  # nothing to release, and so nothing to undo
    assert read_state(page.locator(GRID))["undos"] == 0
    slider = page.get_by_label("Rotate the picture")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    wait_for_state(page, ".sampling-grid", "(found) => found.rotate === -1 && !found.pending")
    expect(words).not_to_have_text(before)
    page.locator(".move-part button").first.click()
    wait_for_state(page, ".sampling-grid", "(found) => found.rotate === 0 && !found.pending")
    expect(words).to_have_text(before)
    slider.focus()
    page.keyboard.press("End")
    wait_for_state(page, ".sampling-grid", "(found) => found.rotate === 180 && !found.pending")
    assert slider.input_value() == "180"


def test_nonsense_in_the_url_is_named(opened: Open) -> None:
    page = opened("rotated", "&rotate=999&theta=1,2&grid=mine")
    said = page.locator(".sampling-grid .complaint")
    for words in (
        "rotate \u201c999\u201d",
        "theta \u201c1,2\u201d",
        "grid \u201cmine\u201d",
        "own or identity or mean",
    ):
        expect(said).to_contain_text(words)


def test_the_page_is_accessible_and_not_too_long(opened: Open) -> None:
    page = opened("rotated", "&drag=grid")
    assert find_violations(page) == []
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 1900


def test_a_finger_drags_the_picture_and_both_pictures_stay_in_view(opened: Open) -> None:
    page = opened("rotated", viewport={"width": 375, "height": 800}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 3600
    picture, seen = (page.locator(part).bounding_box() for part in (".picture-part", ".seen-part"))
    assert picture
    assert seen
    assert picture["y"] == seen["y"]
    assert picture["x"] + picture["width"] <= seen["x"]
    page.locator(".plot-part").scroll_into_view_if_needed()
    page.locator(".theta-part").evaluate("(part) => part.scrollIntoView()")
    after = page.locator(".picture-part").bounding_box()
    assert after
    assert 0 <= after["y"] < 120, "it is stuck to the head of the window"
    assert page.locator(".stage canvas").evaluate("(canvas) => getComputedStyle(canvas).touchAction") == "none"
